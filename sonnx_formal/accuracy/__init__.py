"""How far a floating-point MatMul may be from the exact product, whatever the order of its sums."""

from sonnx_formal.accuracy.bound import MatMulBound, Outcome, SummationOrder, matmul_bound

__all__ = ["MatMulBound", "Outcome", "SummationOrder", "matmul_bound"]
