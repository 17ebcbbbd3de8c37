(* Answers requests with the formal definitions: one frame in, one frame out, until the input ends.
   The layout of the frames is in frames.py.

   A request that is wrong gets an answer that says so, and nothing is computed. *)

open Wire
open Elements
open Operators
open Systems
module Arithmetic = Scalar__ieee754__arithmetic__Arithmetic
module Float = Scalar__ieee754__format__Float

let application r =
  let operator = byte r in
  let reading =
    match byte r with
    | 0 -> Standard
    | 1 -> R5
    | 2 -> Unlisted
    | other -> malformed ("no reading " ^ string_of_int other) in
  let attributes = attributes r in
  let own apply = only attributes; apply reading in
  let system apply =
    if reading <> Standard then malformed "the operator has one reading";
    apply attributes in
  match operator with
  | 0 -> own mul_application
  | 1 -> own div_application
  | 2 -> own matmul_application
  | 3 -> system onnx_mul_14_application
  | 4 -> system onnx_mul_13_application
  | 5 -> system onnx_mul_7_application
  | 6 -> system onnx_mul_6_application
  | 7 -> system onnx_mul_1_application
  | 8 -> system ov_multiply_1_application
  | other -> malformed ("no operator " ^ string_of_int other)

(* The result of an operator. *)
let evaluate r answer =
  let application = application r in
  let a = operand r in
  let b = operand r in
  let { definition = Definition d; result; definedness } = application a b in
  ignore (size result.dims);
  let x = tensor d.form a.dims r in
  let y = tensor d.form b.dims r in
  finish r;
  check definedness "the quotient is not defined at each index" (d.defined x y);
  add_number answer 1 (ElementType.code result.element);
  add_tensor answer d.form (d.apply x y)

(* The value of a float type that a fraction is rounded to, and whether it is that fraction. n/0 is
   infinity, and 0/0 is NaN. *)
let round r answer =
  let format, form =
    match element_type r with
    | ElementType.Float16 -> Format.binary16, float16
    | ElementType.BFloat16 -> Format.bfloat16, bfloat16
    | ElementType.Float32 -> Format.binary32, float32
    | ElementType.Float64 -> Format.binary64, float64
    | _ -> malformed "the type is not a floating-point type" in
  let negative = byte r <> 0 in
  let n = integer_text r in
  let d = integer_text r in
  finish r;
  if Z.sign n < 0 || Z.sign d < 0 then malformed "the sign is apart";
  let x =
    if Z.sign d > 0 then Arithmetic.rounded format negative (Z.mul n format.one) d
    else if Z.sign n > 0 then Float.Infinity negative
    else Float.NaN in
  let exact =
    match x with
    | Float.Finite (_, k) -> Z.equal (Z.mul k d) (Z.mul n format.one)
    | Float.Infinity _ | Float.NaN -> Z.sign d = 0 in
  add_byte answer (Bool.to_int exact);
  form.write answer x

let serve r =
  match byte r with
  | 0 -> evaluate r
  | 1 -> round r
  | other -> malformed ("no request " ^ string_of_int other)

(* --- Answers: what kind it is in a byte, then the result or texts --- *)

let texts kind lines =
  let answer = Buffer.create 100 in
  add_byte answer kind;
  List.iter (add_text answer) lines;
  answer

let answer r =
  try
    let answer = Buffer.create 1000 in
    add_byte answer 0;
    serve r answer;
    answer
  with
  | Inadmissible (requirement, what) -> texts 1 [ requirement; what ]
  | Malformed what -> texts 2 [ what ]
  | Stack_overflow -> texts 3 [ "the recursion of the definition is too deep" ]
  | Out_of_memory -> texts 3 [ "there is not enough memory" ]
  | other -> texts 3 [ Printexc.to_string other ]

let rec serve_all () =
  match receive stdin with
  | exception Malformed what -> send stdout (texts 2 [ what ]) (* where the next begins is lost *)
  | exception End_of_file -> ()
  | request -> send stdout (answer request); serve_all ()

let () =
  set_binary_mode_in stdin true;
  set_binary_mode_out stdout true;
  serve_all ()
