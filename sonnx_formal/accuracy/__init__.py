"""How far floating-point sums of products in any order may be from the exact ones."""

from sonnx_formal.accuracy.bound import (
    Outcome,
    SumBound,
    SummationOrder,
    average_pool_bound,
    conv_bound,
    gemm_bound,
    matmul_bound,
    reduce_sum_bound,
    sum_bound,
)

__all__ = [
    "Outcome",
    "SumBound",
    "SummationOrder",
    "average_pool_bound",
    "conv_bound",
    "gemm_bound",
    "matmul_bound",
    "reduce_sum_bound",
    "sum_bound",
]
