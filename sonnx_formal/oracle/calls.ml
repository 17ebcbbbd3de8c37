(* What a request asks for: an operator, how to read it, attributes, and operands whose elements
   follow. What belongs to one operator is in the tables, which are generated. *)

open Wire
open Elements
module Arithmetic = Scalar__ieee754__arithmetic__Arithmetic
module Float = Scalar__ieee754__format__Float

exception Inadmissible of string * string

let check requirement what holds = if not holds then raise (Inadmissible (requirement, what))

type value =
  | Int of Z.t
  | Float of Float.float
  | String of string
  | Ints of Z.t list
  | Floats of Float.float list
  | Strings of string list

type call = {
  reading : string; (* empty for the ordinary one *)
  attributes : (string * value) list;
  operands : Operand.operand option list;
}

let attribute r =
  let name = text r in
  let value =
    match text r with
    | "int" -> Int (integer_text r)
    | "float" -> Float (float32.read r)
    | "string" -> String (text r)
    | "ints" -> Ints (several r integer_text)
    | "floats" -> Floats (several r float32.read)
    | "strings" -> Strings (several r text)
    | other -> malformed ("no kind of attribute " ^ other) in
  name, value

let operand element_types r =
  match byte r with
  | 0 -> None
  | 1 ->
    let name = text r in
    let element =
      match List.assoc_opt name element_types with
      | Some element -> element
      | None -> malformed ("no element type " ^ name) in
    let storage = storage r in
    Some { Operand.element; storage; dims = shape r }
  | other -> malformed ("an operand is neither there nor left out: " ^ string_of_int other)

let call element_types r =
  let reading = text r in
  let attributes = several r attribute in
  { reading; attributes; operands = several r (operand element_types) }

(* --- Attributes by name: [declared] has each with its kind, and whether it has to be set --- *)

let kind = function
  | Int _ -> "int"
  | Float _ -> "float"
  | String _ -> "string"
  | Ints _ -> "ints"
  | Floats _ -> "floats"
  | Strings _ -> "strings"

let check_attributes call declared =
  List.iter (fun (name, value) ->
      match List.find_opt (fun (known, _, _) -> known = name) declared with
      | None -> malformed ("the operator has no attribute " ^ name)
      | Some (_, wanted, _) ->
        if kind value <> wanted then malformed ("the attribute " ^ name ^ " is not of kind " ^ wanted))
    call.attributes;
  List.iter (fun (name, _, required) ->
      if required && not (List.mem_assoc name call.attributes) then
        malformed ("the attribute " ^ name ^ " is not set"))
    declared

let check_reading call readings =
  if not (List.mem call.reading ("" :: readings)) then
    malformed ("the operator has no reading " ^ call.reading)

let int_of call name =
  match List.assoc_opt name call.attributes with Some (Int n) -> Some n | _ -> None
let float_of call name =
  match List.assoc_opt name call.attributes with Some (Float x) -> Some x | _ -> None
let string_of call name =
  match List.assoc_opt name call.attributes with Some (String s) -> Some s | _ -> None
let ints_of call name =
  match List.assoc_opt name call.attributes with Some (Ints ns) -> Some (ints ns) | _ -> None
let floats_of call name =
  match List.assoc_opt name call.attributes with Some (Floats xs) -> Some xs | _ -> None
let strings_of call name =
  match List.assoc_opt name call.attributes with Some (Strings ss) -> Some ss | _ -> None

(* --- Elements --- *)

(* An operand's elements are read in the form of the definition, which has to be that of its type. *)
let expect element (o : Operand.operand) =
  if o.element <> element then failwith "an operand is not of the type of the definition"

let read form element (o : Operand.operand) r = expect element o; tensor form o.dims r
let read_optional form element o r = Option.map (fun o -> read form element o r) o
let read_all form element os r = List.map (fun o -> read form element o r) os

let add_result answer name element form (result : Operand.operand) t =
  if result.element <> element then failwith "the result is not of the type of the definition";
  add_text answer name;
  add_tensor answer form t
