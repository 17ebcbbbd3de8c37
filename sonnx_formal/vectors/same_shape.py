"""Operands of one shape for operators that work element by element, class by class."""

import itertools
from collections.abc import Callable, Iterator
from math import prod
from random import Random
from typing import Any

from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape, any_element, boundaries, element, special_values
from sonnx_formal.vectors.floats import FloatPairs, Pair
from sonnx_formal.vectors.operands import (
    CaseOperands,
    Chance,
    Elements,
    accepts,
    all_places,
    class_of,
    hazard_operands,
    rows,
    small_operands,
    whole_elements,
)

_NOMINAL_SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (2, 3, 4), (1, 2, 1, 3), (2,) * 5)
_ZERO_SIZE_SHAPES: tuple[Shape, ...] = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (1, 0, 1, 5))
_RANDOM_SHAPES: tuple[Shape, ...] = ((64,), (7,), (5, 9), (3, 4, 5), (1, 1, 33), (2, 3, 2, 3))
_RANK_0 = ((6, 3), (0, 7), (1, 1), (11, 2))
_ROUNDS = 3
"""So often are the random shapes gone through."""
_TUPLES = 12 * 16
"""So many constructed elements a class."""
_MOST_DRAWS = 100 * _TUPLES


class OneShape:
    """Operands for an instance, but its examples."""

    def __init__(self, instance: Instance, chance: Chance) -> None:
        self._instance = instance
        self._chance = chance
        self._places = all_places(instance)[0]
        self._types = self._places.types

    def all(self) -> Iterator[CaseOperands]:
        """What every type has, then what floats or exact types have."""
        yield from self._plain()
        if any(type_.family is Family.FLOAT for type_ in self._types):
            yield from self._of_floats()
        else:
            yield from self._of_exact_types()

    def _plain(self) -> Iterator[CaseOperands]:
        """Small numbers, and no numbers at all, in every way to fill the inputs."""
        nominal = self._chance(CaseClass.NOMINAL)
        for places in all_places(self._instance):
            count = len(places.types)
            for shape in _NOMINAL_SHAPES:
                small = small_operands(self._instance, places, [shape] * count, nominal)
                yield places.operands(CaseClass.NOMINAL, small)
            for shape in _ZERO_SIZE_SHAPES:
                yield places.of_elements(CaseClass.ZERO_SIZE, [], shape)
        for numbers in _RANK_0:
            whole = whole_elements(self._types, numbers)
            if self._accepts(whole):
                yield self._places.of_elements(CaseClass.RANK_0, [whole], ())

    def _of_exact_types(self) -> Iterator[CaseOperands]:
        """Integers, fractions and truth values: sorted by what is declared of their result."""
        every = list(itertools.chain(*rows([boundaries(type_) for type_ in self._types])))
        for case_class in (CaseClass.BOUNDARY, CaseClass.WRAP, CaseClass.SPECIAL):
            mine = [each for each in every if class_of(self._instance, each) is case_class]
            yield from self._places.blocks(case_class, mine)
            if mine and case_class is CaseClass.WRAP:
                some = itertools.islice(self._drawn(self._chance(CaseClass.WRAP)), _MOST_DRAWS)
                wraps = (each for each in some if class_of(self._instance, each) is case_class)
                yield from self._places.blocks(case_class, itertools.islice(wraps, _TUPLES))
        yield from hazard_operands(self._instance)
        drawn = self._drawn(self._chance(CaseClass.RANDOM))
        yield from self._random(filter(self._accepts, drawn))

    def _of_floats(self) -> Iterator[CaseOperands]:
        """Floating-point numbers, be they among others, at which arithmetic may go wrong."""
        for case_class, values in (
            (CaseClass.BOUNDARY, boundaries),
            (CaseClass.SPECIAL, special_values),
        ):
            for row in rows([values(type_) for type_ in self._types]):
                block = list(filter(self._accepts, row))
                yield self._places.of_elements(case_class, block, (len(block),))
        if len(self._types) == 2 and len(set(self._types)) == 1:  # noqa: PLR2004 (as declared)
            yield from self._of_float_pairs()
        for numbers in self._float_ranks_0():
            yield self._places.of_elements(CaseClass.RANK_0, [numbers], ())
        yield from hazard_operands(self._instance)
        source = self._chance(CaseClass.RANDOM)

        def ordinary(type_: ElementType, chance: Random) -> Any:
            floats = type_.family is Family.FLOAT
            return (
                FloatPairs(type_.format, chance).ordinary()
                if floats
                else any_element(type_, chance)
            )

        for draw in (ordinary, any_element):
            yield from self._random(filter(self._accepts, self._drawn(source, draw)))

    def _of_float_pairs(self) -> Iterator[CaseOperands]:
        arithmetic, form = self._instance.operator.arithmetic, self._types[0].format

        def drawn(
            case_class: CaseClass, *makes: Callable[[FloatPairs], Pair]
        ) -> Iterator[CaseOperands]:
            source = FloatPairs(form, self._chance(case_class))
            pairs = (make(source) for _ in range(_TUPLES // len(makes)) for make in makes)
            return self._places.blocks(case_class, pairs)

        match arithmetic:
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
                return
            case Arithmetic.SUM | Arithmetic.DIFFERENCE:
                yield from drawn(
                    CaseClass.CANCELLATION, lambda source: source.cancelling(arithmetic)
                )
            case Arithmetic.PRODUCT | Arithmetic.QUOTIENT:
                pass
        yield from drawn(CaseClass.TIE, lambda source: source.tie(arithmetic))
        yield from drawn(
            CaseClass.SUBNORMAL,
            lambda source: source.near_underflow(arithmetic),
            lambda source: source.with_subnormal(arithmetic),
            lambda source: (source.subnormal(), source.subnormal()),
        )
        yield from drawn(CaseClass.OVERFLOW, lambda source: source.near_overflow(arithmetic))

    def _float_ranks_0(self) -> Iterator[Elements]:
        """-0, infinity, a subnormal number, NaN; each beside another number."""
        for number in range(4):
            chosen = []
            for k, type_ in enumerate(self._types):
                if type_.family is not Family.FLOAT:
                    chosen.append(element(type_, 1))
                    continue
                form = type_.format
                first = (form.sign, form.infinity, 1, form.nan)
                second = (form.one, 0, form.one - 1, 0)
                chosen.append((first, second)[k % 2][number])
            yield tuple(chosen)

    def _accepts(self, elements: Elements) -> bool:
        return accepts(self._instance, elements)

    def _drawn(
        self, source: Random, draw: Callable[[ElementType, Random], Any] = any_element
    ) -> Iterator[Elements]:
        while True:
            yield tuple(draw(type_, source) for type_ in self._types)

    def _random(self, drawn: Iterator[Elements]) -> Iterator[CaseOperands]:
        for shape in _RANDOM_SHAPES * _ROUNDS:
            yield self._places.of_elements(
                CaseClass.RANDOM, list(itertools.islice(drawn, prod(shape))), shape
            )
