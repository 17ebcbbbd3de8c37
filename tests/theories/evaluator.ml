(* Runs the extracted definitions: one call a line, NAME ARGUMENT ..., one answer a line.

   Written form of the values: an integer 17; a truth value true; a sequence of integers [2;3];
   a rational 1/2; an extended rational 1/2 or inf; a tensor [2;3]:1;2;3;4;5;6 (its shape, and
   its elements in row-major order); an operand Int8,Dense,[2;3]. *)

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
  "Float64", Float64; "Int8", Int8; "Int16", Int16; "Int32", Int32; "Int64", Int64;
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

(* Integers as the functions int -> int that sums add up: the value at k is k * k + c. *)
let squares c = fun k -> Z.add (Z.mul k k) c

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

let integers = tensor int
let rationals = tensor rational
let extendeds = tensor extended

module type SCALAR = sig
  val zero : Z.t
  val one : Z.t
  val add : Z.t -> Z.t -> Z.t
  val mul : Z.t -> Z.t -> Z.t
  val divisible : Z.t -> Z.t -> bool
  val div : Z.t -> Z.t -> Z.t
end

module type MACHINE = sig
  include SCALAR
  val width : Z.t
  val signed : bool
  val modulus : Z.t
  val minimum : Z.t
  val maximum : Z.t
  val member : Z.t -> bool
  val wrap : Z.t -> Z.t
end

let scalar path (module S : SCALAR) = List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "zero", constant int S.zero; "one", constant int S.one;
  "add", f2 int int int S.add; "mul", f2 int int int S.mul;
  "divisible", f2 int int bool S.divisible; "div", f2 int int int S.div ]

let machine path (module M : MACHINE) =
  scalar path (module M) @ List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "width", constant int M.width; "signed", constant bool M.signed;
  "modulus", constant int M.modulus; "minimum", constant int M.minimum;
  "maximum", constant int M.maximum; "member", f1 int bool M.member;
  "wrap", f1 int int M.wrap ]

module type MATMUL = sig
  val sum : (Z.t -> Z.t) -> Z.t -> Z.t
  val product : Z.t tensor -> Z.t tensor -> Z.t -> Z.t -> Z.t -> Z.t
  val entry : Z.t tensor -> Z.t tensor -> Z.t -> Z.t -> Z.t
  val matmul : Z.t tensor -> Z.t tensor -> Z.t tensor
  val identity : Z.t -> Z.t tensor
  val zeros : Z.t -> Z.t -> Z.t tensor
  val plus : Z.t tensor -> Z.t tensor -> Z.t tensor
  val scale : Z.t -> Z.t tensor -> Z.t tensor
end

let matmul path (module M : MATMUL) = List.map (fun (name, f) -> path ^ "." ^ name, f) [
  "sum", f2 int int int (fun c -> M.sum (squares c));
  "product", f4 integers integers ints int int (fun a b i ->
    M.product a b (Tensor__matrix__Coordinates.first i) (Tensor__matrix__Coordinates.second i));
  "entry", f4 integers integers int int int M.entry;
  "matmul", f2 integers integers integers M.matmul;
  "identity", f1 int integers M.identity; "zeros", f2 int int integers M.zeros;
  "plus", f2 integers integers integers M.plus; "scale", f2 int integers integers M.scale ]

let signature path admissible result =
  [ path ^ ".admissible", f2 operand operand bool admissible;
    path ^ ".result", f2 operand operand operand result ]

let div path div defined_from is_defined =
  [ path ^ ".div", f2 integers integers integers div;
    path ^ ".defined_from", f3 int integers integers bool defined_from;
    path ^ ".is_defined", f2 integers integers bool is_defined ]

let rational_arithmetic =
  let module Q = Scalar__rational__Rational in
  let module E = Scalar__rational__ExtendedRational in
  List.map (fun (name, f) -> "scalar.rational." ^ name, f) [
  "Rational.zero", constant rational Q.zero; "Rational.one", constant rational Q.one;
  "Rational.of_int", f1 int rational Q.of_int;
  "Rational.well_formed", f1 rational bool Q.well_formed;
  "Rational.equal", f2 rational rational bool Q.equal;
  "Rational.is_zero", f1 rational bool Q.is_zero;
  "Rational.add", f2 rational rational rational Q.add;
  "Rational.mul", f2 rational rational rational Q.mul;
  "Rational.div", f2 rational rational rational Q.div;
  "ExtendedRational.well_formed", f1 extended bool E.well_formed;
  "ExtendedRational.equal", f2 extended extended bool E.equal;
  "ExtendedRational.divisible", f2 extended extended bool E.divisible;
  "ExtendedRational.quotient", f2 rational rational extended E.quotient;
  "ExtendedRational.div", f2 extended extended extended E.div ]

