(* The definitions of windows and of MaxPool. Attributes are written {NotSet|0|0|[2;2]|[1;1]|[1;1]|…},
   in the order of their record, a window along an axis {5|1|1|2|1|1} in that of its own, and a
   sample is an element or none. Functions of samples are written as the list of their values. *)

open Forms
open Structural
module P = Tensor__pooling__PoolingAttributes
module W = Tensor__window__Window
module H = Ops__max_pool__definition__MaxPoolShape
module S = Ops__max_pool__definition__MaxPoolSignature
module R = Ops__max_pool__definition__MaxPoolRational

let parts text = fields '|' (String.sub text 1 (String.length text - 2))
let unwritten _ = failwith "no definition gives it"

let attributes =
  { read = (fun text -> match parts text with
      | [ auto; ceil; order; kernel; dilations; strides; pads ] ->
        { P.auto_pad = Convolution.auto_pad.read auto; ceil_mode = int.read ceil;
          storage_order = int.read order; kernel_shape = ints.read kernel;
          dilations = ints.read dilations; strides = ints.read strides; pads = ints.read pads }
      | _ -> failwith ("no attributes: " ^ text));
    write = unwritten }

let window =
  { read = (fun text -> match List.map int.read (parts text) with
      | [ length; before; after; kernel; stride; dilation ] ->
        { W.length; before; after; kernel; stride; dilation }
      | _ -> failwith ("no window: " ^ text));
    write = (fun w -> "{" ^ String.concat "|" (List.map int.write W.[
      w.length; w.before; w.after; w.kernel; w.stride; w.dilation ]) ^ "}") }

let sample =
  let element = option rational in
  { read = (fun text -> match element.read text with None -> R.Padding | Some x -> R.Element x);
    write = (function R.Padding -> "none" | R.Element x -> element.write (Some x)) }

let samples =
  { read = (fun text -> let all = Array.of_list (List.map sample.read (parts text)) in
      fun k -> all.(Z.to_int k));
    write = unwritten }

let x = tensor rational
let at = Convolution.at

let definitions =
  all "tensor.window.Window" W.[
    "padded", f1 window int padded; "span", f1 window int span; "places", f1 window int places;
    "position", f3 window int int int position; "inside", f2 window int bool inside;
    "meets_from", f3 window int int bool meets_from; "meets", f2 window int bool meets;
    "each_meets", f2 window int bool each_meets ]
  @ all "ops.max_pool.definition.MaxPoolShape" H.[
    "rows", f2 attributes ints window rows; "columns", f2 attributes ints window columns;
    "two_spatial_axes", f1 ints bool two_spatial_axes;
    "known_padding", f1 attributes bool known_padding;
    "explicit_padding", f1 attributes bool explicit_padding;
    "known_rounding", f1 attributes bool known_rounding;
    "rounded_down", f1 attributes bool rounded_down; "row_major", f1 attributes bool row_major;
    "kernel_each", f1 attributes bool kernel_each;
    "kernel_positive", f1 attributes bool kernel_positive;
    "dilations_each", f1 attributes bool dilations_each;
    "dilations_positive", f1 attributes bool dilations_positive;
    "strides_each", f1 attributes bool strides_each;
    "strides_positive", f1 attributes bool strides_positive;
    "pads_each", f1 attributes bool pads_each;
    "pads_not_negative", f1 attributes bool pads_not_negative;
    "longer_than_padding", f1 window bool longer_than_padding;
    "less_padding", f2 attributes ints bool less_padding; "fits", f2 attributes ints bool fits;
    "no_empty_window", f2 attributes ints bool no_empty_window;
    "pooled", f2 attributes ints ints pooled; "accepted", f2 attributes ints bool accepted ]
  @ all "ops.max_pool.definition.MaxPoolSignature" S.[
    "listed", f1 element_type bool listed; "dense", f1 operand bool dense;
    "admissible", f2 attributes operand bool admissible;
    "result", f2 attributes operand operand result ]
  @ all "ops.max_pool.definition.MaxPoolRational" R.[
    "joined", f2 sample sample sample joined; "greatest", f2 samples int sample greatest;
    "sampled", f5 attributes x ints int int sample (fun p x i h w -> at (sampled p x) i h w);
    "in_row", f4 attributes x ints int sample (fun p x i h -> at (in_row p x) i h);
    "under", f3 attributes x ints sample (fun p x i -> at (under p x) i);
    "under_at", f3 attributes x ints sample under_at;
    "element_at", f3 attributes x ints rational element_at;
    "max_pool", f2 attributes x x max_pool ]
  @ [ "ops.max_pool.definition.MaxPoolInt8.max_pool",
        f2 attributes (tensor int) (tensor int) Ops__max_pool__definition__MaxPoolInt8.max_pool;
      "ops.max_pool.floats.MaxPoolFloat16.max_pool",
        f2 attributes (tensor float) (tensor float) Ops__max_pool__floats__MaxPoolFloat16.max_pool ]
