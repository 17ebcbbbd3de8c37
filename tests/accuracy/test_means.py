"""The bounds of AveragePool: of a sum and of its quotient by how many elements count."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sonnx_formal.accuracy import Outcome, SumBound, average_pool_bound
from sonnx_formal.accuracy.bound import FORMATS
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import Format
from tests.accuracy.orders import OverflowedError, evaluate, orders, rounded
from tests.reference.test_average_pool import PLAIN, divisor, windows

ALMOST = 1 + Fraction(1, 10**12)
STEPS = 8 * Fraction(1, 1 << 1074)
INF, NAN = np.inf, np.nan
NAMES = ("float16", "float32", "float64")
KERNELS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((1, 1, 3, 3), {}),
    ((2, 3, 4, 3), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    ((1, 2, 3, 5), {"pads": [1, 2, 2, 1], "dilations": [2, 3]}),
    ((1, 1, 2, 2), {"kernel_shape": [1, 1], "strides": [1, 2]}),
]


def bound(x: NDArray[Any], **changed: Any) -> SumBound:
    return average_pool_bound(x, **{**PLAIN, **changed})


def row(*elements: float, name: str = "float16", **changed: Any) -> SumBound:
    """Of a window over one row."""
    x = np.array(elements, name).reshape(1, 1, 1, -1)
    return bound(x, **{"kernel_shape": [1, len(elements)], **changed})


def stated(form: Format, elements: list[Fraction], count: int) -> Fraction:
    """((1 + u)^(n + 1) - 1) Σ|x| / d + (n / 2) (1 + u)^n eta / d + eta / 2."""
    n, growth = len(elements), 1 + Fraction(1, 1 << form.precision)
    least = Fraction(1, 1 << (form.emax + form.precision - 2))
    magnitude = sum(map(abs, elements), Fraction(0))
    of_sum = (growth ** (n + 1) - 1) * magnitude + Fraction(n, 2) * growth**n * least
    return of_sum / count + least / 2


@pytest.mark.parametrize("include_pad", [0, 1])
@pytest.mark.parametrize(("shape", "changed"), KERNELS)
def test_the_bound_is_the_stated_one(
    shape: tuple[int, ...], changed: dict[str, Any], include_pad: int
) -> None:
    """Of each element the window by the formula: rounded up, and not by much."""
    chance = np.random.default_rng(3)
    attributes = {**PLAIN, **changed, "count_include_pad": include_pad}
    for name in NAMES:
        x = chance.standard_normal(shape).astype(name)
        found = average_pool_bound(x, **attributes)
        for at, elements in windows(x, attributes, found.bound):
            if found.outcome[at] is Outcome.EXACT:
                continue
            exact = [Fraction(0 if each is None else float(each)) for each in elements]
            wanted = stated(FORMATS[name], exact, divisor(elements, attributes))
            assert wanted <= Fraction(float(found.bound[at])) <= wanted * ALMOST + STEPS


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_no_legal_order_leaves_the_bound(name: str, data: st.DataObject) -> None:
    """Some of the elements beside padding, which the divisor has to do with."""
    width: Any = 8 * np.dtype(name).itemsize
    numbers = st.floats(width=width, allow_nan=False, allow_infinity=False)
    elements = data.draw(st.lists(numbers, min_size=1, max_size=6))
    found, form = row(*elements, name=name), FORMATS[name]
    terms = [Fraction(each) for each in elements]
    exact, outcome = sum(terms, Fraction(0)), found.outcome.item()
    try:
        total = evaluate(data.draw(orders(len(elements))), terms, form)
    except OverflowedError:
        assert outcome is Outcome.ORDER_DEPENDENT
        return
    mean = rounded(total / len(elements), form)
    if outcome is Outcome.EXACT:
        assert total == exact
    if outcome is Outcome.BOUNDED:
        assert abs(mean - exact / len(elements)) <= Fraction(float(found.bound.item()))


@pytest.mark.parametrize(
    ("elements", "outcome"),
    [
        ([1, 2, 3], Outcome.EXACT),
        ([2048, 1], Outcome.BOUNDED),
        ([65504, 65504], Outcome.ORDER_DEPENDENT),
        ([INF, 1], Outcome.PLUS_INFINITY),
        ([-INF, 1], Outcome.MINUS_INFINITY),
        ([INF, -INF], Outcome.NAN),
        ([NAN, 1], Outcome.NAN),
    ],
)
def test_outcomes(elements: list[float], outcome: Outcome) -> None:
    found = row(*elements)
    assert found.outcome.item() is outcome
    assert found.magnitude.item() == pytest.approx(
        sum(abs(x) for x in elements if np.isfinite(x)) / len(elements)
    )


def test_what_the_sums_are_divided_by() -> None:
    x = np.ones((1, 2, 3, 3), np.float32)
    attributes: dict[str, Any] = {"pads": [1, 1, 0, 0]}
    for include_pad, wanted in ((0, [[1, 2, 2], [2, 4, 4], [2, 4, 4]]), (1, [[4] * 3] * 3)):
        found = bound(x, count_include_pad=include_pad, **attributes)
        for c, m, n in product(range(2), range(3), range(3)):
            assert found.sums.divisor((0, c, m, n)) == wanted[m][n]


def test_zeros_of_the_padding_and_their_sign() -> None:
    found = row(-0.0, -0.0, pads=[0, 1, 0, 0])
    assert found.outcome.ravel().tolist() == [Outcome.EXACT] * 2
    assert found.zero_sign_open.ravel().tolist() == [True, True]
    assert row(-0.0, 0.0).zero_sign_open.item() is False


def test_numbers_that_the_type_does_not_have() -> None:
    """2049 is none of float16, and one of float32."""
    ones = [1.0] * 2049
    assert row(*ones[1:]).outcome.item() is Outcome.EXACT
    assert row(*ones).outcome.item() is Outcome.ORDER_DEPENDENT
    assert row(*ones, name="float32").outcome.item() is Outcome.EXACT
    assert row(*ones, accumulate="float32").outcome.item() is Outcome.BOUNDED
    assert row(NAN, *ones).outcome.item() is Outcome.NAN


def test_in_a_wider_type_the_bound_is_less() -> None:
    elements = [1 / 3] * 9
    bounds = [row(*elements).bound.item(), row(*elements, accumulate="float32").bound.item()]
    assert bounds == sorted(bounds, reverse=True)
    # The last rounding is that of the mean.
    assert bounds[1] >= 2.0**-11 / 3
    assert row(1, 2, accumulate="float32").outcome.item() is Outcome.BOUNDED


def test_the_looseness_is_that_of_the_mean() -> None:
    elements = np.array([1 / 3, 2000, 1 / 7], np.float16)
    found = row(*elements)
    total = (elements[0] + elements[1]) + elements[2]
    exact = sum((Fraction(float(x)) for x in elements), Fraction(0)) / 3
    error = abs(Fraction(float(total / np.float16(3))) - exact)
    assert found.looseness.item() == pytest.approx(found.bound.item() / float(error))


@pytest.mark.parametrize(
    ("shape", "changed"),
    [
        ((0, 1, 3, 3), {}),
        ((1, 0, 3, 3), {}),
        ((1, 1, 0, 3), {"kernel_shape": [1, 2]}),
        ((1, 1, 1, 2), {"kernel_shape": [2, 1], "strides": [2, 1]}),
    ],
)
def test_sizes_of_zero(shape: tuple[int, ...], changed: dict[str, Any]) -> None:
    found = bound(np.ones(shape, np.float32), **changed)
    assert found.bound.size == found.outcome.size == found.looseness.size == 0


def test_what_is_exact() -> None:
    x = np.array([Fraction(1, 3), Fraction(1)], object).reshape(1, 1, 1, 2)
    assert bound(x, kernel_shape=[1, 2]).outcome.item() is Outcome.EXACT


def test_operands_and_attributes_that_are_wrong() -> None:
    x = np.ones((1, 1, 3, 3), np.float16)
    with pytest.raises(SpecViolation, match=r"ONNX-AVERAGEPOOL-19\.X\.C1"):
        bound(x[0])
    with pytest.raises(UserError, match="the attribute pads is missing"):
        average_pool_bound(x, **{name: value for name, value in PLAIN.items() if name != "pads"})
