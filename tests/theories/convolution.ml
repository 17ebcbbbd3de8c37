(* The definitions of Conv, over rational numbers. Attributes are written {NotSet|[1;1]|[0;0;0;0]|…},
   and the sample, channel, row and column of an element as a sequence. *)

open Forms
open Structural
open Tensor__images__Images
module A = Tensor__convolution__ConvolutionAttributes
module H = Ops__conv__definition__ConvShape
module S = Ops__conv__definition__ConvSignature
module C = Ops__conv__definition__ConvRational

let auto_pad = named Tensor__window__AutoPad.[
  "NotSet", NotSet; "Valid", Valid; "SameUpper", SameUpper; "SameLower", SameLower; "Other", Other ]

let attributes =
  { read = (fun text ->
      match fields '|' (String.sub text 1 (String.length text - 2)) with
      | [ auto; strides; pads; dilations; group; kernel_shape ] ->
        { A.auto_pad = auto_pad.read auto; strides = ints.read strides; pads = ints.read pads;
          dilations = ints.read dilations; group = int.read group;
          kernel_shape = ints.read kernel_shape }
      | _ -> failwith ("no attributes: " ^ text));
    write = (fun _ -> failwith "no definition gives attributes") }

let x, bias, v = tensor rational, option (tensor rational), option operand
let at f i =
  let open Tensor__matrix__Coordinates in
  f (first i) (second i) (third i) (fourth i)

let definitions =
  all "tensor.images.Images" [
    "quad", f4 int int int int ints quad; "spatial", f1 ints ints spatial;
    "third", f1 ints int third; "fourth", f1 ints int fourth ]
  @ all "ops.conv.definition.Kernel" Ops__conv__definition__Kernel.[
    "quotient", f2 int int int quotient; "remainder", f2 int int int remainder;
    "count", f3 int int int int count; "position", f5 int int int int int int position;
    "in_group", f5 int int int int int int in_group;
    "channel_at", f3 int int int int channel_at; "row_at", f3 int int int int row_at;
    "column_at", f2 int int int column_at ]
  @ all "ops.conv.definition.ConvShape" H.[
    "two_spatial_axes", f1 ints bool two_spatial_axes; "kernel_axes", f1 ints bool kernel_axes;
    "known_padding", f1 attributes bool known_padding;
    "explicit_padding", f1 attributes bool explicit_padding;
    "strides_positive", f1 attributes bool strides_positive;
    "pads_each", f1 attributes bool pads_each;
    "pads_not_negative", f1 attributes bool pads_not_negative;
    "dilations_each", f1 attributes bool dilations_each;
    "dilations_positive", f1 attributes bool dilations_positive;
    "group_positive", f1 attributes bool group_positive;
    "groups_equal", f3 attributes ints ints bool groups_equal;
    "standard_or_depthwise", f2 attributes ints bool standard_or_depthwise;
    "channels_of_group", f3 attributes ints ints bool channels_of_group;
    "channel_by_channel", f3 attributes ints ints bool channel_by_channel;
    "kernel_positive", f1 attributes bool kernel_positive;
    "kernel_of_w", f2 attributes ints bool kernel_of_w; "extent", f2 int int int extent;
    "padded_size", f3 int int int int padded_size;
    "kernel_fits", f3 attributes ints ints bool kernel_fits;
    "applications", f3 int int int int applications;
    "convolved", f3 attributes ints ints ints convolved;
    "accepted", f3 attributes ints ints bool accepted ]
  @ all "ops.conv.definition.ConvPlaces" Ops__conv__definition__ConvPlaces.[
    "source_channel", f4 attributes ints int int int source_channel;
    "source_row", f3 attributes int int int source_row;
    "source_column", f3 attributes int int int source_column; "terms", f1 ints int terms ]
  @ all "ops.conv.definition.ConvSignature" S.[
    "listed", f1 element_type bool listed; "dense_one", f1 operand bool dense_one;
    "well_formed_dims", f3 operand operand v bool well_formed_dims;
    "dense", f3 operand operand v bool dense; "one_type", f3 operand operand v bool one_type;
    "bias_vector", f1 v bool bias_vector; "bias_each", f2 operand v bool bias_each;
    "admissible", f4 attributes operand operand v bool admissible;
    "result", f4 attributes operand operand v operand result ]
  @ all "ops.conv.definition.ConvRational" [
    "padded", f2 x ints rational (fun x i -> at (C.padded x) i);
    "under", f5 attributes x ints ints int rational (fun a x w i k -> at (C.under a x w) i k);
    "weight", f3 x int int rational C.weight;
    "term", f5 attributes x x ints int rational (fun a x w i k -> at (C.term a x w) i k);
    "entry", f4 attributes x x ints rational (fun a x w i -> at (C.entry a x w) i);
    "biased", f3 rational bias int rational C.biased;
    "conv", f4 attributes x x bias x C.conv ]
