"""The bounds of Gemm and Conv: an addend is one product more, and windows are those of X and W."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sonnx_formal.accuracy import Outcome, SumBound, conv_bound, gemm_bound
from sonnx_formal.accuracy.bound import FORMATS
from sonnx_formal.accuracy.sums import Sums
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import BY_NAME, Format
from tests.accuracy.orders import Product, Sum, one_by_one, orders
from tests.accuracy.test_bound import DTYPES, NAMES, assert_within, operands, terms

ALMOST = 1 + Fraction(1, 10**12)
STEPS = 8 * Fraction(1, 1 << 1074)
Index = tuple[int, ...]


@dataclass(frozen=True)
class Kernel:
    """A convolution: shapes and attributes."""

    x: tuple[int, int, int, int]
    w: tuple[int, int, int, int]
    strides: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    group: int = 1

    @property
    def attributes(self) -> dict[str, Any]:
        return {
            "strides": [*self.strides],
            "pads": [*self.pads],
            "dilations": [*self.dilations],
            "group": self.group,
            "kernel_shape": [*self.w[2:]],
        }

    def bound(
        self, x: NDArray[Any], w: NDArray[Any], b: NDArray[Any] | None, **others: Any
    ) -> SumBound:
        return conv_bound(x, w, b, **self.attributes, **others)

    def factors(self, x: NDArray[Any], w: NDArray[Any], at: Index) -> Iterator[tuple[Any, Any]]:
        """Of the element at this index, by the formula of the document."""
        sample, output, *place = at
        first = output // (self.w[0] // self.group) * self.w[1]
        for channel, *tap in product(*map(range, self.w[1:])):
            row, column = (
                m * stride + t * dilation - pad
                for m, t, stride, dilation, pad in zip(
                    place, tap, self.strides, self.dilations, self.pads, strict=False
                )
            )
            inside = 0 <= row < self.x[2] and 0 <= column < self.x[3]
            element = x[sample, first + channel, row, column] if inside else x.dtype.type(0)
            yield element, w[output, channel, *tap]


KERNELS = [
    Kernel((1, 1, 3, 3), (1, 1, 2, 2)),
    Kernel((2, 2, 4, 3), (2, 2, 3, 2), strides=(2, 1), pads=(1, 0, 1, 1)),
    Kernel((2, 1, 3, 3), (2, 1, 2, 2), pads=(1, 2, 3, 1), dilations=(2, 3)),
    Kernel((1, 3, 3, 4), (3, 1, 2, 2), group=3, strides=(1, 2)),
    Kernel((1, 2, 2, 2), (3, 2, 1, 1)),
    Kernel((1, 1, 5, 4), (1, 1, 2, 3), strides=(3, 2), dilations=(2, 1), pads=(2, 1, 0, 3)),
]
PLAIN = Kernel((1, 1, 1, 2), (1, 1, 1, 2))


def exactly(pairs: Iterator[tuple[Any, Any]], addend: Any = None) -> list[Fraction]:
    found = [Fraction(float(x)) * Fraction(float(y)) for x, y in pairs]
    return found if addend is None else [*found, Fraction(float(addend))]


def stated(form: Format, products: list[Fraction]) -> Fraction:
    """((1 + u)^n - 1) Σ|a b| + (n / 2) (1 + u)^(n - 1) eta."""
    count, growth = len(products), 1 + Fraction(1, 1 << form.precision)
    least = Fraction(1, 1 << (form.emax + form.precision - 2))
    magnitude = sum(map(abs, products), Fraction(0))
    return (growth**count - 1) * magnitude + Fraction(count, 2) * growth ** (count - 1) * least


def is_stated(found: SumBound, at: Index, products: list[Fraction], name: str) -> bool:
    exact = stated(FORMATS[name], products)
    return exact <= Fraction(float(found.bound[at])) <= exact * ALMOST + STEPS


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_no_legal_order_of_gemm_leaves_the_bound(name: str, data: st.DataObject) -> None:
    a, b = data.draw(operands(name))
    column, _ = data.draw(operands(name))
    c = column[:, :1]
    products = [*terms(a, b), Fraction(float(c[0, 0]))]
    found = gemm_bound(a, b, c)
    assert_within(data.draw(orders(len(products))), products, found, name)
    if found.outcome[0, 0] is Outcome.BOUNDED:
        assert is_stated(found, (0, 0), products, name)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(data=st.data())
def test_no_legal_order_of_conv_leaves_the_bound(name: str, data: st.DataObject) -> None:
    kernel, biased = data.draw(st.sampled_from(KERNELS)), data.draw(st.booleans())
    chance = np.random.default_rng(data.draw(st.integers(0, 1 << 32)))
    x, w, b = (
        chance.standard_normal(shape).astype(DTYPES[name])
        for shape in (kernel.x, kernel.w, (kernel.w[0],))
    )
    found = kernel.bound(x, w, b if biased else None)
    for at in np.ndindex(found.bound.shape):
        products = exactly(kernel.factors(x, w, at), b[at[1]] if biased else None)
        if found.outcome[at] == Outcome.BOUNDED:
            assert is_stated(found, at, products, name)
    at = tuple(data.draw(st.integers(0, size - 1)) for size in found.bound.shape)
    products = exactly(kernel.factors(x, w, at), b[at[1]] if biased else None)
    element = SumBoundAt(found, at)
    assert_within(data.draw(orders(len(products))), products, element, name)


class SumBoundAt:
    """One element, in the place where `assert_within` looks."""

    def __init__(self, found: SumBound, at: Index) -> None:
        self.outcome = np.array([[found.outcome[at]]], object)
        self.bound = np.array([[found.bound[at]]])


@pytest.mark.parametrize("name", ["gemm", "conv"])
def test_the_addend_counts_as_a_product(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """3 * 683 is 2048 rounded, and so is 2048 + 1: the error is 2, that of two roundings."""

    def found() -> SumBound:
        x, w, b = (np.full((1, 1), number, np.float16) for number in (3, 683, 1))
        if name == "gemm":
            return gemm_bound(x, w, b)
        kernel = Kernel((1, 1, 1, 1), (1, 1, 1, 1))
        return kernel.bound(x.reshape(1, 1, 1, 1), w.reshape(1, 1, 1, 1), b[0])

    products = [Fraction(2049), Fraction(1)]
    of = SumBoundAt(found(), (0,) * found().bound.ndim)
    assert_within(one_by_one(2), products, of, "float16")
    assert 2 <= of.bound[0, 0] < 2.01
    monkeypatch.setattr(Sums, "count", 1)
    forgotten = SumBoundAt(found(), (0,) * found().bound.ndim)
    with pytest.raises(AssertionError):
        assert_within(one_by_one(2), products, forgotten, "float16")


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("row", "column", "addend", "expected"),
    [
        ([], [], 1 / 3, Outcome.EXACT),
        ([], [], NAN, Outcome.NAN),
        ([], [], -INF, Outcome.MINUS_INFINITY),
        ([1 / 3], [1 / 3], 0, Outcome.BOUNDED),
        ([1024], [2], 1, Outcome.BOUNDED),
        ([1024], [2], 2, Outcome.EXACT),
        ([1 / 3], [1 / 3], INF, Outcome.PLUS_INFINITY),
        ([INF], [1], -INF, Outcome.NAN),
        ([INF], [1], 1 / 3, Outcome.PLUS_INFINITY),
        ([INF], [0], 1, Outcome.NAN),
        ([256], [256], -65504, Outcome.ORDER_DEPENDENT),
        ([65504], [1], 32, Outcome.ORDER_DEPENDENT),
    ],
)
def test_outcomes(row: list[float], column: list[float], addend: float, expected: Outcome) -> None:
    a, b = np.array([row], np.float16), np.array([column], np.float16).T
    found = gemm_bound(a, b, np.array([[addend]], np.float16))
    assert found.outcome.tolist() == [[expected]]
    x, w = a.reshape((1, -1, 1, 1)), b.reshape((1, -1, 1, 1))
    kernel = Kernel((1, len(row), 1, 1), (1, len(row), 1, 1))
    assert kernel.bound(x, w, np.array([addend], np.float16)).outcome[0, 0, 0, 0] is expected


def test_each_element_has_its_addend() -> None:
    """Of those of one row, NaN is in one; of those of one channel, in all."""
    a, b = np.ones((2, 1), np.float32), np.ones((1, 2), np.float32)
    c = np.array([[NAN, 1], [INF, 1]], np.float32)
    nan, exact = Outcome.NAN, Outcome.EXACT
    assert gemm_bound(a, b, c).outcome.tolist() == [[nan, exact], [Outcome.PLUS_INFINITY, exact]]
    kernel = Kernel((1, 1, 1, 2), (2, 1, 1, 1))
    x, w, bias = (np.ones(s, np.float32) for s in (kernel.x, kernel.w, (2,)))
    bias[0] = NAN
    assert kernel.bound(x, w, bias).outcome.tolist() == [[[[nan, nan]], [[exact, exact]]]]


def test_padding() -> None:
    """It rounds nothing, but an infinite weight that lies on it makes NaN."""
    kernel = Kernel((1, 1, 1, 1), (1, 1, 1, 2), pads=(0, 1, 0, 1))
    third = np.full((1, 1, 1, 1), 1 / 3, np.float32)
    whole = kernel.bound(third, np.array([[[[1, 2]]]], np.float32), None)
    assert {*whole.outcome.ravel()} == {Outcome.EXACT}
    infinite = kernel.bound(third, np.array([[[[INF, 2]]]], np.float32), None)
    assert infinite.outcome.ravel().tolist() == [Outcome.NAN, Outcome.PLUS_INFINITY]
    assert infinite.zero_sign_open.tolist() == [[[[False, False]]]]


@pytest.mark.parametrize(
    ("x", "weights", "bias", "expected"),
    [
        (-0.0, [1, 1], None, [True, True]),  # without the padding, -0 is left
        (0.0, [1, 1], None, [False, False]),
        (-0.0, [1, 1], -0.0, [True, True]),
        (-0.0, [1, 1], 0.0, [False, False]),
        (-0.0, [INF, 1], None, [False, False]),  # NaN, and NaN
    ],
)
def test_sums_of_negative_zeros(
    x: float, weights: list[float], bias: float | None, expected: list[bool]
) -> None:
    kernel = Kernel((1, 1, 1, 1), (1, 1, 1, 2), pads=(0, 1, 0, 1))
    image, w = np.full((1, 1, 1, 1), x, np.float16), np.array([[[weights]]], np.float16)
    b = None if bias is None else np.array([bias], np.float16)
    assert kernel.bound(image, w, b).zero_sign_open.ravel().tolist() == expected


def test_nothing_but_padding_is_no_negative_zero() -> None:
    kernel = Kernel((1, 1, 0, 1), (1, 1, 1, 1), pads=(1, 0, 0, 0))
    found = kernel.bound(
        np.ones((1, 1, 0, 1), np.float16), -np.ones((1, 1, 1, 1), np.float16), None
    )
    assert found.zero_sign_open.tolist() == [[[[False]]]]
    assert found.outcome.tolist() == [[[[Outcome.EXACT]]]]


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel((0, 1, 3, 3), (1, 1, 2, 2)),
        Kernel((1, 1, 3, 3), (0, 1, 2, 2)),
        Kernel((1, 0, 2, 2), (1, 0, 1, 1)),
    ],
)
def test_sizes_of_zero(kernel: Kernel) -> None:
    x, w, b = (np.ones(shape, np.float32) for shape in (kernel.x, kernel.w, kernel.w[:1]))
    for bias in (None, b):
        found = kernel.bound(x, w, bias)
        assert {*found.outcome.ravel()} <= {Outcome.EXACT}
        assert found.bound.shape == found.outcome.shape == found.looseness.shape


def test_the_looseness_is_that_of_the_element() -> None:
    """The bound over the error of the order from first to last, the addend last."""
    kernel, chance = KERNELS[1], np.random.default_rng(0)
    x, w, b = (chance.random(s).astype(np.float32) for s in (kernel.x, kernel.w, (kernel.w[0],)))
    found = kernel.bound(x, w, b)
    for at in np.ndindex(found.bound.shape):
        total = np.float32(0)
        for left, right in kernel.factors(x, w, at):
            total += left * right
        exact = sum(exactly(kernel.factors(x, w, at), b[at[1]]), Fraction(0))
        error = abs(Fraction(float(total + b[at[1]])) - exact)
        assert found.looseness[at] == pytest.approx(found.bound[at] / float(error))


def test_named_orders_and_wider_types() -> None:
    a, b, c = (np.full(shape, 1 / 3, np.float16) for shape in ((1, 15), (15, 1), (1, 1)))
    bounds = [
        gemm_bound(a, b, c).bound[0, 0],
        gemm_bound(a, b, c, order="blocks", block=4).bound[0, 0],
        gemm_bound(a, b, c, order="pairwise").bound[0, 0],
        gemm_bound(a, b, c, accumulate="float32").bound[0, 0],
    ]
    assert bounds == sorted(bounds, reverse=True)
    products = [*terms(a, b), Fraction(float(c[0, 0]))]
    pairwise = gemm_bound(a, b, c, order="pairwise")
    assert_within(Sum(one_by_one(15), Product(15)), products, gemm_bound(a, b, c), "float16")
    assert float(pairwise.bound[0, 0]) < float(stated(FORMATS["float16"], products))


def test_operands_and_attributes_that_are_wrong() -> None:
    unit = np.ones((1, 1), np.float16)
    with pytest.raises(SpecViolation, match=r"SONNX-GEMM\.R3"):
        gemm_bound(unit, unit, unit[0])
    x = np.ones((1, 1, 1, 2), np.float16)
    with pytest.raises(SpecViolation, match=r"SONNX-CONV\.B\.C1"):
        PLAIN.bound(x, x, np.ones(2, np.float16))
    with pytest.raises(UserError, match="the attribute pads is missing"):
        conv_bound(x, x, **{n: v for n, v in PLAIN.attributes.items() if n != "pads"})
    with pytest.raises(UserError, match="has no attribute padding"):
        conv_bound(x, x, **PLAIN.attributes, padding=1)
    with pytest.raises(ValueError, match="there is no order 'random'"):
        PLAIN.bound(x, x, None, order="random")


@pytest.mark.parametrize("name", ["int32", "real"])
def test_what_is_exact_in_any_order(name: str) -> None:
    unit = np.ones((1, 1), BY_NAME[name].dtype)
    if name == "real":
        unit[0, 0] = Fraction(1)
        x = unit.reshape((1, 1, 1, 1))
        kernel = Kernel((1, 1, 1, 1), (1, 1, 1, 1), pads=(1, 0, 0, 0))
        assert {*kernel.bound(x, x, unit[0]).outcome.ravel()} == {Outcome.EXACT}
    assert gemm_bound(unit, unit, unit).outcome.tolist() == [[Outcome.EXACT]]
