(* Runs the extracted definitions: one call a line, NAME ARGUMENT ..., one answer a line. The
   written form of the values is in forms.ml. *)

open Tensor__tensor__Tensor
open Forms

(* Integers as the functions int -> int that sums add up: the value at k is k * k + c. *)
let squares c = fun k -> Z.add (Z.mul k k) c

let integers = tensor int
let rationals = tensor rational
let extendeds = tensor extended
let floats = tensor float

module type SCALAR = sig
  val zero : Z.t
  val one : Z.t
  val add : Z.t -> Z.t -> Z.t
  val mul : Z.t -> Z.t -> Z.t
  val divisible : Z.t -> Z.t -> bool
  val div : Z.t -> Z.t -> Z.t
end

module type MACHINE = sig
  include SCALAR
  val width : Z.t
  val signed : bool
  val modulus : Z.t
  val minimum : Z.t
  val maximum : Z.t
  val member : Z.t -> bool
  val wrap : Z.t -> Z.t
end

let scalar path (module S : SCALAR) = List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "zero", constant int S.zero; "one", constant int S.one;
  "add", f2 int int int S.add; "mul", f2 int int int S.mul;
  "divisible", f2 int int bool S.divisible; "div", f2 int int int S.div ]

let machine path (module M : MACHINE) =
  scalar path (module M) @ List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "width", constant int M.width; "signed", constant bool M.signed;
  "modulus", constant int M.modulus; "minimum", constant int M.minimum;
  "maximum", constant int M.maximum; "member", f1 int bool M.member;
  "wrap", f1 int int M.wrap ]

module type FLOAT_TYPE = sig
  type float := Scalar__ieee754__format__Float.float
  val zero : float
  val one : float
  val add : float -> float -> float
  val mul : float -> float -> float
  val divisible : float -> float -> bool
  val div : float -> float -> float
  val div_r5 : float -> float -> float
end

module type MATMUL = sig
  type t
  val sum : (Z.t -> t) -> Z.t -> t
  val product : t tensor -> t tensor -> Z.t -> Z.t -> Z.t -> t
  val entry : t tensor -> t tensor -> Z.t -> Z.t -> t
  val matmul : t tensor -> t tensor -> t tensor
  val identity : Z.t -> t tensor
  val zeros : Z.t -> Z.t -> t tensor
  val plus : t tensor -> t tensor -> t tensor
  val scale : t -> t tensor -> t tensor
end

(* The argument [terms] of sums is written as something else, from which [term] makes it. *)
let matmul_over (type e) element terms term path (module M : MATMUL with type t = e) =
  let tensors = tensor element in
  List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "sum", f2 terms int element (fun written -> M.sum (term written));
  "product", f4 tensors tensors ints int element (fun a b i ->
    M.product a b (Tensor__matrix__Coordinates.first i) (Tensor__matrix__Coordinates.second i));
  "entry", f4 tensors tensors int int element M.entry;
  "matmul", f2 tensors tensors tensors M.matmul;
  "identity", f1 int tensors M.identity; "zeros", f2 int int tensors M.zeros;
  "plus", f2 tensors tensors tensors M.plus; "scale", f2 element tensors tensors M.scale ]

module type INTEGER_MATMUL = MATMUL with type t := Z.t

let matmul path (module M : INTEGER_MATMUL) =
  matmul_over int int squares path (module struct type t = Z.t include M end)

module type FLOAT_MATMUL = MATMUL with type t := Scalar__ieee754__format__Float.float

(* The terms of a sum of floats are the elements of a tensor of rank 1. *)
let term a = fun k -> a.value (Tensor__shape__Ints.Cons (k, Tensor__shape__Ints.Nil))

let float_matmul path (module M : FLOAT_MATMUL) =
  matmul_over float floats term path
    (module struct type t = Scalar__ieee754__format__Float.float include M end)

let signature path admissible result =
  [ path ^ ".admissible", f2 operand operand bool admissible;
    path ^ ".result", f2 operand operand operand result ]

let div_over tensors path div defined_from is_defined =
  [ path ^ ".div", f2 tensors tensors tensors div;
    path ^ ".defined_from", f3 int tensors tensors bool defined_from;
    path ^ ".is_defined", f2 tensors tensors bool is_defined ]

let div path = div_over integers path

