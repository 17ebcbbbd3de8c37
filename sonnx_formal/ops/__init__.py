"""SONNX operators on NumPy arrays: the implementation that the formal definitions are to judge.

It takes nothing from them: what it computes comes from NumPy and from `fractions`.
"""

from sonnx_formal.ops.div import INFINITY, div
from sonnx_formal.ops.matmul import matmul
from sonnx_formal.ops.mul import mul
from sonnx_formal.ops.violation import SpecViolation

__all__ = ["INFINITY", "SpecViolation", "div", "matmul", "mul"]
