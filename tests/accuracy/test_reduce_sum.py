"""The bound of ReduceSum: each sum is one of products by 1, of the elements of its block."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sonnx_formal.accuracy import Outcome, matmul_bound, reduce_sum_bound
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.admission import SpecViolation
from tests.accuracy.orders import orders
from tests.accuracy.test_addends import SumBoundAt, is_stated
from tests.accuracy.test_bound import DTYPES, NAMES, assert_within, operands

INF, NAN = np.inf, np.nan


def vector(*axes: int) -> NDArray[np.int64]:
    return np.array(axes, np.int64)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_no_legal_order_leaves_the_bound(name: str, data: st.DataObject) -> None:
    row, _ = data.draw(operands(name))
    addends = [Fraction(float(x)) for x in row[0]]
    found = reduce_sum_bound(row, vector(1))
    assert_within(data.draw(orders(len(addends))), addends, found, name)
    if found.outcome[0, 0] is Outcome.BOUNDED:
        assert is_stated(found, (0, 0), addends, name)


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize(
    ("asked", "along"), [((1,), (1,)), ((-1, 0), (0, 2)), ((2, 1), (1, 2)), (None, (0, 1, 2))]
)
def test_blocks_are_those_of_the_operator(
    asked: tuple[int, ...] | None, along: tuple[int, ...], keepdims: int
) -> None:
    chance = np.random.default_rng(11)
    x = chance.standard_normal((3, 4, 5)).astype(np.float32)
    axes = None if asked is None else vector(*asked)
    found = reduce_sum_bound(x, axes, keepdims=keepdims)
    assert found.bound.shape == np.sum(x, along, keepdims=bool(keepdims)).shape
    others = [axis for axis in range(x.ndim) if axis not in along]
    for at in np.ndindex(found.bound.shape):
        places = [at[axis] for axis in others] if keepdims else at
        where: list[Any] = [slice(None)] * x.ndim
        for axis, place in zip(others, places, strict=True):
            where[axis] = place
        addends = [Fraction(float(element)) for element in x[tuple(where)].ravel()]
        assert found.outcome[at] == Outcome.BOUNDED
        assert is_stated(found, at, addends, "float32")
        row, column = found.sums.factors(at)
        assert [Fraction(float(element)) for element in row] == addends
        assert (column == 1).all()
        element = SumBoundAt(found, at)
        exact = sum(addends, Fraction(0))
        error = abs(Fraction(float(np.sum(x, along, keepdims=bool(keepdims))[at])) - exact)
        assert error <= Fraction(float(element.bound[0, 0]))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([], Outcome.EXACT),
        ([1 / 3], Outcome.EXACT),
        ([-0.0], Outcome.EXACT),
        ([1, 2, 3], Outcome.EXACT),
        ([1 / 3, 1000], Outcome.BOUNDED),
        ([NAN, 1], Outcome.NAN),
        ([INF, -INF], Outcome.NAN),
        ([INF, 1 / 3], Outcome.PLUS_INFINITY),
        ([-INF, -1], Outcome.MINUS_INFINITY),
        ([65504, 32], Outcome.ORDER_DEPENDENT),
        ([65504, 65504, -65504], Outcome.ORDER_DEPENDENT),
    ],
)
def test_outcomes(row: list[float], expected: Outcome) -> None:
    """As of the product of a row and a column of ones."""
    x = np.array([row], np.float16).reshape(1, len(row))
    found = reduce_sum_bound(x, vector(1), keepdims=0)
    assert found.outcome.tolist() == [expected]
    product = matmul_bound(x, np.ones((len(row), 1), np.float16))
    assert found.outcome[0] is product.outcome[0, 0]
    assert found.bound[0] == product.bound[0, 0]
    assert found.zero_sign_open[0] == product.zero_sign_open[0, 0]


def test_data_as_they_are_are_exact() -> None:
    x = np.array([[1 / 3, NAN], [INF, -0.0]], np.float32)
    found = reduce_sum_bound(x, noop_with_empty_axes=1)
    wanted = [[Outcome.EXACT, Outcome.NAN], [Outcome.PLUS_INFINITY, Outcome.EXACT]]
    assert found.outcome.tolist() == wanted
    assert not found.bound.any()


@pytest.mark.parametrize("name", [*NAMES, "int32"])
def test_empty_sums(name: str) -> None:
    dtype = DTYPES.get(name, np.dtype(name) if name == "int32" else None)
    found = reduce_sum_bound(np.ones((2, 0), dtype), vector(1))
    assert found.outcome.tolist() == [[Outcome.EXACT]] * 2
    none = reduce_sum_bound(np.ones((2, 0), dtype), vector(0), keepdims=0)
    assert none.bound.shape == (0,)


def test_of_rank_0() -> None:
    assert reduce_sum_bound(np.array(3, np.float32)).outcome.tolist() is Outcome.EXACT


def test_what_is_rejected() -> None:
    x = np.ones((2, 3), np.float32)
    with pytest.raises(SpecViolation, match=r"ONNX-REDUCESUM-13\.AXES\.C1"):
        reduce_sum_bound(x, vector(2))
    with pytest.raises(UserError, match="has no attribute axis"):
        reduce_sum_bound(x, axis=1)
