"""Where: what is chosen has all its bits, and which operands are rejected."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.where import where
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.where import WHERE
from tests.reference.declared import each_instance, expected, rejected, required
from tests.reference.operands import LAYOUTS, SHAPES, layouts, tensors
from tests.reference.reference import DTYPES, Array, assert_same

TRUTH = np.array([True, False])


def bits(array: Array) -> Any:
    return list(array.ravel()) if array.dtype == object else array.tobytes()


@each_instance(WHERE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition; and of either operand alone the bits, NaN's payload included."""
    name, shape = instance.label, data.draw(SHAPES)
    size = int(np.prod(shape))
    truth = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    condition = np.array(truth, bool).reshape(shape)
    x, y = (data.draw(tensors(name, shape)) for _ in "xy")
    layout = LAYOUTS[data.draw(layouts(name))]
    with np.errstate(all="raise"):
        result = where(condition, layout(x), layout(y))
    assert_same(name, result, expected(oracle, WHERE, condition, x, y))
    assert bits(where(np.ones(shape, bool), x, y)) == bits(x)
    assert bits(where(np.zeros(shape, bool), x, y)) == bits(y)
    assert not any(np.shares_memory(result, each) for each in (condition, x, y))


@pytest.mark.parametrize(
    "shapes",
    [
        ((2,), (2,), (1,)),
        ((2,), (), (2,)),
        ((1,), (2,), (2,)),
        ((2, 3), (3, 2), (3, 2)),
        ((), (0,), ()),
    ],
)
def test_shapes_that_differ(oracle: Oracle, shapes: tuple[tuple[int, ...], ...]) -> None:
    condition, x, y = shapes
    operands = np.ones(condition, bool), np.ones(x, np.float32), np.ones(y, np.float32)
    assert rejected(oracle, WHERE, *operands) == "SONNX-WHERE-FLOAT.CONDITION.C1"


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_two_types(oracle: Oracle, first: str, second: str) -> None:
    x, y = (np.zeros(0, DTYPES[name]) for name in (first, second))
    if first == second:
        assert where(TRUTH[:0], x, y).dtype == x.dtype
        return
    family = {"f": Family.FLOAT, "b": Family.FLOAT, "r": Family.REAL}.get(first[0], Family.INTEGER)
    predicates = ["listed", "one_type"] if first == "bfloat16" else ["one_type"]
    assert rejected(oracle, WHERE, TRUTH[:0], x, y) == required(WHERE, family, *predicates)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex64])
def test_a_condition_of_numbers(oracle: Oracle, dtype: Any) -> None:
    x = np.array([1, 2], np.int8)
    assert rejected(oracle, WHERE, np.array([1, 0], dtype), x, x) == "SONNX-WHERE-INT.T"
