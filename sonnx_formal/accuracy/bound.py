"""The error bound of sums of products: proved for every legal order, computed never below it."""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.accuracy.sums import Mask, Sums, sums_of
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import Call, attributes_of
from sonnx_formal.spec.element_types import BINARY64, BY_NAME, FLOATS, Array, Family, Format
from sonnx_formal.spec.operators.average_pool import AVERAGE_POOL
from sonnx_formal.spec.operators.conv import CONV
from sonnx_formal.spec.operators.gemm import GEMM
from sonnx_formal.spec.operators.matmul import MATMUL
from sonnx_formal.spec.operators.reduce_sum import REDUCE_SUM

Floats = NDArray[np.float64]

_NO_GRID = 1 << 20
"""An exponent beyond those of all products: that of zero."""
FORMATS = {type_.name: type_.format for type_ in FLOATS}
WIDER = {
    name: [
        wide
        for wide, other in FORMATS.items()
        if other.precision >= form.precision and other.emax >= form.emax
    ]
    for name, form in FORMATS.items()
}
"""The types that have all numbers of a type, itself among them."""


class SummationOrder(StrEnum):
    """An order of summation, or all that are legal: `NamedOrders` of why3/accuracy."""

    ANY = "any"
    SEQUENTIAL = "sequential"
    PAIRWISE = "pairwise"
    """Halves that are summed in the same way."""
    BLOCKS = "blocks"
    """Blocks that are summed one after the other, and so are the sums."""

    def roundings(self, products: int, block: int) -> int:
        """How many of them a product goes through at most, of so many products, at least one."""
        match self:
            case SummationOrder.ANY | SummationOrder.SEQUENTIAL:
                return products
            case SummationOrder.PAIRWISE:
                return 1 + (products - 1).bit_length()
            case SummationOrder.BLOCKS:
                return min(products, block + (products - 1) // block)
            case _:
                assert_never(self)

    def summed(self, products: Array, block: int) -> np.generic:
        """The sum of at least one product, rounded after each addition; of `ANY`, one such."""
        match self:
            case SummationOrder.ANY | SummationOrder.SEQUENTIAL:
                return _one_by_one(products)
            case SummationOrder.PAIRWISE if len(products) > 1:
                half = len(products) // 2
                parts = (products[:half], products[half:])
                return _one_by_one([self.summed(part, block) for part in parts])
            case SummationOrder.PAIRWISE:
                return _one_by_one(products)
            case SummationOrder.BLOCKS:
                first = len(products) % block or block
                rest = range(first, len(products), block)
                blocks = [products[:first], *(products[at : at + block] for at in rest)]
                return _one_by_one([*map(_one_by_one, blocks)])
            case _:
                assert_never(self)


def _one_by_one(numbers: Sequence[np.generic] | Array) -> np.generic:
    return functools.reduce(operator.add, numbers)


class Outcome(StrEnum):
    """What is known of an element, whatever the order of summation."""

    EXACT = "exact"
    """No order rounds a sum: each gives the exact one, bit for bit, or the quotient of that, which
    is rounded once."""
    BOUNDED = "bounded"
    """No order overflows, and each result is within the bound of the exact sum."""
    NAN = "nan"
    PLUS_INFINITY = "+inf"
    MINUS_INFINITY = "-inf"
    ORDER_DEPENDENT = "order-dependent"
    """Some order may overflow where another does not."""


@dataclass(frozen=True, eq=False)
class SumBound:
    """What every legal evaluation of sums of products has to satisfy, for each element of Y."""

    bound: Floats
    """How far an element may be from the exact sum, or from the quotient of that; 0 where the
    outcome is settled, infinite where it depends on the order."""
    magnitude: Floats
    """The sum of the magnitudes of the finite products, divided like the sum, rounded up."""
    outcome: NDArray[np.object_]
    zero_sign_open: Mask
    """Where the sum is 0 and its sign depends on whether the sum starts at +0."""
    sums: Sums
    """In the type in which products and sums are rounded."""
    order: SummationOrder
    block: int

    @cached_property
    def looseness(self) -> Floats:
        """How many times the error of the order the bound is, for these operands; of any order,
        that of the order from the first product to the last.

        Infinite where it is exact, and NaN where there is no bound. This is room that the bound
        leaves, since it is for the worst operands: what is within it need not be accurate.
        """
        found = np.full(self.bound.shape, np.nan)
        for place in zip(*np.nonzero(self.outcome == Outcome.BOUNDED), strict=True):
            row, column = self.sums.factors(place)
            total, exact = self.order.summed(row * column, self.block), _exact(row, column)
            if (divisor := self.sums.divisor(place)) is not None:
                total = np.divide(total, total.dtype.type(divisor))
                exact /= divisor
            error = float(abs(Fraction(float(total)) - exact))
            found[place] = self.bound[place] / error if error else np.inf
        return found


@dataclass(frozen=True, eq=False)
class Products:
    """The products of each sum, summed up."""

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
        growth, small = self._rounding
        error = above(above(times(growth, self.magnitude_above)) + small)
        return above(np.abs(self.total) + error)

    @property
    def _rounding(self) -> tuple[float, float]:
        """What binary64 does to a sum at most, in relation to the magnitudes and besides."""
        height = max(self.count, 1)
        return relative_error(BINARY64, height), underflow_error(BINARY64, self.count, height)


def matmul_bound(
    a: Array,
    b: Array,
    *,
    order: str = "any",
    block: int | None = None,
    accumulate: str | None = None,
) -> SumBound:
    """The proved bound on the error of each element of the matrix product of A and B.

    A legal evaluation sums up the products, each once, along any binary tree, and rounds after
    each operation; a product and a sum may be fused into one. It may do so in a wider format and
    round the result once more.

    Source: SONNX-MATMUL-FLOAT.ACC; why3/accuracy.

    Args:
        a, b: operands as of MatMul. Integers and real numbers are exact in every order.
        order: `any`, `sequential`, `pairwise` (a balanced tree) or `blocks`: sums of `block`
            products each, the first of what is left over, added up one after the other.
        block: how many products a block has.
        accumulate: the element type in which products and sums are rounded, if that is a wider
            one, as `float32` for operands of float16.

    Returns:
        Arrays of shape (rows of A, columns of B). The bound is in binary64 and rounded up: it is
        never below the value of the theorem; how much room it leaves, `looseness` tells.

    Raises:
        SpecViolation: of the document of the type of A: .T, .A.C1, .B.C1 or .A.C2.
        TypeError: an operand is not a NumPy array, or its elements are of no type that is known.
        ValueError: there is no such order, `block` does not go with it or is less than 1, or the
            type to accumulate in is not wider.
    """
    return sum_bound(accepted(MATMUL, a, b), order=order, block=block, accumulate=accumulate)


def gemm_bound(  # noqa: PLR0913 (three operands)
    a: Array,
    b: Array,
    c: Array,
    *,
    order: str = "any",
    block: int | None = None,
    accumulate: str | None = None,
) -> SumBound:
    """The proved bound on the error of each element of the matrix product of A and B, and C added.

    As `matmul_bound`; the element of C times 1 is one product more, the last one.

    Source: SONNX-GEMM.FUNC; why3/accuracy.
    """
    return sum_bound(accepted(GEMM, a, b, c), order=order, block=block, accumulate=accumulate)


def conv_bound(  # noqa: PLR0913 (three operands)
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    order: str = "any",
    block: int | None = None,
    accumulate: str | None = None,
    **attributes: object,
) -> SumBound:
    """The proved bound on the error of each element of the convolution of X with W, and the bias B.

    As `matmul_bound`; the products are those of a window of the padded X and the kernel, channel by
    channel, row by row and column by column. The element of B times 1 is one product more, the last
    one. Products with the padding may be left out.

    Source: SONNX-CONV.FUNC; why3/accuracy.

    Args:
        x, w, b: operands as of Conv.
        order, block, accumulate: as of `matmul_bound`.
        attributes: as of Conv: `strides=[1, 1]`, …

    Returns:
        Arrays of the shape of Y.

    Raises:
        UserError: an attribute is unknown, missing, or of another kind.
    """
    given = attributes_of(CONV, **attributes)
    call = accepted(CONV, x, w, b, attributes=given)
    return sum_bound(call, order=order, block=block, accumulate=accumulate)


def average_pool_bound(
    x: Array,
    *,
    order: str = "any",
    block: int | None = None,
    accumulate: str | None = None,
    **attributes: object,
) -> SumBound:
    """The proved bound on the error of each mean of the elements of X under a window.

    As `matmul_bound`; the products are those of the elements under a window and 1, row by row, and
    the sum is divided once. The padding may be left out. Where the type does not have the number
    that the sum is divided by, nothing is known.

    Source: ONNX-AVERAGEPOOL-19.ACC; why3/accuracy.

    Args:
        x: the operand as of AveragePool.
        order, block, accumulate: as of `matmul_bound`.
        attributes: as of AveragePool: `strides=[1, 1]`, …

    Returns:
        Arrays of the shape of Y.

    Raises:
        UserError: an attribute is unknown, missing, or of another kind.
    """
    given = attributes_of(AVERAGE_POOL, **attributes)
    call = accepted(AVERAGE_POOL, x, attributes=given)
    return sum_bound(call, order=order, block=block, accumulate=accumulate)


def reduce_sum_bound(
    data: Array,
    axes: Array | None = None,
    *,
    order: str = "any",
    block: int | None = None,
    accumulate: str | None = None,
    **attributes: object,
) -> SumBound:
    """The proved bound on the error of each sum of elements of the data along axes.

    As `matmul_bound`; the products are those of the elements with 1, which round nothing.

    Source: ONNX-REDUCESUM-13.ACC; why3/accuracy.

    Args:
        data, axes: operands as of ReduceSum.
        order, block, accumulate: as of `matmul_bound`.
        attributes: as of ReduceSum: `keepdims=0`, …

    Returns:
        Arrays of the shape of the result.

    Raises:
        UserError: an attribute is unknown, or of another kind.
    """
    given = attributes_of(REDUCE_SUM, **attributes)
    call = accepted(REDUCE_SUM, data, axes, attributes=given)
    return sum_bound(call, order=order, block=block, accumulate=accumulate)


def sum_bound(
    call: Call, *, order: str = "any", block: int | None = None, accumulate: str | None = None
) -> SumBound:
    """The bound for an operator that is declared to sum up products, and accepted operands.

    The keywords are those of `matmul_bound`.
    """
    element, sums = call.result_type, sums_of(call)
    if order not in [*SummationOrder]:
        raise ValueError(f"there is no order {order!r}; it is one of {', '.join(SummationOrder)}")
    if (block is not None) != (order == SummationOrder.BLOCKS):
        raise ValueError("order='blocks' and block, how many products one has, go together")
    if block is not None and block < 1:
        raise ValueError(f"block={block}: a block has one product or more")
    chosen, size = SummationOrder(order), block or 1
    if element.family is not Family.FLOAT:
        if accumulate is not None:
            raise ValueError(f"accumulate={accumulate!r}: {element} is exact in any order")
        nothing = np.zeros(sums.places.shape)
        settled = _all(Outcome.EXACT, nothing.shape)
        return SumBound(nothing, nothing, settled, nothing > 0, sums, chosen, size)
    form = element.format
    if accumulate is not None and accumulate not in WIDER[element.name]:
        wider = ", ".join(WIDER[element.name])
        raise ValueError(f"accumulate={accumulate!r}: not one that contains {element}: {wider}")
    wide = FORMATS[accumulate or element.name]
    found = looked_at(sums)
    count = found.count
    height = chosen.roundings(count, size) if count else 1
    with np.errstate(all="ignore"):
        magnitude, total = found.magnitude_above, found.total_above
        error = _error_of_sums(wide, count, height, magnitude)
        in_range = above(magnitude + error) <= _greatest(wide)
        exact = _is_exact(found, form)
        if sums.divisors is not None:
            error = _error_of_means(wide, count, height, magnitude, sums.divisors)
            magnitude, total = (above(each / sums.divisors) for each in (magnitude, total))
            in_range &= (known := sums.divisors <= 2**wide.precision)
            exact &= known & (wide is form)  # in a wider type, the quotient is rounded twice
        if wide is not form:
            final = above(total + error)
            error = above(error + above(2.0**-form.precision * final))
            error = above(error + _half_a_unit(form))
            in_range &= final <= _greatest(form)
    outcome = _all(Outcome.ORDER_DEPENDENT, sums.shape)
    outcome[in_range] = Outcome.BOUNDED
    outcome[exact] = Outcome.EXACT
    outcome[found.plus | found.minus] = Outcome.ORDER_DEPENDENT
    finite_part_fits = in_range | exact
    outcome[found.plus & finite_part_fits] = Outcome.PLUS_INFINITY
    outcome[found.minus & finite_part_fits] = Outcome.MINUS_INFINITY
    outcome[found.nan] = Outcome.NAN
    bound = np.where(outcome == Outcome.BOUNDED, error, 0.0)
    bound = np.where(outcome == Outcome.ORDER_DEPENDENT, np.inf, bound)
    return SumBound(
        sums.arranged(bound),
        sums.arranged(magnitude),
        sums.arranged(outcome),
        sums.arranged(found.negative_zero),
        sums.of_type(BY_NAME[accumulate or element.name].dtype),
        chosen,
        size,
    )


def _exact(row: Array, column: Array) -> Fraction:
    pairs = zip(row.astype(float).tolist(), column.astype(float).tolist(), strict=True)
    return sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))


