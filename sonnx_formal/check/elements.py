"""Elements one by one: which are the same, what sort of number each is, which is simpler."""

from fractions import Fraction
from math import copysign, isinf, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.oracle.element_types import NUMERICAL, ElementType
from sonnx_formal.spec.formats import BY_ELEMENT_TYPE, Format
from sonnx_formal.vectors.case import Array

Mask = NDArray[np.bool_]

FORMATS = BY_ELEMENT_TYPE

_SPECIAL_BITS = 50
"""An infinity is simpler than a number of more bits than this."""


def same(expected: Array, got: Array, type_: ElementType) -> Mask:
    """Where the elements are the same bit for bit; all NaNs are one value, zeros have a sign."""
    if type_.kind == "real":
        return np.asarray(expected == got, np.bool_).reshape(expected.shape)
    if type_.kind == "integer":
        return np.asarray(expected == got)
    bits = patterns(expected, type_) == patterns(got, type_)
    return np.asarray(bits | (np.isnan(expected) & np.isnan(got)))


def patterns(array: Array, type_: ElementType) -> Array:
    """The bit patterns of an array of a type other than real."""
    return np.ascontiguousarray(array).reshape(array.shape).view(type_.pattern)


def difference(expected: Any, got: Any, type_: ElementType) -> str:
    """In words, how a wrong element departs from the right one."""
    if type_.kind == "real":
        return "another number"
    if type_.kind == "integer":
        return _difference_of_integers(int(expected), int(got), type_)
    return _difference_of_floats(expected, got, type_)


def complexity(element: Any) -> tuple[int, bool]:
    """Less for what is easier to understand: 0, 1, -1, 2, … 1/2, … infinity, NaN."""
    if isinstance(element, Fraction):
        number = element
    elif isinstance(element, int | np.integer):
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
    if type_.kind == "real":
        numbers = [Fraction(n, d) for n in range(-3, 4) for d in (1, 2, 3)]
        made = np.empty(len(numbers), object)
        made[:] = numbers
        return made
    if type_.kind == "integer":
        bounds = np.iinfo(type_.dtype)
        ends = (bounds.min, bounds.min + 1, bounds.max - 1, bounds.max)
        half = 1 << (bounds.bits // 2)
        numbers_ = {*range(-8, 17), 100, half - 1, half, half + 1, bounds.max // 2, *ends}
        return np.array([n for n in sorted(numbers_) if bounds.min <= n <= bounds.max], type_.dtype)
    form = FORMATS[type_.name]
    least_normal, one = form.trailing, form.one
    positive = [0, 1, least_normal - 1, least_normal, one - 1, one + 1, form.infinity - 1]
    positive += [form.infinity, form.nan]
    numbers_of_few_bits = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 49.0, 100.0, 2.0**-14]
    few = np.array(numbers_of_few_bits).astype(type_.dtype)
    positive += [int(one) for one in patterns(few, type_)]
    signed = [*positive, *(form.sign + one for one in positive)]
    return np.array(signed, type_.pattern).view(type_.dtype)


def _difference_of_integers(expected: int, got: int, type_: ElementType) -> str:
    bounds = np.iinfo(type_.dtype)
    if got == bounds.max or got == bounds.min < 0:
        return f"the {'greatest' if got > 0 else 'least'} number instead"
    return "off by one" if abs(expected - got) == 1 else "another number"


def _difference_of_floats(expected: Any, got: Any, type_: ElementType) -> str:
    form = FORMATS[type_.name]
    right, wrong = (int(np.asarray(one).view(type_.pattern)) for one in (expected, got))
    of_right, of_wrong = (_sort(one % form.sign, form) for one in (right, wrong))
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


def element_type_of(array: Array) -> str:
    """The name of a type of the project; of any other, as NumPy has it."""
    found = (one.name for one in NUMERICAL.values() if one.dtype == array.dtype)
    return next(found, str(array.dtype))
