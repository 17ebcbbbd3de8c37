"""Elements one by one: which are the same, what sort of number each is, which is simpler."""

from collections.abc import Sequence
from fractions import Fraction
from math import copysign, isinf, isnan
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import Array, ElementType, Family, Format

Mask = NDArray[np.bool_]

_SPECIAL_BITS = 50
"""An infinity is simpler than a number of more bits than this."""


def same(expected: Array, got: Array, type_: ElementType) -> Mask:
    """Where the elements are the same bit for bit; all NaNs are one value, zeros have a sign."""
    match type_.family:
        case Family.FLOAT:
            bits = patterns(expected, type_) == patterns(got, type_)
            return np.asarray(bits | (np.isnan(expected) & np.isnan(got)))
        case Family.REAL | Family.INTEGER | Family.BOOLEAN | Family.TEXT | Family.COMPLEX:
            return np.asarray(expected == got, np.bool_).reshape(expected.shape)
        case _:
            assert_never(type_.family)


def patterns(array: Array, type_: ElementType) -> Array:
    """The bit patterns of an array of a type of a fixed width."""
    return np.ascontiguousarray(array).reshape(array.shape).view(type_.pattern)


def difference(expected: Any, got: Any, type_: ElementType) -> str:
    """In words, how a wrong element departs from the right one."""
    match type_.family:
        case Family.REAL:
            return "another number"
        case Family.INTEGER:
            return _difference_of_integers(int(expected), int(got), type_.bounds)
        case Family.FLOAT:
            return _difference_of_floats(expected, got, type_)
        case Family.BOOLEAN:
            return f"{str(bool(got)).lower()} instead of {str(bool(expected)).lower()}"
        case Family.TEXT | Family.COMPLEX:
            return "another value"
        case _:
            assert_never(type_.family)


def complexity(element: Any) -> tuple[int, bool]:
    """Less for what is easier to understand: 0, 1, -1, 2, … 1/2, … infinity, NaN."""
    if isinstance(element, Fraction):
        number = element
    elif isinstance(element, int | np.integer | np.bool_):
        number = Fraction(int(element))
    else:
        value = float(element)
        if isnan(value):
            return _SPECIAL_BITS + 1, False
        if isinf(value):
            return _SPECIAL_BITS, value < 0
        number = Fraction(value)
        if not number:
            return 1, copysign(1, value) < 0
    return number.numerator.bit_length() + number.denominator.bit_length(), number < 0


def simple_elements(type_: ElementType) -> Array:
    """Elements worth a try when a simple input is looked for."""
    match type_.family:
        case Family.REAL:
            return filled([Fraction(n, d) for n in range(-3, 4) for d in (1, 2, 3)], type_)
        case Family.INTEGER:
            bounds = type_.bounds
            ends = (bounds.min, bounds.min + 1, bounds.max - 1, bounds.max)
            half = 1 << (bounds.bits // 2)
            numbers = {*range(-8, 17), 100, half - 1, half, half + 1, bounds.max // 2, *ends}
            return filled([n for n in sorted(numbers) if bounds.min <= n <= bounds.max], type_)
        case Family.FLOAT:
            return _simple_floats(type_)
        case Family.BOOLEAN:
            return filled([False, True], type_)
        case Family.TEXT | Family.COMPLEX:
            return filled([], type_)
        case _:
            assert_never(type_.family)


def filled(elements: Sequence[Any], type_: ElementType) -> Array:
    """A tensor of one axis of these elements."""
    made: Array = np.empty(len(elements), type_.dtype)
    made[:] = elements
    return made


def _simple_floats(type_: ElementType) -> Array:
    form = type_.format
    least_normal, unity = form.trailing, form.one
    positive = [0, 1, least_normal - 1, least_normal, unity - 1, unity + 1, form.infinity - 1]
    of_few_bits = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 49.0, 100.0, 2.0**-14]
    positive += [form.infinity, form.nan, *map(int, patterns(filled(of_few_bits, type_), type_))]
    signed = [*positive, *(form.sign + pattern for pattern in positive)]
    return np.array(signed, type_.pattern).view(type_.dtype)


def _difference_of_integers(expected: int, got: int, bounds: np.iinfo[Any]) -> str:
    if got == bounds.max or got == bounds.min < 0:
        return f"the {'greatest' if got > 0 else 'least'} number instead"
    return "off by one" if abs(expected - got) == 1 else "another number"


def _difference_of_floats(expected: Any, got: Any, type_: ElementType) -> str:
    form = type_.format
    right, wrong = (int(np.asarray(each).view(type_.pattern)) for each in (expected, got))
    of_right, of_wrong = (_sort(each % form.sign, form) for each in (right, wrong))
    if of_right != of_wrong:
        return f"{of_wrong} instead of {of_right}"
    apart = abs(right % form.sign - wrong % form.sign)
    if apart == 0:
        return "sign of zero" if of_right == "zero" else "sign"
    if (right >= form.sign) != (wrong >= form.sign):
        return "sign and value"
    return "one unit in the last place" if apart == 1 else "more than one unit in the last place"


def _sort(magnitude: int, form: Format) -> str:
    if magnitude > form.infinity:
        return "NaN"
    if magnitude == form.infinity:
        return "infinity"
    if magnitude == 0:
        return "zero"
    return "subnormal" if magnitude < form.trailing else "normal"
