(* The definitions of the operators of one operand, of comparisons, of Where, Clip and Max, as the
   evaluator calls them. Those of machine integers are at Int8, those of floats at Float16.

   A list is written in braces, with bars between its elements, such as {[2;3]|[3]}. *)

open Forms

let integers = tensor int
let rationals = tensor rational
let floats = tensor float
let truths = tensor bool

let list element =
  { read = (fun s -> List.map element.read (fields '|' (String.sub s 1 (String.length s - 2))));
    write = (fun l -> "{" ^ String.concat "|" (List.map element.write l) ^ "}") }

(* At least one: [last x], or [link x rest]. [view] takes it apart. *)
let chain element last link view =
  let rec of_list = function
    | [] -> failwith "at least one is needed"
    | [ x ] -> last x
    | x :: rest -> link x (of_list rest) in
  let rec to_list c = match view c with x, None -> [ x ] | x, Some rest -> x :: to_list rest in
  let written = list element in
  { read = (fun s -> of_list (written.read s)); write = (fun c -> written.write (to_list c)) }

let all path = List.map (fun (name, f) -> path ^ "." ^ name, f)

let unary path listed well_formed_dims dense admissible result = all path [
  "listed", f1 element_type bool listed;
  "well_formed_dims", f1 operand bool well_formed_dims; "dense", f1 operand bool dense;
  "admissible", f1 operand bool admissible; "result", f1 operand operand result ]

let signatures =
  let module L = Ops__less__definition__LessSignature in
  let module W = Ops__where__definition__WhereSignature in
  let module C = Ops__clip__definition__ClipSignature in
  let module T = Ops__elementwise__ternary__TernarySignature in
  let module M = Ops__max__definition__MaxSignature in
  let operands = list operand in
  Ops__neg__definition__NegSignature.(
    unary "ops.neg.definition.NegSignature" listed well_formed_dims dense admissible result)
  @ Ops__abs__definition__AbsSignature.(
    unary "ops.abs.definition.AbsSignature" listed well_formed_dims dense admissible result)
  @ Ops__relu__definition__ReluSignature.(
    unary "ops.relu.definition.ReluSignature" listed well_formed_dims dense admissible result)
  @ Ops__sqrt__definition__SqrtSignature.(
    unary "ops.sqrt.definition.SqrtSignature" listed well_formed_dims dense admissible result)
  @ Ops__leaky_relu__definition__LeakyReluSignature.(
    unary "ops.leaky_relu.definition.LeakyReluSignature"
      listed well_formed_dims dense admissible result)
  @ all "ops.less.definition.LessSignature" [
    "listed", f1 element_type bool L.listed; "one_type", f2 operand operand bool L.one_type;
    "admissible", f2 operand operand bool L.admissible;
    "result", f2 operand operand operand L.result ]
  @ Ops__equal__definition__EqualSignature.(all "ops.equal.definition.EqualSignature" [
    "listed", f1 element_type bool listed; "one_type", f2 operand operand bool one_type;
    "admissible", f2 operand operand bool admissible;
    "result", f2 operand operand operand result ])
  @ all "ops.where.definition.WhereSignature" [
    "listed", f1 element_type bool W.listed; "truth", f1 operand bool W.truth;
    "one_type", f2 operand operand bool W.one_type;
    "same_shape", f3 operand operand operand bool W.same_shape;
    "admissible", f3 operand operand operand bool W.admissible;
    "result", f3 operand operand operand operand W.result ]
  @ all "ops.elementwise.ternary.TernarySignature" [
    "well_formed_dims", f3 operand operand operand bool T.well_formed_dims;
    "dense", f3 operand operand operand bool T.dense ]
  @ all "ops.clip.definition.ClipSignature" [
    "listed", f1 element_type bool C.listed; "scalar", f1 operand bool C.scalar;
    "one_type", f3 operand operand operand bool C.one_type;
    "admissible", f3 operand operand operand bool C.admissible;
    "result", f3 operand operand operand operand C.result ]
  @ Ops__min__definition__MinSignature.(all "ops.min.definition.MinSignature" [
    "listed", f1 element_type bool listed; "admissible", f1 operands bool admissible;
    "result", f1 operands operand result ])
  @ all "ops.max.definition.MaxSignature" [
    "listed", f1 element_type bool M.listed; "given", f1 operands bool M.given;
    "well_formed_dims", f1 operands bool M.well_formed_dims; "dense", f1 operands bool M.dense;
    "all_listed", f1 operands bool M.all_listed;
    "all_of", f2 element_type operands bool M.all_of;
    "first_type", f1 operands element_type M.first_type;
    "one_type", f1 operands bool M.one_type; "common_dims", f1 operands ints M.common_dims;
    "broadcastable", f1 operands bool M.broadcastable;
    "admissible", f1 operands bool M.admissible; "result", f1 operands operand M.result ]

