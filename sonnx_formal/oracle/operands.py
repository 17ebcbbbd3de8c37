"""Literals as elements of a type. A number that a float type lacks is rounded by the definition."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.literals import Literal, Pattern, literals
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.oracle import Oracle
from sonnx_formal.spec.element_types import ElementType, Family


def operand(
    text: str, type_: ElementType, oracle: Oracle, note: Callable[[str], None]
) -> NDArray[Any]:
    """The array of a type that a user wrote down.

    :param note: is told of each number that was rounded.
    :raises UserError: when it is not written right, or an integer type lacks an element.
    """
    shape, elements = literals(text)
    array = np.empty(len(elements), object if type_.family is Family.REAL else type_.pattern)
    for k, element in enumerate(elements):
        match type_.family:
            case Family.REAL:
                array[k] = _fraction(element)
            case Family.INTEGER:
                array[k] = _integer(element, type_)
            case Family.FLOAT:
                array[k] = _float(element, type_, oracle, note)
            case Family.BOOLEAN:
                array[k] = _truth_value(element)
            case Family.TEXT | Family.COMPLEX:
                raise UserError(f"no document computes with elements of type {type_}")
            case _:
                assert_never(type_.family)
    return array.view(type_.dtype).reshape(shape)


def _truth_value(element: Literal) -> bool:
    if isinstance(element, Pattern) or element.magnitude not in {0, 1} or element.negative:
        raise UserError(f"{element.text} is not a truth value: write 1 or true, 0 or false")
    return bool(element.magnitude)


def _fraction(element: Literal) -> Fraction:
    if isinstance(element, Pattern) or not isinstance(element.magnitude, Fraction):
        raise UserError(f"{element.text} is not a rational number")
    return -element.magnitude if element.negative else element.magnitude


def _integer(element: Literal, type_: ElementType) -> int:
    """The bit pattern."""
    if isinstance(element, Pattern):
        return _checked(element, type_)
    magnitude = element.magnitude
    bounds = type_.bounds
    if isinstance(magnitude, Fraction) and magnitude.denominator == 1:
        value = -int(magnitude) if element.negative else int(magnitude)
        if bounds.min <= value <= bounds.max:
            return value % (1 << bounds.bits)
    raise UserError(
        f"{element.text} is not an {type_.name}, an integer from {bounds.min} to {bounds.max}"
    )


def _float(
    element: Literal, type_: ElementType, oracle: Oracle, note: Callable[[str], None]
) -> int:
    """The bit pattern."""
    if isinstance(element, Pattern):
        return _checked(element, type_)
    bits, exact = oracle.rounded(type_, element.magnitude, negative=element.negative)
    if not exact:
        note(f"{element.text} is not a {type_.name}: rounded to {element_text(bits, type_)}")
    return bits


def _checked(pattern: Pattern, type_: ElementType) -> int:
    width = 8 * type_.dtype.itemsize
    if pattern.bits >> width:
        raise UserError(f"{pattern.text} has more bits than {type_.name}, which has {width}")
    return pattern.bits
