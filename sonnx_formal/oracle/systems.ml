(* The operators of ONNX and OpenVINO by element type, and what they ask of their operands. *)

open Wire
open Elements
open Operators
open Tensor__operand__ElementType
module Auto = Systems__openvino_multiply__AutoBroadcast
module Broadcast = Tensor__broadcast__Broadcast
module Legacy = Systems__onnx_mul_legacy__LegacyAttributes
module Unidirectional = Tensor__unidirectional__Unidirectional

(* --- Attributes: which are set, by a bit each, then the values of those --- *)

type attributes = {
  axis : Z.t option;
  broadcast : Z.t option;
  consumed_inputs : Z.t list option;
  auto_broadcast : string option;
}

let unset = { axis = None; broadcast = None; consumed_inputs = None; auto_broadcast = None }

let attributes r =
  let set = byte r in
  if set > 15 then malformed "an attribute that is not known";
  let value bit read = if set land bit <> 0 then Some (read r) else None in
  let axis = value 1 integer_text in
  let broadcast = value 2 integer_text in
  let integers r = List.init (Z.to_int (number r 4)) (fun _ -> integer_text r) in
  let consumed_inputs = value 4 integers in
  let auto_broadcast = value 8 text in
  { axis; broadcast; consumed_inputs; auto_broadcast }

(* [others] are the attributes without those that the operator has: none of them is set. *)
let only others =
  let none name value =
    if Option.is_some value then malformed ("the operator has no attribute " ^ name) in
  none "axis" others.axis;
  none "broadcast" others.broadcast;
  none "consumed_inputs" others.consumed_inputs;
  none "auto_broadcast" others.auto_broadcast

let legacy attributes =
  only { attributes with axis = None; broadcast = None; consumed_inputs = None };
  let open Legacy in
  { broadcast = Option.value attributes.broadcast ~default:defaults.broadcast;
    axis = (match attributes.axis with
      | None -> defaults.axis
      | Some k -> Unidirectional.At k) }

let rec integers = function [] -> Ints.Nil | k :: ks -> Ints.Cons (k, integers ks)

(* --- Definitions --- *)

let onnx_mul = function
  | Float16 -> total float16 Systems__onnx_mul__OnnxMulFloat16.onnx_mul
  | BFloat16 -> total bfloat16 Systems__onnx_mul__OnnxMulBFloat16.onnx_mul
  | Float32 -> total float32 Systems__onnx_mul__OnnxMulFloat32.onnx_mul
  | Float64 -> total float64 Systems__onnx_mul__OnnxMulFloat64.onnx_mul
  | Int8 -> total int8 Systems__onnx_mul__OnnxMulInt8.onnx_mul
  | Int16 -> total int16 Systems__onnx_mul__OnnxMulInt16.onnx_mul
  | Int32 -> total int32 Systems__onnx_mul__OnnxMulInt32.onnx_mul
  | Int64 -> total int64 Systems__onnx_mul__OnnxMulInt64.onnx_mul
  | UInt8 -> total uint8 Systems__onnx_mul__OnnxMulUInt8.onnx_mul
  | UInt16 -> total uint16 Systems__onnx_mul__OnnxMulUInt16.onnx_mul
  | UInt32 -> total uint32 Systems__onnx_mul__OnnxMulUInt32.onnx_mul
  | UInt64 -> total uint64 Systems__onnx_mul__OnnxMulUInt64.onnx_mul
  | Real | Boolean | Text | Complex64 | Complex128 -> none ()

let onnx_mul_6 p = function
  | Float16 -> total float16 (Systems__onnx_mul_legacy__LegacyMulFloat16.onnx_mul_6 p)
  | Float32 -> total float32 (Systems__onnx_mul_legacy__LegacyMulFloat32.onnx_mul_6 p)
  | Float64 -> total float64 (Systems__onnx_mul_legacy__LegacyMulFloat64.onnx_mul_6 p)
  | Int32 -> total int32 (Systems__onnx_mul_legacy__LegacyMulInt32.onnx_mul_6 p)
  | Int64 -> total int64 (Systems__onnx_mul_legacy__LegacyMulInt64.onnx_mul_6 p)
  | UInt32 -> total uint32 (Systems__onnx_mul_legacy__LegacyMulUInt32.onnx_mul_6 p)
  | UInt64 -> total uint64 (Systems__onnx_mul_legacy__LegacyMulUInt64.onnx_mul_6 p)
  | Int8 | Int16 | UInt8 | UInt16 | BFloat16
  | Real | Boolean | Text | Complex64 | Complex128 -> none ()

let onnx_mul_1 p consumed = function
  | Float16 -> total float16 (Systems__onnx_mul_legacy__LegacyMulFloat16.onnx_mul_1 p consumed)
  | Float32 -> total float32 (Systems__onnx_mul_legacy__LegacyMulFloat32.onnx_mul_1 p consumed)
  | Float64 -> total float64 (Systems__onnx_mul_legacy__LegacyMulFloat64.onnx_mul_1 p consumed)
  | _ -> none ()

