"""Pairs of shapes, some of which go together by the rules of ONNX and OpenVINO.

Which of them do, and to what shape, is not decided here.
"""

import itertools
from collections.abc import Iterator

from sonnx_formal.vectors.elements import Shape

ShapePair = tuple[Shape, Shape]

HIGHEST_RANK = 4
_DIMENSIONS = (3, 2, 4, 2)
"""By axis, from the innermost one."""
_ANOTHER = 5
_TIMES_TWO = (0, 2, 3, 1)
"""In the field of four elements."""

RANK_PAIRS = tuple(itertools.product(range(HIGHEST_RANK + 1), repeat=2))


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


ALL_COVERING = [pair for ranks in RANK_PAIRS for pair in covering(*ranks)]
ALL_MISMATCHED = [pair for ranks in RANK_PAIRS for pair in mismatched(*ranks)]

EMPTY: tuple[ShapePair, ...] = (
    ((0,), (0,)), ((0,), (1,)), ((1,), (0,)), ((0,), ()), ((), (2, 0)),
    ((2, 1), (1, 0)), ((0, 3), (3,)), ((3, 0), (1, 1)), ((2, 0, 1), (1, 3)),
)  # fmt: skip
"""Without elements, and going together."""
EMPTY_MISMATCHED: tuple[ShapePair, ...] = (((0,), (2,)), ((2,), (0,)), ((0, 2), (3, 2)))

Placement = tuple[Shape, Shape, int | None]
"""The shapes of A and B and the axis of A at which that of B begins; None for the last ones."""

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


def placements() -> Iterator[Placement]:
    """A of each rank with each run of its dimensions, at its axis, and without one at the end."""
    for rank in range(HIGHEST_RANK + 1):
        a = _DIMENSIONS[:rank][::-1]
        for length in range(rank + 1):
            yield from ((a, a[axis : axis + length], axis) for axis in range(rank - length + 1))
            yield a, a[rank - length :], None
    yield from _PLACEMENTS_WITH_ONES