def _is_exact(found: Products, form: Format) -> Mask:
    """Whether all partial sums are on a grid that the precision suffices for.

    The computed sum of magnitudes decides: up to 2^53 steps of the grid, binary64 is exact, and
    what is beyond is not rounded below that.
    """
    steps = np.ldexp(found.magnitude, -np.minimum(found.grid, 1 << 16).astype(np.int32))
    top = 2.0**form.precision
    few = steps < top if form is BINARY64 else steps <= top
    unit = 2 - form.emax - form.precision
    return (found.grid >= unit) & few & (found.magnitude <= _greatest(form))


def _error_of_sums(form: Format, products: int, roundings: int, magnitude: Floats) -> Floats:
    """At least the bound on the error of a sum of so many products."""
    error = above(times(relative_error(form, roundings), magnitude))
    return above(error + underflow_error(form, products, roundings))


def _error_of_means(
    form: Format, products: int, roundings: int, magnitude: Floats, divisors: NDArray[np.int64]
) -> Floats:
    """At least the bound on the error of the quotients of such sums: `mean_bound` of
    why3/accuracy/mean_accuracy.mlw."""
    of_sums = _error_of_sums(form, products, roundings + 1, magnitude)
    return above(above(of_sums / divisors) + _half_a_unit(form))


def _half_a_unit(form: Format) -> float:
    """Half of the least positive number: what is rounded to 0 is not greater."""
    return 2.0 ** (1 - form.emax - form.precision)


