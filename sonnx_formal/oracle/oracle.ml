(* Answers requests with the formal definitions: first a frame with the digest of the tables, then
   one frame in, one frame out, until the input ends. The layout of the frames is in frames.py.

   A request that is wrong gets an answer that says so, and nothing is computed. *)

open Wire
open Elements
open Calls

(* The result of an operator. *)
let evaluate r answer =
  let name = text r in
  match List.assoc_opt name Tables.operators with
  | None -> malformed ("no operator " ^ name)
  | Some apply -> apply (call Tables.element_types r) r answer

(* The value of a float type that a fraction is rounded to, and whether it is that fraction. n/0 is
   infinity, and 0/0 is NaN. *)
let rounded format form negative n d answer =
  let x =
    if Z.sign d > 0 then Arithmetic.rounded format negative (Z.mul n format.Format.one) d
    else if Z.sign n > 0 then Float.Infinity negative
    else Float.NaN in
  let exact =
    match x with
    | Float.Finite (_, k) -> Z.equal (Z.mul k d) (Z.mul n format.one)
    | Float.Infinity _ | Float.NaN -> Z.sign d = 0 in
  add_byte answer (Bool.to_int exact);
  form.write answer x

(* The same of a type of 8 bits: what is beyond its numbers is infinity, or NaN if it has none. *)
let rounded_narrow narrow negative n d answer =
  let open Scalar__float8__Float8 in
  let open Scalar__float8__Cast8 in
  let x =
    if Z.sign d > 0 then rounded8 narrow false negative (Z.mul n narrow.base.one) d
    else if Z.sign n > 0 then beyond narrow false negative
    else Float.NaN in
  let exact =
    match x with
    | Float.Finite (_, k) -> Z.equal (Z.mul k d) (Z.mul n narrow.base.one)
    | Float.Infinity _ -> Z.sign d = 0
    | Float.NaN -> Z.sign n = 0 && Z.sign d = 0 in
  add_byte answer (Bool.to_int exact);
  add_number answer 1 (Scalar__float8__Encoding8.to_bits8 narrow x)

let round r answer =
  let round =
    match text r with
    | "float16" -> rounded Format.binary16 float16
    | "bfloat16" -> rounded Format.bfloat16 bfloat16
    | "float32" -> rounded Format.binary32 float32
    | "float64" -> rounded Format.binary64 float64
    | "float8e4m3fn" -> rounded_narrow Scalar__float8__Float8.float8e4m3fn
    | "float8e5m2" -> rounded_narrow Scalar__float8__Float8.float8e5m2
    | other -> malformed ("no floating-point type " ^ other) in
  let negative = byte r <> 0 in
  let n = integer_text r in
  let d = integer_text r in
  finish r;
  if Z.sign n < 0 || Z.sign d < 0 then malformed "the sign is apart";
  round negative n d answer

let serve r answer =
  match text r with
  | "evaluate" -> evaluate r answer
  | "round" -> round r answer
  | other -> malformed ("no request " ^ other)

(* --- Answers: what kind it is, then the result or texts --- *)

let texts kind lines =
  let answer = Buffer.create 100 in
  List.iter (add_text answer) (kind :: lines);
  answer

let answer r =
  try
    let answer = Buffer.create 1000 in
    add_text answer "result";
    serve r answer;
    answer
  with
  | Inadmissible (requirement, what) -> texts "inadmissible" [ requirement; what ]
  | Malformed what -> texts "malformed" [ what ]
  | Stack_overflow -> texts "failure" [ "the recursion of the definition is too deep" ]
  | Out_of_memory -> texts "failure" [ "there is not enough memory" ]
  | other -> texts "failure" [ Printexc.to_string other ]

let rec serve_all () =
  match receive stdin with
  | exception Malformed what ->
    send stdout (texts "malformed" [ what ]) (* where the next begins is lost *)
  | exception End_of_file -> ()
  | request -> send stdout (answer request); serve_all ()

let () =
  set_binary_mode_in stdin true;
  set_binary_mode_out stdout true;
  send stdout (texts "tables" [ Tables.digest ]);
  serve_all ()
