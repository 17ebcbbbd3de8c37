"""The operators on tensors of every type, shape and layout, against the formal definitions."""

import copy
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference import SpecViolation, div, matmul, mul
from sonnx_formal.vectors.case import SONNX, Operator
from sonnx_formal.vectors.generate import result
from tests.reference import reference
from tests.reference.operands import LAYOUTS, SHAPES, layouts, tensors
from tests.reference.reference import MATMUL_TYPES, TYPES, Array, assert_same

Function = Callable[[Array, Array], Array]
FUNCTIONS: dict[Operator, Function] = {
    Operator.MUL: mul,
    Operator.DIV: div,
    Operator.MATMUL: matmul,
}
ELEMENTWISE = (Operator.MUL, Operator.DIV)
MANY_AXES = [(1,) * 30 + (2, 3), (2,) + (1,) * 30 + (3,), (1,) * 32, (0,) + (1,) * 31]
"""Shapes of 32 axes."""

fast = settings(max_examples=20, deadline=None, derandomize=True)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


def contents(array: Array) -> tuple[Any, ...]:
    """All that a caller could see change."""
    elements = list(array.ravel()) if array.dtype == object else array.tobytes()
    return array.shape, array.strides, array.dtype, array.flags.writeable, copy.copy(elements)


def check(operator: Operator, name: str, a: Array, b: Array, expected: Array) -> None:
    """The result is the expected one, no operand has changed, and no exception has come of it."""
    before = contents(a), contents(b)
    with np.errstate(all="raise"):
        got = FUNCTIONS[operator](a, b)
    assert_same(name, got, expected)
    assert (contents(a), contents(b)) == before
    assert not np.shares_memory(got, a)
    assert not np.shares_memory(got, b)
    assert got.flags.writeable


@pytest.mark.parametrize("operator", ELEMENTWISE)
@pytest.mark.parametrize("name", TYPES)
@fast
@given(data=st.data())
def test_elementwise(oracle: Oracle, operator: Operator, name: str, data: st.DataObject) -> None:
    shape = data.draw(SHAPES | st.sampled_from(MANY_AXES))
    divides_integers = operator is Operator.DIV and "int" in name
    a = data.draw(tensors(name, shape))
    b = data.draw(tensors(name, shape, zero=not divides_integers))
    expected = result(oracle, operator, a, b)
    layout = LAYOUTS[data.draw(layouts(name))], LAYOUTS[data.draw(layouts(name))]
    check(operator, name, layout[0](a), layout[1](b), expected)


@pytest.mark.parametrize("name", MATMUL_TYPES)
@fast
@given(data=st.data())
def test_matmul(oracle: Oracle, name: str, data: st.DataObject) -> None:
    rows, inner, columns = (data.draw(st.integers(0, 4)) for _ in range(3))
    a = data.draw(tensors(name, (rows, inner)))
    b = data.draw(tensors(name, (inner, columns)))
    expected = result(oracle, Operator.MATMUL, a, b)
    layout = LAYOUTS[data.draw(layouts(name))], LAYOUTS[data.draw(layouts(name))]
    check(Operator.MATMUL, name, layout[0](a), layout[1](b), expected)


@pytest.mark.parametrize("operator", SONNX)
@pytest.mark.parametrize("name", TYPES)
def test_each_layout(oracle: Oracle, operator: Operator, name: str) -> None:
    """The oracle, too, takes the elements in the order of the indices, not of the memory."""
    if operator is Operator.MATMUL and name not in MATMUL_TYPES:
        return
    a = small_numbers(name, [2, 3, 5, 7]).reshape(2, 2)
    b = small_numbers(name, [3, 1, 2, 4]).reshape(2, 2)
    expected = result(oracle, operator, a, b)
    for layout in map(LAYOUTS.get, LAYOUTS):
        assert layout
        if name == "real" and layout in {LAYOUTS["byte-swapped"], LAYOUTS["unaligned"]}:
            continue
        check(operator, name, layout(a), layout(b), expected)
        assert_same(name, result(oracle, operator, layout(a), layout(b)), expected)


