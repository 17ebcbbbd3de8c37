"""Elements of each type, from which operands are made.

An element is a fraction, an integer or a truth value; of a floating-point type, a bit pattern.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import Array, ElementType, Family, Format

Shape = tuple[int, ...]

GREATEST_SMALL = 11
"""The products and the short sums of whole numbers up to this are exact in every type."""

REAL_BOUNDARIES = [
    *(Fraction(n) for n in (0, 1, -1, 2, -2)),
    *(Fraction(1, d) for d in (2, -3, 7)),
    Fraction(2**64),
    Fraction(-1, 2**64),
    Fraction(10**40 + 1, 10**40),
    Fraction(2**1100 + 1, 3**700),
]
"""Units, and numbers beyond every machine type in size or in precision."""


def array(type_: ElementType, elements: Sequence[Any], shape: Shape) -> Array:
    """An array of elements in row-major order."""
    match type_.family:
        case Family.REAL:
            made = np.empty(len(elements), object)
            made[:] = elements
        case Family.FLOAT:
            made = np.array(elements, type_.pattern).view(type_.dtype)
        case Family.INTEGER | Family.BOOLEAN:
            made = np.array(elements, type_.dtype)
        case Family.TEXT | Family.COMPLEX:
            raise ValueError(f"there are no elements of {type_}")
    return made.reshape(shape)


def of_numbers(type_: ElementType, numbers: Any) -> Array:
    """An array of whole numbers, infinities and NaN in nested lists: every type is exact on them.

    :raises OverflowError: when the type lacks one of them.
    """
    if type_.family is not Family.REAL:
        return np.array(numbers, type_.dtype)
    plain = np.array(numbers, object)
    exact = np.empty(plain.shape, object)
    exact.ravel()[:] = [Fraction(number) for number in plain.ravel()]
    return exact


def element(type_: ElementType, number: int) -> Any:
    """The element that is a whole number."""
    made = of_numbers(type_, [number])
    return (made.view(type_.pattern) if type_.family is Family.FLOAT else made).tolist()[0]


def small_number(type_: ElementType, chance: random.Random) -> int:
    """A whole number from -11 to 11, from 0 where the type has no others."""
    if type_.family is Family.BOOLEAN:
        return chance.randint(0, 1)
    unsigned = type_.family is Family.INTEGER and not type_.signed
    return chance.randint(0 if unsigned else -GREATEST_SMALL, GREATEST_SMALL)


def boundaries(type_: ElementType) -> list[Any]:
    """Numbers at the ends of the type, about zero, and where arithmetic is likely to go wrong."""
    match type_.family:
        case Family.REAL:
            return list(REAL_BOUNDARIES)
        case Family.INTEGER:
            bounds = type_.bounds
            root = 1 << (bounds.bits // 2)  # of the size of the range
            about = [0, root, -root, root >> 1, int(bounds.min), int(bounds.max)]
            near = {number + offset for number in about for offset in (-1, 0, 1)}
            return sorted(n for n in {*near, 2, -2, 3, -3} if bounds.min <= n <= bounds.max)
        case Family.FLOAT:
            form = type_.format
            ends = [0, 1, 2, form.trailing - 1, form.trailing, form.trailing + 1]
            one = [form.one - 1, form.one, form.one + 1, form.one + form.trailing]
            return _signed(form, [*ends, *one, form.infinity - 2, form.infinity - 1])
        case Family.BOOLEAN:
            return [False, True]
        case Family.TEXT | Family.COMPLEX:
            raise ValueError(f"there are no elements of {type_}")


def special_values(type_: ElementType) -> list[Any]:
    """Of floating-point types, the values with rules of their own; of others, the boundaries.

    Zeros, infinities, NaNs, and the least, the greatest and the plainest numbers, signed. The NaNs
    are a quiet one, a signalling one, and one with every bit set.
    """
    if type_.family is not Family.FLOAT:
        return boundaries(type_)
    form = type_.format
    nans = [form.nan, form.infinity + 1, form.sign - 1]
    numbers = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity]
    return _signed(form, [*numbers, *nans])


def any_element(type_: ElementType, chance: random.Random) -> Any:
    """An element of any size: of integers and fractions, of any length; of floats, no NaN."""
    match type_.family:
        case Family.REAL:
            return _any_fraction(chance)
        case Family.INTEGER:
            return _any_integer(type_, chance)
        case Family.FLOAT:  # every finite pattern is as likely as any other
            sign = chance.getrandbits(1) * type_.format.sign
            return sign + chance.randrange(type_.format.infinity)
        case Family.BOOLEAN:
            return bool(chance.getrandbits(1))
        case Family.TEXT | Family.COMPLEX:
            raise ValueError(f"there are no elements of {type_}")


def ordinary_element(type_: ElementType, chance: random.Random) -> Any:
    """A float between 1/16 and 16, of either sign; of other types, any element."""
    if type_.family is not Family.FLOAT:
        return any_element(type_, chance)
    form = type_.format
    low = form.one - 4 * form.trailing
    return chance.getrandbits(1) * form.sign + low + chance.randrange(8 * form.trailing)


def _any_integer(type_: ElementType, chance: random.Random) -> int:
    """A number of any length: small ones are as likely as great ones."""
    bounds = type_.bounds
    magnitude = chance.getrandbits(chance.randint(1, bounds.bits))
    number = -magnitude if type_.signed and chance.getrandbits(1) else magnitude
    if bounds.min <= number <= bounds.max:
        return number
    return int(bounds.min) + magnitude % (1 << (bounds.bits - 1))


def _any_fraction(chance: random.Random) -> Fraction:
    """A fraction with numerator and denominator of up to 80 binary digits; seldom zero."""
    numerator = chance.getrandbits(chance.randint(1, 80))
    denominator = 1 + chance.getrandbits(chance.randint(1, 80))
    return Fraction(-numerator if chance.getrandbits(1) else numerator, denominator)


def _signed(form: Format, magnitudes: list[int]) -> list[int]:
    return [sign + magnitude for magnitude in magnitudes for sign in (0, form.sign)]
