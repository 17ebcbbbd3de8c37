(* The definitions of the formats of 8 bits, and of quantisation to them. A format is one of the two
   by its name; it is written by its fields, where 1 says that there are infinities. *)

open Forms
module F = Scalar__float8__Float8
module C = Scalar__float8__Cast8
module E = Scalar__float8__Encoding8
module Q = Scalar__quantization_float8__QuantizationToFloat8
module D = Scalar__quantization_float8__DequantizationOfFloat8
module OfHalves = Ops__quantize_linear__floats__QuantizeLinearFloat16ToFloat8E4M3FN
module OfIntegers = Ops__quantize_linear__definition__QuantizeLinearInt32ToFloat8E5M2
module ToHalves = Ops__dequantize_linear__definition__DequantizeLinearFloat8E5M2ToFloat16

let float8 =
  let open F in
  { read = (fun s -> List.assoc s [ "float8e5m2", float8e5m2; "float8e4m3fn", float8e4m3fn ]);
    write = (fun v ->
      let part (name, value) = name ^ "=" ^ Z.to_string value in
      let infinite = if v.infinite then Z.one else Z.zero in
      String.concat "," (List.map part [ "top", v.base.top; "one", v.base.one;
        "greatest", v.greatest; "infinite", infinite ])) }

let integers, floats = tensor int, tensor float

(* A function on elements, on those of a tensor. *)
let each f t = Tensor__tensor__Tensor.{ shape = t.shape; value = fun i -> f (t.value i) }

(* From bit patterns of a format to those of one of 8 bits. *)
let cast_patterns f v saturate =
  each (fun b ->
    E.to_bits8 v (C.cast f v saturate (Scalar__ieee754__encoding__Encoding.of_bits f b)))

(* The other way round. *)
let widened_patterns v f =
  each (fun b ->
    Scalar__ieee754__encoding__Encoding.to_bits f
      (Accuracy__wide_accumulation__Conversion.convert v.F.base f (E.of_bits8 v b)))

let all path = List.map (fun (name, f) -> path ^ "." ^ name, f)

let definitions =
  all "scalar.float8.Float8" F.[
    "interchange", f1 format float8 interchange; "finite_only", f1 format float8 finite_only;
    "float8e5m2", constant float8 float8e5m2; "float8e4m3fn", constant float8 float8e4m3fn;
    "member8", f2 float8 float bool member8 ]
  @ all "scalar.float8.Cast8" C.[
    "beyond", f3 float8 bool bool float beyond;
    "rounded8", f5 float8 bool bool int int float rounded8;
    "cast", f4 format float8 bool float float cast;
    "cast_patterns", f4 format float8 bool integers integers cast_patterns ]
  @ all "scalar.float8.Encoding8" E.[
    "magnitude8", f2 format int int magnitude8;
    "of_bits_finite_only", f2 format int float of_bits_finite_only;
    "to_bits_finite_only", f2 format float int to_bits_finite_only; "of_bits8", f2 float8 int float of_bits8;
    "to_bits8", f2 float8 float int to_bits8;
    "widened_patterns", f3 float8 format integers integers widened_patterns ]
  @ all "scalar.quantization_float8" [
    "QuantizationToFloat8.quantize8", f5 format float8 bool float float float Q.quantize8;
    "DequantizationOfFloat8.dequantize8", f4 float8 format float float float D.dequantize8;
    "QuantizationToFloat8Type.quantize_float",
      f3 bool float float int OfHalves.Scalar.quantize_float;
    "QuantizationToFloat8Type.quantize_integer",
      f3 bool int float int OfIntegers.Scalar.quantize_integer;
    "DequantizationOfFloat8Type.dequantize",
      f3 int float int float ToHalves.Scalar.dequantize ]
  @ all "ops.quantize_linear" [
    "definition.SaturateAttribute.saturates", f1 (Structural.option int) bool
      Ops__quantize_linear__definition__SaturateAttribute.saturates;
    "definition.QuantizeLinearFloat8.quantize_saturating",
      f3 float float int int OfHalves.quantize_saturating;
    "definition.QuantizeLinearFloat8.quantize_plainly",
      f3 float float int int OfHalves.quantize_plainly;
    "floats.QuantizeLinearFloat16ToFloat8E4M3FN.quantize_linear",
      f5 Quantization.granularity (Structural.option int) floats floats
        (Structural.option integers) integers OfHalves.quantize_linear;
    "definition.QuantizeLinearInt32ToFloat8E5M2.quantize_linear",
      f5 Quantization.granularity (Structural.option int) integers floats
        (Structural.option integers) integers OfIntegers.quantize_linear;
    "dequantize_linear", f4 Quantization.granularity integers floats
      (Structural.option integers) floats ToHalves.dequantize_linear ]
