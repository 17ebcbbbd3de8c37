(* The definitions of structural operators, as the evaluator calls them: over integers, for no
   element is looked at. A function of axes is written as the sequence of its values. *)

open Forms

let all path = List.map (fun (name, f) -> path ^ "." ^ name, f)
let integers = tensor int

let option r =
  { read = (fun s -> if s = "none" then None else Some (r.read s));
    write = (function None -> "none" | Some x -> r.write x) }

let axes =
  let open Tensor__axes__Axes in
  all "tensor.axes.Axes" [
    "entry", f2 int ints int entry;
    "tabulate_from", f3 int int ints ints (fun k n s -> tabulate_from k n (fun j -> entry j s));
    "tabulate", f2 int ints ints (fun n s -> tabulate n (fun j -> entry j s));
    "has", f2 int ints bool has; "distinct", f1 ints bool distinct;
    "within", f3 int int ints bool within; "at_least", f2 int ints bool at_least;
    "first", f2 int ints ints first; "rest", f2 int ints ints rest;
    "axis_of", f2 int int int axis_of ]

let common =
  all "tensor.vector.Vector" Tensor__vector__Vector.[
    "int64_vector", f1 operand bool int64_vector; "entries", f1 integers ints entries ]
  @ Ops__structural__row_major__RowMajor.(
    all "ops.structural" [
      "row_major.RowMajor.same_position", f3 ints ints ints ints same_position;
      "rearrangement.Rearrangement.rearranged", f2 ints integers integers (fun s x ->
        Ops__structural__rearrangement__Rearrangement.rearranged s (same_position s x.shape) x) ])

let reshape =
  let open Ops__reshape__definition__ReshapeShape in
  let module S = Ops__reshape__definition__ReshapeSignature in
  all "ops.reshape.definition.ReshapeShape" [
    "is_switch", f1 int bool is_switch; "one_inferred", f1 ints bool one_inferred;
    "none_copied_beyond", f2 int ints bool none_copied_beyond;
    "copies_exist", f3 int ints ints bool copies_exist;
    "meaningful", f3 int ints ints bool meaningful; "copied", f3 int ints ints ints copied;
    "known_size", f1 ints int known_size; "inferred", f2 int ints ints inferred;
    "target", f3 int ints ints ints target; "same_size", f3 int ints ints bool same_size ]
  @ all "ops.reshape.definition.ReshapeSignature" [
    "listed", f1 element_type bool S.listed;
    "well_formed_dims", f2 operand operand bool S.well_formed_dims;
    "dense", f2 operand operand bool S.dense;
    "admissible", f4 int operand operand ints bool S.admissible;
    "result", f4 int operand operand ints operand S.result ]
  @ all "ops.reshape.definition" [
    "ReshapeSource.source", f4 int ints ints ints ints Ops__reshape__definition__ReshapeSource.source;
    "Reshape.reshape", f3 int integers integers integers Ops__reshape__definition__Reshape.reshape ]

