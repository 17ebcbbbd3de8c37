"""SONNX Abs."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_ONE_OPERAND, OF_REALS
from sonnx_formal.spec.operator import Arithmetic, Example, Exclusion

if TYPE_CHECKING:
    from sonnx_formal.spec.element_types import Array

_INF, _NAN = float("inf"), float("nan")


def _least(type_: ElementType) -> int | None:
    """Of signed integers: no type has its absolute value."""
    signed = type_.family is Family.INTEGER and type_.signed
    return int(type_.bounds.min) if signed else None


def _exercised(call: Call, result: "Array | None") -> Iterator[str]:
    """X.C2 by signed integers: by the least number, which it is about, and by all others."""
    if result is not None and result.size and _least(call.result_type) is not None:
        yield "X.C2"


_ABS = OF_ONE_OPERAND.operator(
    "Abs",
    Arithmetic.EXACT,
    abs,
    Example("EX1", ([Fraction("-2.1"), Fraction("3.4"), -7],), OF_REALS),
    Example("EX2", ([[Fraction("-1.123"), 0], [4, -5], [2, -3]],), OF_REALS),
    Example("EX1", ([-126, 0, 127],), OF_INTEGERS, types=frozenset({"int8"})),
    Example("EX1", ([-2.1, -_INF, _NAN, -0.0],), OF_FLOATS),
    since=13,
)
ABS = replace(
    _ABS,
    also=_exercised,
    excludes=(Exclusion("X.C2", "X", "the least number of its type", _least),),
)
OPERATORS = (ABS,)
