"""Operands of one shape for operators that work element by element, class by class."""

import itertools
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Arithmetic
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.elements import (
    Draw,
    FloatPairs,
    Pair,
    Shape,
    any_element,
    boundaries,
    element,
    ordinary_element,
    special_values,
)
from sonnx_formal.vectors.operands import CaseOperands, Elements, Maker, rows, whole_elements

_NOMINAL_SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (2, 3, 4), (1, 2, 1, 3), (2,) * 5)
_ZERO_SIZE_SHAPES: tuple[Shape, ...] = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (1, 0, 1, 5))
_RANDOM_SHAPES: tuple[Shape, ...] = ((64,), (7,), (5, 9), (3, 4, 5), (1, 1, 33), (2, 3, 2, 3))
_RANK_0 = ((6, 3), (0, 7), (1, 1), (11, 2))
_ROUNDS = 3
"""So often are the random shapes gone through."""
_TUPLES = 12 * 16
"""So many constructed elements a class."""
_MOST_DRAWS = 100 * _TUPLES


class OneShape(Maker):
    """Operands for an instance, but its examples."""

    def all(self) -> Iterator[CaseOperands]:
        """What every type has, then what floats or exact types have."""
        yield from self._plain()
        floats = any(type_.family is Family.FLOAT for type_ in self.types)
        yield from self._of_floats() if floats else self._of_exact_types()

    def _plain(self) -> Iterator[CaseOperands]:
        """Small numbers, and no numbers at all, in every way to fill the inputs."""
        for places in self.ways:
            for shape in _NOMINAL_SHAPES:
                yield self.small(CaseClass.NOMINAL, [shape] * len(places.types), places=places)
            for shape in _ZERO_SIZE_SHAPES:
                yield places.of_elements(CaseClass.ZERO_SIZE, [], shape)
        for numbers in _RANK_0:
            whole = whole_elements(self.types, numbers)
            if self.accepts(whole):
                yield self.places.of_elements(CaseClass.RANK_0, [whole], ())

    def _of_exact_types(self) -> Iterator[CaseOperands]:
        """Integers, fractions and truth values: sorted by what is declared of their result."""
        every = list(itertools.chain(*rows([boundaries(type_) for type_ in self.types])))
        for case_class in (CaseClass.BOUNDARY, CaseClass.WRAP, CaseClass.SPECIAL):
            mine = [each for each in every if self.class_of(each) is case_class]
            yield from self.places.blocks(case_class, mine)
            if mine and case_class is CaseClass.WRAP:
                some = itertools.islice(self._drawn(case_class), _MOST_DRAWS)
                wraps = (each for each in some if self.class_of(each) is case_class)
                yield from self.places.blocks(case_class, itertools.islice(wraps, _TUPLES))
        yield from self.of_hazards()
        yield from self._random(any_element)

    def _of_floats(self) -> Iterator[CaseOperands]:
        """Floating-point numbers, be they among others, at which arithmetic may go wrong."""
        kinds = (CaseClass.BOUNDARY, boundaries), (CaseClass.SPECIAL, special_values)
        for case_class, values in kinds:
            for row in rows([values(type_) for type_ in self.types]):
                block = list(filter(self.accepts, row))
                yield self.places.of_elements(case_class, block, (len(block),))
        if len(self.types) == 2 and len(set(self.types)) == 1:  # noqa: PLR2004 (as declared)
            yield from self._of_float_pairs()
        for special in zip(*map(_rank_0, self.types, itertools.cycle((True, False))), strict=True):
            yield self.places.of_elements(CaseClass.RANK_0, [special], ())
        yield from self.of_hazards()
        for draw in (ordinary_element, any_element):
            yield from self._random(draw)

    def _of_float_pairs(self) -> Iterator[CaseOperands]:
        arithmetic, form = self.operator.arithmetic, self.types[0].format

        def drawn(
            case_class: CaseClass, *makes: Callable[[FloatPairs], Pair]
        ) -> Iterator[CaseOperands]:
            source = FloatPairs(form, self.chance[case_class], arithmetic)
            pairs = (make(source) for _ in range(_TUPLES // len(makes)) for make in makes)
            return self.places.blocks(case_class, pairs)

        match arithmetic:
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
                return
            case Arithmetic.SUM | Arithmetic.DIFFERENCE:
                yield from drawn(CaseClass.CANCELLATION, FloatPairs.cancelling)
            case Arithmetic.PRODUCT | Arithmetic.QUOTIENT:
                pass
        yield from drawn(CaseClass.TIE, FloatPairs.tie)
        least = FloatPairs.near_underflow, FloatPairs.with_subnormal, FloatPairs.both_subnormal
        yield from drawn(CaseClass.SUBNORMAL, *least)
        yield from drawn(CaseClass.OVERFLOW, FloatPairs.near_overflow)

    def _drawn(self, case_class: CaseClass, draw: Draw = any_element) -> Iterator[Elements]:
        while True:
            yield tuple(draw(type_, self.chance[case_class]) for type_ in self.types)

    def _random(self, draw: Draw) -> Iterator[CaseOperands]:
        drawn = filter(self.accepts, self._drawn(CaseClass.RANDOM, draw))
        for shape in _RANDOM_SHAPES * _ROUNDS:
            block = list(itertools.islice(drawn, prod(shape)))
            yield self.places.of_elements(CaseClass.RANDOM, block, shape)


def _rank_0(type_: ElementType, first: bool) -> tuple[Any, ...]:
    """-0, infinity, a subnormal number, NaN; or the numbers that stand beside them."""
    if type_.family is not Family.FLOAT:
        return (element(type_, 1),) * 4
    form = type_.format
    return (form.sign, form.infinity, 1, form.nan) if first else (form.one, 0, form.one - 1, 0)