let float_operators =
  let mul path mul = [ path ^ ".mul", f2 floats floats floats mul ] in
  let add path add = [ path ^ ".add", f2 floats floats floats add ] in
  let sub path sub = [ path ^ ".sub", f2 floats floats floats sub ] in
  let div = div_over floats in
  mul "ops.mul.floats.MulFloat16" Ops__mul__floats__MulFloat16.mul
  @ mul "ops.mul.floats.MulBFloat16" Ops__mul__floats__MulBFloat16.mul
  @ mul "ops.mul.floats.MulFloat32" Ops__mul__floats__MulFloat32.mul
  @ mul "ops.mul.floats.MulFloat64" Ops__mul__floats__MulFloat64.mul
  @ div "ops.div.floats.DivFloat16" Ops__div__floats__DivFloat16.div
      Ops__div__floats__DivFloat16.defined_from Ops__div__floats__DivFloat16.is_defined
  @ div "ops.div.floats.DivBFloat16" Ops__div__floats__DivBFloat16.div
      Ops__div__floats__DivBFloat16.defined_from Ops__div__floats__DivBFloat16.is_defined
  @ div "ops.div.floats.DivFloat32" Ops__div__floats__DivFloat32.div
      Ops__div__floats__DivFloat32.defined_from Ops__div__floats__DivFloat32.is_defined
  @ div "ops.div.floats.DivFloat64" Ops__div__floats__DivFloat64.div
      Ops__div__floats__DivFloat64.defined_from Ops__div__floats__DivFloat64.is_defined
  @ div "ops.div.floats.DivFloat16.R5" Ops__div__floats__DivFloat16.R5.div
      Ops__div__floats__DivFloat16.R5.defined_from Ops__div__floats__DivFloat16.R5.is_defined
  @ div "ops.div.floats.DivBFloat16.R5" Ops__div__floats__DivBFloat16.R5.div
      Ops__div__floats__DivBFloat16.R5.defined_from Ops__div__floats__DivBFloat16.R5.is_defined
  @ div "ops.div.floats.DivFloat32.R5" Ops__div__floats__DivFloat32.R5.div
      Ops__div__floats__DivFloat32.R5.defined_from Ops__div__floats__DivFloat32.R5.is_defined
  @ div "ops.div.floats.DivFloat64.R5" Ops__div__floats__DivFloat64.R5.div
      Ops__div__floats__DivFloat64.R5.defined_from Ops__div__floats__DivFloat64.R5.is_defined
  @ add "ops.add.floats.AddFloat16" Ops__add__floats__AddFloat16.add
  @ add "ops.add.floats.AddBFloat16" Ops__add__floats__AddBFloat16.add
  @ add "ops.add.floats.AddFloat32" Ops__add__floats__AddFloat32.add
  @ add "ops.add.floats.AddFloat64" Ops__add__floats__AddFloat64.add
  @ sub "ops.sub.floats.SubFloat16" Ops__sub__floats__SubFloat16.sub
  @ sub "ops.sub.floats.SubBFloat16" Ops__sub__floats__SubBFloat16.sub
  @ sub "ops.sub.floats.SubFloat32" Ops__sub__floats__SubFloat32.sub
  @ sub "ops.sub.floats.SubFloat64" Ops__sub__floats__SubFloat64.sub
  @ float_matmul "ops.matmul.floats.MatMulFloat16" (module Ops__matmul__floats__MatMulFloat16)
  @ float_matmul "ops.matmul.floats.MatMulBFloat16" (module Ops__matmul__floats__MatMulBFloat16)
  @ float_matmul "ops.matmul.floats.MatMulFloat32" (module Ops__matmul__floats__MatMulFloat32)
  @ float_matmul "ops.matmul.floats.MatMulFloat64" (module Ops__matmul__floats__MatMulFloat64)

let rational_arithmetic =
  let module Q = Scalar__rational__Rational in
  let module E = Scalar__rational__ExtendedRational in
  List.map (fun (name, f) -> "scalar.rational." ^ name, f) [
  "Rational.zero", constant rational Q.zero; "Rational.one", constant rational Q.one;
  "Rational.of_int", f1 int rational Q.of_int;
  "Rational.well_formed", f1 rational bool Q.well_formed;
  "Rational.equal", f2 rational rational bool Q.equal;
  "Rational.is_zero", f1 rational bool Q.is_zero;
  "Rational.add", f2 rational rational rational Q.add;
  "Rational.mul", f2 rational rational rational Q.mul;
  "Rational.div", f2 rational rational rational Q.div;
  "ExtendedRational.well_formed", f1 extended bool E.well_formed;
  "ExtendedRational.equal", f2 extended extended bool E.equal;
  "ExtendedRational.divisible", f2 extended extended bool E.divisible;
  "ExtendedRational.quotient", f2 rational rational extended E.quotient;
  "ExtendedRational.div", f2 extended extended extended E.div ]