let concat =
  let open Ops__concat__definition__ConcatShape in
  let module S = Ops__concat__definition__ConcatSignature in
  let module C = Ops__concat__definition__Concat in
  let module V = Ops__elementwise__variadic__Shapes in
  let shapes =
    Elementwise.chain ints (fun s -> V.Last s) (fun s rest -> V.And (s, rest))
      (function V.Last s -> s, None | V.And (s, rest) -> s, Some rest) in
  let operands = Elementwise.list operand in
  let tensors = Elementwise.list integers in
  all "ops.concat.definition.ConcatShape" [
    "first_shape", f1 shapes ints first_shape; "axis_exists", f2 int shapes bool axis_exists;
    "axis_not_negative", f1 int bool axis_not_negative; "same_rank", f1 shapes bool same_rank;
    "elsewhere", f2 int ints ints elsewhere; "same_elsewhere", f2 int shapes bool same_elsewhere;
    "joined", f3 int ints ints ints joined; "concat_shape", f2 int shapes ints concat_shape ]
  @ all "ops.concat.definition.ConcatSource" Ops__concat__definition__ConcatSource.[
    "moved", f3 int int ints ints moved; "in_first", f3 int ints ints bool in_first ]
  @ all "ops.concat.definition.ConcatSignature" [
    "listed", f1 element_type bool S.listed; "given", f1 operands bool S.given;
    "dense", f1 operands bool S.dense;
    "well_formed_dims", f1 operands bool S.well_formed_dims;
    "all_of", f2 element_type operands bool S.all_of;
    "first_type", f1 operands element_type S.first_type;
    "all_listed", f1 operands bool S.all_listed; "one_type", f1 operands bool S.one_type;
    "dims_from", f2 operand operands shapes S.dims_from;
    "all_dims", f1 operands shapes S.all_dims; "in_range", f2 int operands bool S.in_range;
    "one_rank", f1 operands bool S.one_rank;
    "one_shape_elsewhere", f2 int operands bool S.one_shape_elsewhere;
    "admissible", f2 int operands bool S.admissible;
    "result", f2 int operands operand S.result ]
  @ all "ops.concat.definition.Concat" [
    "join", f3 int integers integers integers C.join;
    "concat_from", f3 int integers tensors integers C.concat_from;
    "concat", f2 int tensors integers C.concat ]

let transpose =
  let open Tensor__axes__AxisOrder in
  let open Ops__transpose__definition__TransposeShape in
  let module S = Ops__transpose__definition__TransposeSignature in
  let module F = Ops__transpose__definition__TransposeSource in
  let order =
    { read = (fun s -> if s = "Reversed" then Reversed else By (ints.read s));
      write = (function Reversed -> "Reversed" | By p -> ints.write p) } in
  all "ops.structural.permutation.Permutation" Ops__structural__permutation__Permutation.[
    "is_permutation", f2 int ints bool is_permutation; "position", f2 int ints int position;
    "chosen", f2 ints ints ints chosen; "inverse", f1 ints ints inverse ]
  @ all "ops.transpose.definition.TransposeShape" [
    "axes_in_order", f2 ints order ints axes_in_order;
    "orders_axes", f2 ints order bool orders_axes; "transposed", f2 ints order ints transposed ]
  @ all "ops.transpose.definition.TransposeSignature" [
    "listed", f1 element_type bool S.listed;
    "well_formed_dims", f1 operand bool S.well_formed_dims; "dense", f1 operand bool S.dense;
    "admissible", f2 order operand bool S.admissible; "result", f2 order operand operand S.result ]
  @ all "ops.transpose.definition" [
    "TransposeSource.source", f3 ints order ints ints F.source;
    "TransposeSource.place", f3 ints order ints ints F.place;
    "Transpose.transpose", f2 order integers integers
      Ops__transpose__definition__Transpose.transpose ]

let single_axes =
  all "ops.structural.single_axes.SingleAxes" Ops__structural__single_axes__SingleAxes.[
    "others", f3 int int ints int others;
    "put_in_from", f5 int int int ints ints ints put_in_from;
    "leave_out_from", f3 int ints ints ints leave_out_from;
    "put_in", f4 int int ints ints ints put_in; "leave_out", f2 ints ints ints leave_out;
    "all_from", f4 int int ints ints bool all_from; "axes_of", f2 int ints ints axes_of ]

