"""Slice: which elements are left, all their bits, and which operands are rejected."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.concat import concat
from sonnx_formal.reference.slice import slice as sliced
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.slice import SLICE
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import bits, outcomes, rejected, tensors, vector

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
Along = tuple[int, int, int]


@st.composite
def along(draw: st.DrawFn, size: int) -> Along:
    """A start, an end and a step along an axis: each counted from either end."""
    step = draw(st.sampled_from([1, 2, 3, 2**31 - 1, -1, -2, -(2**31)]))
    start = draw(st.integers(0, size - 1))
    end = draw(st.integers(start + 1, size) if step > 0 else st.integers(-1, start - 1))
    ends = {end - size} if end < size else {end}
    ends |= {end} if end >= 0 else set()
    return draw(st.sampled_from([start, start - size])), draw(st.sampled_from(sorted(ends))), step


@st.composite
def cuts(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[dict[int, Along], tuple[Array, ...]]:
    """What is said of each axis, and that as operands with the axes in any order."""
    said = {axis: draw(along(size)) for axis, size in enumerate(shape)}
    order = draw(st.permutations(range(len(shape))))
    named = [draw(st.sampled_from([axis, axis - len(shape)])) for axis in order]
    starts, ends, steps = zip(*(said[axis] for axis in order), strict=True)
    return said, (vector(*starts), vector(*ends), vector(*named), vector(*steps))


@each_instance(SLICE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too."""
    type_, index = instance.types
    shape = data.draw(SHAPES)
    x, (_, operands) = data.draw(tensors(type_.name, shape)), data.draw(cuts(shape))
    s, e, a, k = (operand.astype(index.dtype) for operand in operands)
    laid_out = LAYOUTS[data.draw(layouts(type_.name))](x)
    result = sliced(laid_out, s, e, a, k)
    defined = expected(oracle, SLICE, x, s, e, a, k)
    assert result.dtype == x.dtype
    assert element_type_of(defined) is type_
    assert result.shape == defined.shape
    assert bits(result) == bits(defined)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)


@settings(max_examples=300, derandomize=True)
@given(data=st.data())
def test_beside_numpy(oracle: Oracle, data: st.DataObject) -> None:
    """Both take the coordinates that NumPy takes, one axis after the other."""
    shape = data.draw(SHAPES)
    said, operands = data.draw(cuts(shape))
    x = np.arange(np.prod(shape)).reshape(shape)
    wanted = x
    for axis, (start, end, step) in said.items():
        size = shape[axis]
        first, last = (n + size if n < 0 else n for n in (start, end))
        wanted = np.take(wanted, [*range(first, last, step)], axis)
    assert sliced(x, *operands).tolist() == wanted.tolist()
    assert expected(oracle, SLICE, x, *operands).tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("size", "entries", "wanted"),
    [
        (7, (0, 7, 1), [0, 1, 2, 3, 4, 5, 6]),
        (7, (0, 7, 3), [0, 3, 6]),
        (7, (0, 6, 3), [0, 3]),
        (7, (2, -1, 2), [2, 4]),
        (7, (-7, -6, 5), [0]),
        (7, (6, -8, -1), [6, 5, 4, 3, 2, 1, 0]),
        (7, (-1, -8, -4), [6, 2]),
        (7, (6, 0, -3), [6, 3]),
        (1, (0, 1, 9), [0]),
        (1, (-1, -2, -9), [0]),
    ],
)
def test_shapes(
    oracle: Oracle, size: int, entries: tuple[int, int, int], wanted: list[int]
) -> None:
    start, end, step = entries
    x, operands = np.arange(size), (vector(start), vector(end), vector(0), vector(step))
    assert sliced(x, *operands).tolist() == expected(oracle, SLICE, x, *operands).tolist() == wanted


FULL = (2, 3)


@pytest.mark.parametrize(
    ("shape", "cut", "item"),
    [
        ((), ((), (), (), ()), "X.C3"),
        ((7,), ((), (7,), (0,), (1,)), "X.C1"),
        ((7,), ((0,), (7, 7), (0,), (1,)), "X.C1"),
        (FULL, ((0,), (2,), (0,), (1,)), "X.C1"),
        (FULL, ((0, 0), (2, 3), (0, 2), (1, 1)), "A.C2"),
        (FULL, ((0, 0), (2, 3), (0, -3), (1, 1)), "A.C2"),
        (FULL, ((0, 0), (2, 3), (0, 2**40), (1, 1)), "A.C2"),
        (FULL, ((0, 0), (2, 2), (1, 1), (1, 1)), "A.C3"),
        (FULL, ((0, 0), (2, 2), (1, -1), (1, 1)), "A.C3"),
        (FULL, ((0, 0), (2, 3), (0, 1), (1, 0)), "K.C2"),
        ((7,), ((7,), (7,), (0,), (1,)), "S.C2"),
        ((7,), ((-8,), (7,), (0,), (1,)), "S.C2"),
        ((0,), ((0,), (0,), (0,), (1,)), "S.C2"),
        ((7,), ((0,), (8,), (0,), (1,)), "E.C2"),
        ((7,), ((0,), (-8,), (0,), (1,)), "E.C2"),
        ((7,), ((6,), (7,), (0,), (-1,)), "E.C2"),
        ((7,), ((6,), (-9,), (0,), (-1,)), "E.C2"),
        ((7,), ((0,), (2**63 - 1,), (0,), (1,)), "E.C2"),
        ((7,), ((4,), (2,), (0,), (1,)), "R6"),
        ((7,), ((2,), (4,), (0,), (-1,)), "R7"),
        ((7,), ((3,), (3,), (0,), (1,)), "Y.C2"),
        ((7,), ((3,), (-4,), (0,), (-1,)), "Y.C2"),
        ((7,), ((6,), (-1,), (0,), (-1,)), "Y.C2"),
    ],
)
def test_rejections(
    oracle: Oracle, shape: tuple[int, ...], cut: tuple[tuple[int, ...], ...], item: str
) -> None:
    x, operands = np.ones(shape, np.float32), [vector(*entries) for entries in cut]
    assert rejected(oracle, SLICE, x, *operands) == f"SONNX-SLICE.{item}"


