(* The definitions of broadcasting and of the systems, as the evaluator calls them.

   The attributes of ONNX Mul 6 and 1 are written BROADCAST@AXIS, such as 1@2 or 0@unset. *)

open Forms

let integers = tensor int
let floats = tensor float

let axis =
  let open Tensor__unidirectional__Unidirectional in
  { read = (function "unset" -> Suffix | k -> At (Z.of_string k));
    write = (function Suffix -> "unset" | At k -> Z.to_string k) }

let attributes =
  let open Systems__onnx_mul_legacy__LegacyAttributes in
  { read = (fun s -> match fields '@' s with
      | [ b; x ] -> { broadcast = Z.of_string b; axis = axis.read x }
      | _ -> failwith ("not attributes: " ^ s));
    write = (fun p -> Z.to_string p.broadcast ^ "@" ^ axis.write p.axis) }

let auto_broadcast = named Systems__openvino_multiply__AutoBroadcast.[
  "none", None; "numpy", Numpy ]

let shapes =
  let module B = Tensor__broadcast__Broadcast in
  let module U = Tensor__unidirectional__Unidirectional in
  let module T = Tensor__unidirectional__Trailing in
  [ "tensor.broadcast.Broadcast.matching", f2 int int bool B.matching;
    "tensor.broadcast.Broadcast.joined", f2 int int int B.joined;
    "tensor.broadcast.Broadcast.compatible", f2 ints ints bool B.compatible;
    "tensor.broadcast.Broadcast.common", f2 ints ints ints B.common;
    "tensor.broadcast.Broadcast.source", f2 ints ints ints B.source;
    "tensor.broadcast.BroadcastTensor.broadcast_to",
      f2 integers ints integers Tensor__broadcast__BroadcastTensor.broadcast_to;
    "tensor.unidirectional.Unidirectional.starts_with", f2 ints ints bool U.starts_with;
    "tensor.unidirectional.Unidirectional.drop", f2 int ints ints U.drop;
    "tensor.unidirectional.Unidirectional.take", f2 int ints ints U.take;
    "tensor.unidirectional.Unidirectional.one_element", f1 ints bool U.one_element;
    "tensor.unidirectional.Unidirectional.origin", f1 ints ints U.origin;
    "tensor.unidirectional.Unidirectional.start", f3 axis ints ints int U.start;
    "tensor.unidirectional.Unidirectional.axis_within", f3 axis ints ints bool U.axis_within;
    "tensor.unidirectional.Unidirectional.run", f3 axis ints ints bool U.run;
    "tensor.unidirectional.Unidirectional.follows", f3 axis ints ints bool U.follows;
    "tensor.unidirectional.Unidirectional.place", f4 axis ints ints ints ints U.place;
    "tensor.unidirectional.Unidirectional.dimension", f2 ints int int U.dimension;
    "tensor.unidirectional.Trailing.ones", f1 ints ints T.ones;
    "tensor.unidirectional.Trailing.padded", f2 ints ints ints T.padded;
    "tensor.unidirectional.AppendAxes.append_axes",
      f2 integers ints integers Tensor__unidirectional__AppendAxes.append_axes ]

let signature path supported same_supported_type admissible result =
  [ path ^ ".supported", f1 element_type bool supported;
    path ^ ".same_supported_type", f2 operand operand bool same_supported_type;
    path ^ ".admissible", admissible bool;
    path ^ ".result", result operand ]

let signatures =
  let module V14 = Systems__onnx_mul__OnnxMul14Signature in
  let module V13 = Systems__onnx_mul__OnnxMul13Signature in
  let module V7 = Systems__onnx_mul__OnnxMul7Signature in
  let module V6 = Systems__onnx_mul_legacy__OnnxMul6Signature in
  let module V1 = Systems__onnx_mul_legacy__OnnxMul1Signature in
  let module V = Systems__openvino_multiply__MultiplySignature in
  let two f r = f2 operand operand r f in
  let three attribute f r = f3 attribute operand operand r f in
  signature "systems.onnx_mul.OnnxMul14Signature" V14.supported V14.same_supported_type
    (two V14.admissible) (two V14.result)
  @ signature "systems.onnx_mul.OnnxMul13Signature" V13.supported V13.same_supported_type
    (two V13.admissible) (two V13.result)
  @ signature "systems.onnx_mul.OnnxMul7Signature" V7.supported V7.same_supported_type
    (two V7.admissible) (two V7.result)
  @ signature "systems.onnx_mul_legacy.OnnxMul6Signature" V6.supported V6.same_supported_type
    (three attributes V6.admissible) (three attributes V6.result)
  @ signature "systems.onnx_mul_legacy.OnnxMul1Signature" V1.supported V1.same_supported_type
    (fun r -> f4 attributes ints operand operand r V1.admissible)
    (fun r -> f4 attributes ints operand operand r V1.result)
  @ signature "systems.openvino_multiply.MultiplySignature" V.supported V.same_supported_type
    (three auto_broadcast V.admissible) (three auto_broadcast V.result)

