(* Applies the extracted floating-point operations to bit patterns, many at a time.

   A request is a line and the bytes of its operands, patterns of WIDTH bytes each, the least
   significant first: all the first operands, then all the second ones.

     apply FORMAT OPERATION WIDTH COUNT   ->  ok, then the bytes of COUNT results
     time FORMAT OPERATION WIDTH COUNT    ->  ok DECODED PATTERNS

   The times are the CPU seconds of the operation alone, from value to value, and of the whole way,
   from pattern to pattern. The answer to a wrong request is error: WHAT, and the program ends. *)

module Format = Scalar__ieee754__format__Format
module Arithmetic = Scalar__ieee754__arithmetic__Arithmetic
module SquareRoot = Scalar__ieee754__square_root__SquareRoot
module Comparison = Scalar__ieee754__arithmetic__Comparison
module Encoding = Scalar__ieee754__encoding__Encoding

let format = function
  | "binary16" -> Format.binary16
  | "bfloat16" -> Format.bfloat16
  | "binary32" -> Format.binary32
  | "binary64" -> Format.binary64
  | other ->
    Scanf.sscanf other "%d,%d%!" (fun p emax -> Format.format (Z.of_int p) (Z.of_int emax))

let read width count =
  let bytes = Bytes.create (width * count) in
  really_input stdin bytes 0 (width * count);
  bytes

(* --- Operations --- *)

let relation = function
  | Comparison.Less -> Z.zero
  | Comparison.Equal -> Z.one
  | Comparison.Greater -> Z.of_int 2
  | Comparison.Unordered -> Z.of_int 3

type operation =
  | Unary of (Format.format -> value -> value)
  | Binary of (Format.format -> value -> value -> value)
  | Relation of (value -> value -> Comparison.relation)
and value = Scalar__ieee754__format__Float.float

let operation = function
  | "roundtrip" -> Unary (fun _ x -> x)
  | "negate" -> Unary (fun _ x -> Arithmetic.negate x)
  | "absolute" -> Unary (fun _ x -> Arithmetic.absolute x)
  | "sqrt" -> Unary SquareRoot.sqrt
  | "add" -> Binary Arithmetic.add
  | "sub" -> Binary Arithmetic.sub
  | "mul" -> Binary Arithmetic.mul
  | "div" -> Binary Arithmetic.div
  | "compare" -> Relation Comparison.compare
  | other -> failwith ("no operation " ^ other)

let arity = function Unary _ -> 1 | Binary _ | Relation _ -> 2

let value f width bytes index =
  let pattern = Numbers.get width bytes (width * index) in
  if Z.geq pattern (Z.mul (Z.of_int 2) (Encoding.patterns f)) then
    failwith ("no pattern of this format: " ^ Z.to_string pattern);
  Encoding.of_bits f pattern

(* The pattern of the result at an index. *)
let at f operation width operands =
  let operand n = value f width operands.(n) in
  match operation with
  | Unary g -> fun i -> Encoding.to_bits f (g f (operand 0 i))
  | Binary g -> fun i -> Encoding.to_bits f (g f (operand 0 i) (operand 1 i))
  | Relation g -> fun i -> relation (g (operand 0 i) (operand 1 i))

let apply f operation width count operands =
  let results = Bytes.create (width * count) in
  let result = at f operation width operands in
  for i = 0 to count - 1 do Numbers.set width results (width * i) (result i) done;
  results

let seconds count action =
  let start = Sys.time () in
  for i = 0 to count - 1 do ignore (Sys.opaque_identity (action i)) done;
  Sys.time () -. start

let time f operation width count operands =
  let decoded = Array.map (fun bytes -> Array.init count (value f width bytes)) operands in
  let x = decoded.(0) and y = decoded.(Array.length decoded - 1) in
  let alone =
    match operation with
    | Unary g -> seconds count (fun i -> g f x.(i))
    | Binary g -> seconds count (fun i -> g f x.(i) y.(i))
    | Relation g -> seconds count (fun i -> g x.(i) y.(i))
  in
  alone, seconds count (at f operation width operands)

(* --- Requests --- *)

let serve line =
  match String.split_on_char ' ' line with
  | [ request; name; operation_name; width; count ] ->
    let width = int_of_string width and count = int_of_string count in
    let operation = operation operation_name in
    let operands = Array.init (arity operation) (fun _ -> read width count) in
    let f = format name in
    (match request with
     | "apply" ->
       let results = apply f operation width count operands in
       print_endline "ok";
       print_bytes results
     | "time" ->
       let alone, whole = time f operation width count operands in
       Printf.printf "ok %.6f %.6f\n" alone whole
     | other -> failwith ("no request " ^ other))
  | _ -> failwith ("not a request: " ^ line)

let () =
  try
    while true do
      serve (input_line stdin);
      flush stdout
    done
  with
  | End_of_file -> ()
  | Failure what -> print_endline ("error: " ^ what)
  | other -> print_endline ("error: " ^ Printexc.to_string other)
