"""Operands and attributes for operators that broadcast; which shapes do is decided elsewhere."""

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import ELEMENT_TYPES, Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.elements import Shape, any_element, array, special_values
from sonnx_formal.vectors.operands import CaseOperands, Maker, Places, rows, with_attributes

_Each = TypeVar("_Each")

ShapePair = tuple[Shape, Shape]
Placement = tuple[Shape, Shape, int | None]
"""The shapes of A and B and the axis of A at which that of B begins; None for the last ones."""
_PARTS = 7
"""Over most types, this part of the shapes."""

HIGHEST_RANK = 4
_DIMENSIONS = (3, 2, 4, 2)
"""By axis, from the innermost one."""
_ANOTHER = 5
_TIMES_TWO = (0, 2, 3, 1)
"""In the field of four elements."""

RANK_PAIRS = tuple(itertools.product(range(HIGHEST_RANK + 1), repeat=2))

EMPTY: tuple[ShapePair, ...] = (
    ((0,), (0,)), ((0,), (1,)), ((1,), (0,)), ((0,), ()), ((), (2, 0)),
    ((2, 1), (1, 0)), ((0, 3), (3,)), ((3, 0), (1, 1)), ((2, 0, 1), (1, 3)),
)  # fmt: skip
"""Without elements, and going together."""
EMPTY_MISMATCHED: tuple[ShapePair, ...] = (((0,), (2,)), ((2,), (0,)), ((0, 2), (3, 2)))

ROWS: Placement = ((2, 2), (2,), 0)
"""Here version 7 broadcasts, too, and takes each element from another place."""
_PLACEMENTS_WITH_ONES: tuple[Placement, ...] = (
    ((2, 1, 3), (1, 3), None), ((2, 1, 3), (2, 1), 0), ((2, 1), (2,), 0), ((2, 1), (1,), 1), ROWS,
    ((2, 3), (1, 1), None),
    # One element goes with any axis.
    ((2, 3), (1,), -5), ((2, 3), (), 9), ((2, 3), (1, 1), 1), ((0, 3), (3,), None),
    ((2, 0), (2,), 0), ((2, 0), (1,), None),
)  # fmt: skip
UNEQUAL: tuple[Placement, ...] = (
    ((2, 3), (3,), None), ((2, 3), (3, 2), None), ((2, 3), (), 0), ((1,), (), None),
    ((2, 3), (2, 1), None),
)  # fmt: skip
"""Shapes that differ, so that broadcasting has to be asked for."""
NO_RUNS: tuple[Placement, ...] = (
    ((2, 3), (2,), None), ((2, 3), (2,), 1), ((2, 3, 4), (2, 4), None), ((2, 3, 4), (2, 4), 0),
    ((3,), (2, 3), None), ((2,), (1, 1), None), ((), (1,), None), ((2, 2), (3,), 0),
    ((2,), (0,), None),
)  # fmt: skip
"""B is no run of the dimensions of A, though there is room for it at the axis."""
EXPANSIONS: tuple[Placement, ...] = (
    ((2, 3), (2, 1), None), ((2, 3), (1, 3), 0), ((2, 3, 4), (3, 1), 1)
)  # fmt: skip
"""A dimension of 1 in a B of several elements would have to be repeated."""
NO_ROOM: tuple[Placement, ...] = (
    ((2, 3), (3,), -1), ((2, 3), (3,), 2), ((2, 3), (2, 3), 1), ((3,), (2, 3), 0), ((), (2,), 0)
)  # fmt: skip
"""There are too few axes of A from the given one on, or there is no such axis."""