let float_type path (module F : FLOAT_TYPE) = List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "zero", constant float F.zero; "one", constant float F.one;
  "add", f2 float float float F.add; "mul", f2 float float float F.mul;
  "divisible", f2 float float bool F.divisible; "div", f2 float float float F.div;
  "div_r5", f2 float float float F.div_r5 ]

let ieee754 =
  let module N = Scalar__ieee754__rounding__NearestInteger in
  let module R = Scalar__ieee754__rounding__Representable in
  let module P = Scalar__ieee754__powers__Power in
  let module F = Scalar__ieee754__format__Format in
  let module V = Scalar__ieee754__format__Float in
  let module A = Scalar__ieee754__arithmetic__Arithmetic in
  let module C = Scalar__ieee754__arithmetic__Comparison in
  let module E = Scalar__ieee754__encoding__Encoding in
  let module I = Scalar__ieee754__arithmetic_facts__Integers in
  List.map (fun (name, f) -> "scalar.ieee754." ^ name, f) [
  "rounding.NearestInteger.nearest_integer", f2 int int int N.nearest_integer;
  "rounding.Representable.representable", f2 int int bool R.representable;
  "rounding.Representable.even_significand", f2 int int bool R.even_significand;
  "rounding.Rounding.round", f3 int int int int Scalar__ieee754__rounding__Rounding.round;
  "powers.Power.square", f1 power power P.square;
  "powers.Power.two", constant power P.two;
  "powers.Power.times", f2 power power power P.times;
  "powers.Power.greatest_power", f2 int power power P.greatest_power;
  "powers.Power.leading", f1 int power P.leading;
  "powers.Power.fast_two_power", f1 int int P.fast_two_power;
  "fast_rounding.FastRounding.fast_round",
    f3 int int int int Scalar__ieee754__fast_rounding__FastRounding.fast_round;
  "format.Format.format", f2 int int format F.format;
  "format.Format.binary16", constant format F.binary16;
  "format.Format.bfloat16", constant format F.bfloat16;
  "format.Format.binary32", constant format F.binary32;
  "format.Format.binary64", constant format F.binary64;
  "format.Float.member", f2 format float bool V.member;
  "format.Float.is_nan", f1 float bool V.is_nan;
  "format.Float.is_infinite", f1 float bool V.is_infinite;
  "format.Float.is_finite", f1 float bool V.is_finite;
  "format.Float.is_zero", f1 float bool V.is_zero;
  "format.Float.is_subnormal", f2 format float bool V.is_subnormal;
  "format.Float.is_normal", f2 format float bool V.is_normal;
  "format.Float.is_negative", f1 float bool V.is_negative;
  "format.Float.is_positive", f1 float bool V.is_positive;
  "format.Float.signed", f2 bool int int V.signed;
  "arithmetic.Arithmetic.rounded", f4 format bool int int float A.rounded;
  "arithmetic.Arithmetic.product_sign", f2 bool bool bool A.product_sign;
  "arithmetic.Arithmetic.negate", f1 float float A.negate;
  "arithmetic.Arithmetic.absolute", f1 float float A.absolute;
  "arithmetic.Arithmetic.add_finite", f5 format bool int bool int float A.add_finite;
  "arithmetic.Arithmetic.add", f3 format float float float A.add;
  "arithmetic.Arithmetic.sub", f3 format float float float A.sub;
  "arithmetic.Arithmetic.mul", f3 format float float float A.mul;
  "arithmetic.Arithmetic.div", f3 format float float float A.div;
  "arithmetic.Comparison.compare_integers", f2 int int relation C.compare_integers;
  "arithmetic.Comparison.place", f1 float int C.place;
  "arithmetic.Comparison.compare", f2 float float relation C.compare;
  "arithmetic.Comparison.equal", f2 float float bool C.equal;
  "arithmetic.Comparison.less", f2 float float bool C.less;
  "arithmetic.Comparison.less_or_equal", f2 float float bool C.less_or_equal;
  "square_root.IsRootQuarters.quarters_from",
    f2 int int int Scalar__ieee754__square_root__IsRootQuarters.quarters_from;
  "square_root.RootQuarters.root_quarters",
    f1 int int Scalar__ieee754__square_root__RootQuarters.root_quarters;
  "square_root.SquareRoot.sqrt_magnitude",
    f2 format int float Scalar__ieee754__square_root__SquareRoot.sqrt_magnitude;
  "square_root.SquareRoot.sqrt",
    f2 format float float Scalar__ieee754__square_root__SquareRoot.sqrt;
  "encoding.Encoding.trailing", f1 format int E.trailing;
  "encoding.Encoding.exponent_mask", f1 format int E.exponent_mask;
  "encoding.Encoding.patterns", f1 format int E.patterns;
  "encoding.Encoding.of_bits", f2 format int float E.of_bits;
  "encoding.Encoding.magnitude_bits", f2 format int int E.magnitude_bits;
  "encoding.Encoding.to_bits", f2 format float int E.to_bits;
  "arithmetic_facts.Integers.integer", f2 format int float I.integer;
  "arithmetic_facts.Integers.holds_integers", f1 format bool I.holds_integers;
  "arithmetic_facts.Integers.short_integer", f2 format int bool I.short_integer ]

