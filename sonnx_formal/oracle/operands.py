"""Literals as elements of a type. A number that a float type lacks is rounded by the definition."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.element_types import ElementType
from sonnx_formal.oracle.literals import Literal, Pattern, literals
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.oracle import Oracle


def operand(
    text: str, type_: ElementType, oracle: Oracle, note: Callable[[str], None]
) -> NDArray[Any]:
    """The array of a type that a user wrote down.

    :param note: is told of each number that was rounded.
    :raises UserError: when it is not written right, or an integer type lacks an element.
    """
    shape, elements = literals(text)
    array = np.empty(len(elements), object if type_.kind == "real" else type_.pattern)
    for k, element in enumerate(elements):
        match type_.kind:
            case "real":
                array[k] = _fraction(element)
            case "integer":
                array[k] = _integer(element, type_)
            case _:
                array[k] = _float(element, type_, oracle, note)
    return array.view(type_.dtype).reshape(shape)


def _fraction(element: Literal) -> Fraction:
    if isinstance(element, Pattern) or not isinstance(element.magnitude, Fraction):
        raise UserError(f"{element.text} is not a rational number")
    return -element.magnitude if element.negative else element.magnitude


def _integer(element: Literal, type_: ElementType) -> int:
    """The bit pattern."""
    if isinstance(element, Pattern):
        return _checked(element, type_)
    magnitude = element.magnitude
    bounds = np.iinfo(type_.dtype)
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
