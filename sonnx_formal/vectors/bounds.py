"""Operands for operators with bounds: those after the first have no axes."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.elements import (
    Draw,
    any_element,
    array,
    boundaries,
    ordinary_element,
    special_values,
)
from sonnx_formal.vectors.operands import (
    NOMINAL_SHAPES,
    RANDOM_SHAPES,
    ZERO_SIZE_SHAPES,
    CaseOperands,
    Elements,
    Maker,
)


class ScalarBounds(Maker):
    def all(self) -> Iterator[CaseOperands]:
        # What has no shape is of rank 0.
        yield from (self.small(CaseClass.NOMINAL, [shape]) for shape in NOMINAL_SHAPES * 2)
        yield from (self.small(CaseClass.ZERO_SIZE, [shape]) for shape in ZERO_SIZE_SHAPES)
        yield from (self.small(CaseClass.RANK_0, [()]) for _ in range(4))
        yield from self._values(CaseClass.BOUNDARY, boundaries, _by_turns)
        if Family.FLOAT in {type_.family for type_ in self.types}:
            yield from self._values(CaseClass.SPECIAL, special_values, itertools.product)
            yield from self._random(ordinary_element)
        yield from self._random(any_element)

    def _values(
        self,
        case_class: CaseClass,
        values: Callable[[ElementType], list[Any]],
        together: Callable[..., Iterator[Elements]],
    ) -> Iterator[CaseOperands]:
        """All values of the first operand at once, between bounds that come together."""
        first, *others = self.types
        inside = values(first)
        for bounds in together(*map(values, others)):
            limits = (array(type_, [x], ()) for type_, x in zip(others, bounds, strict=True))
            yield self.places.operands(case_class, (array(first, inside, (len(inside),)), *limits))

    def _random(self, draw: Draw) -> Iterator[CaseOperands]:
        chance = self.chance[CaseClass.RANDOM]
        for shape in RANDOM_SHAPES:
            drawn = self.filled(self.types, [shape], draw, chance, self.accepts)
            yield self.places.operands(CaseClass.RANDOM, itertools.starmap(array, drawn))


def _by_turns(first: list[Any], *others: list[Any]) -> Iterator[Elements]:
    """Each value of the first with the same of the others, its neighbours, and one far away."""
    for place, value in enumerate(first):
        for step in (0, 1, -1, len(first) // 2):
            yield (value, *(each[(place + step) % len(each)] for each in others))