let accepted =
  let module L = Systems__onnx_mul_legacy__LegacyAttributes in
  let module A = Systems__openvino_multiply__AutoBroadcast in
  let legacy name f = "systems.onnx_mul_legacy.LegacyAttributes." ^ name, f in
  let openvino name f =
    "systems.openvino_multiply.AutoBroadcast." ^ name, f3 auto_broadcast ints ints bool f in
  [ legacy "defaults" (constant attributes L.defaults);
    legacy "is_switch" (f1 attributes bool L.is_switch);
    legacy "same_unless_broadcast" (f3 attributes ints ints bool L.same_unless_broadcast);
    legacy "room_at_axis" (f3 attributes ints ints bool L.room_at_axis);
    legacy "follows_if_broadcast" (f3 attributes ints ints bool L.follows_if_broadcast);
    legacy "accepts" (f3 attributes ints ints bool L.accepts);
    legacy "read_at" (f4 attributes ints ints ints ints L.read_at);
    "systems.openvino_multiply.AutoBroadcast.default", constant auto_broadcast A.default;
    openvino "same_if_none" A.same_if_none;
    openvino "compatible_if_numpy" A.compatible_if_numpy;
    openvino "accepts" A.accepts ]

let operators =
  let later path tensors f = "systems.onnx_mul.OnnxMul" ^ path ^ ".onnx_mul",
    f2 tensors tensors tensors f in
  let legacy path tensors f6 f1 =
    let path = "systems.onnx_mul_legacy.LegacyMul" ^ path in
    [ path ^ ".onnx_mul_6", f3 attributes tensors tensors tensors f6;
      path ^ ".onnx_mul_1", f4 attributes ints tensors tensors tensors f1 ] in
  let multiply path tensors f = "systems.openvino_multiply.Multiply" ^ path ^ ".multiply",
    f3 auto_broadcast tensors tensors tensors f in
  [ later "Int8" integers Systems__onnx_mul__OnnxMulInt8.onnx_mul;
    later "Int16" integers Systems__onnx_mul__OnnxMulInt16.onnx_mul;
    later "Int32" integers Systems__onnx_mul__OnnxMulInt32.onnx_mul;
    later "Int64" integers Systems__onnx_mul__OnnxMulInt64.onnx_mul;
    later "UInt8" integers Systems__onnx_mul__OnnxMulUInt8.onnx_mul;
    later "UInt16" integers Systems__onnx_mul__OnnxMulUInt16.onnx_mul;
    later "UInt32" integers Systems__onnx_mul__OnnxMulUInt32.onnx_mul;
    later "UInt64" integers Systems__onnx_mul__OnnxMulUInt64.onnx_mul;
    later "Float16" floats Systems__onnx_mul__OnnxMulFloat16.onnx_mul;
    later "BFloat16" floats Systems__onnx_mul__OnnxMulBFloat16.onnx_mul;
    later "Float32" floats Systems__onnx_mul__OnnxMulFloat32.onnx_mul;
    later "Float64" floats Systems__onnx_mul__OnnxMulFloat64.onnx_mul;
    multiply "Int8" integers Systems__openvino_multiply__MultiplyInt8.multiply;
    multiply "Int16" integers Systems__openvino_multiply__MultiplyInt16.multiply;
    multiply "Int32" integers Systems__openvino_multiply__MultiplyInt32.multiply;
    multiply "Int64" integers Systems__openvino_multiply__MultiplyInt64.multiply;
    multiply "UInt8" integers Systems__openvino_multiply__MultiplyUInt8.multiply;
    multiply "UInt16" integers Systems__openvino_multiply__MultiplyUInt16.multiply;
    multiply "UInt32" integers Systems__openvino_multiply__MultiplyUInt32.multiply;
    multiply "UInt64" integers Systems__openvino_multiply__MultiplyUInt64.multiply;
    multiply "Float16" floats Systems__openvino_multiply__MultiplyFloat16.multiply;
    multiply "BFloat16" floats Systems__openvino_multiply__MultiplyBFloat16.multiply;
    multiply "Float32" floats Systems__openvino_multiply__MultiplyFloat32.multiply;
    multiply "Float64" floats Systems__openvino_multiply__MultiplyFloat64.multiply ]
  @ Systems__onnx_mul_legacy__LegacyMulInt32.(legacy "Int32" integers onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulInt64.(legacy "Int64" integers onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulUInt32.(legacy "UInt32" integers onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulUInt64.(legacy "UInt64" integers onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulFloat16.(legacy "Float16" floats onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulFloat32.(legacy "Float32" floats onnx_mul_6 onnx_mul_1)
  @ Systems__onnx_mul_legacy__LegacyMulFloat64.(legacy "Float64" floats onnx_mul_6 onnx_mul_1)

let definitions = shapes @ signatures @ accepted @ operators
