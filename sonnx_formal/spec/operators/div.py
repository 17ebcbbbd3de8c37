"""SONNX Div."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.elementwise import OF_ALL_NUMBERS, OF_INTEGERS, OF_ONE_DOCUMENT
from sonnx_formal.spec.operator import Arithmetic, Domain, Example

if TYPE_CHECKING:
    from sonnx_formal.spec.element_types import Array

_WITH_A_POINT = OF_ALL_NUMBERS - OF_INTEGERS


def _quotient(a: Fraction, b: Fraction) -> Fraction | None:
    return a / b if b else None


def _least_by_minus_one(types: tuple[ElementType, ...]) -> tuple[tuple[int, int], ...]:
    """The quotient that processors trap on, because no signed type has it."""
    (type_,) = types
    signed = type_.family is Family.INTEGER and type_.signed
    return ((int(type_.bounds.min), -1),) if signed else ()


def _exercised(call: Call, result: "Array | None") -> Iterator[str]:
    """FUNC where some divisor is not zero; R5 where some is, else C2."""
    if result is None:
        return
    import numpy as np  # noqa: PLC0415 (declarations are read without it)

    _, divisors = call.arrays
    with np.errstate(invalid="ignore"):  # signalling NaNs
        zeros = np.count_nonzero(divisors == 0)
    if zeros < divisors.size:
        yield "FUNC"
    yield "R5" if zeros else "C2"


_TOTAL = OF_ONE_DOCUMENT.operator(
    "Div",
    Arithmetic.QUOTIENT,
    _quotient,
    Example("EX1", ([6, 9, 35], [3, 3, 5]), OF_ALL_NUMBERS),
    Example("EX2", ([[3, 4], [16, 0], [25, 24]], [[3, 2], [4, 1], [5, 4]]), OF_ALL_NUMBERS),
    # Two NumPy sessions about digits after the point and about infinity.
    Example("EX3", ([[1, 3], [5, 7], [9, 12]], [[11, 22], [33, -44], [-55, 66]]), _WITH_A_POINT),
    Example("EX4", ([[6, 9, 35]], [[3, 3, 0]]), _WITH_A_POINT),
)
_DOMAIN = Domain("is_defined", "C2", "division by zero", OF_INTEGERS, "R5")
_DEFINITION = replace(_TOTAL.definition, domain=_DOMAIN, extended_reals=True, readings={"r5": "R5"})
DIV = replace(
    _TOTAL, definition=_DEFINITION, hazards=_least_by_minus_one, computed=(), also=_exercised
)
OPERATORS = (DIV,)