class Broadcast(Maker):
    def __init__(self, instance: Instance, seed: int) -> None:
        super().__init__(instance, seed)
        every = [each.types for each in instance.operator.instances()]
        plain = (types for types in every if {type_.name for type_ in types} == {"float32"})
        self._whole = instance.types == next(plain, every[0])
        """Whether all shapes are gone through."""
        self._part = sum(map(ELEMENT_TYPES.index, instance.types))
        """Which part of the shapes the others get."""

    def multidirectional(self) -> Iterator[CaseOperands]:
        for number, ranks in enumerate(RANK_PAIRS):
            pairs = covering(*ranks)
            some = range(len(pairs)) if self._whole else [(self._part + number) % len(pairs)]
            for k in some:
                more = (pairs[(k + m) % len(pairs)][m % 2] for m in range(1, len(self.types)))
                yield self.small(_class(*pairs[k]), [*pairs[k], *more])
        yield from (self.small(CaseClass.ZERO_SIZE, pair) for pair in EMPTY)
        yield from self._values_with_values(both_ways=True)
        for places in self.ways[1:]:
            yield from self._at_other_places(places)
        yield from self.of_hazards()
        yield self._drawn((4, 1, 5), (3, 1))
        yield self._drawn((6,), (2, 3, 6))
        if len(self.types) > 1:
            every = [pair for ranks in RANK_PAIRS for pair in mismatched(*ranks)]
            for pair in (*self._some(every), *EMPTY_MISMATCHED):
                yield self.small(CaseClass.REJECTED, pair)

    def by_attribute(self) -> Iterator[CaseOperands]:
        """By the attribute `auto_broadcast`: numpy, which is the default; none; unknown rules."""
        yield from with_attributes(_auto("numpy"), self.multidirectional())
        yield self._drawn((2, 1, 3), (4, 1))
        yield self.small(CaseClass.REJECTED, [(2,), (3,)])
        yield from with_attributes(_auto("none"), self._without_broadcasting())
        for rule in ("", "NUMPY", "pdpd"):
            yield self.small(CaseClass.REJECTED, [(2,), (2,)], _auto(rule))

    def _without_broadcasting(self) -> Iterator[CaseOperands]:
        for shape in self._some([(3,), (), (1,), (2, 3), (2, 3, 4), (2, 1, 2, 3)]):
            yield self.small(_class(shape, shape), [shape, shape])
        yield self.small(CaseClass.ZERO_SIZE, [(2, 0), (2, 0)])
        different = [(a, b) for ranks in RANK_PAIRS for a, b in covering(*ranks) if a != b]
        for pair in (*different[self._part :: _PARTS * 3], *self._some(EMPTY_MISMATCHED)):
            yield self.small(CaseClass.REJECTED, pair)

    def unidirectional(self) -> Iterator[CaseOperands]:
        """By the attributes `axis` and `broadcast`: B may be a run of the dimensions of A."""
        unused = self.operator.attribute("consumed_inputs") is not None
        consumed = {"consumed_inputs": (0, 0)} if unused else {}
        for shape in [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 2, 2)]:
            for attributes in (Attributes.of(consumed), _legacy(1, 0)):
                yield self.small(_class(shape, shape), [shape, shape], attributes)
        yield self.small(CaseClass.ZERO_SIZE, [(2, 0), (2, 0)])
        for a, b, axis in dict.fromkeys([*self._some([*placements()]), ROWS]):
            case_class = CaseClass.AXIS if axis is not None else _class(a, b)
            case_class = CaseClass.ZERO_SIZE if 0 in a else case_class
            yield self.small(case_class, [a, b], _legacy(axis, 1))
        yield from with_attributes(_legacy(None, 1), self._values_with_values(both_ways=False))
        yield from self.of_hazards()
        yield self._drawn((3, 4, 5), (4,), attributes=_legacy(1, 1))
        yield self._drawn((3, 4, 5), (4, 5), attributes=Attributes.of({"broadcast": 1, **consumed}))
        rejected = [(a, b, _legacy(axis, n)) for a, b, axis in UNEQUAL for n in (None, 0)]
        rejected += [((2,), (2,), _legacy(None, n)) for n in (-1, 2)]
        rejected += [(a, b, _legacy(axis, 1)) for a, b, axis in (*NO_RUNS, *NO_ROOM, *EXPANSIONS)]
        yield from (self.small(CaseClass.REJECTED, [a, b], each) for a, b, each in rejected)

    def _at_other_places(self, places: Places) -> Iterator[CaseOperands]:
        """Of another number of operands: shapes that go together, then special values."""
        count = len(places.types)
        for ranks in self._some(RANK_PAIRS):
            pairs = covering(*ranks)
            shapes = [pairs[k % len(pairs)][k % 2] for k in range(count)]
            yield self.small(_class(*shapes), shapes, places=places)
        yield self.small(CaseClass.ZERO_SIZE, [(0, 3), (3,), (1, 1)][:count], places=places)
        floats = any(type_.family is Family.FLOAT for type_ in places.types)
        values = itertools.chain(*rows([special_values(type_) for type_ in places.types]))
        case_class = CaseClass.SPECIAL if floats else CaseClass.BOUNDARY
        yield from places.blocks(case_class, filter(self.accepts, values))

    def _some(self, every: Sequence[_Each]) -> Sequence[_Each]:
        return every if self._whole else every[self._part % _PARTS :: _PARTS]

    def _drawn(self, *shapes: Shape, attributes: Attributes = UNSET) -> CaseOperands:
        chance = self.chance[CaseClass.RANDOM]
        drawn = self.filled(self.types, shapes, any_element, chance, self.accepts)
        return self.places.operands(CaseClass.RANDOM, itertools.starmap(array, drawn), attributes)

    def _values_with_values(self, *, both_ways: bool) -> Iterator[CaseOperands]:
        """Each value with each: of two operands a column and a row, and the other way round."""
        families = {type_.family for type_ in self.types}
        wraps = self.operator.arithmetic in {
            Arithmetic.PRODUCT,
            Arithmetic.SUM,
            Arithmetic.DIFFERENCE,
        }
        case_class = CaseClass.WRAP if wraps else CaseClass.BOUNDARY  # it is only said to wrap
        if families != {Family.INTEGER}:
            case_class = CaseClass.SPECIAL if Family.FLOAT in families else CaseClass.BOUNDARY
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


