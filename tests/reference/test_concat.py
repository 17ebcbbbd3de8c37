"""Concat: the elements of each operand, all their bits, and which operands are rejected."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.concat import concat
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.concat import CONCAT
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import bits, tensors

Shape = tuple[int, ...]


def rejected(oracle: Oracle, *operands: Array, axis: int) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        concat(*operands, axis=axis)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, CONCAT, *operands, axis=axis)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@st.composite
def alike(draw: st.DrawFn) -> tuple[int, list[Shape]]:
    """An axis, and shapes that differ along it alone."""
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    return axis, [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]


@each_instance(CONCAT)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit; and each operand is a slice of the result."""
    name = instance.label
    axis, shapes = data.draw(alike())
    operands = [data.draw(tensors(name, shape)) for shape in shapes]
    laid_out = [LAYOUTS[data.draw(layouts(name))](x) for x in operands]
    result = concat(*laid_out, axis=axis)
    defined = expected(oracle, CONCAT, *operands, axis=axis)
    assert result.shape == defined.shape
    assert bits(result) == bits(defined)
    assert result.flags.c_contiguous
    assert result.dtype.isnative
    assert not any(np.shares_memory(result, x) for x in laid_out)
    ends = np.cumsum([0, *(shape[axis] for shape in shapes)]).tolist()
    for x, (start, end) in zip(operands, pairwise(ends), strict=True):
        part = result[(slice(None),) * axis + (slice(start, end),)].astype(x.dtype)
        assert part.shape == x.shape
        assert bits(part) == bits(x)


@pytest.mark.parametrize(
    ("axis", "shapes", "item"),
    [
        (-1, [(2, 3), (2, 3)], "R1"),
        (-1, [(), ()], "R1"),
        (-3, [(2, 3), (2,)], "R1"),
        (2, [(2, 3), (2, 3)], "AXIS.C1"),
        (0, [()], "AXIS.C1"),
        (1, [(2,), (2, 3)], "AXIS.C1"),
        (2**40, [(2, 3)], "AXIS.C1"),
        (0, [(2, 3), (3,)], "X.C2"),
        (0, [(3,), ()], "X.C2"),
        (0, [(1, 2), (1, 2), (1, 2, 1)], "X.C2"),
        (0, [(2, 3), (2, 2)], "X.C3"),
        (1, [(2, 3), (1, 3)], "X.C3"),
        (1, [(2, 3, 4), (2, 1, 4), (2, 3, 5)], "X.C3"),
        (0, [(2, 3), (0, 0)], "X.C3"),
    ],
)
def test_rejections(oracle: Oracle, axis: int, shapes: list[Shape], item: str) -> None:
    operands = [np.ones(shape, np.float32) for shape in shapes]
    assert rejected(oracle, *operands, axis=axis) == f"SONNX-CONCAT.{item}"


@settings(max_examples=200, derandomize=True)
@given(
    st.integers(-1, 2),
    st.lists(st.lists(st.integers(0, 2), max_size=2).map(tuple), min_size=1, max_size=3),
)
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, axis: int, shapes: list[Shape]
) -> None:
    operands = [np.ones(shape, np.int8) for shape in shapes]
    try:
        defined: Any = expected(oracle, CONCAT, *operands, axis=axis).shape
    except Inadmissible as error:
        defined = error.requirement
    try:
        ours: Any = concat(*operands, axis=axis).shape
    except SpecViolation as error:
        ours = error.requirement
    assert ours == defined


@pytest.mark.parametrize("dtypes", [("int8", "uint8"), ("float32", "float32", "float64")], ids=str)
def test_types(oracle: Oracle, dtypes: tuple[str, ...]) -> None:
    operands = [np.ones(2, dtype) for dtype in dtypes]
    assert rejected(oracle, *operands, axis=0) == "SONNX-CONCAT.T"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, np.ones(2, dtype), axis=0) == "SONNX-CONCAT.T"


def test_there_is_an_operand(oracle: Oracle) -> None:
    with pytest.raises(TypeError, match="X"):
        concat(axis=0)
    with pytest.raises(TypeError, match="X"):
        oracle.evaluate(Call(CONCAT, ()))
    assert concat(np.arange(3), axis=0).tolist() == [0, 1, 2]


def test_axis_has_to_be_set(oracle: Oracle) -> None:
    x = np.ones(2, np.int8)
    with pytest.raises(TypeError, match="axis"):
        concat(x, x)  # type: ignore[call-arg]
    with pytest.raises(UserError, match="the attribute axis is missing"):
        oracle.evaluate(Call(CONCAT, (x, x)))


def test_the_order_matters(oracle: Oracle) -> None:
    x, y = np.array([1, 2]), np.array([3])
    for operands, wanted in (((x, y), [1, 2, 3]), ((y, x), [3, 1, 2])):
        assert concat(*operands, axis=0).tolist() == wanted
        assert expected(oracle, CONCAT, *operands, axis=0).tolist() == wanted


def test_example(oracle: Oracle) -> None:
    """Of what the text says of the figure: where the element at [0, 3] comes from."""
    (example,) = CONCAT.examples
    operands = [
        np.arange(10 * k, 10 * k + np.prod(shape)).reshape(shape)
        for k, shape in enumerate(example.operands)
    ]
    result = concat(*operands, axis=1)
    assert result.shape == (2, 6)
    assert result[0, 3] == operands[1][0, 0]
    assert expected(oracle, CONCAT, *operands, axis=1).tolist() == result.tolist()
