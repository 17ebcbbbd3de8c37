"""IEEE 754 in a format so small that its numbers can be listed, by looking through the list.

Written from the standard with fractions alone, and with no regard for how our definitions do it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Literal

from sonnx_formal.spec.element_types import Format
from tests.theories.extracted_floats import RELATIONS

LESS, EQUAL, GREATER, UNORDERED = range(len(RELATIONS))
Magnitude = Fraction | Literal["infinity", "NaN"]


class BruteForce:
    """The operations of one format, on bit patterns."""

    def __init__(self, form: Format) -> None:
        p, emax, emin = form.precision, form.emax, 1 - form.emax
        least_normal = 2 ** (p - 1)
        numbers = {m * Fraction(2) ** (emin - p + 1) for m in range(least_normal)}
        for e in range(emin, emax + 1):
            numbers |= {m * Fraction(2) ** (e - p + 1) for m in range(least_normal, 2**p)}
        # Patterns are in the order of the numbers, and the last digit of the significand is that of
        # the pattern: what is at an even place is even.
        self.finite = sorted(numbers)
        self._candidates = list(enumerate([*self.finite, Fraction(2) ** (emax + 1)]))
        self._sign = form.sign
        self._infinity = len(self.finite)
        self._nan = form.nan
        self.round = cache(self._round)

    def _round(self, exact: Fraction) -> int:
        """The pattern of the number nearest to `exact` >= 0, the even one of two.

        What would come after the largest number stands for all that is beyond it.
        """
        return min(self._candidates, key=lambda each: (abs(each[1] - exact), each[0] % 2))[0]

    def root(self, exact: Fraction) -> int:
        """The pattern of the number nearest to the square root of `exact` >= 0.

        What lies between two neighbours is nearer to the one on its side of their mean.
        """
        place, below = max(each for each in self._candidates if each[1] ** 2 <= exact)
        if place == self._infinity:
            return place
        middle = (below + self._candidates[place + 1][1]) / 2
        above = exact > middle**2 or (exact == middle**2 and place % 2 == 1)
        return place + above

    def decode(self, pattern: int) -> tuple[bool, Magnitude]:
        """Whether it is negative, and the magnitude."""
        negative, magnitude = divmod(pattern, self._sign)
        if magnitude < self._infinity:
            return bool(negative), self.finite[magnitude]
        return bool(negative), "infinity" if magnitude == self._infinity else "NaN"

    def apply(self, operation: str, x: int, y: int) -> int:  # noqa: PLR0911 (the cases of IEEE 754)
        """The pattern of the result; of compare, the index of the relation.

        The square root is that of `x`.
        """
        (s, a), (t, b) = self.decode(x), self.decode(y)
        if operation == "compare":
            return self._compare(s, a, t, b)
        if operation == "sqrt":
            return self._sqrt(s, a)
        if a == "NaN" or b == "NaN":
            return self._nan
        if operation == "sub":
            return self._add(s, a, not t, b)
        if operation == "add":
            return self._add(s, a, t, b)
        if operation == "div":
            if a == b and a in (0, "infinity"):
                return self._nan
            if a == "infinity" or b == 0:
                return self._signed(s != t, self._infinity)
            if b == "infinity":
                return self._signed(s != t, 0)
            assert isinstance(a, Fraction)
            assert isinstance(b, Fraction)
            return self._signed(s != t, self.round(a / b))
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return self._signed(s != t, self.round(a * b))
        return self._nan if 0 in (a, b) else self._signed(s != t, self._infinity)

    def _sqrt(self, s: bool, a: Magnitude) -> int:
        if a == 0:
            return self._signed(s, 0)
        if s or a == "NaN":
            return self._nan
        return self.root(a) if isinstance(a, Fraction) else self._infinity

    def _add(self, s: bool, a: Magnitude, t: bool, b: Magnitude) -> int:
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            exact = (-a if s else a) + (-b if t else b)
            return self._signed(exact < 0 or (exact == 0 and s and t), self.round(abs(exact)))
        if a == b and s != t:
            return self._nan
        return self._signed(s if a == "infinity" else t, self._infinity)

    def _compare(self, s: bool, a: Magnitude, t: bool, b: Magnitude) -> int:
        if a == "NaN" or b == "NaN":
            return UNORDERED
        beyond = 2 * self._candidates[-1][1]
        left, right = (beyond if each == "infinity" else each for each in (a, b))
        assert isinstance(left, Fraction)
        assert isinstance(right, Fraction)
        left, right = -left if s else left, -right if t else right
        return EQUAL if left == right else LESS if left < right else GREATER

    def _signed(self, negative: bool, magnitude: int) -> int:
        return magnitude + negative * self._sign
