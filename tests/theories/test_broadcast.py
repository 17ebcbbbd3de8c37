"""Broadcasting of shapes and tensors, evaluated against NumPy's."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest

from tests.theories.evaluator import Evaluator, Tensor

Shape = tuple[int, ...]

SHAPES: list[Shape] = [
    shape for rank in range(4) for shape in itertools.product((0, 1, 2), repeat=rank)
]
PAIRS = list(itertools.product(SHAPES, SHAPES))
LARGER = [((8, 1, 6, 1), (7, 1, 5)), ((2, 3, 4, 5), (4, 5)), ((3, 4, 5), (5,)), ((4,), (3, 1))]
AXES = ["unset", "-1", "0", "1", "2", "3", "4"]

RULE = "tensor.broadcast.Broadcast"
LEGACY = "tensor.unidirectional.Unidirectional"


def common_shape(s: Shape, u: Shape) -> Shape | None:
    """What NumPy broadcasts both shapes to; None where it refuses."""
    try:
        return np.broadcast_shapes(s, u)
    except ValueError:
        return None


def counted(shape: Shape) -> Tensor[int]:
    """A tensor of which each element is its position."""
    return Tensor(shape, tuple(range(prod(shape))))


def array(tensor: Tensor[int]) -> np.ndarray[Shape, np.dtype[np.int64]]:
    return np.array(tensor.elements, dtype=np.int64).reshape(tensor.shape)


def tensor_of(values: np.ndarray[Shape, np.dtype[np.int64]]) -> Tensor[int]:
    return Tensor(values.shape, tuple(map(int, values.flatten())))


def first_axis(axis: str, s: Shape, u: Shape) -> int:
    """The axis of ``s`` at which ``u`` begins."""
    return len(s) - len(u) if axis == "unset" else int(axis)


def is_run(axis: str, s: Shape, u: Shape) -> bool:
    """Whether ``u`` is cut out of ``s`` at that axis."""
    start = first_axis(axis, s, u)
    return start >= 0 and s[start : start + len(u)] == u


def followed(axis: str, s: Shape, u: Shape) -> bool:
    """Whether an operand of shape ``u`` is repeated to fill ``s``."""
    return (prod(u) == 1 and len(u) <= len(s)) or is_run(axis, s, u)


def test_dimensions(evaluate: Evaluator) -> None:
    for d, e in itertools.product(range(4), repeat=2):
        expected = common_shape((d,), (e,))
        assert evaluate(f"{RULE}.matching", d, e) is (expected is not None)
        if expected is not None:
            assert evaluate(f"{RULE}.joined", d, e) == expected[0]


def test_common_shape(evaluate: Evaluator) -> None:
    for s, u in PAIRS + LARGER:
        expected = common_shape(s, u)
        assert evaluate(f"{RULE}.compatible", s, u) is (expected is not None), (s, u)
        if expected is not None:
            assert evaluate(f"{RULE}.common", s, u) == expected, (s, u)


def test_broadcast_to(evaluate: Evaluator) -> None:
    for s, u in PAIRS + LARGER:
        result = common_shape(s, u)
        if result is not None:
            expected = tensor_of(np.broadcast_to(array(counted(s)), result))
            broadcast = evaluate(
                "tensor.broadcast.BroadcastTensor.broadcast_to", counted(s), result
            )
            assert broadcast == expected, (s, u)


@pytest.mark.parametrize(("s", "u"), LARGER)
def test_source(evaluate: Evaluator, s: Shape, u: Shape) -> None:
    result = common_shape(s, u)
    assert result is not None
    positions = np.broadcast_to(array(counted(s)), result)
    for index in np.ndindex(result):
        expected = tuple(map(int, np.unravel_index(positions[index], s)))
        assert evaluate(f"{RULE}.source", index, s) == expected


def test_runs(evaluate: Evaluator) -> None:
    for s, u in [*PAIRS, ((2, 3, 4, 5), (3, 4)), ((2, 3, 4, 5), (2,))]:
        assert evaluate(f"{LEGACY}.starts_with", s, u) is (s[: len(u)] == u)
        for axis in AXES:
            start = first_axis(axis, s, u)
            room = axis == "unset" or prod(u) == 1 or 0 <= start <= len(s) - len(u)
            assert evaluate(f"{LEGACY}.start", axis, s, u) == start
            assert evaluate(f"{LEGACY}.axis_within", axis, s, u) is room
            if u != ():  # a run of no axes may be anywhere
                assert evaluate(f"{LEGACY}.run", axis, s, u) is is_run(axis, s, u), (axis, s, u)
            assert evaluate(f"{LEGACY}.follows", axis, s, u) is followed(axis, s, u), (axis, s, u)


def test_place(evaluate: Evaluator) -> None:
    for s, u in [*PAIRS, ((2, 3, 4, 5), (3, 4)), ((2, 3, 4, 5), (2,))]:
        for axis in AXES:
            if followed(axis, s, u):
                start = first_axis(axis, s, u)
                for index in np.ndindex(s):
                    single = prod(u) == 1
                    expected = (0,) * len(u) if single else index[start : start + len(u)]
                    assert evaluate(f"{LEGACY}.place", axis, index, s, u) == expected


def test_sequences(evaluate: Evaluator) -> None:
    for s in [*SHAPES, (2, 3, 4, 5)]:
        assert evaluate(f"{LEGACY}.one_element", s) is (prod(s) == 1)
        assert evaluate(f"{LEGACY}.origin", s) == (0,) * len(s)
        assert evaluate("tensor.unidirectional.Trailing.ones", s) == (1,) * len(s)
        for k in range(-1, 6):
            assert evaluate(f"{LEGACY}.drop", k, s) == s[max(k, 0) :]
            assert evaluate(f"{LEGACY}.take", k, s) == s[: max(k, 0)]
            expected = s[k] if 0 <= k < len(s) else 0
            assert evaluate(f"{LEGACY}.dimension", s, k) == expected


def test_append_axes(evaluate: Evaluator) -> None:
    for s, u in [*PAIRS, ((2, 3, 4, 5), (3, 4))]:
        padded = u + (1,) * (len(s) - len(u))
        assert evaluate("tensor.unidirectional.Trailing.padded", s, u) == padded
        expected = tensor_of(array(counted(u)).reshape(padded))
        appended = evaluate("tensor.unidirectional.AppendAxes.append_axes", counted(u), s)
        assert appended == expected, (s, u)
