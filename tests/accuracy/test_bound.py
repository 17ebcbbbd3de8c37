"""The bound of MatMul's error: no legal evaluation leaves it, and what is settled is settled."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sonnx_formal.accuracy import Outcome, bound, matmul_bound
from sonnx_formal.accuracy.bound import FORMATS
from sonnx_formal.accuracy.sums import of_matrices
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import BY_NAME
from tests.accuracy.orders import Order, balanced, blocked, evaluate, one_by_one, orders, rounded

DTYPES = {name: BY_NAME[name].dtype for name in FORMATS}
NAMES = [*FORMATS]
LONGEST = 12


@st.composite
def operands(draw: st.DrawFn, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """A row and a column of finite numbers of like or of very different magnitudes."""
    form, dtype = FORMATS[name], DTYPES[name]
    count = draw(st.integers(1, LONGEST))
    spread = draw(st.sampled_from([1, 4, form.emax // 2, form.emax]))
    centre = draw(st.sampled_from([0, 0, form.emax // 2, -form.emax // 2]))
    numbers = st.builds(
        lambda digits, exponent, sign: sign * float(digits) * 2.0**exponent,
        st.integers(0, (1 << form.precision) - 1),
        st.integers(max(centre - spread, 1 - form.emax), min(centre + spread, form.emax)).map(
            lambda exponent: exponent + 1 - form.precision
        ),
        st.sampled_from([1, -1]),
    )
    row, column = (draw(st.lists(numbers, min_size=count, max_size=count)) for _ in range(2))
    with np.errstate(all="ignore"):
        return np.array([row]).astype(dtype), np.array([column]).astype(dtype).T


def terms(a: NDArray[Any], b: NDArray[Any]) -> list[Fraction]:
    """The exact products."""
    pairs = zip(a[0].astype(float), b[:, 0].astype(float), strict=True)
    return [Fraction(x) * Fraction(y) for x, y in pairs]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=400)
@given(data=st.data())
@pytest.mark.long
def test_no_legal_evaluation_leaves_the_bound(name: str, data: st.DataObject) -> None:
    a, b = data.draw(operands(name))
    products = terms(a, b)
    order = data.draw(orders(len(products)))
    assert_within(order, products, matmul_bound(a, b), name)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=200)
@given(data=st.data())
@pytest.mark.long
def test_named_orders(name: str, data: st.DataObject) -> None:
    a, b = data.draw(operands(name))
    products = terms(a, b)
    pairwise = matmul_bound(a, b, order="pairwise")
    assert_within(balanced(0, len(products)), products, pairwise, name)
    sequential = matmul_bound(a, b, order="sequential")
    assert_within(one_by_one(len(products)), products, sequential, name)
    block = data.draw(st.integers(1, LONGEST + 1))
    blocks = matmul_bound(a, b, order="blocks", block=block)
    assert_within(blocked(len(products), block), products, blocks, name)


@pytest.mark.parametrize(
    ("name", "wide"),
    [
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("float16", "float64"),
        ("float32", "float64"),
    ],
)
@settings(max_examples=200)
@given(data=st.data())
@pytest.mark.long
def test_sums_in_a_wider_format(name: str, wide: str, data: st.DataObject) -> None:
    a, b = data.draw(operands(name))
    products = terms(a, b)
    order = data.draw(orders(len(products)))
    found = matmul_bound(a, b, accumulate=wide)
    if found.outcome[0, 0] is Outcome.ORDER_DEPENDENT:
        return
    result = rounded(evaluate(order, products, FORMATS[wide]), FORMATS[name])
    assert abs(result - sum(products)) <= Fraction(float(found.bound[0, 0]))


def assert_within(order: Order, products: list[Fraction], found: Any, name: str) -> None:
    outcome, most = found.outcome[0, 0], float(found.bound[0, 0])
    exact = sum(products, Fraction(0))
    if outcome is Outcome.ORDER_DEPENDENT:
        assert most == np.inf
        return
    result = evaluate(order, products, FORMATS[name])  # which must not overflow
    assert abs(result - exact) <= Fraction(most)
    if outcome is Outcome.EXACT:
        assert result == exact
    else:
        assert outcome is Outcome.BOUNDED


@pytest.mark.parametrize(
    ("flaw", "value"),
    [
        ("relative_error", lambda form, roundings: 2.0 ** (-2 * form.precision) * roundings),
        ("relative_error", lambda form, roundings: 2.0**-form.precision / 2),
        ("underflow_error", lambda form, products, roundings: 0.0),
    ],
)
def test_a_bound_with_a_mistake_is_left(
    flaw: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """u squared in place of u, no factor for the height, nothing for what underflows."""
    monkeypatch.setattr(bound, flaw, value)
    absorbed = np.array([[2048, 1, 1, 1]], np.float16)  # each 1 is lost
    vanishing = np.full((1, 4), 2.0**-13, np.float16), np.full((4, 1), 2.0**-12, np.float16)
    left = 0
    for a, b in ((absorbed, np.ones((4, 1), np.float16)), vanishing):
        products = terms(a, b)
        try:
            assert_within(one_by_one(4), products, matmul_bound(a, b), "float16")
        except AssertionError:
            left += 1
    assert left


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        ([], [], Outcome.EXACT),
        ([0, -0.0], [5, 7], Outcome.EXACT),
        ([1024, 1], [2, 1], Outcome.BOUNDED),  # 2049 has 12 digits
        ([1024, 1], [2, 2], Outcome.EXACT),  # 2050 has 11
        ([2048, -2048, 1], [1, 1, 1], Outcome.BOUNDED),  # 2048 + 1 in another order
        ([65504, 32], [1, 1], Outcome.ORDER_DEPENDENT),  # overflows, or is rounded
        ([65440, 16], [1, 1], Outcome.ORDER_DEPENDENT),  # the greatest is 65504, within the error
        ([256, -256], [256, 256], Outcome.ORDER_DEPENDENT),  # each product overflows
        ([2.0**-24], [0.5], Outcome.BOUNDED),  # underflows
        ([2.0**-24], [3], Outcome.EXACT),
        ([1 / 3], [1 / 3], Outcome.BOUNDED),
        ([np.nan, 1 / 3], [1, 1 / 3], Outcome.NAN),
        ([np.inf], [0], Outcome.NAN),
        ([-0.0, 1], [-np.inf, 1], Outcome.NAN),
        ([np.inf, 1], [1, 1], Outcome.PLUS_INFINITY),
        ([-np.inf, 1 / 3], [1, 1 / 3], Outcome.MINUS_INFINITY),
        ([2, 3], [-np.inf, 1 / 3], Outcome.MINUS_INFINITY),
        ([-2, -np.inf], [-np.inf, -np.inf], Outcome.PLUS_INFINITY),
        ([np.inf, np.inf], [1, -1], Outcome.NAN),
        ([np.inf, np.inf, 1 / 3], [1, -1, 1 / 3], Outcome.NAN),
        ([np.inf, 65504, 65504], [1, -1, -1], Outcome.ORDER_DEPENDENT),  # -inf on the way
    ],
)
def test_outcomes(row: list[float], column: list[float], expected: Outcome) -> None:
    a, b = np.array([row], np.float16), np.array([column], np.float16).T
    found = matmul_bound(a, b)
    assert found.outcome[0, 0] is expected
    assert (found.bound[0, 0] == 0) == (expected is not Outcome.BOUNDED) & (
        expected is not Outcome.ORDER_DEPENDENT
    )


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        ([-0.0], [1], True),
        ([-0.0, 0], [1, -2], True),
        ([-0.0, 0], [1, 2], False),
        ([-0.0, 1], [1, 2], False),
        ([0], [0], False),
        ([], [], False),
        ([-0.0], [np.inf], False),
    ],
)
def test_sums_of_negative_zeros(row: list[float], column: list[float], expected: bool) -> None:
    """From +0 on they are +0, and otherwise -0."""
    found = matmul_bound(np.array([row], np.float16), np.array([column], np.float16).T)
    assert found.zero_sign_open[0, 0] == expected


def test_element_by_element() -> None:
    a = np.array([[1, 2], [1 / 3, 1]], np.float16)
    b = np.array([[1, 1 / 3], [3, 1 / 3]], np.float16)
    found = matmul_bound(a, b)
    exact, bounded = Outcome.EXACT, Outcome.BOUNDED
    assert found.outcome.tolist() == [[exact, bounded], [bounded, bounded]]
    assert found.bound.shape == (2, 2)
    assert (found.bound > 0).tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, object])
def test_what_is_exact_in_any_order(dtype: type) -> None:
    unit = np.array([[Fraction(1)]]) if dtype is object else np.ones((1, 1), dtype)
    assert matmul_bound(unit, unit).outcome.tolist() == [[Outcome.EXACT]]


def test_operands_and_options_that_are_wrong() -> None:
    unit, row = np.ones((1, 1), np.float16), np.ones((1, 2), np.float16)
    with pytest.raises(SpecViolation, match=r"SONNX-MATMUL-FLOAT\.A\.C2"):
        matmul_bound(row, row)
    with pytest.raises(ValueError, match="there is no order 'random'; it is one of any, seq"):
        matmul_bound(unit, unit, order="random")
    with pytest.raises(ValueError, match=r"order='blocks' and block, .* go together"):
        matmul_bound(unit, unit, order="blocks")
    with pytest.raises(ValueError, match=r"order='blocks' and block, .* go together"):
        matmul_bound(unit, unit, block=8)
    with pytest.raises(ValueError, match="block=0: a block has one product or more"):
        matmul_bound(unit, unit, order="blocks", block=0)
    with pytest.raises(
        ValueError, match="not one that contains float16: float16, float32, float64"
    ):
        matmul_bound(unit, unit, accumulate="bfloat16")
    with pytest.raises(ValueError, match="int32 is exact in any order"):
        matmul_bound(np.ones((1, 1), np.int32), np.ones((1, 1), np.int32), accumulate="int64")


def test_magnitudes_at_the_end_of_the_range() -> None:
    """Where binary64 cannot add them up, they are infinite, and nobody is warned."""
    a = np.array([[np.nextafter(2.0**512, 0), *[0.0] * 5]])
    assert np.isinf(matmul_bound(a, a.T).magnitude).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_what_binary64_loses_is_made_up_for(sign: int) -> None:
    """Each 2^-54 is lost that is added to 1 by itself; the sums are at least what they are."""
    row = np.full((1, 4096), sign * 2.0**-54)
    row[0, 0] = sign
    found = bound.looked_at(of_matrices(row, np.ones((4096, 1))))
    exact = 1 + 4095 * Fraction(1, 2**54)
    for above in (found.magnitude_above, found.total_above):
        assert exact <= Fraction(float(above[0, 0])) <= exact * (1 + Fraction(1, 2**40))


def test_where_binary64_ends_the_error_is_infinite() -> None:
    assert bound.relative_error(FORMATS["bfloat16"], 200_000) == np.inf


def test_long_sums() -> None:
    """(1 + u)^n - 1 has a meaning where n u / (1 - n u) has none."""
    ones = np.ones((1, 4096), ml_dtypes.bfloat16)
    found = matmul_bound(ones, ones.T)
    assert found.outcome[0, 0] is Outcome.BOUNDED
    assert 4096 * 1e6 < found.bound[0, 0] < np.inf
    pairwise = matmul_bound(ones, ones.T, order="pairwise")
    assert pairwise.bound[0, 0] < 4096 * 14 / 256


@pytest.mark.parametrize("block", [1, 3, 4, 20])
@pytest.mark.parametrize("name", NAMES)
def test_the_looseness_is_that_of_the_order(name: str, block: int) -> None:
    """The error is that of exact fractions which are rounded after each step."""
    chance = np.random.default_rng(block)
    a, b = (chance.random(shape).astype(DTYPES[name]) for shape in ((1, 17), (17, 1)))
    products = terms(a, b)
    exact = sum(products, Fraction(0))
    for order, tree, size in (
        ("any", one_by_one(17), None),
        ("sequential", one_by_one(17), None),
        ("pairwise", balanced(0, 17), None),
        ("blocks", blocked(17, block), block),
    ):
        found = matmul_bound(a, b, order=order, block=size)
        error = abs(evaluate(tree, products, FORMATS[name]) - exact)
        assert found.outcome[0, 0] is Outcome.BOUNDED
        assert found.looseness[0, 0] == pytest.approx(found.bound[0, 0] / float(error))


def test_the_looseness_of_what_has_no_bound() -> None:
    """Exact, infinite in some orders, within a bound and exact all the same."""
    row = np.array([[1, 65504, 2048, -2048, 1]], np.float16)
    column = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]], np.float16)
    assert [str(x) for x in matmul_bound(row, column).looseness[0]] == ["nan", "nan", "inf"]
    infinite = matmul_bound(np.array([[np.inf]], np.float16), np.array([[1, -1]], np.float16))
    assert [str(x) for x in infinite.looseness[0]] == ["nan", "nan"]


@pytest.mark.long
@pytest.mark.parametrize("operands", ["between 0 and 1", "standard normal"])
@pytest.mark.parametrize("order", ["any", "pairwise", "blocks"])
def test_the_looseness_that_the_readme_states(order: str, operands: str) -> None:
    """The medians over 64 elements, to two digits."""
    readme = Path(bound.__file__).with_name("README.md").read_text()
    label = "blocks of 16" if order == "blocks" else order
    stated = re.search(rf"^\| {label}, {operands} \|(.*)\|$", readme, re.MULTILINE)
    assert stated
    found = []
    for count in (16, 64, 256, 1024):
        chance = np.random.default_rng(0)
        draw = chance.random if operands == "between 0 and 1" else chance.standard_normal
        a, b = (draw(shape).astype(np.float32) for shape in ((8, count), (count, 8)))
        loose = matmul_bound(a, b, order=order, block=16 if order == "blocks" else None).looseness
        found.append(float(f"{np.median(loose):.2g}"))
    assert [float(number) for number in stated[1].split("|")] == found