let multiply mode = function
  | Float16 -> total float16 (Systems__openvino_multiply__MultiplyFloat16.multiply mode)
  | BFloat16 -> total bfloat16 (Systems__openvino_multiply__MultiplyBFloat16.multiply mode)
  | Float32 -> total float32 (Systems__openvino_multiply__MultiplyFloat32.multiply mode)
  | Float64 -> total float64 (Systems__openvino_multiply__MultiplyFloat64.multiply mode)
  | Int8 -> total int8 (Systems__openvino_multiply__MultiplyInt8.multiply mode)
  | Int16 -> total int16 (Systems__openvino_multiply__MultiplyInt16.multiply mode)
  | Int32 -> total int32 (Systems__openvino_multiply__MultiplyInt32.multiply mode)
  | Int64 -> total int64 (Systems__openvino_multiply__MultiplyInt64.multiply mode)
  | UInt8 -> total uint8 (Systems__openvino_multiply__MultiplyUInt8.multiply mode)
  | UInt16 -> total uint16 (Systems__openvino_multiply__MultiplyUInt16.multiply mode)
  | UInt32 -> total uint32 (Systems__openvino_multiply__MultiplyUInt32.multiply mode)
  | UInt64 -> total uint64 (Systems__openvino_multiply__MultiplyUInt64.multiply mode)
  | Real | Boolean | Text | Complex64 | Complex128 -> none ()

(* --- Applications: the requirements in the order of the contracts of [result] --- *)

type operand = Tensor__operand__Operand.operand

(* What is admissible as a whole has passed each check by itself: if not, the checks are wrong. *)
let application admissible definition result =
  if not admissible then failwith "no check rejects what is not admissible";
  { definition; result; definedness = "" }

let check_type document holds =
  check (document ^ ".T") "the elements are not of one type of the document, or a tensor is sparse"
    holds

module type ONNX_MUL = sig
  val same_supported_type : operand -> operand -> bool
  val admissible : operand -> operand -> bool
  val result : operand -> operand -> operand
end

let onnx_mul_application document (module S : ONNX_MUL) attributes (a : operand) (b : operand) =
  only attributes;
  check_type document (S.same_supported_type a b);
  check (document ^ ".SHAPE") "the shapes do not go together"
    (Broadcast.compatible a.dims b.dims);
  application (S.admissible a b) (onnx_mul a.element) (S.result a b)

let onnx_mul_14_application =
  onnx_mul_application "ONNX-MUL-14" (module Systems__onnx_mul__OnnxMul14Signature)
let onnx_mul_13_application =
  onnx_mul_application "ONNX-MUL-13" (module Systems__onnx_mul__OnnxMul13Signature)
let onnx_mul_7_application =
  onnx_mul_application "ONNX-MUL-7" (module Systems__onnx_mul__OnnxMul7Signature)

let check_legacy document p (a : operand) (b : operand) =
  check (document ^ ".ATTR.BROADCAST") "broadcast is neither 0 nor 1" (Legacy.is_switch p);
  check (document ^ ".B.C1") "the shapes differ, and broadcast is not 1"
    (Legacy.same_unless_broadcast p a.dims b.dims);
  check (document ^ ".ATTR.AXIS") "there is no room for B from the axis on"
    (Legacy.room_at_axis p a.dims b.dims);
  check (document ^ ".B.C2") "B has neither one element nor a run of the dimensions of A"
    (Legacy.follows_if_broadcast p a.dims b.dims)

let onnx_mul_6_application attributes (a : operand) (b : operand) =
  let module S = Systems__onnx_mul_legacy__OnnxMul6Signature in
  let p = legacy attributes in
  only { unset with consumed_inputs = attributes.consumed_inputs };
  check_type "ONNX-MUL-6" (S.same_supported_type a b);
  check_legacy "ONNX-MUL-6" p a b;
  application (S.admissible p a b) (onnx_mul_6 p a.element) (S.result p a b)

let onnx_mul_1_application attributes (a : operand) (b : operand) =
  let module S = Systems__onnx_mul_legacy__OnnxMul1Signature in
  let p = legacy attributes in
  let consumed = integers (Option.value attributes.consumed_inputs ~default:[]) in
  check_type "ONNX-MUL-1" (S.same_supported_type a b);
  check_legacy "ONNX-MUL-1" p a b;
  application (S.admissible p consumed a b) (onnx_mul_1 p consumed a.element)
    (S.result p consumed a b)

let ov_multiply_1_application attributes (a : operand) (b : operand) =
  let module S = Systems__openvino_multiply__MultiplySignature in
  only { attributes with auto_broadcast = None };
  check_type "OV-MULTIPLY-1" (S.same_supported_type a b);
  let mode =
    match attributes.auto_broadcast with
    | Some "none" -> Auto.None
    | Some "numpy" | None -> Auto.Numpy
    | Some _ ->
      raise (Inadmissible ("OV-MULTIPLY-1.ATTR.AUTO_BROADCAST", "it is neither none nor numpy")) in
  check "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST" "the shapes differ, and auto_broadcast is none"
    (Auto.same_if_none mode a.dims b.dims);
  check "OV-MULTIPLY-1.SHAPE" "the shapes do not go together"
    (Auto.compatible_if_numpy mode a.dims b.dims);
  application (S.admissible mode a b) (multiply mode a.element) (S.result mode a b)