let scalars =
  let sign path element absolute positive_part = all ("scalar.sign." ^ path) [
    "absolute", f1 element element absolute; "positive_part", f1 element element positive_part ] in
  let larger path element f = "scalar.maximum." ^ path ^ ".larger", f2 element element element f in
  let smaller path element f =
    "scalar.minimum." ^ path ^ ".smaller", f2 element element element f in
  let less path element f = "scalar.order." ^ path ^ ".less", f2 element element bool f in
  let clamped path element f =
    "scalar.clamp." ^ path ^ ".clamped", f3 element element element element f in
  Scalar__sign__SignRational.(sign "SignRational" rational absolute positive_part)
  @ Ops__neg__definition__NegInt8.Scalar.(sign "SignMachine" int absolute positive_part)
  @ Ops__neg__floats__NegFloat16.Scalar.(sign "SignFloat" float absolute positive_part)
  @ [ "scalar.sign.SignMachine.opposite", f1 int int Ops__neg__definition__NegInt8.Scalar.opposite;
      "scalar.sign.SignFloat.opposite", f1 float float Ops__neg__floats__NegFloat16.Scalar.opposite;
      less "OrderRational" rational Scalar__order__OrderRational.less;
      less "OrderMachine" int Ops__less__definition__LessInt8.Scalar.less;
      less "OrderFloat" float Ops__less__floats__LessFloat16.Scalar.less;
       "scalar.order.OrderMachine.equal",
         f2 int int bool Ops__less__definition__LessInt8.Scalar.equal;
       "scalar.order.OrderFloat.equal",
         f2 float float bool Ops__less__floats__LessFloat16.Scalar.equal;
       "scalar.truth.Truth.equal", f2 bool bool bool Scalar__truth__Truth.equal;
       clamped "ClampRational" rational Scalar__clamp__ClampRational.clamped;
       clamped "ClampMachine" int Ops__clip__definition__ClipInt8.Scalar.clamped;
       clamped "ClampFloat" float Ops__clip__floats__ClipFloat16.Scalar.clamped;
       "scalar.clamp.ClampFloat.lower", f1 float float Ops__clip__floats__ClipFloat16.Scalar.lower;
       "scalar.clamp.ClampFloat.upper", f1 float float Ops__clip__floats__ClipFloat16.Scalar.upper;
      larger "MaximumRational" rational Scalar__maximum__MaximumRational.larger;
      larger "MaximumMachine" int Ops__max__definition__MaxInt8.Scalar.larger;
      larger "MaximumFloat" float Ops__max__floats__MaxFloat16.Scalar.larger;
      smaller "MinimumMachine" int Ops__min__definition__MinInt8.Scalar.smaller;
      smaller "MinimumFloat" float Ops__min__floats__MinFloat16.Scalar.smaller;
      "scalar.square_root.RootFloat.root",
        f1 float float Ops__sqrt__floats__SqrtFloat16.Scalar.root;
      "scalar.leak.LeakFloat.leak",
        f2 float float float Ops__leaky_relu__floats__LeakyReluFloat16.Scalar.leak;
      "scalar.ieee754.scaling.Scaling.scaled",
        f4 format format float float float Scalar__ieee754__scaling__Scaling.scaled ]

let variadic =
  let module S = Ops__elementwise__variadic__Shapes in
  let module M = Ops__max__definition__MaxInt8 in
  let shapes = chain ints (fun s -> S.Last s) (fun s l -> S.And (s, l))
    (function S.Last s -> s, None | S.And (s, rest) -> s, Some rest) in
  let row = chain int (fun x -> M.Last x) (fun x r -> M.And (x, r))
    (function M.Last x -> x, None | M.And (x, rest) -> x, Some rest) in
  let tensors = list integers in
  all "ops.elementwise.variadic" [
  "Shapes.common_shape", f1 shapes ints S.common_shape;
  "Shapes.broadcastable", f1 shapes bool S.broadcastable;
  "Fold.folded", f1 row int M.folded;
  "VariadicTensors.shapes_from", f2 integers tensors shapes M.shapes_from;
  "VariadicTensors.shapes", f1 tensors shapes M.shapes;
  "VariadicTensors.element_at", f2 integers ints int M.element_at;
  "VariadicTensors.row_from", f3 integers tensors ints row M.row_from;
  "VariadicTensors.row", f2 tensors ints row M.row ]