let unsqueeze =
  let module H = Ops__unsqueeze__definition__UnsqueezeShape in
  let module S = Ops__unsqueeze__definition__UnsqueezeSignature in
  all "ops.unsqueeze.definition.UnsqueezeShape" H.[
    "result_rank", f2 ints ints int result_rank; "new_axes", f2 ints ints ints new_axes;
    "axes_exist", f2 ints ints bool axes_exist; "axes_distinct", f2 ints ints bool axes_distinct;
    "unsqueezed", f2 ints ints ints unsqueezed ]
  @ all "ops.unsqueeze.definition.UnsqueezeSignature" [
    "listed", f1 element_type bool S.listed;
    "well_formed_dims", f2 operand operand bool S.well_formed_dims;
    "dense", f2 operand operand bool S.dense;
    "admissible", f3 operand operand ints bool S.admissible;
    "result", f3 operand operand ints operand S.result ]
  @ all "ops.unsqueeze.definition" [
    "UnsqueezeSource.source", f3 ints ints ints ints Ops__unsqueeze__definition__UnsqueezeSource.source;
    "UnsqueezeSource.place", f3 ints ints ints ints Ops__unsqueeze__definition__UnsqueezeSource.place;
    "Unsqueeze.unsqueeze", f2 integers integers integers Ops__unsqueeze__definition__Unsqueeze.unsqueeze ]

let flatten =
  let module H = Ops__flatten__definition__FlattenShape in
  let module S = Ops__flatten__definition__FlattenSignature in
  all "ops.flatten.definition.FlattenShape" H.[
    "axis_exists", f2 int ints bool axis_exists; "outer", f2 int ints ints outer;
    "inner", f2 int ints ints inner; "matrix_of", f2 int ints ints matrix_of ]
  @ all "ops.flatten.definition.FlattenSignature" [
    "listed", f1 element_type bool S.listed; "well_formed_dims", f1 operand bool S.well_formed_dims;
    "dense", f1 operand bool S.dense; "admissible", f2 int operand bool S.admissible;
    "result", f2 int operand operand S.result ]
  @ all "ops.flatten.definition" [
    "FlattenSource.source", f3 int ints ints ints Ops__flatten__definition__FlattenSource.source;
    "Flatten.flatten", f2 int integers integers Ops__flatten__definition__Flatten.flatten ]

let squeeze =
  let module H = Ops__squeeze__definition__SqueezeShape in
  let module S = Ops__squeeze__definition__SqueezeSignature in
  let wanted =
    { read = (fun s -> match (option ints).read s with None -> H.Every | Some l -> H.Of l);
      write = (function H.Every -> "none" | H.Of l -> ints.write l) } in
  all "ops.squeeze.definition.SqueezeShape" H.[
    "single_from", f2 int ints ints single_from; "left_axes", f2 ints wanted ints left_axes;
    "axes_exist", f2 ints wanted bool axes_exist; "axes_single", f2 ints wanted bool axes_single;
    "squeezed", f2 ints wanted ints squeezed ]
  @ all "ops.squeeze.definition.SqueezeSignature" [
    "asked_for", f1 (option ints) wanted S.asked_for;
    "listed", f1 element_type bool S.listed;
    "well_formed_dims", f2 operand (option operand) bool S.well_formed_dims;
    "dense", f2 operand (option operand) bool S.dense;
    "axes_vector", f1 (option operand) bool S.axes_vector;
    "in_range", f2 operand (option ints) bool S.in_range;
    "one_element", f2 operand (option ints) bool S.one_element;
    "admissible", f3 operand (option operand) (option ints) bool S.admissible;
    "result", f3 operand (option operand) (option ints) operand S.result ]
  @ all "ops.squeeze.definition" [
    "SqueezeSource.source", f3 ints wanted ints ints Ops__squeeze__definition__SqueezeSource.source;
    "SqueezeSource.place", f3 ints wanted ints ints Ops__squeeze__definition__SqueezeSource.place;
    "Squeeze.wanted_of", f1 (option integers) wanted Ops__squeeze__definition__Squeeze.wanted_of;
    "Squeeze.squeeze", f2 integers (option integers) integers Ops__squeeze__definition__Squeeze.squeeze ]

