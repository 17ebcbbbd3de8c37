"""Pairs of operands, as bit patterns, at which floating-point arithmetic is likely to go wrong.

Nothing here decides what is right: a constructed pair that misses what it was meant to hit is one
more ordinary pair.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import Format
from tests.formats import Patterns, dtype_of

OPERATIONS = ("add", "sub", "mul", "div", "sqrt", "compare")
UNARY = ("sqrt",)
"""Those with one operand. Their pairs are an operand and once more the same one."""

CLASSES = ("special", "uniform", "near exponents", "range edges", "half-way", "limits")
"""Kinds of pairs:

* special: every pair of the special values;
* uniform: every bit pattern as likely as any other;
* near exponents: operands whose digits overlap, or just do not;
* range edges: results near overflow, underflow and 1;
* half-way: exact results half-way between two numbers of the format, or as near to that as can be;
* limits: results near the numbers that decide (the least numbers, the least normal one, 1, the one
  at which overflow begins), and differences of neighbours.
"""


@dataclass(frozen=True)
class Pairs:
    """Pairs of one class."""

    kind: str
    x: Patterns
    y: Patterns


def special_values(form: Format) -> list[int]:
    """The special values of both signs; one quiet NaN, one signalling, one with every bit set."""
    lowest, unit, top = form.trailing, form.one, form.infinity
    last = form.sign - 1
    magnitudes = {0, 1, 2, 3, lowest - 1, lowest, lowest + 1, 2 * lowest, 3 * lowest}
    magnitudes |= {unit - lowest, unit - 1, unit, unit + 1, unit + lowest, unit + lowest // 2}
    magnitudes |= {top - 2 * lowest, top - lowest, top - lowest + 1, top - 2, top - 1, top}
    magnitudes |= {form.nan, top + 1, last}
    # Powers of two whose products and quotients are near underflow or overflow.
    for exponent in (form.emax // 2, (form.emax + form.precision) // 2, form.emax - 1):
        for biased in (form.emax - exponent, form.emax + exponent):
            magnitudes |= {d for e in (-1, 0, 1) if (d := (biased + e) * lowest) < top and d > 0}
    return sorted(m + s for m in magnitudes for s in (0, form.sign))


def pairs(
    form: Format, operation: str, count: int, seed: int, block: int = 50_000
) -> Iterator[Pairs]:
    """At least `count` pairs, in blocks of at most `block`; the same for the same seed."""
    special = special_values(form)
    every = [(x, x) for x in special]
    if operation not in UNARY:
        every = list(itertools.product(special, special))
    x, y = np.array(every, dtype_of(form)).T
    for start in range(0, x.size, block):
        yield Pairs("special", x[start : start + block], y[start : start + block])
    left = max(count - x.size, 0)
    kinds = [kind for kind in CLASSES[1:] if (operation, kind) not in _ABSENT]
    for number, kind in enumerate(kinds):
        here = left * (number + 1) // len(kinds) - left * number // len(kinds)
        source = _Source(form, random.Random(f"{seed} {form.name} {operation} {kind}"))
        for start in range(0, here, block):
            x, y = source.draw(kind, operation, min(block, here - start))
            yield Pairs(kind, x, x if operation in UNARY else y)


# Nothing is rounded in a comparison. Square roots are far from overflow and underflow, and never
# half-way.
_ABSENT = {("compare", "half-way"), ("compare", "range edges")}
_ABSENT |= {("sqrt", "near exponents"), ("sqrt", "range edges")}

Ints = NDArray[np.int64]


class _Source:
    """A stream of pairs."""

    def __init__(self, form: Format, chance: random.Random) -> None:
        self._form = form
        self._chance = chance
        self._numbers = np.random.default_rng(chance.getrandbits(64))

    def draw(self, kind: str, operation: str, count: int) -> tuple[Patterns, Patterns]:
        draw: dict[str, Callable[[str, int], tuple[Patterns, Patterns]]] = {
            "uniform": self._uniform,
            "near exponents": self._near_exponents,
            "range edges": self._range_edges,
            "half-way": self._half_way,
            "limits": self._limits,
        }
        return draw[kind](operation, count)

    # --- Arrays at a time ---

    def _uniform(self, _operation: str, count: int) -> tuple[Patterns, Patterns]:
        x, y = self._numbers.integers(
            0, 2 * self._form.sign - 1, (2, count), np.uint64, endpoint=True
        ).astype(dtype_of(self._form))
        return x, y

    def _near_exponents(self, _operation: str, count: int) -> tuple[Patterns, Patterns]:
        form = self._form
        first = self._numbers.integers(0, 2 * form.emax + 1, count)
        apart = self._numbers.integers(-form.precision - 2, form.precision + 3, count)
        return self._with_exponents(first), self._with_exponents(first + apart)

    def _range_edges(self, operation: str, count: int) -> tuple[Patterns, Patterns]:
        form = self._form
        p, emax = form.precision, form.emax
        first = self._numbers.integers(0, 2 * emax + 1, count)
        if operation in ("mul", "div"):
            low = self._numbers.integers(1 - emax - p - 3, 1 - emax + 3, count)
            middle = self._numbers.integers(-2, 3, count)
            high = self._numbers.integers(emax - 3, emax + 3, count)
            wanted = np.choose(self._numbers.integers(0, 3, count), [low, middle, high])
            exponent = first - emax
            other = wanted - exponent if operation == "mul" else exponent - wanted
            return self._with_exponents(first), self._with_exponents(other + emax)
        near = self._numbers.integers(0, p + 3, (2, count))
        low_or_high = self._numbers.integers(0, 2, count) == 0
        x, y = np.where(low_or_high, near, 2 * emax - near)
        return self._with_exponents(x), self._with_exponents(y)

    def _with_exponents(self, biased: Ints) -> Patterns:
        """Numbers of these biased exponents, or the nearest that there are, and of any sign."""
        form, count = self._form, biased.size
        digits = self._numbers.integers(0, form.trailing, count)
        # Long runs of equal digits, too, at the end of some: carries and ties come from them.
        run = (1 << self._numbers.integers(0, form.precision, count)) - 1
        style = self._numbers.integers(0, 4, count)
        digits = np.where(style == 1, digits & ~run, np.where(style == 2, digits | run, digits))
        sign = self._numbers.integers(0, 2, count).astype(np.uint64) * np.uint64(form.sign)
        magnitude = np.clip(biased, 0, 2 * form.emax) * form.trailing + digits
        return (magnitude.astype(np.uint64) + sign).astype(dtype_of(form))

    # --- One at a time ---

    def _half_way(self, operation: str, count: int) -> tuple[Patterns, Patterns]:
        return self._collect(
            {"mul": self._tie_mul, "div": self._tie_div, "sqrt": self._tie_sqrt}.get(
                operation, self._tie_add
            ),
            count,
        )

    def _limits(self, operation: str, count: int) -> tuple[Patterns, Patterns]:
        return self._collect(
            {"mul": self._limit_mul, "div": self._limit_div, "sqrt": self._limit_sqrt}.get(
                operation, self._limit_add
            ),
            count,
        )

    def _collect(
        self, make: Callable[[], tuple[int | None, int | None]], count: int
    ) -> tuple[Patterns, Patterns]:
        """Pairs of magnitudes, made until there are enough, with signs of any kind."""
        form, sign = self._form, self._form.sign
        x = np.empty(count, dtype_of(form))
        y = np.empty(count, dtype_of(form))
        done = 0
        while done < count:
            first, second = make()
            if first is not None and second is not None:
                signs = self._chance.getrandbits(2)
                x[done] = first + (signs & 1) * sign
                y[done] = second + (signs >> 1) * sign
                done += 1
        return x, y

    def _encode(self, digits: int, exponent: int) -> int | None:
        """The pattern of `digits` * 2^`exponent` units, cut off where it is too long.

        None where nothing is left of it, and where it is beyond the largest number.
        """
        form = self._form
        last = digits.bit_length() - form.precision + exponent
        if last < 0:
            return _shifted(digits, exponent) or None
        if last > 2 * form.emax - 1:
            return None
        return last * form.trailing + _shifted(digits, exponent - last)

    def _odd(self, length: int) -> int:
        """An odd number of so many digits."""
        return 1 << (length - 1) | self._chance.getrandbits(length - 1) | 1

    def _between(self, low: int, high: int) -> int:
        return self._chance.randint(low, high)

    @property
    def _one(self) -> int:
        """The exponent of the number 1 in units."""
        return self._form.emax + self._form.precision - 2

    def _tie_add(self) -> tuple[int | None, int | None]:
        """The second number ends one or two digits below the first, or is next to one that does."""
        p, emax = self._form.precision, self._form.emax
        digits = 1 << (p - 1)
        if self._between(0, 3):
            digits |= self._chance.getrandbits(p - 1)
        last = self._between(1, 2 * emax - 1)
        below = self._encode(self._odd(self._between(1, p)), max(last - self._between(1, 2), 0))
        if below is None:
            return None, None
        return self._encode(digits, last), below + self._between(-1, 1)

    def _tie_mul(self) -> tuple[int | None, int | None]:
        p, emax = self._form.precision, self._form.emax
        style = self._between(0, 2)
        if style == 0:  # a product of one digit too many, or with half a unit at the end
            length = self._between(1, p)
            a, b = self._odd(length), self._odd(p + 1 - length)
        else:  # a product whose last digits are a half, or a little more or less
            a, cut = self._odd(p), self._between(2 if style == 1 else max(2, p - 2), p)
            half = (1 << (cut - 1)) + self._between(-3, 3)
            b = half * pow(a, -1, 1 << cut) % (1 << cut)
        product = (a * b).bit_length()
        if style == 0:
            above = -1 if product <= p else self._between(0, 2 * emax - 2)
        elif style == 1:
            above = -cut
        else:
            above = self._between(p + 1 - product, 2 * emax - 1 + p - product)
        both = above + self._one  # the exponents together
        first = self._between(
            max(0, both - 2 * emax + 1 - p + b.bit_length()),
            min(both, 2 * emax - 1 + p - a.bit_length()),
        )
        return self._encode(a, first), self._encode(b, both - first)

    def _tie_div(self) -> tuple[int | None, int | None]:
        p, emax = self._form.precision, self._form.emax
        if self._between(0, 2) == 0:  # a quotient of whole numbers, with half a unit at the end
            length = self._between(1, p)
            quotient, b = self._odd(length), self._odd(p + 1 - length)
            a, above = quotient * b, -1
        else:  # as near as can be to an odd number of halves of the last digit
            # quotient / 2^length - a / b = rest / (b * 2^length)
            length = p + 1 if self._between(0, 1) else self._between(2, p)
            quotient, rest = self._odd(length), self._between(-3, 3)
            b = rest * pow(quotient, -1, 1 << length) % (1 << length)
            b += self._chance.getrandbits(p) >> length << length
            if b == 0 or b.bit_length() > p:
                return None, None
            a = (quotient * b - rest) >> length
            above = -1 + length if length <= p else self._between(p + 1, 2 * emax + p - 2)
        apart = above - self._one  # of the exponents
        first = self._between(max(0, apart), 2 * emax - 1)
        return self._encode(a, first), self._encode(b, first - apart) if first >= apart else None

    def _tie_sqrt(self) -> tuple[int | None, int | None]:
        """A number near the square of one of a digit more than the format has."""
        return self._near_square(self._odd(self._form.precision + 1))

    def _limit_sqrt(self) -> tuple[int | None, int | None]:
        """A number near the square of a number, often its very square."""
        return self._near_square(self._odd(self._between(1, self._form.precision)))

    def _near_square(self, root: int) -> tuple[int | None, int | None]:
        """About root^2 times a power of four, which is positive."""
        p, emax = self._form.precision, self._form.emax
        exponent = 2 * self._between(-p, emax) + self._one % 2
        square = self._encode(root**2, exponent)
        if square is None:
            return None, None
        return min(max(square + self._between(-1, 1), 1), self._form.infinity - 1), 0

    def _limit(self) -> tuple[int, int]:
        """A number that decides, as digits and exponent."""
        p, emax = self._form.precision, self._form.emax
        all_ones = (1 << p) - 1
        least = [(1, -1), (1, 0), (3, -1)]
        normal = [(all_ones, -1), (1 << (p - 1), 0), (1, self._one)]
        greatest = [(all_ones, 2 * emax - 1), (2 * all_ones + 1, 2 * emax - 2)]
        return self._chance.choice([*least, *normal, *greatest])

    def _limit_mul(self) -> tuple[int | None, int | None]:
        """A random number, and about the one that it must be multiplied with."""
        p, (digits, exponent) = self._form.precision, self._limit()
        a = self._odd(p) ^ self._between(0, 1)
        first = self._between(0, 2 * self._form.emax - 1)
        shift = p + a.bit_length() - digits.bit_length()
        b = (digits << shift) // a + self._between(-2, 2)
        return self._encode(a, first), self._encode(b, exponent + self._one - first - shift)

    def _limit_div(self) -> tuple[int | None, int | None]:
        """A random number, and about the one that it must divide."""
        p, (digits, exponent) = self._form.precision, self._limit()
        b = self._odd(p) ^ self._between(0, 1)
        second = self._between(0, 2 * self._form.emax - 1)
        a = digits * b
        cut = a.bit_length() - p
        a = (a >> cut) + self._between(-2, 2)
        return self._encode(a, exponent + second - self._one + cut), self._encode(b, second)

    def _limit_add(self) -> tuple[int | None, int | None]:
        """Neighbours; or nearly the largest number, and about half of its last digit."""
        form = self._form
        if self._between(0, 1):
            half = self._encode(1, 2 * form.emax - 2)
            assert half is not None
            return form.infinity - self._between(1, 4), half + self._between(-3, 3)
        x = self._between(0, form.infinity)
        return x, min(max(x + self._between(-3, 3), 0), form.infinity)


def _shifted(digits: int, exponent: int) -> int:
    return digits << exponent if exponent >= 0 else digits >> -exponent
