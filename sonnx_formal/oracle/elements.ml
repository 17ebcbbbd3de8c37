(* How the elements of each type, shapes and tensors are written in frames. *)

open Wire
open Tensor__tensor__Tensor
module Ints = Tensor__shape__Ints
module Shape = Tensor__shape__Shape
module ElementType = Tensor__operand__ElementType
module Operand = Tensor__operand__Operand
module Rational = Scalar__rational__Rational
module Extended = Scalar__rational__ExtendedRational
module Encoding = Scalar__ieee754__encoding__Encoding
module Format = Scalar__ieee754__format__Format

(* More elements in a tensor are refused: a binary64 datum takes up to some 300 bytes. *)
let most = Z.shift_left Z.one 22

type 'a form = { read : reader -> 'a; write : Buffer.t -> 'a -> unit }

(* --- Machine integers: two's complement, as wide as their type --- *)

module type MACHINE = sig
  val width : Z.t
  val signed : bool
  val modulus : Z.t
  val maximum : Z.t
  val member : Z.t -> bool
end

let integer (module M : MACHINE) =
  let bytes = Z.to_int M.width / 8 in
  { read = (fun r ->
      let pattern = number r bytes in
      if M.signed && Z.gt pattern M.maximum then Z.sub pattern M.modulus else pattern);
    write = (fun buffer x ->
      if not (M.member x) then failwith ("not a value of the type: " ^ Z.to_string x);
      add_number buffer bytes (if Z.sign x < 0 then Z.add x M.modulus else x)) }

let int8 = integer (module Scalar__machine_types__Int8)
let int16 = integer (module Scalar__machine_types__Int16)
let int32 = integer (module Scalar__machine_types__Int32)
let int64 = integer (module Scalar__machine_types__Int64)
let uint8 = integer (module Scalar__machine_types__UInt8)
let uint16 = integer (module Scalar__machine_types__UInt16)
let uint32 = integer (module Scalar__machine_types__UInt32)
let uint64 = integer (module Scalar__machine_types__UInt64)

(* --- Floating-point data: bit patterns --- *)

let float format =
  let bytes = (Z.numbits (Encoding.patterns format) + 7) / 8 in
  { read = (fun r -> Encoding.of_bits format (number r bytes));
    write = (fun buffer x -> add_number buffer bytes (Encoding.to_bits format x)) }

let float16 = float Format.binary16
let bfloat16 = float Format.bfloat16
let float32 = float Format.binary32
let float64 = float Format.binary64

(* Of 8 bits, the definitions have bit patterns themselves. *)
let float8e4m3fn = uint8
let float8e5m2 = uint8

(* --- Rational numbers: numerator and denominator, each a hexadecimal text; infinity is 1/0 --- *)

let integer_text r =
  try Z.of_string_base 16 (text r)
  with Invalid_argument _ -> malformed "a number is not written in hexadecimal digits"

let add_integer_text buffer n = add_text buffer (Z.format "%x" n)

let extended =
  { read = (fun r ->
      let num = integer_text r in
      let den = integer_text r in
      let q = { Rational.num; den } in
      if Z.equal num Z.one && Z.equal den Z.zero then Extended.Infinity
      else if Rational.well_formed q then Extended.Finite q
      else malformed "a denominator is not positive");
    write = (fun buffer x ->
      let num, den =
        match x with
        | Extended.Infinity -> Z.one, Z.zero
        | Extended.Finite q -> q.num, q.den in
      add_integer_text buffer num;
      add_integer_text buffer den) }

let rational =
  { read = (fun r ->
      match extended.read r with
      | Extended.Finite q -> q
      | Extended.Infinity -> malformed "infinity is not a rational number");
    write = (fun buffer q -> extended.write buffer (Extended.Finite q)) }

(* --- Truth values: 1 or 0 in a byte --- *)

let boolean =
  { read = (fun r ->
      match byte r with
      | 0 -> false
      | 1 -> true
      | other -> malformed ("no truth value " ^ string_of_int other));
    write = (fun buffer x -> add_byte buffer (Bool.to_int x)) }

(* --- Texts: bytes, of which nothing is known here --- *)

let texts = { read = text; write = add_text }

(* --- Storage and shape: rank in a byte, and dimensions of 8 bytes --- *)

let storage r =
  match text r with
  | "dense" -> Operand.Dense
  | "sparse" -> Operand.Sparse
  | other -> malformed ("no storage " ^ other)

let ints ns = List.fold_right (fun n rest -> Ints.Cons (n, rest)) ns Ints.Nil

let shape r =
  let rec dims n =
    if n = 0 then Ints.Nil
    else
      let d = number r 8 in
      Ints.Cons (d, dims (n - 1)) in
  dims (byte r)

let add_shape buffer shape =
  let rec dims = function
    | Ints.Nil -> ()
    | Ints.Cons (d, ds) -> add_number buffer 8 d; dims ds in
  add_number buffer 1 (Shape.rank shape);
  dims shape

let size shape =
  let size = Shape.size shape in
  if Z.gt size most then malformed "a tensor has too many elements";
  Z.to_int size

(* --- Tensors: their elements in row-major order --- *)

(* The elements are found through the formal offset, and never at an index that is not valid. *)
let tensor form shape r =
  let elements = Array.init (size shape) (fun _ -> form.read r) in
  let value i =
    if not (Tensor__shape__Index.valid i shape) then failwith "an element at an invalid index";
    elements.(Z.to_int (Tensor__offset__Offset.offset i shape)) in
  { shape; value }

let add_tensor buffer form t =
  add_shape buffer t.shape;
  for k = 0 to size t.shape - 1 do
    form.write buffer (t.value (Tensor__offset__Offset.unflatten (Z.of_int k) t.shape))
  done
