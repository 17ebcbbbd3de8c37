"""Operands and attributes for operators that broadcast, class by class."""

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import ELEMENT_TYPES, Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors import shape_pairs
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape, array, special_values
from sonnx_formal.vectors.operands import CaseOperands, Maker, rows, with_attributes

_Each = TypeVar("_Each")

_PARTS = 7
"""Over most types, this part of the shapes."""


class Broadcast(Maker):
    """Operands for an instance, but its examples."""

    def __init__(self, instance: Instance, seed: int) -> None:
        super().__init__(instance, seed)
        every = [each.types for each in instance.operator.instances()]
        plain = (types for types in every if {type_.name for type_ in types} == {"float32"})
        self._whole = instance.types == next(plain, every[0])
        """Whether all shapes are gone through."""
        self._part = sum(map(ELEMENT_TYPES.index, instance.types))
        """Which part of the shapes the others get."""

    def multidirectional(self) -> Iterator[CaseOperands]:
        """Shapes of all ranks, broadcast in all directions."""
        for number, ranks in enumerate(shape_pairs.RANK_PAIRS):
            pairs = shape_pairs.covering(*ranks)
            some = range(len(pairs)) if self._whole else [(self._part + number) % len(pairs)]
            for k in some:
                more = (pairs[(k + m) % len(pairs)][m % 2] for m in range(1, len(self.types)))
                yield self._of_shapes(_class(*pairs[k]), [*pairs[k], *more])
        for pair in shape_pairs.EMPTY:
            yield self._of_shapes(CaseClass.ZERO_SIZE, pair)
        yield from self._values_with_values(both_ways=True)
        yield from self.of_hazards()
        yield self._drawn((4, 1, 5), (3, 1))
        yield self._drawn((6,), (2, 3, 6))
        if len(self.types) > 1:
            mismatched = self._some(shape_pairs.ALL_MISMATCHED)
            for pair in (*mismatched, *shape_pairs.EMPTY_MISMATCHED):
                yield self._of_shapes(CaseClass.REJECTED, pair)

    def by_attribute(self) -> Iterator[CaseOperands]:
        """By the attribute `auto_broadcast`: numpy, which is the default; none; unknown rules."""
        yield from with_attributes(_auto("numpy"), self.multidirectional())
        yield self._drawn((2, 1, 3), (4, 1))
        yield self._of_shapes(CaseClass.REJECTED, [(2,), (3,)])
        yield from with_attributes(_auto("none"), self._without_broadcasting())
        for rule in ("", "NUMPY", "pdpd"):
            yield self._of_shapes(CaseClass.REJECTED, [(2,), (2,)], _auto(rule))

    def _without_broadcasting(self) -> Iterator[CaseOperands]:
        for shape in self._some([(3,), (), (1,), (2, 3), (2, 3, 4), (2, 1, 2, 3)]):
            yield self._of_shapes(_class(shape, shape), [shape, shape])
        yield self._of_shapes(CaseClass.ZERO_SIZE, [(2, 0), (2, 0)])
        different = [(a, b) for a, b in shape_pairs.ALL_COVERING if a != b]
        empty = self._some(shape_pairs.EMPTY_MISMATCHED)
        for pair in (*different[self._part :: _PARTS * 3], *empty):
            yield self._of_shapes(CaseClass.REJECTED, pair)

    def unidirectional(self) -> Iterator[CaseOperands]:
        """By the attributes `axis` and `broadcast`: B may be a run of the dimensions of A."""
        unused = self.operator.attribute("consumed_inputs") is not None
        consumed = {"consumed_inputs": (0, 0)} if unused else {}
        for shape in [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 2, 2)]:
            for attributes in (Attributes.of(consumed), _legacy(1, 0)):
                yield self._of_shapes(_class(shape, shape), [shape, shape], attributes)
        yield self._of_shapes(CaseClass.ZERO_SIZE, [(2, 0), (2, 0)])
        placements = self._some([*shape_pairs.placements()])
        for a, b, axis in dict.fromkeys([*placements, shape_pairs.ROWS]):
            case_class = CaseClass.AXIS if axis is not None else _class(a, b)
            case_class = CaseClass.ZERO_SIZE if 0 in a else case_class
            yield self._of_shapes(case_class, [a, b], _legacy(axis, 1))
        each_with_each = self._values_with_values(both_ways=False)
        yield from with_attributes(_legacy(None, 1), each_with_each)
        yield from self.of_hazards()
        yield self._drawn((3, 4, 5), (4,), attributes=_legacy(1, 1))
        with_all = Attributes.of({"broadcast": 1, **consumed})
        yield self._drawn((3, 4, 5), (4, 5), attributes=with_all)
        yield from self._legacy_rejections()

    def _legacy_rejections(self) -> Iterator[CaseOperands]:
        for a, b, axis in shape_pairs.UNEQUAL:
            for broadcast in (None, 0):
                yield self._of_shapes(CaseClass.REJECTED, [a, b], _legacy(axis, broadcast))
        for broadcast in (-1, 2):
            yield self._of_shapes(CaseClass.REJECTED, [(2,), (2,)], _legacy(None, broadcast))
        for a, b, axis in (*shape_pairs.NO_RUNS, *shape_pairs.NO_ROOM, *shape_pairs.EXPANSIONS):
            yield self._of_shapes(CaseClass.REJECTED, [a, b], _legacy(axis, 1))

    def _some(self, every: Sequence[_Each]) -> Sequence[_Each]:
        return every if self._whole else every[self._part % _PARTS :: _PARTS]

    def _of_shapes(
        self, case_class: CaseClass, shapes: Sequence[Shape], attributes: Attributes = UNSET
    ) -> CaseOperands:
        small = self.small_numbers(self.places, self._fitted(shapes), self.chance[case_class])
        return self.places.operands(case_class, small, attributes)

    def _drawn(self, *shapes: Shape, attributes: Attributes = UNSET) -> CaseOperands:
        drawn = self.any_elements(self._fitted(shapes), self.chance[CaseClass.RANDOM])
        return self.places.operands(CaseClass.RANDOM, drawn, attributes)

    def _fitted(self, shapes: Sequence[Shape]) -> list[Shape]:
        """As many as there are operands: one element goes with any shape."""
        return [*shapes, *[()] * len(self.types)][: len(self.types)]

    def _values_with_values(self, *, both_ways: bool) -> Iterator[CaseOperands]:
        """Each value with each: of two operands a column and a row, and the other way round."""
        families = {type_.family for type_ in self.types}
        wraps = self.operator.arithmetic not in {Arithmetic.QUOTIENT, Arithmetic.OTHER}
        if Family.FLOAT in families:
            case_class = CaseClass.SPECIAL
        else:  # of integers, it is only said to wrap
            wraps = wraps and families == {Family.INTEGER}
            case_class = CaseClass.WRAP if wraps else CaseClass.BOUNDARY
        values = [special_values(type_) for type_ in self.types]
        every = list(itertools.chain(*rows(values)))
        if len(values) != 2 or not all(map(self.accepts, every)):  # noqa: PLR2004
            yield from self.places.blocks(case_class, filter(self.accepts, every))
            return
        left, right = map(array, self.types, values, [(len(each),) for each in values])
        column = left.reshape(-1, 1)
        if both_ways:
            yield self.places.operands(case_class, (column, right))
            yield self.places.operands(case_class, (left, right.reshape(-1, 1)))
        else:
            yield self.places.operands(case_class, (np.tile(column, (1, len(right))), right))


def _auto(rule: str) -> Attributes:
    return Attributes.of({"auto_broadcast": rule})


def _legacy(axis: int | None, broadcast: int | None) -> Attributes:
    return Attributes.of({"axis": axis, "broadcast": broadcast})


def _class(a: Shape, b: Shape) -> CaseClass:
    """Of shapes that go together."""
    if a != b:
        return CaseClass.BROADCAST
    return CaseClass.NOMINAL if a else CaseClass.RANK_0
