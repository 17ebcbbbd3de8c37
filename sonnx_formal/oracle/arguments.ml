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

(* How the padding is given: explicitly, where the node does not say. *)
let auto_pad call =
  let open Tensor__window__AutoPad in
  match string_of call "auto_pad" with
  | Some "NOTSET" | None -> NotSet
  | Some "VALID" -> Valid
  | Some "SAME_UPPER" -> SameUpper
  | Some "SAME_LOWER" -> SameLower
  | Some _ -> Other

(* What a node has to set, which was found out before. *)
let wanted of_call call name = Option.get (of_call call name)

let convolution call =
  let ints = wanted ints_of call in
  { Tensor__convolution__ConvolutionAttributes.auto_pad = auto_pad call;
    strides = ints "strides"; pads = ints "pads"; dilations = ints "dilations";
    group = wanted int_of call "group"; kernel_shape = ints "kernel_shape" }

(* Of ConvInteger: what a node does not set has a default, of kernel_shape that of the operand w. *)
let completed call =
  match call.operands with
  | _ :: Some w :: _ ->
    Tensor__convolution__ConvolutionDefaults.completed (auto_pad call)
      (ints_of call "strides") (ints_of call "pads") (ints_of call "dilations")
      (int_of call "group") (ints_of call "kernel_shape") w.Tensor__operand__Operand.dims
  | _ -> failwith "the operand w is missing"

(* Of ReduceSum. *)
let reduction call =
  Tensor__reduction__ReductionAttributes.reduction_of (int_of call "keepdims")
    (int_of call "noop_with_empty_axes")

let pooling call =
  let ints = wanted ints_of call in
  { Tensor__pooling__PoolingAttributes.auto_pad = auto_pad call;
    ceil_mode = wanted int_of call "ceil_mode"; storage_order = wanted int_of call "storage_order";
    kernel_shape = ints "kernel_shape"; dilations = ints "dilations"; strides = ints "strides";
    pads = ints "pads" }

(* Of AveragePool: windows as those of MaxPool, whose order of indices is of no meaning there. *)
let averaging call =
  let ints = wanted ints_of call in
  { Tensor__pooling__PoolingAttributes.auto_pad = auto_pad call;
    ceil_mode = wanted int_of call "ceil_mode"; storage_order = Z.zero;
    kernel_shape = ints "kernel_shape"; dilations = ints "dilations"; strides = ints "strides";
    pads = ints "pads" }

(* Of QuantizeLinear and DequantizeLinear. *)
let granularity call =
  Tensor__granularity__Granularity.granularity_of (int_of call "axis") (int_of call "block_size")
