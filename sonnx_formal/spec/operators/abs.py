"""SONNX Abs."""

from fractions import Fraction

from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_ONE_OPERAND, OF_REALS
from sonnx_formal.spec.operator import Arithmetic, Example

_INF, _NAN = float("inf"), float("nan")

ABS = OF_ONE_OPERAND.operator(
    "Abs",
    Arithmetic.EXACT,
    abs,
    Example("EX1", ([Fraction("-2.1"), Fraction("3.4"), -7],), OF_REALS),
    Example("EX2", ([[Fraction("-1.123"), 0], [4, -5], [2, -3]],), OF_REALS),
    Example("EX1", ([-126, 0, 127],), OF_INTEGERS, types=frozenset({"int8"})),
    Example("EX1", ([-2.1, -_INF, _NAN, -0.0],), OF_FLOATS),
    since=13,
)
OPERATORS = (ABS,)
