(* The definitions of AveragePool. Attributes are written as those of MaxPool, and the sample, channel,
   row and column of an element as a sequence. *)

open Forms
open Structural
module C = Ops__average_pool__definition__AveragePoolCount
module R = Ops__average_pool__definition__AveragePoolRational
module F = Ops__average_pool__floats__AveragePoolFloat16

let attributes, at = Pooling.(attributes, at)
let x = tensor rational

let definitions =
  all "scalar.mean.MeanRational" Scalar__mean__MeanRational.[ "over", f2 rational int rational over ]
  @ all "scalar.mean.MeanFloat" F.Scalar.[
    "of_count", f1 int float of_count; "over", f2 float int float over ]
  @ all "ops.average_pool.definition.AveragePoolCount" C.[
    "known_count", f1 int bool known_count; "kernel_size", f1 attributes int kernel_size;
    "row_under", f4 attributes ints int int int row_under;
    "column_under", f4 attributes ints int int int column_under;
    "on_x", f5 attributes ints int int int bool on_x;
    "count_on_x", f5 attributes ints int int int int count_on_x;
    "divisor", f5 attributes int ints int int int divisor ]
  @ all "ops.average_pool.definition.AveragePoolSignature"
    Ops__average_pool__definition__AveragePoolSignature.[
      "listed", f1 element_type bool listed; "dense", f1 operand bool dense;
      "admissible", f3 attributes int operand bool admissible;
      "result", f3 attributes int operand operand result ]
  @ all "ops.average_pool.definition.AveragePoolRational" R.[
    "under", f4 attributes x ints int rational (fun p x i k -> at (under p x) i k);
    "term", f4 attributes x ints int rational (fun p x i k -> at (term p x) i k);
    "total", f3 attributes x ints rational (fun p x i -> at (total p x) i);
    "mean", f4 attributes int x ints rational (fun p n x i -> at (mean p n x) i);
    "average_pool", f3 attributes int x x average_pool ]
  @ [ "ops.average_pool.floats.AveragePoolFloat16.average_pool",
        f3 attributes int (tensor float) (tensor float) F.average_pool ]