@pytest.mark.parametrize("operator", ELEMENTWISE)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(1,) * 30 + (2, 3), (2,) + (1,) * 62 + (3,)], ids=["32", "64"])
def test_many_axes(oracle: Oracle, operator: Operator, name: str, shape: tuple[int, ...]) -> None:
    a = small_numbers(name, [2, 3, 5, 7, 11, 13]).reshape(shape)
    b = small_numbers(name, [3, 1, 2, 7, 4, 6]).reshape(shape)
    expected = result(oracle, operator, a, b)
    check(operator, name, LAYOUTS["reversed"](a), LAYOUTS["Fortran"](b), expected)


@pytest.mark.parametrize("name", TYPES)
def test_an_operand_twice(oracle: Oracle, name: str) -> None:
    a = small_numbers(name, [1, 2, 3, 4]).reshape(2, 2)
    for operator in ELEMENTWISE:
        check(operator, name, a, a, result(oracle, operator, a, a))
    if name in MATMUL_TYPES:
        check(Operator.MATMUL, name, a, a.T, result(oracle, Operator.MATMUL, a, a.T))


def test_matmul_without_elements_takes_no_time() -> None:
    """The inner dimension may be absurd where the result has no elements."""
    inner = 2**40
    a, b = np.empty((0, inner), np.float32), np.empty((inner, 0), np.float32)
    assert matmul(a, b).shape == (0, 0)


# --- What is excluded: both name one requirement, or both compute ---

NO_NUMBERS: list[Any] = [np.bool_, np.str_, np.complex64, np.complex128]
DTYPES = [*reference.DTYPES.values(), *map(np.dtype, NO_NUMBERS)]


def ones(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    made: Array = np.ones(shape, dtype)
    if dtype.kind == "O":
        made[...] = Fraction(1)
    return made


def named(compute: Callable[[Array, Array], Array], a: Array, b: Array) -> str | tuple[int, ...]:
    """The requirement that the operands violate; or the shape of the result."""
    try:
        return compute(a, b).shape
    except (SpecViolation, Inadmissible) as error:
        return error.requirement


@pytest.mark.parametrize("operator", SONNX)
@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data())
def test_one_requirement_is_named(oracle: Oracle, operator: Operator, data: st.DataObject) -> None:
    of_a = data.draw(st.sampled_from(DTYPES))
    of_b = data.draw(st.just(of_a) | st.sampled_from(DTYPES))
    shapes = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=3).map(tuple)
    a, b = ones(of_a, data.draw(shapes)), ones(of_b, data.draw(shapes))
    ours = named(FUNCTIONS[operator], a, b)
    assert ours == named(lambda x, y: result(oracle, operator, x, y), a, b)


@pytest.mark.parametrize("operator", ELEMENTWISE)
@pytest.mark.parametrize(
    ("a", "b", "item"),
    [
        ((2, 3), (3,), "R4"),
        ((2,), (), "R4"),
        ((2, 1), (1, 2), "R4"),
        ((0,), (1,), "R4"),
        ((2, 3), (3, 2), "R1"),
        ((2,), (3,), "R1"),
        ((0,), (2,), "R1"),
        ((6,), (2, 3), "R1"),
    ],
)
def test_shapes_that_broadcasting_could_bring_together(
    oracle: Oracle, operator: Operator, a: tuple[int, ...], b: tuple[int, ...], item: str
) -> None:
    expected = f"SONNX-{operator.upper()}.{item}"
    for first, second in [(a, b), (b, a)]:
        x, y = np.ones(first, ml_dtypes.bfloat16), np.ones(second, ml_dtypes.bfloat16)
        assert named(FUNCTIONS[operator], x, y) == expected
        assert named(lambda p, q: result(oracle, operator, p, q), x, y) == expected


def small_numbers(name: str, numbers: list[int]) -> Array:
    """Numbers that every type has."""
    if name == "real":
        return reference.Real().encode([Fraction(x) for x in numbers])
    return np.array(numbers).astype(reference.DTYPES[name])
