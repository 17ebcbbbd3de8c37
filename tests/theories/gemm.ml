(* The definitions of Gemm. *)

open Forms

let all path = List.map (fun (name, f) -> path ^ "." ^ name, f)
let integers, rationals, floats = tensor int, tensor rational, tensor float
let gemm path tensors f = "ops.gemm." ^ path ^ ".gemm", f3 tensors tensors tensors tensors f

let definitions =
  let module S = Ops__gemm__definition__GemmSignature in
  all "ops.gemm.definition.GemmSignature" [
    "listed", f1 element_type bool S.listed;
    "one_type", f3 operand operand operand bool S.one_type;
    "shape_of_product", f3 operand operand operand bool S.shape_of_product;
    "admissible", f3 operand operand operand bool S.admissible;
    "result", f3 operand operand operand operand S.result ]
  @ [ gemm "definition.GemmRational" rationals Ops__gemm__definition__GemmRational.gemm;
      gemm "definition.GemmInt" integers Ops__gemm__definition__GemmInt.gemm;
      gemm "definition.GemmInt32" integers Ops__gemm__definition__GemmInt32.gemm;
      gemm "definition.GemmUInt64" integers Ops__gemm__definition__GemmUInt64.gemm;
      gemm "floats.GemmFloat16" floats Ops__gemm__floats__GemmFloat16.gemm;
      gemm "floats.GemmBFloat16" floats Ops__gemm__floats__GemmBFloat16.gemm;
      gemm "floats.GemmFloat32" floats Ops__gemm__floats__GemmFloat32.gemm;
      gemm "floats.GemmFloat64" floats Ops__gemm__floats__GemmFloat64.gemm ]