let accuracy =
  let module F = Accuracy__fused_multiply_add__FusedMultiplyAdd in
  let module B = Accuracy__computable_bound__ComputableBound in
  List.map (fun (name, f) -> "accuracy." ^ name, f) [
  "fused_multiply_add.FusedMultiplyAdd.fma_finite", f5 format bool int bool int float F.fma_finite;
  "fused_multiply_add.FusedMultiplyAdd.fma", f4 format float float float float F.fma;
  "matmul_accuracy.Vectors.row",
    f3 floats int int float Accuracy__matmul_accuracy__Vectors.row;
  "matmul_accuracy.Vectors.column",
    f3 floats int int float Accuracy__matmul_accuracy__Vectors.column;
  "fused_matmul.FusedSum.fused_sum", f4 format floats floats int float (fun f x y ->
    Accuracy__fused_matmul__FusedSum.fused_sum f (term x) (term y));
  "fused_matmul.FusedMatMul.fused_matmul",
    f3 format floats floats floats Accuracy__fused_matmul__FusedMatMul.fused_matmul;
  "wide_accumulation.Conversion.convert",
    f3 format format float float Accuracy__wide_accumulation__Conversion.convert;
  "computable_bound.ComputableBound.integer_power", f2 int int int B.integer_power;
  "computable_bound.ComputableBound.growth_fraction", f2 format int rational B.growth_fraction;
  "computable_bound.ComputableBound.small_fraction", f3 format int int rational B.small_fraction;
  "computable_bound.ComputableBound.bound_fraction",
    f4 format int int rational rational B.bound_fraction;
  "computable_bound.ComputableBound.range_fraction",
    f4 format int int rational bool B.range_fraction ]