let definitions =
  [ "tensor.shape.Shape.well_formed", f1 ints bool Tensor__shape__Shape.well_formed;
    "tensor.shape.Shape.rank", f1 ints int Tensor__shape__Shape.rank;
    "tensor.shape.Shape.size", f1 ints int Tensor__shape__Shape.size;
    "tensor.shape.Shape.equal", f2 ints ints bool Tensor__shape__Shape.equal;
    "tensor.shape.Index.valid", f2 ints ints bool Tensor__shape__Index.valid;
    "tensor.offset.Offset.offset", f2 ints ints int Tensor__offset__Offset.offset;
    "tensor.offset.Offset.unflatten", f2 int ints ints Tensor__offset__Offset.unflatten;
    "tensor.tensor.Map.map", f1 integers integers (Tensor__tensor__Map.map Z.neg);
    "tensor.tensor.Map.map2", f2 integers integers integers (Tensor__tensor__Map.map2 Z.sub);
    "tensor.matrix.Coordinates.pair", f2 int int ints Tensor__matrix__Coordinates.pair;
    "tensor.matrix.Coordinates.first", f1 ints int Tensor__matrix__Coordinates.first;
    "tensor.matrix.Coordinates.second", f1 ints int Tensor__matrix__Coordinates.second;
    "tensor.matrix.Transpose.transpose", f1 integers integers Tensor__matrix__Transpose.transpose;
    "tensor.operand.ElementType.code", f1 element_type int Tensor__operand__ElementType.code;
    "tensor.operand.ElementType.numerical",
      f1 element_type bool Tensor__operand__ElementType.numerical;
    "tensor.operand.ElementType.same_type",
      f2 element_type element_type bool Tensor__operand__ElementType.same_type;
    "scalar.exact_integer.Truncation.quotient",
      f2 int int int Scalar__exact_integer__Truncation.quotient;
    "scalar.machine_integer.PowerOfTwo.two_power",
      f1 int int Scalar__machine_integer__PowerOfTwo.two_power;
    "tensor.operand.Elementwise.same_shape",
      f2 operand operand bool Tensor__operand__Elementwise.same_shape;
    "tensor.operand.Elementwise.dense", f2 operand operand bool Tensor__operand__Elementwise.dense;
    "tensor.operand.Elementwise.same_numerical_type",
      f2 operand operand bool Tensor__operand__Elementwise.same_numerical_type;
    "tensor.operand.Elementwise.not_broadcast",
      f2 operand operand bool Tensor__operand__Elementwise.not_broadcast;
    "ops.matmul.MatMulSignature.supported",
      f1 element_type bool Ops__matmul__MatMulSignature.supported;
    "ops.matmul.MatMulSignature.matrix", f1 operand bool Ops__matmul__MatMulSignature.matrix;
    "ops.matmul.MatMulSignature.inner_dimensions",
      f2 operand operand bool Ops__matmul__MatMulSignature.inner_dimensions;
    "ops.matmul.MatMulSignature.same_supported_type",
      f2 operand operand bool Ops__matmul__MatMulSignature.same_supported_type;
    "ops.mul.MulRational.mul", f2 rationals rationals rationals Ops__mul__MulRational.mul;
    "ops.div.DivRational.div", f2 extendeds extendeds extendeds Ops__div__DivRational.div;
    "ops.div.DivRational.finite", f1 rationals extendeds Ops__div__DivRational.finite;
    "ops.div.DivRational.div_finite",
      f2 rationals rationals extendeds Ops__div__DivRational.div_finite;
    "ops.matmul.MatMulRational.matmul",
      f2 rationals rationals rationals Ops__matmul__MatMulRational.matmul;
    "ops.mul.MulInt.mul", f2 integers integers integers Ops__mul__MulInt.mul;
    "ops.mul.MulInt8.mul", f2 integers integers integers Ops__mul__MulInt8.mul;
    "ops.mul.MulInt16.mul", f2 integers integers integers Ops__mul__MulInt16.mul;
    "ops.mul.MulInt32.mul", f2 integers integers integers Ops__mul__MulInt32.mul;
    "ops.mul.MulInt64.mul", f2 integers integers integers Ops__mul__MulInt64.mul;
    "ops.mul.MulUInt8.mul", f2 integers integers integers Ops__mul__MulUInt8.mul;
    "ops.mul.MulUInt16.mul", f2 integers integers integers Ops__mul__MulUInt16.mul;
    "ops.mul.MulUInt32.mul", f2 integers integers integers Ops__mul__MulUInt32.mul;
    "ops.mul.MulUInt64.mul", f2 integers integers integers Ops__mul__MulUInt64.mul ]
  @ signature "ops.mul.MulSignature" Ops__mul__MulSignature.admissible Ops__mul__MulSignature.result
  @ signature "ops.div.DivSignature" Ops__div__DivSignature.admissible Ops__div__DivSignature.result
  @ signature "ops.matmul.MatMulSignature"
      Ops__matmul__MatMulSignature.admissible Ops__matmul__MatMulSignature.result
  @ scalar "scalar.exact_integer.ExactInteger" (module Scalar__exact_integer__ExactInteger)
  @ machine "scalar.machine_types.Int8" (module Scalar__machine_types__Int8)
  @ machine "scalar.machine_types.Int16" (module Scalar__machine_types__Int16)
  @ machine "scalar.machine_types.Int32" (module Scalar__machine_types__Int32)
  @ machine "scalar.machine_types.Int64" (module Scalar__machine_types__Int64)
  @ machine "scalar.machine_types.UInt8" (module Scalar__machine_types__UInt8)
  @ machine "scalar.machine_types.UInt16" (module Scalar__machine_types__UInt16)
  @ machine "scalar.machine_types.UInt32" (module Scalar__machine_types__UInt32)
  @ machine "scalar.machine_types.UInt64" (module Scalar__machine_types__UInt64)
  @ div "ops.div.DivInt" Ops__div__DivInt.div Ops__div__DivInt.defined_from
      Ops__div__DivInt.is_defined
  @ div "ops.div.DivInt8" Ops__div__DivInt8.div Ops__div__DivInt8.defined_from
      Ops__div__DivInt8.is_defined
  @ div "ops.div.DivInt16" Ops__div__DivInt16.div Ops__div__DivInt16.defined_from
      Ops__div__DivInt16.is_defined
  @ div "ops.div.DivInt32" Ops__div__DivInt32.div Ops__div__DivInt32.defined_from
      Ops__div__DivInt32.is_defined
  @ div "ops.div.DivInt64" Ops__div__DivInt64.div Ops__div__DivInt64.defined_from
      Ops__div__DivInt64.is_defined
  @ div "ops.div.DivUInt8" Ops__div__DivUInt8.div Ops__div__DivUInt8.defined_from
      Ops__div__DivUInt8.is_defined
  @ div "ops.div.DivUInt16" Ops__div__DivUInt16.div Ops__div__DivUInt16.defined_from
      Ops__div__DivUInt16.is_defined
  @ div "ops.div.DivUInt32" Ops__div__DivUInt32.div Ops__div__DivUInt32.defined_from
      Ops__div__DivUInt32.is_defined
  @ div "ops.div.DivUInt64" Ops__div__DivUInt64.div Ops__div__DivUInt64.defined_from
      Ops__div__DivUInt64.is_defined
  @ rational_arithmetic
  @ matmul "ops.matmul.MatMulInt" (module Ops__matmul__MatMulInt)
  @ matmul "ops.matmul.MatMulInt32" (module Ops__matmul__MatMulInt32)
  @ matmul "ops.matmul.MatMulInt64" (module Ops__matmul__MatMulInt64)
  @ matmul "ops.matmul.MatMulUInt32" (module Ops__matmul__MatMulUInt32)
  @ matmul "ops.matmul.MatMulUInt64" (module Ops__matmul__MatMulUInt64)

let () =
  let table = Hashtbl.create 200 in
  List.iter (fun (name, f) -> Hashtbl.replace table name f) definitions;
  try
    while true do
      let answer =
        match fields ' ' (input_line stdin) with
        | [ "definitions" ] ->
          String.concat " " (List.map fst definitions)
        | name :: arguments ->
          (try (Hashtbl.find table name) arguments with
           | Not_found -> "error: no definition " ^ name
           | e -> "error: " ^ Printexc.to_string e)
        | [] -> "error: empty line"
      in
      print_endline answer
    done
  with End_of_file -> ()
