"""SONNX Slice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sonnx_formal.spec.element_types import (
    BOOLEAN,
    BY_NAME,
    FLOATS,
    INTEGERS,
    REAL,
    TEXT,
    element_types,
)
from sonnx_formal.spec.operator import (
    Arrangement,
    Example,
    Input,
    Predicate,
    Restriction,
    Rule,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import OF_NUMBERS, Shape, X, admitted, axes_of, structural, within

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_SHAPES = "ops.slice.definition.SliceShape"
_INDICES = ("s", "e", "a", "k")
_CUT = ("x.dims", *(f"{name}.entries" for name in _INDICES))


@dataclass(frozen=True)
class Along:
    """What S, E and K say of an axis, of so many elements."""

    size: int
    start: int
    end: int
    step: int

    def _coordinate(self, entry: int) -> int:
        return entry + self.size if entry < 0 else entry

    @property
    def first(self) -> int:
        """The coordinate of the first element."""
        return self._coordinate(self.start)

    @property
    def space(self) -> int:
        return self._coordinate(self.end) - self.first

    @property
    def count(self) -> int:
        """The steps to the end, the last of which need not be complete."""
        return -(-self.space // self.step)

    @property
    def start_inside(self) -> bool:
        return -self.size <= self.start < self.size

    @property
    def end_inside(self) -> bool:
        back = self.step < 0
        return -self.size - back <= self.end <= self.size - back


def along_axes(dims: Shape, s: Shape, e: Shape, a: Shape, k: Shape) -> dict[int, Along]:
    """By the axes of X, counted from the first one."""
    found = zip(axes_of(len(dims), a), s, e, k, strict=True)
    return {axis: Along(dims[axis], *entries) for axis, *entries in found}


def sliced(dims: Shape, *cut: Shape) -> Shape:
    """The number of elements along each axis of X."""
    by_axis = along_axes(dims, *cut)
    return tuple(by_axis[axis].count for axis in range(len(dims)))


def _each(holds: Callable[[Along], bool], advice: str) -> Predicate:
    return Predicate(lambda dims, *cut: all(map(holds, along_axes(dims, *cut).values())), advice)


def _index_vector(operand: "Operand") -> bool:
    return operand.listed and operand.array.ndim == 1


_PREDICATES = {
    "index_vector": Predicate(_index_vector, "give it one axis, and elements of int32 or int64"),
    "one_type": Predicate(
        lambda *operands: len({operand.type for operand in operands}) == 1,
        "give S, E, A and K elements of one type",
    ),
    "not_scalar": Predicate(lambda dims: len(dims) > 0, "give X an axis"),
    "entry_each": Predicate(
        lambda dims, *cut: all(len(entries) == len(dims) for entries in cut),
        "give S, E, A and K an element for each axis of X",
    ),
    "axes_exist": Predicate(lambda dims, axes: within(len(dims), axes), "name axes of X in A"),
    "axes_distinct": Predicate(
        lambda dims, axes: len({*axes_of(len(dims), axes)}) == len(axes), "name each axis once"
    ),
    "steps_move": Predicate(lambda steps: 0 not in steps, "take steps forward or back"),
    "starts_inside": _each(lambda along: along.start_inside, "start at elements of X"),
    "ends_inside": _each(lambda along: along.end_inside, "end at X, or right after its elements"),
    "upwards": _each(
        lambda along: along.step < 0 or along.space >= 0, "start before the end, or step back"
    ),
    "downwards": _each(
        lambda along: along.step > 0 or along.space <= 0, "start after the end, or step forward"
    ),
    "not_empty": _each(lambda along: along.count > 0, "leave an element along each axis"),
}


def _vector(name: str) -> Restriction:
    broken = f"{name.upper()} is no vector of int32 or int64"
    return Restriction(f"{name.upper()}.T", Test("index_vector", (name,)), broken)


def _cut(item: str, predicate: str, broken: str) -> Restriction:
    return Restriction(item, Test(predicate, _CUT), broken)


def _accepted(dims: Shape, *cut: list[int]) -> Arrangement:
    return Arrangement((dims, *cut))


def _broken(dims: Shape, *cut: list[int]) -> Arrangement:
    return Arrangement((dims, *cut), broken=True)


SLICE = structural(
    "Slice",
    since=13,
    inputs=(
        X,
        *(Input(name.upper(), "I", item={"a": "R1", "k": "R3"}.get(name)) for name in _INDICES),
    ),
    restrictions=(
        *admitted("x", *_INDICES),
        *map(_vector, _INDICES),
        Restriction(
            "S.C4", Test("one_type", _INDICES), "S, E, A and K have elements of more than one type"
        ),
        Restriction("X.C3", Test(f"{_SHAPES}.not_scalar", ("x.dims",)), "X has no axes"),
        _cut("X.C1", "entry_each", "S, E, A or K has not one element for each axis of X"),
        Restriction(
            "A.C2", Test(f"{_SHAPES}.axes_exist", ("x.dims", "a.entries")), "A has one that X lacks"
        ),
        Restriction(
            "A.C3", Test(f"{_SHAPES}.axes_distinct", ("x.dims", "a.entries")), "A has an axis twice"
        ),
        Restriction("K.C2", Test(f"{_SHAPES}.steps_move", ("k.entries",)), "a step is 0"),
        _cut("S.C2", "starts_inside", "a start is not inside X"),
        _cut("E.C2", "ends_inside", "an end is not inside X, nor right after it"),
        _cut("R6", "upwards", "a positive step starts after the end"),
        _cut("R7", "downwards", "a negative step starts before the end"),
        _cut("Y.C2", "not_empty", "along an axis, nothing is left"),
    ),
    predicates=_PREDICATES,
    takes=("x", *_INDICES, *_CUT[1:]),
    shape=lambda x, _s, _e, _a, _k, *cut: sliced(x.array.shape, *cut),
    states={
        Rule.KNOWN_SHAPE: "R5",
        Rule.RESULT_TYPE: "T",
        Rule.RESULT_SHAPE: "Y.C2",
        Rule.RESULT_RANK: "X.C2",
    },
    always=(
        *("X.C1", "X.C3", "S.T", "S.C2", "S.C4", "E.T", "E.C2", "A.T", "A.C2", "A.C3", "K.T"),
        *("K.C2", "R1", "R3", "R6", "R7"),
    ),
    types=(
        TypeParameter("T", (REAL, *INTEGERS, *FLOATS, BOOLEAN, TEXT)),
        TypeParameter("I", element_types("int64", "int32"), beside=BY_NAME["float32"]),
    ),
    examples=(Example("EX1", ((5, 6), [0, 1], [4, 6], [0, 1], [1, 2]), OF_NUMBERS),),
    arrangements=(
        _accepted((5, 6), [1, 0], [6, 4], [-1, -2], [2, 1]),
        _accepted((2, 3), [0, 0], [2, 3], [0, 1], [1, 1]),
        _accepted((2, 3), [-1, -1], [-3, -4], [0, 1], [-1, -1]),
        _accepted((7,), [0], [7], [0], [3]),
        _accepted((7,), [0], [7], [-1], [2**31 - 1]),
        _accepted((7,), [-1], [0], [0], [-(2**31)]),
        _accepted((7,), [6], [-8], [0], [-2]),
        _accepted((7,), [-2], [-5], [0], [-2]),
        _accepted((1,), [0], [1], [0], [1]),
        _accepted((2, 3, 4), [-1, -3, 2], [-3, 3, 4], [0, 1, -1], [-1, 2, 1]),
        _accepted((2, 2, 2, 2), [1, 1, 1, 0], [2, 2, -3, 2], [3, 1, 0, 2], [1, 1, -1, 1]),
        _broken((2, 3), [0], [2], [0], [1]),
        _broken((7,), [0, 0], [7, 7], [0, 0], [1, 1]),
        _broken((), [], [], [], []),
        _broken((7,), [0], [7], [1], [1]),
        _broken((7,), [0], [7], [-2], [1]),
        _broken((2, 3), [0, 0], [2, 2], [1, -1], [1, 1]),
        _broken((7,), [0], [7], [0], [0]),
        _broken((7,), [7], [7], [0], [1]),
        _broken((7,), [-8], [7], [0], [1]),
        _broken((0,), [0], [0], [0], [1]),
        _broken((7,), [0], [8], [0], [1]),
        _broken((7,), [0], [-8], [0], [1]),
        _broken((7,), [6], [7], [0], [-1]),
        _broken((7,), [6], [-9], [0], [-1]),
        _broken((7,), [-1], [-3], [0], [2]),
        _broken((7,), [2], [4], [0], [-1]),
        _broken((7,), [3], [3], [0], [1]),
        _broken((7,), [3], [-4], [0], [-1]),
        Arrangement(((7,), [[0]], [7], [0], [1]), broken=True),
        Arrangement(((7,), [0], 7, [0], [1]), broken=True),
        Arrangement(((7,), [0], [7], 0, [1]), broken=True),
        Arrangement(((7,), [0], [7], [0], [[1]]), broken=True),
    ),
)
OPERATORS = (SLICE,)
