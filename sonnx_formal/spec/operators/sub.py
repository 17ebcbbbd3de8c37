"""SONNX Sub."""

from fractions import Fraction
from operator import sub

from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_REALS, OF_THREE_PARTS
from sonnx_formal.spec.operator import Arithmetic, Example

SUB = OF_THREE_PARTS.operator(
    "Sub",
    Arithmetic.DIFFERENCE,
    sub,
    Example("EX1", ([Fraction("6.1"), Fraction("9.5"), Fraction("35.7")], [2, 3, 4]), OF_REALS),
    Example("EX1", ([6, 100], [3, 200]), OF_INTEGERS, types=frozenset({"uint8"})),
    Example("EX2", ([-6, 10, 10], [-3, 100, -120]), OF_INTEGERS, types=frozenset({"int8"})),
    Example(
        "EX1",
        ([[3.0, 4.5], [16.0, 1.0], [25.5, 24.25]], [[3.0, 2.0], [4.0, 0.0], [5.0, 4.0]]),
        OF_FLOATS,
    ),
)
OPERATORS = (SUB,)
