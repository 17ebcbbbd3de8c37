"""SONNX Unsqueeze."""

from sonnx_formal.spec.operator import (
    Arrangement,
    Example,
    Input,
    Predicate,
    Restriction,
    Rule,
    Test,
)
from sonnx_formal.spec.structural import (
    OF_NUMBERS,
    Shape,
    X,
    admitted,
    axes_of,
    structural,
    vector,
    within,
)

_SHAPES = "ops.unsqueeze.definition.UnsqueezeShape"
_ASKED = ("x.dims", "a.entries")
_X = [[[*range(k, k + 4)] for k in range(first, first + 12, 4)] for first in (0, 12)]


def _new_axes(dims: Shape, asked: Shape) -> Shape:
    return axes_of(len(dims) + len(asked), asked)


def unsqueezed(dims: Shape, asked: Shape) -> Shape:
    """The dimensions with a 1 on each new axis."""
    new, rest = _new_axes(dims, asked), iter(dims)
    return tuple(1 if axis in new else next(rest) for axis in range(len(dims) + len(asked)))


_PREDICATES = {
    "axes_exist": Predicate(
        lambda dims, asked: within(len(dims) + len(asked), asked),
        "ask for axes of Y, which has one for each of X and one for each element of A",
    ),
    "axes_distinct": Predicate(
        lambda dims, asked: len({*_new_axes(dims, asked)}) == len(asked), "ask for each axis once"
    ),
}


def _accepted(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]))


def _broken(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]), broken=True)


UNSQUEEZE = structural(
    "Unsqueeze",
    since=13,
    inputs=(X, Input("A", "int64")),
    restrictions=(
        *admitted("x", "a"),
        vector("A.T", "a"),
        Restriction("A.C1", Test(f"{_SHAPES}.axes_exist", _ASKED), "A asks for an axis Y has not"),
        Restriction("A.C2", Test(f"{_SHAPES}.axes_distinct", _ASKED), "A asks for an axis twice"),
    ),
    predicates=_PREDICATES,
    takes=("x", "a", "a.entries"),
    shape=lambda x, _a, asked: unsqueezed(x.array.shape, asked),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "Y.C1"},
    always=("A.T", "A.C1", "A.C2"),
    examples=tuple(
        Example(f"EX{number}", (_X, asked), OF_NUMBERS)
        for number, asked in enumerate(([0], [-1], [0, 1], [1, 2]), start=1)
    ),
    arrangements=(
        _accepted((2, 3), 0),
        _accepted((2, 3), 1),
        _accepted((2, 3), 2),
        _accepted((2, 3), -1),
        _accepted((2, 3), -3),
        _accepted((2, 3), 0, -1),
        _accepted((2, 3), 3, 1),
        _accepted((2, 3), -2, 0, 2),
        _accepted((2, 3)),
        _accepted((4,), 2, 1, 0),
        _accepted((1, 2, 1), 1, -2),
        _accepted(()),
        _accepted((), 0),
        _accepted((), -1, 0),
        _accepted((0,), 0),
        _accepted((3, 0), -1, 1),
        _broken((2, 3), 3),
        _broken((2, 3), -4),
        _broken((2, 3), 0, 4),
        _broken((), 1),
        _broken((2, 3), 2**62),
        _broken((2, 3), 0, 0),
        _broken((2, 3), 1, -3),
        _broken((2, 3), -1, 2, 4),
        Arrangement(((2, 3), [[0]]), broken=True),
        Arrangement(((2, 3), 0), broken=True),
    ),
)
OPERATORS = (UNSQUEEZE,)
