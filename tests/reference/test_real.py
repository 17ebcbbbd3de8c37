"""Real numbers: exact fractions, and one infinity."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.reference.div import div
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.reference.mul import mul
from tests.reference.reference import Array, assert_same


def real(*elements: Any) -> Array:
    array = np.empty(len(elements), object)
    array[:] = [Fraction(each) for each in elements]
    return array


def test_products_and_quotients_are_exact() -> None:
    a, b = real("1/3", 10**40, "-7/2"), real(3, "1/10", "2/21")
    assert_same("real", mul(a, b), real(1, 10**39, "-1/3"))
    assert_same("real", div(a, b), real("1/9", 10**41, "-147/4"))


def test_division_by_zero_is_the_one_infinity() -> None:
    """SONNX-DIV.R5: whatever the dividend is, zero included."""
    result = div(real(1, -1, 0, 1), real(0, 0, 0, 2))
    assert result.tolist() == [math.inf, math.inf, math.inf, Fraction(1, 2)]


def test_rank_0() -> None:
    half = np.array(Fraction(1, 2), object)
    for result, expected in [(mul(half, half), Fraction(1, 4)), (div(half, half), Fraction(1))]:
        assert_same("real", result, np.array(expected, object))


def test_matmul_is_exact() -> None:
    a, b = real("1/3", "1/7").reshape(1, 2), real("3/5", "7/5").reshape(2, 1)
    assert_same("real", matmul(a, b), real("2/5").reshape(1, 1))


def test_matmul_of_nothing_is_zero() -> None:
    result = matmul(real().reshape(1, 0), real().reshape(0, 2))
    assert_same("real", result, real(0, 0).reshape(1, 2))
