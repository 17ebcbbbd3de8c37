"""SONNX Less."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_REALS, OF_THREE_PARTS
from sonnx_formal.spec.operator import Arithmetic, Example, Output, Rule

_ENDS = [-float("inf"), 0.0, float("inf"), float("nan")]
_SOME = frozenset({"int8", "int64", "uint8"})


def _less(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a < b)


LESS = replace(
    OF_THREE_PARTS, output=Output("C", "bool"), states={Rule.RESULT_SHAPE: "C.C1"}
).operator(
    "Less",
    Arithmetic.EXACT,
    _less,
    Example("EX1", ([2, 3, 7], [3, 3, 5]), OF_REALS),
    Example(
        "EX2",
        (
            [[Fraction("1.1"), 2], [Fraction("4.2"), 0], [Fraction("5.3"), Fraction("6.4")]],
            [[Fraction("3.5"), 2], [Fraction("4.6"), 1], [Fraction("5.7"), Fraction("4.8")]],
        ),
        OF_REALS,
    ),
    Example("EX1", ([2, 3, 7], [3, 3, 5]), OF_INTEGERS, types=_SOME),
    Example("EX2", ([[1, 2], [4, 0], [5, 6]], [[3, 2], [4, 1], [5, 4]]), OF_INTEGERS, types=_SOME),
    Example("EX1", ([2.5, 3.7, 7.9], [3.1, 3.7, 5.8]), OF_FLOATS),
    Example(
        "EX2",
        ([[1.1, 2.0], [4.2, 0.0], [5.3, 6.4]], [[3.5, 2.0], [4.6, 1.0], [5.7, 4.8]]),
        OF_FLOATS,
    ),
    Example("EX3", ([x for x in _ENDS for _ in _ENDS], _ENDS * len(_ENDS)), OF_FLOATS),
    since=13,
)
OPERATORS = (LESS,)
