"""Operands of a product of matrices, class by class."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.elements import (
    Draw,
    FloatPairs,
    Pair,
    any_element,
    array,
    boundaries,
    element,
    encode,
    exponent_of_one,
    ordinary_element,
    special_values,
)
from sonnx_formal.vectors.operands import CaseOperands, Maker, WrongDeclarationError

_Sizes = tuple[int, int, int]
"""Rows of A, columns of A, columns of B."""

_NOMINAL: tuple[_Sizes, ...] = (
    (1, 1, 1), (2, 2, 2), (2, 3, 4), (4, 3, 2), (1, 5, 1), (5, 1, 5), (1, 4, 6), (6, 4, 1),
    (3, 7, 5),
)  # fmt: skip
_ZERO_SIZE: tuple[_Sizes, ...] = (
    (2, 0, 3), (1, 0, 1), (0, 3, 2), (2, 3, 0), (0, 0, 0), (0, 0, 4), (0, 2, 0), (3, 0, 0)
)  # fmt: skip
_RANDOM: tuple[_Sizes, ...] = ((3, 4, 5), (1, 33, 1), (8, 8, 8), (2, 17, 3), (7, 2, 9), (1, 1, 1))
_ROUNDS = 3
_CASES = 12
"""So many constructed cases a class."""
_SUMS = 6
"""The same, of sums of several terms."""
_LENGTHS = tuple(1 << power for power in range(1, 13))
"""Of sums, up to 4096 products."""
_SMALL = (1, 2, 3)
"""Magnitudes of whole numbers whose products are small."""


class Matrices(Maker):
    def __init__(self, instance: Instance, seed: int) -> None:
        """Raises `WrongDeclarationError` when the product cannot have two operands alone."""
        super().__init__(instance, seed)
        two = [places for places in self.ways if len(places.types) == len(("A", "B"))]
        if not two:
            raise WrongDeclarationError(self.operator, "a matrix product has two operands")
        self.places = two[0]
        self.left, self.right = self.places.types

    def all(self) -> Iterator[CaseOperands]:
        for case_class, every in ((CaseClass.NOMINAL, _NOMINAL), (CaseClass.ZERO_SIZE, _ZERO_SIZE)):
            for rows, inner, columns in every:
                shapes, chance = [(rows, inner), (inner, columns)], self.chance[CaseClass.NOMINAL]
                yield self.small(case_class, shapes, chance=chance)
        if self.left is not self.right:  # nothing is known of the sums
            yield self._products(CaseClass.BOUNDARY, boundaries(self.left), boundaries(self.right))
            yield from self._random(any_element)
            return
        match self.left.family:
            case Family.INTEGER:
                yield from self._integers()
            case Family.FLOAT:
                yield from self._floats()
                yield from self._exact_sums()
                yield from self._cancelling_sums()
                yield from self._growing_sums()
                yield from self._order_dependent_sums()
            case Family.REAL | Family.BOOLEAN | Family.TEXT | Family.COMPLEX:
                yield from self._each_with_each(CaseClass.BOUNDARY, boundaries(self.left))
                yield from self._random(any_element)

    def _integers(self) -> Iterator[CaseOperands]:
        bounds = self.instance.type_of(self.operator.output).bounds

        def fits(number: int) -> bool:
            return bool(bounds.min <= number <= bounds.max)

        every, greatest = boundaries(self.left), int(self.left.bounds.max)
        for number in every:
            fitting = [(number, other) for other in every if fits(number + other)]
            yield self._sums(CaseClass.BOUNDARY, fitting)
            wraps = not all(fits(number * other) for other in every)
            yield self._products(CaseClass.WRAP if wraps else CaseClass.BOUNDARY, [number], every)
            if beyond := [(number, other) for other in every if not fits(number + other)]:
                yield self._sums(CaseClass.WRAP, beyond)
        if not fits(greatest + 1):  # The sum leaves the range and comes back into it.
            down = -1 if self.left.signed else greatest
            back = [(greatest, 1, down), (down, greatest, 1), (1, greatest, down)]
            yield self._sums(CaseClass.WRAP, back)
        yield from self._random(any_element)

    def _floats(self) -> Iterator[CaseOperands]:
        form = self.left.format

        def pairs(case_class: CaseClass, of: Arithmetic = Arithmetic.PRODUCT) -> FloatPairs:
            return FloatPairs(form, self.chance[case_class], of)

        yield from self._each_with_each(CaseClass.BOUNDARY, boundaries(self.left))
        yield from self._each_with_each(CaseClass.SPECIAL, special_values(self.left))

        sums, products = pairs(CaseClass.TIE, Arithmetic.SUM), pairs(CaseClass.TIE)
        for _ in range(_CASES):
            yield self._sums(CaseClass.TIE, [sums.tie() for _ in range(8)])
            a, b = products.tie()
            yield self._products(CaseClass.TIE, [a], [b])

        products = pairs(CaseClass.SUBNORMAL)
        for _ in range(_CASES):
            near = [products.near_underflow() for _ in range(4)]
            yield self._products(CaseClass.SUBNORMAL, *zip(*near, strict=True))
            rows = [tuple(products.subnormal() for _ in range(3)) for _ in range(4)]
            yield self._sums(CaseClass.SUBNORMAL, rows)

        products = pairs(CaseClass.OVERFLOW)
        for _ in range(_CASES):
            near = [products.near_overflow() for _ in range(4)]
            yield self._products(CaseClass.OVERFLOW, *zip(*near, strict=True))
        greatest = form.infinity - 1
        half = (form.emax + form.emax - form.precision) * form.trailing  # half of its last digit
        about = [half - 1, half, half + 1, 2 * form.trailing, greatest]
        # Infinity on the way, though the exact sum is a number of the format.
        there_and_back = (greatest, greatest, form.sign + greatest)
        for sign in (0, form.sign):
            terms = [(sign + greatest, sign + other) for other in about]
            yield self._sums(CaseClass.OVERFLOW, terms)
        yield self._sums(CaseClass.OVERFLOW, list(itertools.permutations(there_and_back)))

        for draw in (ordinary_element, any_element):
            yield from self._random(draw)

    def _exact_sums(self) -> Iterator[CaseOperands]:
        """Whole numbers times powers of two, whose products come to 2^p - 1 steps in magnitude."""
        form, chance = self.left.format, self.chance[CaseClass.EXACT_SUM]
        unit, bits = exponent_of_one(form), form.precision
        scales = [  # of A and of B, in units: the step of the products is 1, the least, a great one
            (unit, unit),
            (unit // 2, unit - unit // 2),
            (unit + form.emax - bits, unit),
            (unit + form.emax // 2, unit - form.emax // 2),
        ]
        for (scale_a, scale_b), _ in itertools.product(scales, range(_SUMS)):
            terms: list[Pair] = []
            left = (1 << bits) - 1
            while left > max(_SMALL) ** 2 and len(terms) < 4 * bits:
                x, y = chance.choice(_SMALL), chance.choice(_SMALL)
                left -= x * y
                sign = form.sign * chance.getrandbits(1)
                terms.append((sign + encode(form, x, scale_a), encode(form, y, scale_b)))
            terms.append((encode(form, 1, scale_a), encode(form, left, scale_b)))
            chance.shuffle(terms)
            yield self._sum(CaseClass.EXACT_SUM, terms)

    def _cancelling_sums(self) -> Iterator[CaseOperands]:
        """Products that cancel each other, and one of 2^-p of their size, in any order."""
        form, chance = self.left.format, self.chance[CaseClass.CANCELLATION]
        small = encode(form, 1, exponent_of_one(form) - form.precision - 2)

        def near_one() -> int:
            """A number from 1/2 to 1."""
            return form.one - 1 - chance.randrange(form.trailing)

        for pairs, _ in itertools.product((1, 2, 4, 16), range(_SUMS)):
            terms = [(small, near_one())]
            for _ in range(pairs):
                x, y = near_one(), near_one()
                terms += [(x, y), (x + form.sign, y)]
            chance.shuffle(terms)
            yield self._sum(CaseClass.CANCELLATION, terms)

    def _growing_sums(self) -> Iterator[CaseOperands]:
        """Sums of more and more products: of both signs, of one sign, and absorbed one by one."""
        form, chance = self.left.format, self.chance[CaseClass.GROWTH]

        def fraction() -> int:
            """A number from 1/16 to 1."""
            span = 4 * form.trailing
            return form.one - span + chance.randrange(span)

        for length in _LENGTHS:
            positive = [fraction() for _ in range(length)]
            signed = [fraction() + form.sign * chance.getrandbits(1) for _ in positive]
            column = [fraction() for _ in positive]
            yield self._matrices(CaseClass.GROWTH, [*positive, *signed], column, (2, length, 1))
        absorbing = encode(form, 1, exponent_of_one(form) + form.precision), form.one
        for length in (3, 17, 100):
            terms = [absorbing] + [(form.one, form.one)] * (length - 1)
            yield self._sum(CaseClass.GROWTH, terms)

    def _order_dependent_sums(self) -> Iterator[CaseOperands]:
        form = self.left.format
        great, infinity = form.infinity - 1, form.infinity
        less = form.sign + great
        for row in (
            [great, less, great],
            [great, great, less],
            [great, great, less, less],
            [infinity, less, less],
            [less, less, infinity],
        ):
            yield self._sum(CaseClass.ORDER_DEPENDENT, [(x, form.one) for x in row])

    def _each_with_each(
        self, case_class: CaseClass, values: Sequence[Any]
    ) -> Iterator[CaseOperands]:
        yield self._products(case_class, values, values)
        yield from (self._sums(case_class, [(x, other) for other in values]) for x in values)

    def _random(self, draw: Draw) -> Iterator[CaseOperands]:
        chance = self.chance[CaseClass.RANDOM]
        for rows, inner, columns in _RANDOM * _ROUNDS:
            a = [draw(self.left, chance) for _ in range(rows * inner)]
            b = [draw(self.right, chance) for _ in range(inner * columns)]
            yield self._matrices(CaseClass.RANDOM, a, b, (rows, inner, columns))

    def _products(
        self, case_class: CaseClass, column: Sequence[Any], row: Sequence[Any]
    ) -> CaseOperands:
        return self._matrices(case_class, column, row, (len(column), 1, len(row)))

    def _sums(self, case_class: CaseClass, rows: Sequence[tuple[Any, ...]]) -> CaseOperands:
        """The sum of each row: the rows times a column of ones."""
        ones = [element(self.right, 1)] * len(rows[0])
        elements = list(itertools.chain(*rows))
        return self._matrices(case_class, elements, ones, (len(rows), len(ones), 1))

    def _sum(self, case_class: CaseClass, terms: Sequence[Pair]) -> CaseOperands:
        """A row and a column: the sum of the products of the pairs."""
        row, column = zip(*terms, strict=True)
        return self._matrices(case_class, row, column, (1, len(terms), 1))

    def _matrices(
        self, case_class: CaseClass, a: Sequence[Any], b: Sequence[Any], sizes: _Sizes
    ) -> CaseOperands:
        rows, inner, columns = sizes
        made = array(self.left, a, (rows, inner)), array(self.right, b, (inner, columns))
        return self.places.operands(case_class, made)
