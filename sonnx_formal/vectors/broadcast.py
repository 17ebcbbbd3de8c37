"""Operands and attributes for operators that broadcast, class by class."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import ELEMENT_TYPES, Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors import shape_pairs
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape, any_element, array, special_values
from sonnx_formal.vectors.operands import (
    CaseOperands,
    Chance,
    Elements,
    accepts,
    all_places,
    filled,
    hazard_operands,
    rows,
    small_operands,
)

_Each = TypeVar("_Each")

_PARTS = 7
"""Over most types, this part of the shapes."""


class Broadcast:
    """Operands for an instance, but its examples."""

    def __init__(self, instance: Instance, chance: Chance) -> None:
        self._instance = instance
        self._places = all_places(instance)[0]
        self._types = self._places.types
        self._sources = {each: chance(each) for each in CaseClass}
        every = [each.types for each in instance.operator.instances()]
        plain = (types for types in every if {type_.name for type_ in types} == {"float32"})
        self._whole = instance.types == next(plain, every[0])
        """Whether all shapes are gone through."""
        self._part = sum(map(ELEMENT_TYPES.index, instance.types))
        """Which part of the shapes the others get."""

    def multidirectional(self, attributes: Attributes) -> Iterator[CaseOperands]:
        """Shapes of all ranks, broadcast in all directions."""
        for number, ranks in enumerate(shape_pairs.RANK_PAIRS):
            pairs = shape_pairs.covering(*ranks)
            some = range(len(pairs)) if self._whole else [(self._part + number) % len(pairs)]
            for k in some:
                more = (pairs[(k + m) % len(pairs)][m % 2] for m in range(1, len(self._types)))
                shapes = *pairs[k], *more
                yield self._of_shapes(_class(*pairs[k]), shapes, attributes)
        for pair in shape_pairs.EMPTY:
            yield self._of_shapes(CaseClass.ZERO_SIZE, pair, attributes)
        yield from self._values_with_values(attributes, both_ways=True)
        hazards = hazard_operands(self._instance)
        yield from (replace(each, attributes=attributes) for each in hazards)
        yield self._drawn(((4, 1, 5), (3, 1)), attributes)
        yield self._drawn(((6,), (2, 3, 6)), attributes)
        if len(self._types) == 1:
            return
        every = [
            pair for ranks in shape_pairs.RANK_PAIRS for pair in shape_pairs.mismatched(*ranks)
        ]
        for pair in [*self._some(every), *shape_pairs.EMPTY_MISMATCHED]:
            yield self._of_shapes(CaseClass.REJECTED, pair, attributes)

    def by_attribute(self) -> Iterator[CaseOperands]:
        """By the attribute `auto_broadcast`: numpy, which is the default; none; unknown rules."""
        yield from self.multidirectional(Attributes.of({"auto_broadcast": "numpy"}))
        none = Attributes.of({"auto_broadcast": "none"})
        yield self._drawn(((2, 1, 3), (4, 1)), UNSET)
        yield self._of_shapes(CaseClass.REJECTED, ((2,), (3,)), UNSET)
        for shape in self._some([(3,), (), (1,), (2, 3), (2, 3, 4), (2, 1, 2, 3)]):
            yield self._of_shapes(_class(shape, shape), (shape, shape), none)
        yield self._of_shapes(CaseClass.ZERO_SIZE, ((2, 0), (2, 0)), none)
        differing = [
            pair for ranks in shape_pairs.RANK_PAIRS for pair in shape_pairs.covering(*ranks)
        ]
        different = [pair for pair in differing if pair[0] != pair[1]]
        for pair in [
            *different[self._part :: _PARTS * 3],
            *self._some(shape_pairs.EMPTY_MISMATCHED),
        ]:
            yield self._of_shapes(CaseClass.REJECTED, pair, none)
        for rule in ("", "NUMPY", "pdpd"):
            unknown = Attributes.of({"auto_broadcast": rule})
            yield self._of_shapes(CaseClass.REJECTED, ((2,), (2,)), unknown)

    def unidirectional(self) -> Iterator[CaseOperands]:
        """By the attributes `axis` and `broadcast`: B may be a run of the dimensions of A."""
        unused = self._instance.operator.attribute("consumed_inputs") is not None
        consumed = {"consumed_inputs": (0, 0)} if unused else {}
        for shape in [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 2, 2)]:
            for attributes in (Attributes.of(consumed), _legacy(1, 0)):
                yield self._of_shapes(_class(shape, shape), (shape, shape), attributes)
        yield self._of_shapes(CaseClass.ZERO_SIZE, ((2, 0), (2, 0)), UNSET)
        for a, b, axis in dict.fromkeys(
            [*self._some([*shape_pairs.placements()]), shape_pairs.ROWS]
        ):
            case_class = CaseClass.AXIS if axis is not None else _class(a, b)
            if 0 in a:
                case_class = CaseClass.ZERO_SIZE
            yield self._of_shapes(case_class, (a, b), _legacy(axis, 1))
        yield from self._values_with_values(_legacy(None, 1), both_ways=False)
        yield from hazard_operands(self._instance)
        yield self._drawn(((3, 4, 5), (4,)), _legacy(1, 1))
        with_all = Attributes.of({"broadcast": 1, **consumed})
        yield self._drawn(((3, 4, 5), (4, 5)), with_all)
        yield from self._legacy_rejections()

    def _legacy_rejections(self) -> Iterator[CaseOperands]:
        without: list[shape_pairs.Placement] = [
            ((2, 3), (3,), None),
            ((2, 3), (3, 2), None),
            ((2, 3), (), 0),
            ((1,), (), None),
            ((2, 3), (2, 1), None),
        ]
        for a, b, axis in without:
            for broadcast in (None, 0):
                yield self._of_shapes(CaseClass.REJECTED, (a, b), _legacy(axis, broadcast))
        for broadcast in (-1, 2):
            yield self._of_shapes(CaseClass.REJECTED, ((2,), (2,)), _legacy(None, broadcast))
        for a, b, axis in (*shape_pairs.NO_RUNS, *shape_pairs.NO_ROOM, *shape_pairs.EXPANSIONS):
            yield self._of_shapes(CaseClass.REJECTED, (a, b), _legacy(axis, 1))

    def _some(self, every: Sequence[_Each]) -> list[_Each]:
        return list(every) if self._whole else list(every[self._part % _PARTS :: _PARTS])

    def _of_shapes(
        self, case_class: CaseClass, shapes: Sequence[Shape], attributes: Attributes
    ) -> CaseOperands:
        source = self._sources[case_class]
        small = small_operands(self._instance, self._places, self._fitted(shapes), source)
        return self._places.operands(case_class, small, attributes)

    def _drawn(self, shapes: Sequence[Shape], attributes: Attributes) -> CaseOperands:
        source = self._sources[CaseClass.RANDOM]
        fitted = self._fitted(shapes)
        drawn = filled(
            self._instance,
            self._types,
            fitted,
            lambda type_: any_element(type_, source),
            self._accepts,
        )
        arrays = map(array, self._types, drawn, fitted)
        return self._places.operands(CaseClass.RANDOM, arrays, attributes)

    def _fitted(self, shapes: Sequence[Shape]) -> list[Shape]:
        """As many as there are operands: one element goes with any shape."""
        return [*shapes, *[()] * len(self._types)][: len(self._types)]

    def _values_with_values(
        self, attributes: Attributes, *, both_ways: bool
    ) -> Iterator[CaseOperands]:
        """Each value with each: of two operands a column and a row, and the other way round."""
        values = [special_values(type_) for type_ in self._types]
        every = list(itertools.chain(*rows(values)))
        if len(values) != 2 or not all(self._accepts(each) for each in every):  # noqa: PLR2004
            blocks = self._places.blocks(self._values_class, filter(self._accepts, every))
            yield from (replace(each, attributes=attributes) for each in blocks)
            return
        left, right = map(array, self._types, values, [(len(each),) for each in values])
        if both_ways:
            for a, b in ((left.reshape(-1, 1), right), (left, right.reshape(-1, 1))):
                yield self._places.operands(self._values_class, (a, b), attributes)
        else:
            a = np.tile(left.reshape(-1, 1), (1, len(right)))
            yield self._places.operands(self._values_class, (a, right), attributes)

    @property
    def _values_class(self) -> CaseClass:
        """Of each value with each; that of integers is only said to wrap."""
        families = {type_.family for type_ in self._types}
        if Family.FLOAT in families:
            return CaseClass.SPECIAL
        match self._instance.operator.arithmetic:
            case Arithmetic.QUOTIENT | Arithmetic.OTHER:
                return CaseClass.BOUNDARY
            case (
                Arithmetic.PRODUCT
                | Arithmetic.SUM
                | Arithmetic.DIFFERENCE
                | Arithmetic.SUM_OF_PRODUCTS
            ):
                return CaseClass.WRAP if families == {Family.INTEGER} else CaseClass.BOUNDARY

    def _accepts(self, elements: Elements) -> bool:
        return accepts(self._instance, elements)


def _legacy(axis: int | None, broadcast: int | None) -> Attributes:
    return Attributes.of({"axis": axis, "broadcast": broadcast})


def _class(a: Shape, b: Shape) -> CaseClass:
    """Of shapes that go together."""
    if a != b:
        return CaseClass.BROADCAST
    return CaseClass.NOMINAL if a else CaseClass.RANK_0
