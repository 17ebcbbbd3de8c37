(* The formal operators by element type, and what they ask of their operands. *)

open Elements
open Tensor__tensor__Tensor
open Tensor__operand__ElementType
open Tensor__operand__Elementwise

(* --- Definitions --- *)

(* A definition, and how its elements are written. It is applied where [defined] holds. *)
type definition = Definition : {
  form : 'a form;
  defined : 'a tensor -> 'a tensor -> bool;
  apply : 'a tensor -> 'a tensor -> 'a tensor;
} -> definition

let total form apply = Definition { form; defined = (fun _ _ -> true); apply }
let partial form defined apply = Definition { form; defined; apply }

(* The requirements have excluded the other types before a definition is looked for. *)
let none () = failwith "there is no definition for this type"

let mul = function
  | Real -> total rational Ops__mul__definition__MulRational.mul
  | Float16 -> total float16 Ops__mul__floats__MulFloat16.mul
  | BFloat16 -> total bfloat16 Ops__mul__floats__MulBFloat16.mul
  | Float32 -> total float32 Ops__mul__floats__MulFloat32.mul
  | Float64 -> total float64 Ops__mul__floats__MulFloat64.mul
  | Int8 -> total int8 Ops__mul__definition__MulInt8.mul
  | Int16 -> total int16 Ops__mul__definition__MulInt16.mul
  | Int32 -> total int32 Ops__mul__definition__MulInt32.mul
  | Int64 -> total int64 Ops__mul__definition__MulInt64.mul
  | UInt8 -> total uint8 Ops__mul__definition__MulUInt8.mul
  | UInt16 -> total uint16 Ops__mul__definition__MulUInt16.mul
  | UInt32 -> total uint32 Ops__mul__definition__MulUInt32.mul
  | UInt64 -> total uint64 Ops__mul__definition__MulUInt64.mul
  | Boolean | Text | Complex64 | Complex128 -> none ()

let div = function
  | Real -> Ops__div__definition__DivRational.(partial extended is_defined div)
  | Float16 -> Ops__div__floats__DivFloat16.(partial float16 is_defined div)
  | BFloat16 -> Ops__div__floats__DivBFloat16.(partial bfloat16 is_defined div)
  | Float32 -> Ops__div__floats__DivFloat32.(partial float32 is_defined div)
  | Float64 -> Ops__div__floats__DivFloat64.(partial float64 is_defined div)
  | Int8 -> Ops__div__definition__DivInt8.(partial int8 is_defined div)
  | Int16 -> Ops__div__definition__DivInt16.(partial int16 is_defined div)
  | Int32 -> Ops__div__definition__DivInt32.(partial int32 is_defined div)
  | Int64 -> Ops__div__definition__DivInt64.(partial int64 is_defined div)
  | UInt8 -> Ops__div__definition__DivUInt8.(partial uint8 is_defined div)
  | UInt16 -> Ops__div__definition__DivUInt16.(partial uint16 is_defined div)
  | UInt32 -> Ops__div__definition__DivUInt32.(partial uint32 is_defined div)
  | UInt64 -> Ops__div__definition__DivUInt64.(partial uint64 is_defined div)
  | Boolean | Text | Complex64 | Complex128 -> none ()

(* Div with R5 read to the letter: only the floating-point types have another reading. *)
let div_r5 = function
  | Float16 -> Ops__div__floats__DivFloat16.R5.(partial float16 is_defined div)
  | BFloat16 -> Ops__div__floats__DivBFloat16.R5.(partial bfloat16 is_defined div)
  | Float32 -> Ops__div__floats__DivFloat32.R5.(partial float32 is_defined div)
  | Float64 -> Ops__div__floats__DivFloat64.R5.(partial float64 is_defined div)
  | other -> div other

