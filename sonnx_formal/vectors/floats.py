"""Pairs of floating-point numbers, as bit patterns, at which arithmetic is likely to go wrong.

A number is `digits` times a power of two *units*; the unit is the least positive number of the
format. Pairs are constructed in whole numbers; nothing here rounds.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from sonnx_formal.spec.element_types import Format
from sonnx_formal.spec.operator import Arithmetic

Pair = tuple[int, int]
"""Two bit patterns."""
_Each = TypeVar("_Each")
_Target = tuple[int, int]
"""An exact result to come near to, as digits and exponent."""


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
        """A subnormal number."""
        return self._sign() + 1 + self._chance.randrange(self._form.trailing - 1)

    def tie(self) -> Pair:
        """Operands whose exact result is half-way between two numbers."""
        make = self._choice(self._tie_of_product, self._tie_of_quotient, self._tie_of_sum)
        sign, other = self._signs()
        a, b = _first(make)
        return a ^ sign, b ^ other

    def near_overflow(self) -> Pair:
        """Operands whose exact result is about where infinity begins."""
        p, last = self._form.precision, self._last
        all_ones = (1 << p) - 1
        return self._near([(2 * all_ones + 1, last - 1), (all_ones, last), (1, last + p)])

    def near_underflow(self) -> Pair:
        """Operands whose exact result is about a subnormal number."""
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
        """Two subnormal operands."""
        return self.subnormal(), self.subnormal()

    def cancelling(self) -> Pair:
        """Operands of a sum or difference whose result is zero, or a last digit of them."""
        a = self._chance.randrange(1, self._form.infinity - 1)
        b = a + self._chance.choice((-1, 0, 0, 1))
        sign, other = self._signs()
        return a ^ sign, b ^ other ^ self._form.sign

    def _near(self, targets: list[_Target]) -> Pair:
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
        """A number, and half of its last digit."""
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
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
                raise ValueError(f"there are no pairs for {self._arithmetic.value}")

    def _odd(self, length: int) -> int:
        return 1 << (length - 1) | self._chance.getrandbits(length) >> 1 | 1

    def _sign(self) -> int:
        return self._chance.getrandbits(1) * self._form.sign


def _first(make: Callable[[], Pair]) -> Pair:
    """The first pair whose numbers the format has."""
    while True:
        with suppress(NoSuchNumberError):
            return make()


def _shifted(digits: int, places: int) -> int:
    return digits << places if places >= 0 else digits >> -places
