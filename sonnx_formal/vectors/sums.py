"""Operands of MatMul that show what becomes of sums: exact ones, cancellation, growth, overflow."""

import random
from collections.abc import Iterator, Sequence

from sonnx_formal.spec.element_types import ElementType
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import array
from sonnx_formal.vectors.floats import Pair, encode, exponent_of_one
from sonnx_formal.vectors.operands import CaseOperands, Chance

_CASES = 6
_LENGTHS = tuple(1 << power for power in range(1, 13))
"""Of sums, up to 4096 products."""
_SMALL = (1, 2, 3)
"""Magnitudes of whole numbers whose products are small."""


def sum_operands(type_: ElementType, chance: Chance) -> Iterator[CaseOperands]:
    """All operands of these classes, over a floating-point type."""
    sums = _Sums(type_)
    yield from sums.exact(chance(CaseClass.EXACT_SUM))
    yield from sums.cancelling(chance(CaseClass.CANCELLATION))
    yield from sums.growing(chance(CaseClass.GROWTH))
    yield from sums.order_dependent()


class _Sums:
    def __init__(self, type_: ElementType) -> None:
        self._type = type_
        self._form = type_.format
        self._one = exponent_of_one(self._form)

    def exact(self, chance: random.Random) -> Iterator[CaseOperands]:
        """Whole numbers times powers of two, whose products come to 2^p - 1 steps in magnitude."""
        form = self._form
        middle, bits = self._one, form.precision
        scales = [  # of A and of B, in units: the step of the products is 1, the least, a great one
            (middle, middle),
            (middle // 2, 2 * middle - self._one - middle // 2),
            (middle + form.emax - bits, middle),
            (middle + form.emax // 2, middle - form.emax // 2),
        ]
        for scale_a, scale_b in scales:
            for _ in range(_CASES):
                terms: list[tuple[int, int]] = []
                left = (1 << bits) - 1
                while left > max(_SMALL) ** 2 and len(terms) < 4 * bits:
                    x, y = chance.choice(_SMALL), chance.choice(_SMALL)
                    left -= x * y
                    negative = bool(chance.getrandbits(1))
                    terms.append(
                        (self._number(x, scale_a, negative=negative), self._number(y, scale_b))
                    )
                terms.append((self._number(1, scale_a), self._number(left, scale_b)))
                chance.shuffle(terms)
                yield self._one_element(CaseClass.EXACT_SUM, terms)

    def cancelling(self, chance: random.Random) -> Iterator[CaseOperands]:
        """Products that cancel each other, and one of 2^-p of their size, in any order."""
        small = self._number(1, self._one - self._form.precision - 2)
        for pairs in (1, 2, 4, 16):
            for _ in range(_CASES):
                terms = [(small, self._near_one(chance))]
                for _ in range(pairs):
                    x, y = self._near_one(chance), self._near_one(chance)
                    terms += [(x, y), (x + self._form.sign, y)]
                chance.shuffle(terms)
                yield self._one_element(CaseClass.CANCELLATION, terms)

    def growing(self, chance: random.Random) -> Iterator[CaseOperands]:
        """Sums of more and more products: of both signs, of one sign, and absorbed one by one."""
        form = self._form
        for length in _LENGTHS:
            positive = [self._fraction(chance) for _ in range(length)]
            signed = [self._fraction(chance) + form.sign * chance.getrandbits(1) for _ in positive]
            column = [self._fraction(chance) for _ in positive]
            rows = array(self._type, [*positive, *signed], (2, length))
            yield CaseOperands(CaseClass.GROWTH, (rows, array(self._type, column, (length, 1))))
        for length in (3, 17, 100):
            absorbing = self._number(1, self._one + form.precision), form.one
            terms = [absorbing] + [(form.one, form.one)] * (length - 1)
            yield self._one_element(CaseClass.GROWTH, terms)

    def order_dependent(self) -> Iterator[CaseOperands]:
        """Sums that overflow in some order and not in another, beside infinities, too."""
        form = self._form
        greatest, one, infinity = form.infinity - 1, form.one, form.infinity
        for row in (
            [greatest, form.sign + greatest, greatest],
            [greatest, greatest, form.sign + greatest],
            [greatest, greatest, form.sign + greatest, form.sign + greatest],
            [infinity, form.sign + greatest, form.sign + greatest],
            [form.sign + greatest, form.sign + greatest, infinity],
        ):
            yield self._one_element(CaseClass.ORDER_DEPENDENT, [(x, one) for x in row])

    def _number(self, digits: int, exponent: int, *, negative: bool = False) -> int:
        """The pattern of `digits` * 2^`exponent` units."""
        pattern = encode(self._form, digits, exponent)
        assert pattern is not None
        return pattern + self._form.sign * negative

    def _fraction(self, chance: random.Random) -> int:
        """A number from 1/16 to 1."""
        span = 4 * self._form.trailing
        return self._form.one - span + chance.randrange(span)

    def _near_one(self, chance: random.Random) -> int:
        """A number from 1/2 to 1."""
        return self._form.one - 1 - chance.randrange(self._form.trailing)

    def _one_element(self, case_class: CaseClass, terms: Sequence[Pair]) -> CaseOperands:
        """A row and a column: the sum of the products of the pairs."""
        row, column = [x for x, _ in terms], [y for _, y in terms]
        a = array(self._type, row, (1, len(terms)))
        return CaseOperands(case_class, (a, array(self._type, column, (len(terms), 1))))