let slice =
  let module H = Ops__slice__definition__SliceShape in
  let module S = Ops__slice__definition__SliceSignature in
  let module F = Ops__slice__definition__Slice in
  let cut =
    { read = (fun text ->
        match List.map ints.read (fields '|' (String.sub text 1 (String.length text - 2))) with
        | [ s; e; a; k ] -> H.cut_of s e a k
        | _ -> failwith ("not a cut: " ^ text));
      write = (fun c ->
        let all = List.map ints.write H.[ c.starts; c.ends; c.axes; c.steps ] in
        "{" ^ String.concat "|" all ^ "}") } in
  let of_cut holds = f5 ints ints ints ints ints bool holds in
  let of_all form f = function
    | [ x; s; e; a; k; starts; ends; axes; steps ] ->
      let operand = operand.read and entries = ints.read in
      form.write (f (operand x) (operand s) (operand e) (operand a) (operand k) (entries starts)
        (entries ends) (entries axes) (entries steps))
    | _ -> failwith "takes 9 arguments" in
  all "ops.slice.definition.SliceShape" H.[
    "cut_of", f4 ints ints ints ints cut cut_of; "entry_each", f2 ints cut bool entry_each;
    "not_scalar", f1 ints bool not_scalar; "axes_exist", f2 ints ints bool axes_exist;
    "axes_distinct", f2 ints ints bool axes_distinct; "steps_move", f1 ints bool steps_move;
    "about", f3 ints cut int int about; "step", f3 ints cut int int step;
    "coordinate", f3 ints int int int coordinate; "start", f3 ints cut int int start;
    "stop", f3 ints cut int int stop; "start_inside", f3 ints cut int bool start_inside;
    "stop_inside", f3 ints cut int bool stop_inside; "count", f3 ints cut int int count;
    "each_axis", f3 int int ints bool (fun a n s ->
      each_axis a n (fun k -> Tensor__axes__Axes.entry k s <> Z.zero));
    "starts_inside", f2 ints cut bool starts_inside; "ends_inside", f2 ints cut bool ends_inside;
    "upwards", f2 ints cut bool upwards; "downwards", f2 ints cut bool downwards;
    "not_empty", f2 ints cut bool not_empty; "sliced", f2 ints cut ints sliced ]
  @ all "ops.slice.definition.SliceSignature" [
    "listed", f1 element_type bool S.listed; "index_vector", f1 operand bool S.index_vector;
    "well_formed_dims", f5 operand operand operand operand operand bool S.well_formed_dims;
    "dense_one", f1 operand bool S.dense_one;
    "dense", f5 operand operand operand operand operand bool S.dense;
    "one_type", f4 operand operand operand operand bool S.one_type;
    "entry_each", of_cut S.entry_each; "starts_inside", of_cut S.starts_inside;
    "ends_inside", of_cut S.ends_inside; "upwards", of_cut S.upwards;
    "downwards", of_cut S.downwards; "not_empty", of_cut S.not_empty;
    "admissible", of_all bool S.admissible; "result", of_all operand S.result ]
  @ all "ops.slice.definition" [
    "SliceSource.source", f3 ints cut ints ints Ops__slice__definition__SliceSource.source;
    "Slice.cut_by", f4 integers integers integers integers cut F.cut_by;
    "Slice.slice", f5 integers integers integers integers integers integers F.slice ]

let identity =
  let module S = Ops__identity__definition__IdentitySignature in
  all "ops.identity.definition.IdentitySignature" [
    "listed", f1 element_type bool S.listed; "well_formed_dims", f1 operand bool S.well_formed_dims;
    "dense", f1 operand bool S.dense; "admissible", f1 operand bool S.admissible;
    "result", f1 operand operand S.result ]
  @ all "ops.identity.definition" [
    "Identity.identity", f1 integers integers Ops__identity__definition__Identity.identity ]

let definitions =
  axes @ common @ reshape @ concat @ transpose @ single_axes @ unsqueeze @ flatten @ squeeze @ slice
  @ identity
