(* The definitions of QuantizeLinear and DequantizeLinear. An axis that is not set is none. *)

open Forms
open Structural
module Q = Ops__quantize_linear__definition__QuantizeLinearSignature
module D = Ops__dequantize_linear__definition__DequantizeLinearSignature
module OfFloats = Ops__quantize_linear__floats__QuantizeLinearFloat32ToInt8
module OfIntegers = Ops__quantize_linear__definition__QuantizeLinearInt32ToUInt8

let floats = tensor float
let axis, zero, z = option int, option integers, option operand

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

let per_axis =
  all "tensor.per_axis.PerAxis" Tensor__per_axis__PerAxis.[
    "axis_among", f2 int axis int axis_among; "scalar_or_vector", f1 ints bool scalar_or_vector;
    "axis_exists", f3 axis ints ints bool axis_exists;
    "element_each", f3 axis ints ints bool element_each; "fits", f3 axis ints ints bool fits;
    "place", f4 axis ints ints ints ints place ]
  @ all "tensor.per_axis.PerAxisTensor" Tensor__per_axis__PerAxisTensor.[
    "element_at", f4 axis ints integers ints int element_at;
    "zero_at", f4 axis ints zero ints int zero_at ]

let definitions =
  elements @ per_axis
  @ all "ops.quantize_linear.definition.QuantizeLinearSignature" Q.[
    "listed", f1 element_type bool listed;
    "well_formed_dims", f3 operand operand z bool well_formed_dims;
    "stored_densely", f1 operand bool stored_densely; "dense", f3 operand operand z bool dense;
    "single_scale", f1 operand bool single_scale;
    "quantized_type", f1 z element_type quantized_type;
    "byte_zero_point", f1 z bool byte_zero_point; "one_shape", f2 operand z bool one_shape;
    "admissible", f4 axis operand operand z bool admissible;
    "result", f4 axis operand operand z operand result ]
  @ all "ops.quantize_linear" [
    "floats.QuantizeLinearFloat32ToInt8.quantize_linear",
      f4 axis floats floats zero integers OfFloats.quantize_linear;
    "definition.QuantizeLinearInt32ToUInt8.quantize_linear",
      f4 axis integers floats zero integers OfIntegers.quantize_linear ]
  @ all "ops.dequantize_linear.definition.DequantizeLinearSignature" D.[
    "listed", f1 element_type bool listed;
    "well_formed_dims", f3 operand operand z bool well_formed_dims;
    "dense", f3 operand operand z bool dense; "single_scale", f1 operand bool single_scale;
    "one_type", f2 operand z bool one_type; "one_shape", f2 operand z bool one_shape;
    "wide", f1 element_type bool wide; "zeros", f1 zero bool zeros;
    "admissible", f5 axis operand operand z zero bool admissible;
    "result", f5 axis operand operand z zero operand result ]
  @ all "ops.dequantize_linear.definition.DequantizeLinear" [
    "dequantize_linear", f4 axis integers floats zero floats
      Ops__dequantize_linear__definition__DequantizeLinear.dequantize_linear ]