def _greatest(form: Format) -> float:
    return (2 - 2.0 ** (1 - form.precision)) * 2.0**form.emax


def _all(outcome: Outcome, shape: tuple[int, ...]) -> NDArray[np.object_]:
    made = np.empty(shape, object)
    made.fill(outcome)  # numpy.full would make it a plain text
    return made


def looked_at(sums: Sums) -> Products:
    """Look at all products, of floating-point types that binary64 contains."""
    sums = sums.of_type(np.dtype(np.float64))
    nan, plus, minus, counted = (np.zeros(sums.shape, np.bool_) for _ in range(4))
    negative_zero = np.ones(sums.shape, np.bool_)
    grid = np.full(sums.shape, _NO_GRID, np.int64)
    with np.errstate(all="ignore"):
        for x, y, left_out in sums.products():
            product = x * y  # an infinity, too, where binary64 ends
            infinite = np.isinf(x) | np.isinf(y)
            nan |= np.isnan(product)
            plus |= infinite & (product > 0)
            minus |= infinite & (product < 0)
            zero = ((x == 0) | (y == 0)) & np.signbit(product) & ~np.isnan(product)
            negative_zero &= zero | (left_out & ~np.isnan(product))
            counted |= ~left_out
            np.minimum(grid, _last_digit(_finite(x)) + _last_digit(_finite(y)), out=grid)
        left, right = _finite(sums.left), _finite(sums.right)
        added = np.zeros(()) if sums.addend is None else _finite(sums.addend)
        return Products(
            nan=nan | (plus & minus),
            plus=plus,
            minus=minus,
            magnitude=np.abs(left) @ np.abs(right) + np.abs(added),
            total=left @ right + added,
            grid=grid,
            negative_zero=negative_zero & counted,
            count=sums.count,
        )


def _finite(numbers: Floats) -> Floats:
    """Infinities and NaNs taken for 0."""
    return np.where(np.isfinite(numbers), numbers, 0.0)


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
    """At least (1 + u)^h - 1, where h is the number of roundings, or infinity: `growth_fraction` of
    why3/accuracy/computable_bound.mlw."""
    top = 1 << form.precision
    return _upwards((top + 1) ** roundings - top**roundings, top**roundings)


@cache
def underflow_error(form: Format, products: int, roundings: int) -> float:
    """At least (n / 2) (1 + u)^(h - 1) units, as a number, or infinity: `small_fraction` of
    why3/accuracy/computable_bound.mlw."""
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
