(* The definitions of ReduceSum. Attributes are written {1|0}: keepdims, then noop_with_empty_axes. *)

open Forms
open Structural
module B = Tensor__reduction__ReductionAttributes
module A = Ops__reduce_sum__definition__ReducedAxes
module H = Ops__reduce_sum__definition__ReduceSumShape
module S = Ops__reduce_sum__definition__ReduceSumSignature
module R = Ops__reduce_sum__definition__ReduceSumRational

let reduction =
  { read = (fun text ->
      match fields '|' (String.sub text 1 (String.length text - 2)) with
      | [ keepdims; noop ] ->
        { B.keepdims = int.read keepdims; noop_with_empty_axes = int.read noop }
      | _ -> failwith ("no attributes: " ^ text));
    write = (fun r ->
      "{" ^ int.write r.B.keepdims ^ "|" ^ int.write r.B.noop_with_empty_axes ^ "}") }

let given, v, number = option integers, option operand, option int
let asked = option ints
let rationals, floats = tensor rational, tensor float

let reduce_sum path tensors f =
  "ops.reduce_sum." ^ path ^ ".reduce_sum", f3 reduction tensors given tensors f

let definitions =
  all "ops.reduce_sum.definition.ReducedAxes" A.[
    "taken_from", f3 int ints ints ints taken_from;
    "merged_from", f5 int int ints ints ints ints merged_from; "block", f2 ints ints ints block;
    "terms", f2 ints ints int terms; "numbered", f2 ints int ints numbered;
    "source", f4 ints ints ints int ints source ]
  @ all "tensor.reduction.ReductionAttributes" [
    "reduction_of", f2 number number reduction B.reduction_of ]
  @ all "ops.reduce_sum.definition.ReduceSumShape" H.[
    "known_keepdims", f1 reduction bool known_keepdims; "known_noop", f1 reduction bool known_noop;
    "axes_exist", f2 ints ints bool axes_exist; "axes_distinct", f2 ints ints bool axes_distinct;
    "untouched", f2 reduction ints bool untouched;
    "reduced_axes", f3 reduction ints ints ints reduced_axes;
    "result_shape", f3 reduction ints ints ints result_shape;
    "kept", f3 reduction ints ints ints kept; "accepted", f3 reduction ints ints bool accepted ]
  @ all "ops.reduce_sum.definition.ReduceSumSignature" S.[
    "listed", f1 element_type bool listed; "asked_for", f1 asked ints asked_for;
    "well_formed_dims", f2 operand v bool well_formed_dims; "dense", f2 operand v bool dense;
    "axes_vector", f1 v bool axes_vector; "in_range", f2 operand asked bool in_range;
    "each_once", f2 operand asked bool each_once;
    "admissible", f4 reduction operand v asked bool admissible;
    "result", f4 reduction operand v asked operand result ]
  @ all "ops.reduce_sum.definition.ReduceSumRational" [
    "asked_of", f1 given ints R.asked_of;
    "term", f4 ints rationals ints int rational (fun axes x i k -> R.term axes x i k);
    "entry", f3 ints rationals ints rational R.entry;
    "element", f4 reduction ints rationals ints rational R.element ]
  @ [ reduce_sum "definition.ReduceSumRational" rationals R.reduce_sum;
      reduce_sum "definition.ReduceSumInt" integers
        Ops__reduce_sum__definition__ReduceSumInt.reduce_sum;
      reduce_sum "definition.ReduceSumInt32" integers
        Ops__reduce_sum__definition__ReduceSumInt32.reduce_sum;
      reduce_sum "definition.ReduceSumInt64" integers
        Ops__reduce_sum__definition__ReduceSumInt64.reduce_sum;
      reduce_sum "definition.ReduceSumUInt32" integers
        Ops__reduce_sum__definition__ReduceSumUInt32.reduce_sum;
      reduce_sum "definition.ReduceSumUInt64" integers
        Ops__reduce_sum__definition__ReduceSumUInt64.reduce_sum;
      reduce_sum "floats.ReduceSumFloat16" floats Ops__reduce_sum__floats__ReduceSumFloat16.reduce_sum;
      reduce_sum "floats.ReduceSumBFloat16" floats
        Ops__reduce_sum__floats__ReduceSumBFloat16.reduce_sum;
      reduce_sum "floats.ReduceSumFloat32" floats Ops__reduce_sum__floats__ReduceSumFloat32.reduce_sum;
      reduce_sum "floats.ReduceSumFloat64" floats
        Ops__reduce_sum__floats__ReduceSumFloat64.reduce_sum ]
