"""What the products of a dot product have in common, for all elements of a MatMul at once."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import BINARY64, Format

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_NO_GRID = 1 << 20
"""An exponent beyond those of all products: that of zero."""


@dataclass(frozen=True, eq=False)
class Products:
    """The products of row i of A and column j of B, summed up in each element [i, j]."""

    nan: Mask
    """Whether one is NaN, or two are infinities of opposite signs."""
    plus: Mask
    """Whether one is +infinity."""
    minus: Mask
    magnitude: Floats
    """The sum of the magnitudes of the finite products, as computed: see `magnitude_above`."""
    total: Floats
    """Their sum, as computed: no farther from it than the magnitudes allow."""
    grid: NDArray[np.int64]
    """The greatest e such that each finite product is a multiple of 2^e; very great for zeros."""
    negative_zero: Mask
    """Whether all are -0, so that the sum is -0 unless it starts at +0."""
    count: int

    @property
    def magnitude_above(self) -> Floats:
        """At least the sum of the magnitudes.

        What binary64 computes, in whatever order, is by the bound itself no farther below it than
        (1 + v)^n - 1 times the sum and what underflows, where v is the roundoff of binary64.
        """
        growth, small = self._rounding
        if growth >= 1:
            return np.full_like(self.magnitude, np.inf)
        return above(above(self.magnitude + small) / np.nextafter(1 - growth, 0))

    @property
    def total_above(self) -> Floats:
        """At least the magnitude of the exact sum."""
        growth, small = self._rounding
        error = above(above(times(growth, self.magnitude_above)) + small)
        return above(np.abs(self.total) + error)

    @property
    def _rounding(self) -> tuple[float, float]:
        """What binary64 does to a sum at most, in relation to the magnitudes and besides."""
        height = max(self.count, 1)
        return relative_error(BINARY64, height), underflow_error(BINARY64, self.count, height)


def products(a: NDArray[np.generic], b: NDArray[np.generic]) -> Products:
    """Look at all products.

    :param a: of shape (m, n), of a floating-point type that binary64 contains.
    :param b: of shape (n, k), of that type.
    """
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    shape, count = (left.shape[0], right.shape[1]), left.shape[1]
    nan, plus, minus = (np.zeros(shape, np.bool_) for _ in range(3))
    negative_zero = np.full(shape, count > 0)
    grid = np.full(shape, _NO_GRID, np.int64)
    with np.errstate(all="ignore"):
        finite_left, finite_right = (
            np.where(np.isfinite(operand), operand, 0.0) for operand in (left, right)
        )
        digit_left, digit_right = _last_digit(finite_left), _last_digit(finite_right)
        for k in range(count):
            x, y = left[:, k, np.newaxis], right[k]
            product = x * y  # an infinity, too, where binary64 ends
            infinite = np.isinf(x) | np.isinf(y)
            nan |= np.isnan(product)
            plus |= infinite & (product > 0)
            minus |= infinite & (product < 0)
            negative_zero &= ((x == 0) | (y == 0)) & np.signbit(product) & ~np.isnan(product)
            np.minimum(grid, digit_left[:, k, np.newaxis] + digit_right[k], out=grid)
        return Products(
            nan=nan | (plus & minus),
            plus=plus,
            minus=minus,
            magnitude=np.abs(finite_left) @ np.abs(finite_right),
            total=finite_left @ finite_right,
            grid=grid,
            negative_zero=negative_zero,
            count=count,
        )


def above(numbers: Floats) -> Floats:
    """The next greater numbers: at least what was rounded to these to nearest."""
    return np.nextafter(numbers, np.inf)


def times(factor: float, numbers: Floats) -> Floats:
    """Rounded to nearest, where nothing is nothing even an infinite number of times."""
    with np.errstate(all="ignore"):
        return np.where(numbers == 0, 0.0, factor * numbers)


def _last_digit(numbers: Floats) -> NDArray[np.int64]:
    """The greatest e such that 2^e divides the number; for zero, one that is never the least."""
    fractions, exponents = np.frexp(numbers)
    digits = np.abs(np.ldexp(fractions, BINARY64.precision)).astype(np.int64)
    lowest = (digits & -digits).astype(np.float64)  # a power of two, or 0
    place = np.frexp(lowest)[1] - 1 - BINARY64.precision
    return np.where(numbers == 0, _NO_GRID, exponents.astype(np.int64) + place)


@cache
def relative_error(form: Format, roundings: int) -> float:
    """At least (1 + u)^h - 1, where h is the number of roundings, or infinity.

    Source: why3/accuracy/computable_bound.mlw, `growth_fraction`.
    """
    top = 1 << form.precision
    return _upwards((top + 1) ** roundings - top**roundings, top**roundings)


@cache
def underflow_error(form: Format, products: int, roundings: int) -> float:
    """At least (n / 2) (1 + u)^(h - 1) units, as a number, or infinity.

    Source: why3/accuracy/computable_bound.mlw, `small_fraction`.
    """
    if not products:
        return 0.0
    top = 1 << form.precision
    units = products * (top + 1) ** (roundings - 1)
    return _upwards(units, top ** (roundings - 1) << (form.emax + form.precision - 1))


def _upwards(numerator: int, denominator: int) -> float:
    """The quotient of integers at least 0 rounded up, or infinity."""
    if not numerator:
        return 0.0
    try:
        nearest = numerator / denominator
    except OverflowError:
        return math.inf
    return math.nextafter(nearest, math.inf)