let matmul = function
  | Real -> total rational Ops__matmul__definition__MatMulRational.matmul
  | Float16 -> total float16 Ops__matmul__floats__MatMulFloat16.matmul
  | BFloat16 -> total bfloat16 Ops__matmul__floats__MatMulBFloat16.matmul
  | Float32 -> total float32 Ops__matmul__floats__MatMulFloat32.matmul
  | Float64 -> total float64 Ops__matmul__floats__MatMulFloat64.matmul
  | Int32 -> total int32 Ops__matmul__definition__MatMulInt32.matmul
  | Int64 -> total int64 Ops__matmul__definition__MatMulInt64.matmul
  | UInt32 -> total uint32 Ops__matmul__definition__MatMulUInt32.matmul
  | UInt64 -> total uint64 Ops__matmul__definition__MatMulUInt64.matmul
  | Int8 | Int16 | UInt8 | UInt16 | Boolean | Text | Complex64 | Complex128 -> none ()

(* --- Requirements: what the tensors are made of comes before their shapes --- *)

exception Inadmissible of string * string

let check requirement what holds = if not holds then raise (Inadmissible (requirement, what))

(* Which requirement names shapes that differ: all of them are rejected. *)
let check_elementwise document (a : Tensor__operand__Operand.operand) b =
  check (document ^ ".R2") "a tensor is sparse" (dense a b);
  check (document ^ ".R3") "the elements are not of one numerical type" (same_numerical_type a b);
  let alike = same_shape a b && not_broadcast a b in
  if Tensor__broadcast__Broadcast.compatible a.dims b.dims then
    check (document ^ ".R4") "the shapes differ, and nothing is broadcast" alike
  else check (document ^ ".R1") "the shapes differ" alike

(* The document on the products of matrices of a type, or of the types that are nearest to it. *)
let matmul_document = function
  | Real | Text -> "SONNX-MATMUL-REAL"
  | Float16 | BFloat16 | Float32 | Float64 | Complex64 | Complex128 -> "SONNX-MATMUL-FLOAT"
  | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Boolean ->
    "SONNX-MATMUL-INT"

let check_matmul ~unlisted a b =
  let open Ops__matmul__definition__MatMulSignature in
  let open Tensor__operand__Operand in
  let document = matmul_document a.element in
  let beyond = unlisted && a.element = BFloat16 && same_type a.element b.element in
  check (document ^ ".T") "the elements are not of one type of the document"
    (same_supported_type a b || beyond);
  check (document ^ ".T") "a tensor is sparse" (dense a b);
  check (document ^ ".A.C1") "A has not two axes" (matrix a);
  check (document ^ ".B.C1") "B has not two axes" (matrix b);
  check (document ^ ".A.C2") "A has not as many columns as B has rows" (inner_dimensions a b)

(* --- Operators --- *)

type reading = Standard | R5 | Unlisted

(* An operator on operands whose elements are not known yet: what it produces and how. Raises
   [Inadmissible]. *)
type application = {
  definition : definition;
  result : Tensor__operand__Operand.operand;
  definedness : string; (* the requirement that says where the definition applies *)
}

let mul_application reading (a : Tensor__operand__Operand.operand) b =
  if reading <> Standard then Wire.malformed "Mul has one reading";
  check_elementwise "SONNX-MUL" a b;
  { definition = mul a.element;
    result = Ops__mul__definition__MulSignature.result a b;
    definedness = "" }

let div_application reading (a : Tensor__operand__Operand.operand) b =
  if reading = Unlisted then Wire.malformed "Div has no type beyond its document";
  check_elementwise "SONNX-DIV" a b;
  { definition = (if reading = R5 then div_r5 else div) a.element;
    result = Ops__div__definition__DivSignature.result a b;
    definedness = "SONNX-DIV.C2" }

let matmul_application reading (a : Tensor__operand__Operand.operand) b =
  if reading = R5 then Wire.malformed "MatMul has no R5";
  check_matmul ~unlisted:(reading = Unlisted) a b;
  { definition = matmul a.element;
    result = Ops__matmul__definition__MatMulSignature.result a b;
    definedness = "" }