let operators =
  let one_operand name tensors f = name, f1 tensors tensors f in
  let less path tensors f = "ops.less." ^ path ^ ".less", f2 tensors tensors truths f in
  let equal path tensors f = "ops.equal." ^ path ^ ".equal", f2 tensors tensors truths f in
  let where path tensors f = "ops.where." ^ path ^ ".where",
    f3 truths tensors tensors tensors f in
  let clip path tensors f = "ops.clip." ^ path ^ ".clip",
    f3 tensors tensors tensors tensors f in
  let max path tensors f = "ops.max." ^ path ^ ".max", f1 (list tensors) tensors f in
  let min path tensors f = "ops.min." ^ path ^ ".min", f1 (list tensors) tensors f in
  [ one_operand "ops.neg.definition.NegRational.neg" rationals
      Ops__neg__definition__NegRational.neg;
    one_operand "ops.neg.definition.NegInt8.neg" integers Ops__neg__definition__NegInt8.neg;
    one_operand "ops.neg.floats.NegFloat16.neg" floats Ops__neg__floats__NegFloat16.neg;
    one_operand "ops.abs.definition.AbsRational.abs" rationals
      Ops__abs__definition__AbsRational.abs;
    one_operand "ops.abs.definition.AbsInt8.abs" integers Ops__abs__definition__AbsInt8.abs;
    one_operand "ops.abs.floats.AbsFloat16.abs" floats Ops__abs__floats__AbsFloat16.abs;
    one_operand "ops.relu.definition.ReluRational.relu" rationals
      Ops__relu__definition__ReluRational.relu;
    one_operand "ops.relu.definition.ReluInt8.relu" integers Ops__relu__definition__ReluInt8.relu;
    one_operand "ops.relu.floats.ReluFloat16.relu" floats Ops__relu__floats__ReluFloat16.relu;
    one_operand "ops.sqrt.floats.SqrtFloat16.sqrt" floats Ops__sqrt__floats__SqrtFloat16.sqrt;
    "ops.leaky_relu.floats.LeakyReluFloat16.leaky_relu",
      f2 float floats floats Ops__leaky_relu__floats__LeakyReluFloat16.leaky_relu;
    "ops.leaky_relu.definition.LeakyReluFacts.leak_by", f1 float float Leak_by__LeakByHalf.leak_by;
    one_operand "ops.leaky_relu.definition.LeakyReluFacts.apply" floats Leak_by__LeakByHalf.apply;
    less "definition.LessRational" rationals Ops__less__definition__LessRational.less;
    less "definition.LessInt8" integers Ops__less__definition__LessInt8.less;
    less "floats.LessFloat16" floats Ops__less__floats__LessFloat16.less;
    equal "definition.EqualBoolean" truths Ops__equal__definition__EqualBoolean.equal;
    equal "definition.EqualInt8" integers Ops__equal__definition__EqualInt8.equal;
    equal "floats.EqualFloat16" floats Ops__equal__floats__EqualFloat16.equal;
    where "definition.WhereRational" rationals Ops__where__definition__WhereRational.where;
    where "definition.WhereInt8" integers Ops__where__definition__WhereInt8.where;
    where "floats.WhereFloat16" floats Ops__where__floats__WhereFloat16.where;
    clip "definition.ClipRational" rationals Ops__clip__definition__ClipRational.clip;
    clip "definition.ClipInt8" integers Ops__clip__definition__ClipInt8.clip;
    clip "floats.ClipFloat16" floats Ops__clip__floats__ClipFloat16.clip;
    max "definition.MaxRational" rationals Ops__max__definition__MaxRational.max;
    max "definition.MaxInt8" integers Ops__max__definition__MaxInt8.max;
    max "floats.MaxFloat16" floats Ops__max__floats__MaxFloat16.max;
    min "definition.MinInt8" integers Ops__min__definition__MinInt8.min;
    min "floats.MinFloat16" floats Ops__min__floats__MinFloat16.min ]

let definitions = signatures @ scalars @ variadic @ operators