@settings(max_examples=300, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    shape = data.draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    entries = st.lists(st.integers(-4, 4), min_size=len(shape), max_size=len(shape) or 1)
    operands = [vector(*data.draw(entries)) for _ in "SEAK"]
    ours, defined = outcomes(oracle, SLICE, np.ones(shape, np.int8), *operands)
    assert ours == defined


@pytest.mark.parametrize("name", "SEAK")
@pytest.mark.parametrize(
    "operand",
    [
        np.array([0], np.int16),
        np.array([0], np.uint64),
        np.array([0.0]),
        np.array([[0]], np.int64),
        np.array(0, np.int64),
    ],
    ids=str,
)
def test_operands_that_are_no_vector_of_indices(oracle: Oracle, name: str, operand: Array) -> None:
    operands = {"S": vector(0), "E": vector(1), "A": vector(0), "K": vector(1), name: operand}
    x = np.ones(6, np.int8)
    assert rejected(oracle, SLICE, x, *operands.values()) == f"SONNX-SLICE.{name}.T"


@pytest.mark.parametrize("name", "SEAK")
def test_two_types_of_indices(oracle: Oracle, name: str) -> None:
    other = np.array([0], np.int32)
    operands = {"S": vector(0), "E": vector(1), "A": vector(0), "K": vector(1), name: other}
    x = np.ones(6, np.int8)
    assert rejected(oracle, SLICE, x, *operands.values()) == "SONNX-SLICE.S.C4"


def test_indices_of_any_type_beside_elements_of_any_type(oracle: Oracle) -> None:
    """Also choices of which there are no vectors."""
    x, narrow = np.arange(6, dtype=np.int8), np.array([1], np.int32)
    operands = (narrow, narrow + 3, narrow - 1, narrow)
    assert expected(oracle, SLICE, x, *operands).tolist() == [1, 2, 3]
    assert sliced(x, *operands).tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_types(oracle: Oracle, dtype: Any) -> None:
    operands = (vector(0), vector(1), vector(0), vector(1))
    assert rejected(oracle, SLICE, np.ones(6, dtype), *operands) == "SONNX-SLICE.T"


@pytest.mark.parametrize("given_", range(5))
def test_all_operands_have_to_be_set(given_: int) -> None:
    operands = (np.ones(6), vector(0), vector(1), vector(0), vector(1))[:given_]
    with pytest.raises(TypeError, match="missing"):
        sliced(*operands)
    with pytest.raises(TypeError, match="missing"):
        sliced(*operands, *[None] * (5 - given_))


def test_the_operands_are_shown() -> None:
    """They are short, and decide about the shape."""
    with pytest.raises(SpecViolation, match=r"E is int64 of shape \(1,\), \[8\]"):
        sliced(np.ones(7), vector(0), vector(8), vector(0), vector(1))


def test_example(oracle: Oracle) -> None:
    (example,) = SLICE.examples
    shape, *cut = example.operands
    x, operands = np.arange(30).reshape(shape), [vector(*entries) for entries in cut]
    rows = [[1, 3, 5], [7, 9, 11], [13, 15, 17], [19, 21, 23]]
    assert sliced(x, *operands).tolist() == expected(oracle, SLICE, x, *operands).tolist() == rows


@settings(max_examples=50, derandomize=True)
@given(data=st.data())
def test_what_concat_has_joined(data: st.DataObject) -> None:
    """Slice gives back each of the two."""
    shape = data.draw(SHAPES)
    axis = data.draw(st.integers(0, len(shape) - 1))
    size = data.draw(st.integers(1, 3))
    other = (*shape[:axis], size, *shape[axis + 1 :])
    x, y = data.draw(tensors("float32", shape)), data.draw(tensors("float32", other))
    joined = concat(x, y, axis=axis)
    for part, low in ((x, 0), (y, shape[axis])):
        starts = [low if k == axis else 0 for k in range(len(shape))]
        ends = [begin + count for begin, count in zip(starts, part.shape, strict=True)]
        axes, steps = vector(*range(len(shape))), vector(*[1] * len(shape))
        assert bits(sliced(joined, vector(*starts), vector(*ends), axes, steps)) == bits(part)
