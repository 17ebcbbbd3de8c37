"""The operators on tensors of every type, shape and layout, against the oracle."""

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.ops import div, matmul, mul
from tests.ops import oracle
from tests.ops.operands import LAYOUTS, SHAPES, layouts, tensors
from tests.ops.oracle import MATMUL_TYPES, TYPES, Array, assert_same

OPERATORS: dict[str, Callable[[Array, Array], Array]] = {"mul": mul, "div": div, "matmul": matmul}


def contents(array: Array) -> tuple[Any, ...]:
    """All that a caller could see change."""
    elements = list(array.ravel()) if array.dtype == object else array.tobytes()
    return array.shape, array.strides, array.dtype, array.flags.writeable, copy.copy(elements)


def check(operator: str, name: str, a: Array, b: Array, expected: Array) -> None:
    """The result is the expected one, no operand has changed, and no exception has come of it."""
    before = contents(a), contents(b)
    with np.errstate(all="raise"):
        got = OPERATORS[operator](a, b)
    assert_same(name, got, expected)
    assert (contents(a), contents(b)) == before
    assert not np.shares_memory(got, a)
    assert not np.shares_memory(got, b)
    assert got.flags.writeable


@pytest.mark.parametrize("operator", ["mul", "div"])
@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=15)
@given(data=st.data())
def test_elementwise(operator: str, name: str, data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    divides_integers = operator == "div" and "int" in name
    a = data.draw(tensors(name, shape))
    b = data.draw(tensors(name, shape, zero=not divides_integers))
    expected = oracle.elementwise(operator, name, a, b)
    layout = LAYOUTS[data.draw(layouts(name))], LAYOUTS[data.draw(layouts(name))]
    check(operator, name, layout[0](a), layout[1](b), expected)


@pytest.mark.parametrize("name", MATMUL_TYPES)
@settings(max_examples=20)
@given(data=st.data())
def test_matmul(name: str, data: st.DataObject) -> None:
    rows, inner, columns = (data.draw(st.integers(0, 4)) for _ in range(3))
    a = data.draw(tensors(name, (rows, inner)))
    b = data.draw(tensors(name, (inner, columns)))
    layout = LAYOUTS[data.draw(layouts(name))], LAYOUTS[data.draw(layouts(name))]
    check("matmul", name, layout[0](a), layout[1](b), oracle.matmul(name, a, b))


@pytest.mark.parametrize("operator", ["mul", "div"])
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(1,) * 30 + (2, 3), (2,) + (1,) * 62 + (3,)], ids=["32", "64"])
def test_many_axes(operator: str, name: str, shape: tuple[int, ...]) -> None:
    a = small_numbers(name, [2, 3, 5, 7, 11, 13]).reshape(shape)
    b = small_numbers(name, [3, 1, 2, 7, 4, 6]).reshape(shape)
    expected = oracle.elementwise(operator, name, a, b)
    check(operator, name, LAYOUTS["reversed"](a), LAYOUTS["Fortran"](b), expected)


@pytest.mark.parametrize("name", TYPES)
def test_an_operand_twice(name: str) -> None:
    a = small_numbers(name, [1, 2, 3, 4]).reshape(2, 2)
    for operator in ("mul", "div"):
        check(operator, name, a, a, oracle.elementwise(operator, name, a, a))
    if name in MATMUL_TYPES:
        check("matmul", name, a, a.T, oracle.matmul(name, a, a.T))


def test_matmul_without_elements_takes_no_time() -> None:
    """The inner dimension may be absurd where the result has no elements."""
    inner = 2**40
    a, b = np.empty((0, inner), np.float32), np.empty((inner, 0), np.float32)
    assert matmul(a, b).shape == (0, 0)


def small_numbers(name: str, numbers: list[int]) -> Array:
    """Numbers that every type has."""
    if name == "real":
        return oracle.Real().encode([Fraction(x) for x in numbers])
    return np.array(numbers).astype(oracle.DTYPES[name])
