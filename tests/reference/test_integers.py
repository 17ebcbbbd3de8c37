"""Integer arithmetic: every pair of 8-bit numbers, and the ends of the wider types."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from sonnx_formal.reference.div import div
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.reference.mul import mul
from tests.reference.declared import COMPARED, function
from tests.reference.reference import INTEGERS, Array, Integer, assert_same, elementwise

SIGNED = [name for name in INTEGERS if name[0] == "i"]
IN_MATMUL = ["int32", "int64", "uint32", "uint64"]


def pairs(name: str, numbers: Sequence[int]) -> tuple[Array, Array]:
    a, b = np.array(list(itertools.product(numbers, numbers)), name).T
    return a, b


def numbers_of_interest(name: str) -> list[int]:
    """About zero, the ends, and the numbers whose squares are about the ends."""
    low, high = Integer(name).limits
    root = round((high + 1) ** 0.5)
    near = {m + d for m in (low, high, 0, low // 2, high // 2, root, -root) for d in range(-3, 4)}
    return sorted(x for x in near if low <= x <= high)


def check(operation: str, name: str, a: Array, b: Array) -> None:
    """At all pairs at which the operation is defined."""
    if operation == "div":
        a, b = a[b != 0], b[b != 0]
    result = function(COMPARED[operation])(a, b)
    assert_same(name, result, elementwise(operation, name, a, b))


@pytest.mark.parametrize("operation", COMPARED)
@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_pair_of_8_bits(name: str, operation: str) -> None:
    low, high = Integer(name).limits
    a, b = pairs(name, range(low, high + 1))
    check(operation, name, a, b)


@pytest.mark.parametrize("operation", COMPARED)
@pytest.mark.parametrize("name", INTEGERS)
def test_ends_of_the_type(name: str, operation: str) -> None:
    a, b = pairs(name, numbers_of_interest(name))
    check(operation, name, a, b)


def test_product_wraps_around() -> None:
    a, b = np.array([[100, 127, -128, 16]], np.int8), np.array([[2, 127, -128, 16]], np.int8)
    assert mul(a, b).tolist() == [[-56, 1, 0, 0]]
    a, b = np.array([16, 255], np.uint8), np.array([17, 255], np.uint8)
    assert mul(a, b).tolist() == [16, 1]


def test_quotient_is_truncated_towards_zero() -> None:
    a, b = np.array([7, -7, 7, -7, 1, -1]), np.array([2, 2, -2, -2, -2, 2])
    assert div(a, b).tolist() == [3, -3, -3, 3, 0, 0]


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("shape", [(), (1,), (100,)])
def test_least_number_divided_by_minus_one_is_itself(name: str, shape: tuple[int, ...]) -> None:
    """Real runtimes trap on it; ours gives the quotient modulo 2^n, and warns of nothing."""
    least = Integer(name).limits[0]
    with np.errstate(all="raise"):
        result = div(np.full(shape, least, name), np.full(shape, -1, name))
    assert_same(name, result, np.full(shape, least, name))


@pytest.mark.parametrize("name", IN_MATMUL)
def test_sum_of_products_wraps_around(name: str) -> None:
    low, high = Integer(name).limits
    wrap = Integer(name).wrap
    a, b = (
        np.array([[low, high, high], [high, high, 1]], name),
        np.array([[high], [high], [3]], name),
    )
    expected = [[wrap(low * high + high * high + high * 3)], [wrap(high * high + high * high + 3)]]
    assert matmul(a, b).tolist() == expected
    assert matmul(np.full((1, 2), high, name), np.ones((2, 1), name)).tolist() == [[wrap(2 * high)]]
