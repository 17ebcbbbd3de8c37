(* Arguments of definitions that are more than the value of one attribute. Each function has the
   name by which a declaration asks for it. *)

open Calls
module Auto = Systems__openvino_multiply__AutoBroadcast
module Legacy = Systems__onnx_mul_legacy__LegacyAttributes
module Unidirectional = Tensor__unidirectional__Unidirectional

(* broadcast and axis of ONNX Mul 6 and 1. *)
let legacy call =
  let open Legacy in
  { broadcast = Option.value (int_of call "broadcast") ~default:defaults.broadcast;
    axis = (match int_of call "axis" with
      | None -> defaults.axis
      | Some k -> Unidirectional.At k) }

let consumed_inputs call =
  Option.value (ints_of call "consumed_inputs") ~default:Elements.Ints.Nil

let auto_broadcast call =
  match string_of call "auto_broadcast" with
  | Some "none" -> Auto.None
  | Some "numpy" | None -> Auto.Numpy
  | Some _ ->
    raise (Inadmissible ("OV-MULTIPLY-1.ATTR.AUTO_BROADCAST", "it is neither none nor numpy"))

(* perm of Transpose: not set, or an order of the axes. *)
let perm call =
  let open Tensor__axes__AxisOrder in
  match ints_of call "perm" with Some axes -> By axes | None -> Reversed

(* The attributes of Conv. Without auto_pad, the padding is explicit; nothing else has a default. *)
let convolution call =
  let open Tensor__convolution__ConvolutionAttributes in
  let wanted of_call name = Option.get (of_call call name) in
  { auto_pad = (match string_of call "auto_pad" with
      | Some "NOTSET" | None -> NotSet
      | Some "VALID" -> Valid
      | Some "SAME_UPPER" -> SameUpper
      | Some "SAME_LOWER" -> SameLower
      | Some _ -> Other);
    strides = wanted ints_of "strides";
    pads = wanted ints_of "pads";
    dilations = wanted ints_of "dilations";
    group = wanted int_of "group";
    kernel_shape = wanted ints_of "kernel_shape" }

(* The attributes of MaxPool, all of which a node has to set. *)
let pooling call =
  let open Ops__max_pool__definition__MaxPoolAttributes in
  let wanted of_call name = Option.get (of_call call name) in
  { auto_pad = (match string_of call "auto_pad" with
      | Some "NOTSET" -> NotSet
      | Some "VALID" -> Valid
      | Some "SAME_UPPER" -> SameUpper
      | Some "SAME_LOWER" -> SameLower
      | _ -> Other);
    ceil_mode = wanted int_of "ceil_mode";
    storage_order = wanted int_of "storage_order";
    kernel_shape = wanted ints_of "kernel_shape";
    dilations = wanted ints_of "dilations";
    strides = wanted ints_of "strides";
    pads = wanted ints_of "pads" }
