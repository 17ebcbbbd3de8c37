"""Elements of each type, and pairs of them at which floating-point arithmetic may go wrong.

An element is a fraction, an integer or a truth value; of a floating-point type, a bit pattern.
Pairs are constructed in whole numbers: nothing here rounds. A number is `digits` times a power of
two *units*; the unit is the least positive number of the format.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from sonnx_formal.spec.element_types import Array, ElementType, Family, Format
from sonnx_formal.spec.operator import Arithmetic

Shape = tuple[int, ...]
Pair = tuple[int, int]
"""Two bit patterns."""
Draw = Callable[[ElementType, random.Random], Any]
"""Draws an element by chance."""
_Each = TypeVar("_Each")

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


_CHARACTERS = 'aZ09 \t\n"\\,[]{}äßλж中あ\u0301\u200f\ufeff🜁🙂'
"""Of one to four bytes in UTF-8; some that combine, and some that lists are written with."""
_TEXTS = (
    "",
    " ",
    "a",
    "A",
    "nan",
    "-1",
    "null",
    '"',
    "\n",
    "é",
    "e\u0301",
    "中文",
    "🙂",
    "x" * 300,
)
"""Empty, long, what looks like something else, and texts that look alike."""


def array(type_: ElementType, elements: Sequence[Any], shape: Shape) -> Array:
    match type_.family:
        case Family.TEXT:
            made = np.array(elements, type_.dtype)
        case Family.REAL:
            made = np.empty(len(elements), object)
            made[:] = elements
        case Family.FLOAT:
            made = np.array(elements, type_.pattern).view(type_.dtype)
        case Family.INTEGER | Family.BOOLEAN:
            made = np.array(elements, type_.dtype)
        case Family.COMPLEX:
            raise ValueError(f"there are no elements of {type_}")
    return made.reshape(shape)


def of_numbers(type_: ElementType, numbers: Any) -> Array:
    """Whole numbers, infinities and NaN of nested lists. Raises `OverflowError` for another one."""
    if type_.family is not Family.REAL:
        return np.array(numbers, type_.dtype)
    plain = np.array(numbers, object)
    exact = np.empty(plain.shape, object)
    exact.ravel()[:] = [Fraction(number) for number in plain.ravel()]
    return exact


def element(type_: ElementType, number: int) -> Any:
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
            unit = [form.one - 1, form.one, form.one + 1, form.one + form.trailing]
            return _signed(form, [*ends, *unit, form.infinity - 2, form.infinity - 1])
        case Family.BOOLEAN:
            return [False, True]
        case Family.TEXT:
            return list(_TEXTS)
        case Family.COMPLEX:
            raise ValueError(f"there are no elements of {type_}")


def special_values(type_: ElementType) -> list[Any]:
    """Zeros, ends, 1, infinities and NaNs (quiet, signalling, all ones), if there are any, signed.

    Of types that are not floats, the boundaries.
    """
    if type_.family is not Family.FLOAT:
        return boundaries(type_)
    form = type_.format
    nans = [form.nan, form.least_nan, form.sign - 1]
    numbers = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity]
    return _signed(form, [*dict.fromkeys([*numbers, *nans])])


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
        case Family.TEXT:
            return "".join(chance.choices(_CHARACTERS, k=chance.randrange(9)))
        case Family.COMPLEX:
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


class NoSuchNumberError(ArithmeticError):
    """The format does not have the number."""


def encode(form: Format, digits: int, exponent: int) -> int:
    """The pattern of `digits` * 2^`exponent` units, or of the next number towards zero.

    :raises NoSuchNumberError: when that is zero, and when the number is beyond the greatest.
    """
    last = max(0, digits.bit_length() - form.precision + exponent)
    pattern = last * form.trailing + _shifted(digits, exponent - last)
    if pattern == 0 or last > 2 * form.emax - 1:
        raise NoSuchNumberError
    return pattern


def exponent_of_one(form: Format) -> int:
    """1 is 2 to this many units."""
    return form.emax + form.precision - 2


class FloatPairs:
    """Operands of one operation over one format, drawn by chance."""

    def __init__(self, form: Format, chance: random.Random, arithmetic: Arithmetic) -> None:
        self._form, self._chance, self._arithmetic = form, chance, arithmetic
        self._one = exponent_of_one(form)
        self._last = 2 * form.emax - 1
        """The exponent of the last digit of the greatest number."""

    def subnormal(self) -> int:
        return self._sign() + 1 + self._chance.randrange(self._form.trailing - 1)

    def tie(self) -> Pair:
        """Operands whose exact result is half-way between two numbers."""
        make = self._choice(self._tie_of_product, self._tie_of_quotient, self._tie_of_sum)
        sign, other = self._signs()
        a, b = _first(make)
        return a ^ sign, b ^ other

    def near_overflow(self) -> Pair:
        p, last = self._form.precision, self._last
        all_ones = (1 << p) - 1
        return self._near([(2 * all_ones + 1, last - 1), (all_ones, last), (1, last + p)])

    def near_underflow(self) -> Pair:
        p = self._form.precision
        length = self._chance.randint(1, p - 1)
        some = (1 << (length - 1) | self._chance.getrandbits(length), -1)
        ends = [(1, -1), (1, 0), (3, -1), ((1 << p) - 1, -1), (1 << (p - 1), 0)]
        return self._near([*ends, some, some, some])

    def with_subnormal(self) -> Pair:
        """A subnormal operand, and a number that takes the result back to the normal ones."""
        form = self._form
        far = self._choice(form.emax - 2, form.emax - 2, form.precision)
        step = self._chance.randint(2, far) * form.trailing + self._chance.randrange(form.trailing)
        other = self._choice(form.one + step, form.one - step, step)
        return self.subnormal(), self._sign() + other

    def both_subnormal(self) -> Pair:
        return self.subnormal(), self.subnormal()

    def cancelling(self) -> Pair:
        """Operands of a sum or difference whose result is zero, or a last digit of them."""
        a = self._chance.randrange(1, self._form.infinity - 1)
        b = a + self._chance.choice((-1, 0, 0, 1))
        sign, other = self._signs()
        return a ^ sign, b ^ other ^ self._form.sign

    def _near(self, targets: list[tuple[int, int]]) -> Pair:
        """Operands whose result is near one of these numbers, in digits and exponent."""
        near = self._choice(self._near_product, self._near_quotient, self._near_sum)
        a, b = _first(lambda: near(*self._chance.choice(targets)))
        sign, other = self._signs()
        return a ^ sign, b ^ other

    def _signs(self) -> Pair:
        """Of the operands: any of a product; of a sum, and a difference, those that make it up."""
        sign = self._sign()
        if self._choice(True, True, False):
            return sign, self._sign()
        return sign, sign ^ (self._form.sign if self._arithmetic is Arithmetic.DIFFERENCE else 0)

    def _tie_of_product(self) -> Pair:
        """Odd factors whose product has one digit too many, or ends in half a unit."""
        p = self._form.precision
        a = self._odd(self._chance.randint(1, p))
        b = self._odd(self._chance.randint(1, p))
        length = (a * b).bit_length()
        if length > p + 1:
            raise NoSuchNumberError
        above = self._chance.randint(-1, 2 * self._form.emax - 2) if length == p + 1 else -1
        both = above + self._one
        low = max(0, both - (self._last + p - b.bit_length()))
        high = min(both, self._last + p - a.bit_length())
        first = self._chance.randint(low, high)
        return encode(self._form, a, first), encode(self._form, b, both - first)

    def _tie_of_quotient(self) -> Pair:
        """A quotient that ends in half a unit. No others are half-way between two numbers."""
        p = self._form.precision
        length = self._chance.randint(1, p - 1)
        quotient, b = self._odd(length), self._odd(self._chance.randint(1, p - length))
        first = self._chance.randint(0, self._last + p - b.bit_length() - self._one - 1)
        a = encode(self._form, quotient * b, first)
        return a, encode(self._form, b, first + self._one + 1)

    def _tie_of_sum(self) -> Pair:
        last = self._chance.randint(1, self._last - 1)
        digits = 1 << (self._form.precision - 1)
        digits += self._chance.randrange(digits)
        return encode(self._form, digits, last), encode(self._form, 1, last - 1)

    def _near_product(self, digits: int, exponent: int) -> Pair:
        p = self._form.precision
        a = self._odd(self._chance.randint(2, p))
        shift = 2 * p - digits.bit_length()
        b = (digits << shift) // a + self._chance.randint(-2, 2)
        low = max(0, exponent + self._one - self._last - p)
        first = self._chance.randint(low, self._last)
        second = exponent + self._one - first - shift
        return encode(self._form, a, first), encode(self._form, b, second)

    def _near_quotient(self, digits: int, exponent: int) -> Pair:
        b = self._odd(self._chance.randint(2, self._form.precision))
        second = self._chance.randint(0, self._last)
        cut = (digits * b).bit_length() - self._form.precision
        a = _shifted(digits * b, -cut) + self._chance.randint(-2, 2)
        first = exponent + second - self._one + cut
        return encode(self._form, a, first), encode(self._form, b, second)

    def _near_sum(self, digits: int, exponent: int) -> Pair:
        """Terms of about the size of the sum, or, of one sign less, many times as great."""
        form = self._form
        last = max(0, exponent + digits.bit_length() - form.precision)
        last = min(self._last, last + self._chance.choice((-1, 0, 0, 1, 2)))
        a = max(1, last * form.trailing + self._chance.randrange(2 * form.trailing))
        if a >= form.infinity:
            raise NoSuchNumberError
        biased, trailing = divmod(a, form.trailing)
        units = (trailing + form.trailing) << (biased - 1) if biased else trailing
        rest = (digits << (exponent + 1)) - 2 * units
        return a, encode(form, abs(rest), -1) + (form.sign if rest <= 0 else 0)

    def _choice(self, product: _Each, quotient: _Each, sum_: _Each) -> _Each:
        match self._arithmetic:
            case Arithmetic.PRODUCT:
                return product
            case Arithmetic.QUOTIENT:
                return quotient
            case Arithmetic.SUM | Arithmetic.DIFFERENCE:
                return sum_
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.EXACT | Arithmetic.COPY | Arithmetic.OTHER:
                raise ValueError(f"there are no pairs for {self._arithmetic.value}")

    def _odd(self, length: int) -> int:
        return 1 << (length - 1) | self._chance.getrandbits(length) >> 1 | 1

    def _sign(self) -> int:
        return self._chance.getrandbits(1) * self._form.sign


def _first(make: Callable[[], Pair]) -> Pair:
    while True:
        with suppress(NoSuchNumberError):
            return make()


def _shifted(digits: int, places: int) -> int:
    return digits << places if places >= 0 else digits >> -places