let definitions =
  [ "tensor.shape.Shape.well_formed", f1 ints bool Tensor__shape__Shape.well_formed;
    "tensor.shape.Shape.rank", f1 ints int Tensor__shape__Shape.rank;
    "tensor.shape.Shape.size", f1 ints int Tensor__shape__Shape.size;
    "tensor.shape.Shape.equal", f2 ints ints bool Tensor__shape__Shape.equal;
    "tensor.shape.Index.valid", f2 ints ints bool Tensor__shape__Index.valid;
    "tensor.offset.Offset.offset", f2 ints ints int Tensor__offset__Offset.offset;
    "tensor.offset.Offset.unflatten", f2 int ints ints Tensor__offset__Offset.unflatten;
    "tensor.tensor.Map.map", f1 integers integers (Tensor__tensor__Map.map Z.neg);
    "tensor.tensor.Map.map2", f2 integers integers integers (Tensor__tensor__Map.map2 Z.sub);
    "tensor.matrix.Coordinates.pair", f2 int int ints Tensor__matrix__Coordinates.pair;
    "tensor.matrix.Coordinates.first", f1 ints int Tensor__matrix__Coordinates.first;
    "tensor.matrix.Coordinates.second", f1 ints int Tensor__matrix__Coordinates.second;
    "tensor.matrix.Transpose.transpose", f1 integers integers Tensor__matrix__Transpose.transpose;
    "tensor.operand.ElementType.code", f1 element_type int Tensor__operand__ElementType.code;
    "tensor.operand.ElementType.numerical",
      f1 element_type bool Tensor__operand__ElementType.numerical;
    "tensor.operand.ElementType.same_type",
      f2 element_type element_type bool Tensor__operand__ElementType.same_type;
    "scalar.exact_integer.Truncation.quotient",
      f2 int int int Scalar__exact_integer__Truncation.quotient;
    "scalar.machine_integer.PowerOfTwo.two_power",
      f1 int int Scalar__machine_integer__PowerOfTwo.two_power;
    "scalar.machine_integer.Residue.residue",
      f3 int int int int Scalar__machine_integer__Residue.residue;
    "scalar.integer_sqrt.NewtonStep.newton_step",
      f2 int int int Scalar__integer_sqrt__NewtonStep.newton_step;
    "scalar.integer_sqrt.IntegerSqrt.root_from",
      f2 int int int Scalar__integer_sqrt__IntegerSqrt.root_from;
    "scalar.integer_sqrt.IntegerSqrt.root_start",
      f1 int int Scalar__integer_sqrt__IntegerSqrt.root_start;
    "scalar.integer_sqrt.IntegerSqrt.isqrt", f1 int int Scalar__integer_sqrt__IntegerSqrt.isqrt;
    "tensor.operand.Elementwise.well_formed_dims",
      f2 operand operand bool Tensor__operand__Elementwise.well_formed_dims;
    "tensor.operand.Elementwise.same_shape",
      f2 operand operand bool Tensor__operand__Elementwise.same_shape;
    "tensor.operand.Elementwise.dense", f2 operand operand bool Tensor__operand__Elementwise.dense;
    "tensor.operand.Elementwise.same_numerical_type",
      f2 operand operand bool Tensor__operand__Elementwise.same_numerical_type;
    "tensor.operand.Elementwise.not_broadcast",
      f2 operand operand bool Tensor__operand__Elementwise.not_broadcast;
    "ops.matmul.definition.MatMulSignature.supported",
      f1 element_type bool Ops__matmul__definition__MatMulSignature.supported;
    "ops.matmul.definition.MatMulSignature.matrix", f1 operand bool Ops__matmul__definition__MatMulSignature.matrix;
    "ops.matmul.definition.MatMulSignature.inner_dimensions",
      f2 operand operand bool Ops__matmul__definition__MatMulSignature.inner_dimensions;
    "ops.matmul.definition.MatMulSignature.same_supported_type",
      f2 operand operand bool Ops__matmul__definition__MatMulSignature.same_supported_type;
    "ops.add.definition.AddSignature.listed",
      f1 element_type bool Ops__add__definition__AddSignature.listed;
    "ops.add.definition.AddSignature.one_type",
      f2 operand operand bool Ops__add__definition__AddSignature.one_type;
    "ops.sub.definition.SubSignature.listed",
      f1 element_type bool Ops__sub__definition__SubSignature.listed;
    "scalar.additive.AdditiveInt.opposite", f1 int int Scalar__additive__AdditiveInt.opposite;
    "scalar.additive.AdditiveRational.opposite",
      f1 rational rational Scalar__additive__AdditiveRational.opposite;
    (* -0 plus its argument. *)
    "scalar.additive.AdditiveFloat.minus_zero",
      Ops__add__floats__AddFloat16.Scalar.(f1 float float (add minus_zero));
    "ops.mul.definition.MulRational.mul", f2 rationals rationals rationals Ops__mul__definition__MulRational.mul;
    "ops.div.definition.DivRational.div", f2 extendeds extendeds extendeds Ops__div__definition__DivRational.div;
    "ops.div.definition.DivRational.finite", f1 rationals extendeds Ops__div__definition__DivRational.finite;
    "ops.div.definition.DivRational.div_finite",
      f2 rationals rationals extendeds Ops__div__definition__DivRational.div_finite;
    "ops.matmul.definition.MatMulRational.matmul",
      f2 rationals rationals rationals Ops__matmul__definition__MatMulRational.matmul;
    "ops.mul.definition.MulInt.mul", f2 integers integers integers Ops__mul__definition__MulInt.mul;
    "ops.mul.definition.MulInt8.mul", f2 integers integers integers Ops__mul__definition__MulInt8.mul;
    "ops.mul.definition.MulInt16.mul", f2 integers integers integers Ops__mul__definition__MulInt16.mul;
    "ops.mul.definition.MulInt32.mul", f2 integers integers integers Ops__mul__definition__MulInt32.mul;
    "ops.mul.definition.MulInt64.mul", f2 integers integers integers Ops__mul__definition__MulInt64.mul;
    "ops.mul.definition.MulUInt8.mul", f2 integers integers integers Ops__mul__definition__MulUInt8.mul;
    "ops.mul.definition.MulUInt16.mul", f2 integers integers integers Ops__mul__definition__MulUInt16.mul;
    "ops.mul.definition.MulUInt32.mul", f2 integers integers integers Ops__mul__definition__MulUInt32.mul;
    "ops.mul.definition.MulUInt64.mul", f2 integers integers integers Ops__mul__definition__MulUInt64.mul;
    "ops.add.definition.AddRational.add",
      f2 rationals rationals rationals Ops__add__definition__AddRational.add;
    "ops.add.definition.AddInt.add", f2 integers integers integers Ops__add__definition__AddInt.add;
    "ops.add.definition.AddInt8.add", f2 integers integers integers Ops__add__definition__AddInt8.add;
    "ops.add.definition.AddInt16.add", f2 integers integers integers Ops__add__definition__AddInt16.add;
    "ops.add.definition.AddInt32.add", f2 integers integers integers Ops__add__definition__AddInt32.add;
    "ops.add.definition.AddInt64.add", f2 integers integers integers Ops__add__definition__AddInt64.add;
    "ops.add.definition.AddUInt8.add", f2 integers integers integers Ops__add__definition__AddUInt8.add;
    "ops.add.definition.AddUInt16.add", f2 integers integers integers Ops__add__definition__AddUInt16.add;
    "ops.add.definition.AddUInt32.add", f2 integers integers integers Ops__add__definition__AddUInt32.add;
    "ops.add.definition.AddUInt64.add", f2 integers integers integers Ops__add__definition__AddUInt64.add;
    "ops.sub.definition.SubRational.sub",
      f2 rationals rationals rationals Ops__sub__definition__SubRational.sub;
    "ops.sub.definition.SubInt.sub", f2 integers integers integers Ops__sub__definition__SubInt.sub;
    "ops.sub.definition.SubInt8.sub", f2 integers integers integers Ops__sub__definition__SubInt8.sub;
    "ops.sub.definition.SubInt16.sub", f2 integers integers integers Ops__sub__definition__SubInt16.sub;
    "ops.sub.definition.SubInt32.sub", f2 integers integers integers Ops__sub__definition__SubInt32.sub;
    "ops.sub.definition.SubInt64.sub", f2 integers integers integers Ops__sub__definition__SubInt64.sub;
    "ops.sub.definition.SubUInt8.sub", f2 integers integers integers Ops__sub__definition__SubUInt8.sub;
    "ops.sub.definition.SubUInt16.sub", f2 integers integers integers Ops__sub__definition__SubUInt16.sub;
    "ops.sub.definition.SubUInt32.sub", f2 integers integers integers Ops__sub__definition__SubUInt32.sub;
    "ops.sub.definition.SubUInt64.sub", f2 integers integers integers Ops__sub__definition__SubUInt64.sub ]
  @ signature "ops.mul.definition.MulSignature" Ops__mul__definition__MulSignature.admissible Ops__mul__definition__MulSignature.result
  @ signature "ops.add.definition.AddSignature" Ops__add__definition__AddSignature.admissible Ops__add__definition__AddSignature.result
  @ signature "ops.sub.definition.SubSignature" Ops__sub__definition__SubSignature.admissible Ops__sub__definition__SubSignature.result
  @ signature "ops.div.definition.DivSignature" Ops__div__definition__DivSignature.admissible Ops__div__definition__DivSignature.result
  @ signature "ops.matmul.definition.MatMulSignature"
      Ops__matmul__definition__MatMulSignature.admissible Ops__matmul__definition__MatMulSignature.result
  @ scalar "scalar.exact_integer.ExactInteger" (module Scalar__exact_integer__ExactInteger)
  @ machine "scalar.machine_types.Int8" (module Scalar__machine_types__Int8)
  @ machine "scalar.machine_types.Int16" (module Scalar__machine_types__Int16)
  @ machine "scalar.machine_types.Int32" (module Scalar__machine_types__Int32)
  @ machine "scalar.machine_types.Int64" (module Scalar__machine_types__Int64)
  @ machine "scalar.machine_types.UInt8" (module Scalar__machine_types__UInt8)
  @ machine "scalar.machine_types.UInt16" (module Scalar__machine_types__UInt16)
  @ machine "scalar.machine_types.UInt32" (module Scalar__machine_types__UInt32)
  @ machine "scalar.machine_types.UInt64" (module Scalar__machine_types__UInt64)
  @ div "ops.div.definition.DivInt" Ops__div__definition__DivInt.div Ops__div__definition__DivInt.defined_from
      Ops__div__definition__DivInt.is_defined
  @ div "ops.div.definition.DivInt8" Ops__div__definition__DivInt8.div Ops__div__definition__DivInt8.defined_from
      Ops__div__definition__DivInt8.is_defined
  @ div "ops.div.definition.DivInt16" Ops__div__definition__DivInt16.div Ops__div__definition__DivInt16.defined_from
      Ops__div__definition__DivInt16.is_defined
  @ div "ops.div.definition.DivInt32" Ops__div__definition__DivInt32.div Ops__div__definition__DivInt32.defined_from
      Ops__div__definition__DivInt32.is_defined
  @ div "ops.div.definition.DivInt64" Ops__div__definition__DivInt64.div Ops__div__definition__DivInt64.defined_from
      Ops__div__definition__DivInt64.is_defined
  @ div "ops.div.definition.DivUInt8" Ops__div__definition__DivUInt8.div Ops__div__definition__DivUInt8.defined_from
      Ops__div__definition__DivUInt8.is_defined
  @ div "ops.div.definition.DivUInt16" Ops__div__definition__DivUInt16.div Ops__div__definition__DivUInt16.defined_from
      Ops__div__definition__DivUInt16.is_defined
  @ div "ops.div.definition.DivUInt32" Ops__div__definition__DivUInt32.div Ops__div__definition__DivUInt32.defined_from
      Ops__div__definition__DivUInt32.is_defined
  @ div "ops.div.definition.DivUInt64" Ops__div__definition__DivUInt64.div Ops__div__definition__DivUInt64.defined_from
      Ops__div__definition__DivUInt64.is_defined
  @ rational_arithmetic
  @ ieee754
  @ accuracy
  @ float_operators
  @ float_type "scalar.float_types.Float16" (module Scalar__float_types__Float16)
  @ float_type "scalar.float_types.BFloat16" (module Scalar__float_types__BFloat16)
  @ float_type "scalar.float_types.Float32" (module Scalar__float_types__Float32)
  @ float_type "scalar.float_types.Float64" (module Scalar__float_types__Float64)
  @ matmul "ops.matmul.definition.MatMulInt" (module Ops__matmul__definition__MatMulInt)
  @ matmul "ops.matmul.definition.MatMulInt32" (module Ops__matmul__definition__MatMulInt32)
  @ matmul "ops.matmul.definition.MatMulInt64" (module Ops__matmul__definition__MatMulInt64)
  @ matmul "ops.matmul.definition.MatMulUInt32" (module Ops__matmul__definition__MatMulUInt32)
  @ matmul "ops.matmul.definition.MatMulUInt64" (module Ops__matmul__definition__MatMulUInt64)
  @ Systems.definitions
  @ Elementwise.definitions
  @ Structural.definitions
  @ Gemm.definitions
  @ Convolution.definitions
  @ Pooling.definitions
  @ Averaging.definitions
  @ Conv_integer.definitions
  @ Reduce_sum.definitions
  @ Quantization.definitions
  @ Float8.definitions

let () =
  let table = Hashtbl.create 200 in
  List.iter (fun (name, f) -> Hashtbl.replace table name f) definitions;
  try
    while true do
      let answer =
        match fields ' ' (input_line stdin) with
        | [ "definitions" ] ->
          String.concat " " (List.map fst definitions)
        | name :: arguments ->
          (try (Hashtbl.find table name) arguments with
           | Not_found -> "error: no definition " ^ name
           | e -> "error: " ^ Printexc.to_string e)
        | [] -> "error: empty line"
      in
      print_endline answer
    done
  with End_of_file -> ()
