(* The definitions of QuantizeLinear and DequantizeLinear. An axis that is not set is none; a
   granularity is written as a window is: its axis, and the size of its blocks. *)

open Forms
open Structural
module Q = Ops__quantize_linear__definition__QuantizeLinearSignature
module D = Ops__dequantize_linear__definition__DequantizeLinearSignature
module OfFloats = Ops__quantize_linear__floats__QuantizeLinearFloat32ToInt8
module OfHalves = Ops__quantize_linear__floats__QuantizeLinearFloat16ToInt8
module ToHalves = Ops__dequantize_linear__definition__DequantizeLinearFloat16
module OfIntegers = Ops__quantize_linear__definition__QuantizeLinearInt32ToUInt8

let floats = tensor float
let axis, zero, z = option int, option integers, option operand
let output = option int

let granularity =
  let open Tensor__granularity__Granularity in
  { read = (fun text ->
      match String.split_on_char '|' (String.sub text 1 (String.length text - 2)) with
      | [ a; b ] -> { axis = axis.read a; block = int.read b }
      | _ -> failwith ("no granularity: " ^ text));
    write = (fun g -> "{" ^ axis.write g.axis ^ "|" ^ int.write g.block ^ "}") }

let g = granularity

let elements =
  all "scalar.quantization" [
    "NearestEven.nearest_even", f2 int int int Scalar__quantization__NearestEven.nearest_even;
    "NearestOfFloat.nearest_of",
      f2 bool int int Scalar__quantization__NearestOfFloat.nearest_of;
    "Saturation.saturated", f3 int int int int Scalar__quantization__Saturation.saturated;
    "Quantization.placed", f4 int int float int int Scalar__quantization__Quantization.placed;
    "Quantization.quantize",
      f5 int int float float int int Scalar__quantization__Quantization.quantize;
    "Single.single", f1 int float Scalar__quantization__Single.single;
    "QuantizationToMachine.quantize_float",
      f3 float float int int OfFloats.Scalar.quantize_float;
    "QuantizationToMachine.quantize_integer",
      f3 int float int int OfIntegers.Scalar.quantize_integer;
    "Dequantization.dequantize",
      f3 int float int float Scalar__quantization__Dequantization.dequantize ]
  @ all "scalar.quantization_formats" [
    "QuantizationOfFormat.quantize_of", f6 format int int float float int int
      Scalar__quantization_formats__QuantizationOfFormat.quantize_of;
    "QuantizationOfFormatToMachine.quantize_float",
      f3 float float int int OfHalves.Scalar.quantize_float;
    "DequantizationToFormat.dequantize_to", f4 format int float int float
      Scalar__quantization_formats__DequantizationToFormat.dequantize_to ]

let per_axis =
  all "tensor.per_axis.PerAxis" Tensor__per_axis__PerAxis.[
    "axis_among", f2 int axis int axis_among; "scalar_or_vector", f1 ints bool scalar_or_vector;
    "axis_exists", f3 axis ints ints bool axis_exists;
    "element_each", f3 axis ints ints bool element_each; "fits", f3 axis ints ints bool fits;
    "place", f4 axis ints ints ints ints place ]

let granular =
  all "tensor.granularity.Replaced" [
    "replaced", f3 int int ints ints Tensor__granularity__Replaced.replaced ]
  @ all "tensor.granularity.Granularity" Tensor__granularity__Granularity.[
    "granularity_of", f2 axis axis g granularity_of; "sized", f1 g bool sized;
    "blocked", f3 g ints ints bool blocked; "blocks", f2 int int int blocks;
    "block_dims", f2 g ints ints block_dims;
    "some_granularity", f3 g ints ints bool some_granularity;
    "has_axis", f3 g ints ints bool has_axis;
    "elements_there", f3 g ints ints bool elements_there; "fits", f3 g ints ints bool fits;
    "block_place", f3 g ints ints ints block_place; "place", f4 g ints ints ints ints place ]
  @ all "tensor.granularity.GranularTensor" Tensor__granularity__GranularTensor.[
    "element_at", f4 g ints integers ints int element_at;
    "zero_at", f4 g ints zero ints int zero_at ]

let zero_points =
  all "ops.quantize_linear.definition.ZeroPoint" Ops__quantize_linear__definition__ZeroPoint.[
    "float8", f1 element_type bool float8;
    "zero_element", f2 element_type int bool zero_element;
    "zeros", f2 element_type zero bool zeros;
    "zeros_from", f4 element_type int int integers bool zeros_from ]

let definitions =
  elements @ per_axis @ granular @ zero_points
  @ all "ops.quantize_linear.definition.QuantizeLinearSignature" Q.[
    "listed", f1 element_type bool listed;
    "well_formed_dims", f3 operand operand z bool well_formed_dims;
    "stored_densely", f1 operand bool stored_densely; "dense", f3 operand operand z bool dense;
    "scale_type", f1 element_type element_type scale_type;
    "scale_of_type", f2 operand operand bool scale_of_type;
    "type_of_number", f1 int element_type type_of_number;
    "quantized_type", f2 output z element_type quantized_type;
    "narrow", f1 element_type bool narrow;
    "narrow_zero_point", f1 z bool narrow_zero_point;
    "float8_zero_point", f1 z bool float8_zero_point;
    "zero_values", f2 z zero bool zero_values;
    "known_output", f1 output bool known_output; "one_output", f2 output z bool one_output;
    "one_shape", f2 operand z bool one_shape;
    "admissible", f6 g output operand operand z zero bool admissible;
    "result", f6 g output operand operand z zero operand result ]
  @ all "ops.quantize_linear" [
    "floats.QuantizeLinearFloat32ToInt8.quantize_linear",
      f4 g floats floats zero integers OfFloats.quantize_linear;
    "floats.QuantizeLinearFloat16ToInt8.quantize_linear",
      f4 g floats floats zero integers OfHalves.quantize_linear;
    "definition.QuantizeLinearInt32ToUInt8.quantize_linear",
      f4 g integers floats zero integers OfIntegers.quantize_linear ]
  @ all "ops.dequantize_linear.definition.DequantizeLinearSignature" D.[
    "listed", f1 element_type bool listed;
    "well_formed_dims", f3 operand operand z bool well_formed_dims;
    "dense", f3 operand operand z bool dense; "float_scale", f1 operand bool float_scale;
    "one_type", f2 operand z bool one_type; "one_shape", f2 operand z bool one_shape;
    "only_zero", f1 element_type bool only_zero;
    "admissible", f5 g operand operand z zero bool admissible;
    "result", f5 g operand operand z zero operand result ]
  @ all "ops.dequantize_linear.definition.DequantizeLinearFloat16" [
    "dequantize_linear", f4 g integers floats zero floats ToHalves.dequantize_linear;
    "product", f3 int float int float ToHalves.product ]
  @ all "ops.dequantize_linear.definition.DequantizeLinearFloat32" [
    "dequantize_linear", f4 g integers floats zero floats
      Ops__dequantize_linear__definition__DequantizeLinearFloat32.dequantize_linear ]
