(* The definitions of ConvInteger. Attributes that are not set are written none. *)

open Forms
open Structural
module S = Ops__conv_integer__definition__ConvIntegerSignature

let attributes, auto_pad, at = Convolution.(attributes, auto_pad, at)
let x, zero, v = integers, option integers, option operand
let sequence, number = option ints, option int

(* Applied to the attributes in the order of the definition, and the shape of W: what each is. *)
let written auto strides pads dilations group kernel w =
  let a = Tensor__convolution__ConvolutionDefaults.completed
    (auto_pad.read auto) (sequence.read strides) (sequence.read pads) (sequence.read dilations)
    (number.read group) (sequence.read kernel) (ints.read w) in
  let open Tensor__convolution__ConvolutionAttributes in
  "{" ^ String.concat "|" [ auto_pad.write a.auto_pad; ints.write a.strides; ints.write a.pads;
    ints.write a.dilations; int.write a.group; ints.write a.kernel_shape ] ^ "}"

let definitions =
  all "tensor.convolution.ConvolutionDefaults"
    Tensor__convolution__ConvolutionDefaults.[
      "ints_or", f2 sequence ints ints ints_or; "int_or", f2 number int int int_or;
      "completed", (function
        | [ auto; strides; pads; dilations; group; kernel; w ] ->
          written auto strides pads dilations group kernel w
        | _ -> failwith "seven arguments") ]
  @ all "ops.conv_integer.definition.ConvIntegerSignature" S.[
    "listed", f1 element_type bool listed;
    "well_formed_dims", f4 operand operand v v bool well_formed_dims;
    "dense", f4 operand operand v v bool dense; "one_type", f2 operand v bool one_type;
    "one_zero_point", f1 v bool one_zero_point; "scalar_or_vector", f1 v bool scalar_or_vector;
    "zero_point_each", f2 operand v bool zero_point_each;
    "kernel_not_empty", f1 ints bool kernel_not_empty;
    "admissible", f5 attributes operand operand v v bool admissible;
    "result", f5 attributes operand operand v v operand result ]
  @ all "ops.conv_integer.definition.ZeroPoints" Ops__conv_integer__definition__ZeroPoints.[
    "zero_of_x", f1 zero int zero_of_x; "zero_of_w", f2 zero int int zero_of_w;
    "shifted_x", f2 x zero x shifted_x; "shifted_w", f2 x zero x shifted_w ]
  @ all "ops.conv_integer.definition.ConvInteger" Ops__conv_integer__definition__ConvInteger.[
    "exact_entry", f6 attributes x x zero zero ints int
      (fun a x w p q i -> at (exact_entry a x w p q) i);
    "conv_integer", f5 attributes x x zero zero x conv_integer ]
