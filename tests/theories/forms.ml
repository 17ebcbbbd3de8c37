(* How values are written in a call and its answer, and definitions as functions on what is written.

   An integer 17; a truth value true; a sequence of integers [2;3]; a rational 1/2; an extended
   rational 1/2 or inf; a tensor [2;3]:1;2;3;4;5;6 (its shape, and its elements in row-major order);
   an operand Int8,Dense,[2;3]; a format binary16, or 11,15 (precision and emax); a float nan, +inf,
   -inf, +3u, -0u (its units); a power of two 2^5=32; a relation Less. *)

open Tensor__shape__Ints
open Tensor__tensor__Tensor

type 'a form = { read : string -> 'a; write : 'a -> string }

let fields c s = if s = "" then [] else String.split_on_char c s

let int = { read = Z.of_string; write = Z.to_string }
let bool = { read = bool_of_string; write = string_of_bool }

let ints =
  let rec of_list = function [] -> Nil | x :: xs -> Cons (x, of_list xs) in
  let rec to_list = function Nil -> [] | Cons (x, xs) -> x :: to_list xs in
  { read = (fun s ->
      of_list (List.map Z.of_string (fields ';' (String.sub s 1 (String.length s - 2)))));
    write = (fun s -> "[" ^ String.concat ";" (List.map Z.to_string (to_list s)) ^ "]") }

let rational =
  let open Scalar__rational__Rational in
  { read = (fun s -> match fields '/' s with
      | [ n; d ] -> { num = Z.of_string n; den = Z.of_string d }
      | _ -> failwith ("not a rational: " ^ s));
    write = (fun q -> Z.to_string q.num ^ "/" ^ Z.to_string q.den) }

let extended =
  let open Scalar__rational__ExtendedRational in
  { read = (fun s -> if s = "inf" then Infinity else Finite (rational.read s));
    write = (function Infinity -> "inf" | Finite q -> rational.write q) }

(* Elements are found through the formal offset, and never at an index that is not valid. *)
let tensor element =
  let read s =
    let shape, elements = Scanf.sscanf s "%s@:%s" (fun a b -> ints.read a, b) in
    let elements = Array.of_list (List.map element.read (fields ';' elements)) in
    { shape; value = fun i ->
        if not (Tensor__shape__Index.valid i shape) then failwith "element at an invalid index";
        elements.(Z.to_int (Tensor__offset__Offset.offset i shape)) } in
  let write t =
    let at k = element.write (t.value (Tensor__offset__Offset.unflatten (Z.of_int k) t.shape)) in
    let size = Z.to_int (Tensor__shape__Shape.size t.shape) in
    ints.write t.shape ^ ":" ^ String.concat ";" (List.init size at) in
  { read; write }

let named table =
  { read = (fun s -> List.assoc s table);
    write = (fun x -> fst (List.find (fun (_, y) -> x = y) table)) }

let element_type = named Tensor__operand__ElementType.[
  "Real", Real; "Float16", Float16; "BFloat16", BFloat16; "Float32", Float32;
  "Float64", Float64; "Float8E4M3FN", Float8E4M3FN; "Float8E5M2", Float8E5M2;
  "Int8", Int8; "Int16", Int16; "Int32", Int32; "Int64", Int64;
  "UInt8", UInt8; "UInt16", UInt16; "UInt32", UInt32; "UInt64", UInt64;
  "Boolean", Boolean; "Text", Text; "Complex64", Complex64; "Complex128", Complex128 ]

let storage = named Tensor__operand__Operand.[ "Dense", Dense; "Sparse", Sparse ]

let operand =
  let open Tensor__operand__Operand in
  { read = (fun s -> match fields ',' s with
      | [ e; st; d ] ->
        { element = element_type.read e; storage = storage.read st; dims = ints.read d }
      | _ -> failwith ("not an operand: " ^ s));
    write = (fun o ->
      String.concat "," [ element_type.write o.element; storage.write o.storage; ints.write o.dims ]) }

(* --- IEEE 754 --- *)

let format =
  let open Scalar__ieee754__format__Format in
  let standard =
    [ "binary16", binary16; "bfloat16", bfloat16; "binary32", binary32; "binary64", binary64 ] in
  { read = (fun s -> match fields ',' s with
      | [ name ] -> List.assoc name standard
      | [ p; emax ] -> format (Z.of_string p) (Z.of_string emax)
      | _ -> failwith ("not a format: " ^ s));
    write = (fun f ->
      let part (name, value) = name ^ "=" ^ Z.to_string value in
      String.concat "," (List.map part [ "precision", f.precision; "emax", f.emax; "top", f.top;
        "one", f.one; "largest", f.largest ])) }

let float =
  let open Scalar__ieee754__format__Float in
  let negative s = match s.[0] with
    | '-' -> true
    | '+' -> false
    | _ -> failwith ("a sign is missing: " ^ s) in
  let sign s = if s then "-" else "+" in
  { read = (fun s ->
      let last = String.length s - 1 in
      if s = "nan" then NaN
      else if String.sub s 1 last = "inf" then Infinity (negative s)
      else if s.[last] = 'u' then Finite (negative s, Z.of_string (String.sub s 1 (last - 1)))
      else failwith ("not a float: " ^ s));
    write = (function
      | NaN -> "nan"
      | Infinity s -> sign s ^ "inf"
      | Finite (s, k) -> sign s ^ Z.to_string k ^ "u") }

let power =
  let open Scalar__ieee754__powers__Power in
  { read = (fun s -> Scanf.sscanf s "2^%s@=%s" (fun e v ->
      { exponent = Z.of_string e; value = Z.of_string v }));
    write = (fun w -> "2^" ^ Z.to_string w.exponent ^ "=" ^ Z.to_string w.value) }

let relation = named Scalar__ieee754__arithmetic__Comparison.[
  "Less", Less; "Equal", Equal; "Greater", Greater; "Unordered", Unordered ]

(* --- Definitions --- *)

let constant r x = function [] -> r.write x | _ -> failwith "takes no argument"
let f1 a r f = function [ x ] -> r.write (f (a.read x)) | _ -> failwith "takes 1 argument"
let f2 a b r f = function
  | [ x; y ] -> r.write (f (a.read x) (b.read y))
  | _ -> failwith "takes 2 arguments"
let f3 a b c r f = function
  | [ x; y; z ] -> r.write (f (a.read x) (b.read y) (c.read z))
  | _ -> failwith "takes 3 arguments"
let f4 a b c d r f = function
  | [ w; x; y; z ] -> r.write (f (a.read w) (b.read x) (c.read y) (d.read z))
  | _ -> failwith "takes 4 arguments"
let f5 a b c d e r f = function
  | [ v; w; x; y; z ] -> r.write (f (a.read v) (b.read w) (c.read x) (d.read y) (e.read z))
  | _ -> failwith "takes 5 arguments"
let f6 a b c d e g r f = function
  | [ u; v; w; x; y; z ] ->
    r.write (f (a.read u) (b.read v) (c.read w) (d.read x) (e.read y) (g.read z))
  | _ -> failwith "takes 6 arguments"