def _class(*shapes: Shape) -> CaseClass:
    if len(set(shapes)) > 1:
        return CaseClass.BROADCAST
    return CaseClass.NOMINAL if any(shapes) else CaseClass.RANK_0


def covering(rank_a: int, rank_b: int) -> list[ShapePair]:
    """Shapes of these ranks that go together, with dimensions of 1 here and there.

    Along an axis that both have, either is 1, both, or neither; one that only one of them has is 1
    or not. Of each two axes, all combinations of these occur: the four columns of the table below,
    whose rows are all pairs i, j, have each pair of entries in each pair of columns.
    """
    rows = [(i, j, i ^ j, i ^ _TIMES_TWO[j]) for i, j in itertools.product(range(4), repeat=2)]
    pairs = [(_shape(rank_a, row, 1), _shape(rank_b, row, 2)) for row in rows]
    return list(dict.fromkeys(pairs))


def _shape(rank: int, kinds: tuple[int, ...], bit: int) -> Shape:
    """With 1 along the axes whose kind has the bit."""
    dims = zip(_DIMENSIONS[:rank], kinds[:rank], strict=True)
    return tuple(1 if kind & bit else dim for dim, kind in dims)[::-1]


def mismatched(rank_a: int, rank_b: int) -> Iterator[ShapePair]:
    """Shapes of these ranks that differ along one axis, where neither is 1; for each such axis."""
    a, b = (_DIMENSIONS[:rank][::-1] for rank in (rank_a, rank_b))
    for axis in range(1, min(rank_a, rank_b) + 1):
        yield a, (*b[: rank_b - axis], _ANOTHER, *b[rank_b - axis + 1 :])


def placements() -> Iterator[Placement]:
    """A of each rank with each run of its dimensions, at its axis, and without one at the end."""
    for rank in range(HIGHEST_RANK + 1):
        a = _DIMENSIONS[:rank][::-1]
        for length in range(rank + 1):
            yield from ((a, a[axis : axis + length], axis) for axis in range(rank - length + 1))
            yield a, a[rank - length :], None
    yield from _PLACEMENTS_WITH_ONES
