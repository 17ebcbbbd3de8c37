"""Floating-point numbers, as bit patterns, at which arithmetic is likely to go wrong.

A number is `digits` times a power of two *units*; the unit is the least positive number of the
format. Pairs are constructed in whole numbers; nothing here rounds.
"""

import random
from collections.abc import Callable

from sonnx_formal.spec.formats import BY_ELEMENT_TYPE, Format

FORMATS = BY_ELEMENT_TYPE

Pair = tuple[int, int]
"""Two bit patterns."""
Target = tuple[int, int]
"""An exact result to come near to, as digits and exponent."""


def special_values(form: Format) -> list[int]:
    """Zeros, infinities, NaNs, and the least, the greatest and the plainest numbers, signed.

    The NaNs are a quiet one, a signalling one, and one with every bit set.
    """
    nans = [form.nan, form.infinity + 1, form.sign - 1]
    numbers = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity]
    return _signed(form, [*numbers, *nans])


def boundaries(form: Format) -> list[int]:
    """Numbers at the ends of the subnormal and of the normal ones, and about 1; signed."""
    ends = [0, 1, 2, form.trailing - 1, form.trailing, form.trailing + 1]
    one = [form.one - 1, form.one, form.one + 1, form.one + form.trailing]
    return _signed(form, [*ends, *one, form.infinity - 2, form.infinity - 1])


def encode(form: Format, digits: int, exponent: int) -> int | None:
    """The pattern of `digits` * 2^`exponent` units, or of the next number towards zero.

    None where that is zero, and where the number is beyond the greatest.
    """
    last = max(0, digits.bit_length() - form.precision + exponent)
    if last > 2 * form.emax - 1:
        return None
    shift = exponent - last
    significand = digits << shift if shift >= 0 else digits >> -shift
    return last * form.trailing + significand or None


def exponent_of_one(form: Format) -> int:
    """1 is 2 to this many units."""
    return form.emax + form.precision - 2


class FloatPairs:
    """Pairs of one format, drawn by chance."""

    def __init__(self, form: Format, chance: random.Random) -> None:
        self._form = form
        self._chance = chance
        self._one = exponent_of_one(form)
        self._last = 2 * form.emax - 1
        """The exponent of the last digit of the greatest number."""

    def any_number(self) -> int:
        """Every finite pattern is as likely as any other."""
        return self._sign() + self._chance.randrange(self._form.infinity)

    def ordinary(self) -> int:
        """A number between 1/16 and 16, of either sign."""
        low = self._form.one - 4 * self._form.trailing
        return self._sign() + low + self._chance.randrange(8 * self._form.trailing)

    def subnormal(self) -> int:
        """A subnormal number."""
        return self._sign() + 1 + self._chance.randrange(self._form.trailing - 1)

    def tie(self, operator: str) -> Pair:
        """Operands whose exact `mul`, `div` or `add` is half-way between two numbers."""
        makes: dict[str, Callable[[], tuple[int | None, int | None]]] = {
            "mul": self._tie_of_product,
            "div": self._tie_of_quotient,
            "add": self._tie_of_sum,
        }
        sign = self._sign()
        other = sign if operator == "add" else self._sign()
        a, b = self._drawn(makes[operator])
        return a + sign, b + other

    def near_overflow(self, operator: str) -> Pair:
        """Operands of `mul` or `div` whose exact result is about where infinity begins."""
        p = self._form.precision
        all_ones = (1 << p) - 1
        targets = [(2 * all_ones + 1, self._last - 1), (all_ones, self._last), (1, self._last + p)]
        return self._near(operator, targets)

    def near_underflow(self, operator: str) -> Pair:
        """Operands of `mul` or `div` whose exact result is about a subnormal number."""
        p = self._form.precision
        length = self._chance.randint(1, p - 1)
        some = (1 << (length - 1) | self._chance.getrandbits(length), -1)
        ends = [(1, -1), (1, 0), (3, -1), ((1 << p) - 1, -1), (1 << (p - 1), 0)]
        return self._near(operator, [*ends, some, some, some])

    def with_subnormal(self, operator: str) -> Pair:
        """A subnormal operand, and a number that takes the result back to the normal ones."""
        other = self._form.one + self._chance.randint(2, self._form.emax - 2) * self._form.trailing
        other += self._chance.randrange(self._form.trailing)
        if operator == "div":  # the reciprocal, more or less
            other = 2 * self._form.one - other
        return self.subnormal(), self._sign() + other

    def _near(self, operator: str, targets: list[Target]) -> Pair:
        make = self._near_product if operator == "mul" else self._near_quotient
        a, b = self._drawn(lambda: make(*self._chance.choice(targets)))
        return a + self._sign(), b + self._sign()

    def _tie_of_product(self) -> tuple[int | None, int | None]:
        """Odd factors whose product has one digit too many, or ends in half a unit."""
        p = self._form.precision
        a = self._odd(self._chance.randint(1, p))
        b = self._odd(self._chance.randint(1, p))
        length = (a * b).bit_length()
        if length > p + 1:
            return None, None
        above = self._chance.randint(-1, 2 * self._form.emax - 2) if length == p + 1 else -1
        both = above + self._one
        low = max(0, both - (self._last + p - b.bit_length()))
        high = min(both, self._last + p - a.bit_length())
        first = self._chance.randint(low, high)
        return encode(self._form, a, first), encode(self._form, b, both - first)

    def _tie_of_quotient(self) -> tuple[int | None, int | None]:
        """A quotient that ends in half a unit. No others are half-way between two numbers."""
        p = self._form.precision
        length = self._chance.randint(1, p - 1)
        quotient, b = self._odd(length), self._odd(self._chance.randint(1, p - length))
        first = self._chance.randint(0, self._last + p - b.bit_length() - self._one - 1)
        return (
            encode(self._form, quotient * b, first),
            encode(self._form, b, first + self._one + 1),
        )

    def _tie_of_sum(self) -> tuple[int | None, int | None]:
        """A number, and half of its last digit."""
        last = self._chance.randint(1, self._last - 1)
        digits = 1 << (self._form.precision - 1)
        digits += self._chance.randrange(digits)
        return encode(self._form, digits, last), encode(self._form, 1, last - 1)

    def _near_product(self, digits: int, exponent: int) -> tuple[int | None, int | None]:
        p = self._form.precision
        a = self._odd(self._chance.randint(2, p))
        shift = 2 * p - digits.bit_length()
        b = (digits << shift) // a + self._chance.randint(-2, 2)
        low = max(0, exponent + self._one - self._last - p)
        first = self._chance.randint(low, self._last)
        return (
            encode(self._form, a, first),
            encode(self._form, b, exponent + self._one - first - shift),
        )

    def _near_quotient(self, digits: int, exponent: int) -> tuple[int | None, int | None]:
        b = self._odd(self._chance.randint(2, self._form.precision))
        second = self._chance.randint(0, self._last)
        a = digits * b
        cut = a.bit_length() - self._form.precision
        a = (a >> cut if cut >= 0 else a << -cut) + self._chance.randint(-2, 2)
        return (
            encode(self._form, a, exponent + second - self._one + cut),
            encode(self._form, b, second),
        )

    def _drawn(self, make: Callable[[], tuple[int | None, int | None]]) -> Pair:
        """The first pair whose numbers the format has."""
        while True:
            a, b = make()
            if a is not None and b is not None:
                return a, b

    def _odd(self, length: int) -> int:
        return 1 << (length - 1) | self._chance.getrandbits(length) >> 1 | 1

    def _sign(self) -> int:
        return self._chance.getrandbits(1) * self._form.sign


def _signed(form: Format, magnitudes: list[int]) -> list[int]:
    return [sign + magnitude for magnitude in magnitudes for sign in (0, form.sign)]
