"""Means of windows: judged by the bound on a sum in any order and its quotient."""

from typing import Any

import numpy as np
import pytest

from sonnx_formal.check.compare import ORDER_OPEN, OUTSIDE_BOUND
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.trials import Trial
from sonnx_formal.oracle import Oracle
from tests.check.test_sums import trial, verdict
from tests.reference.test_average_pool import PLAIN

WITHIN, DIVERGES, PASS = Verdict.WITHIN_BOUND, Verdict.DIVERGES, Verdict.PASS
INF, NAN = np.inf, np.nan


def row(oracle: Oracle, *elements: float, **changed: Any) -> Trial:
    """A window over one row."""
    x = np.array(elements, np.float16).reshape(1, 1, 1, -1)
    plain = {**PLAIN, "kernel_shape": [1, len(elements)]}
    return trial(oracle, "average_pool", x, **{**plain, **changed})


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1024, WITHIN),  # the reference order
        (1025, WITHIN),
        (1023, WITHIN),
        (1026, WITHIN),
        (1027, DIVERGES),  # 2.5 off, and the bound of two products and the quotient is 1.502
        (1022, DIVERGES),
        (INF, DIVERGES),
        (NAN, DIVERGES),
    ],
)
def test_a_mean_is_judged_by_the_bound(oracle: Oracle, got: float, expected: Verdict) -> None:
    """The exact mean is 1024.5."""
    found = verdict(row(oracle, 2048, 1), [[[[got]]]])
    assert found.verdict is expected
    assert found.kinds == ((OUTSIDE_BOUND,) if expected is DIVERGES else ())
    assert found.errors is not None
    assert (found.errors.products, found.errors.elements) == (2, 1)
    assert found.errors.outside == (expected is DIVERGES)


@pytest.mark.parametrize(("include_pad", "half_way"), [(0, 1), (1, 2)])
def test_what_counts_is_divided_by(oracle: Oracle, include_pad: int, half_way: int) -> None:
    """Beside the padding, by one or by two: sums of few digits are exact."""
    of = row(oracle, 3, 5, pads=[0, 1, 0, 0], count_include_pad=include_pad)
    assert verdict(of, [[[[3 / half_way, 4]]]]).verdict is PASS
    assert verdict(of, [[[[3 * half_way / 2, 4]]]]).verdict is DIVERGES


def test_a_quotient_is_rounded_once(oracle: Oracle) -> None:
    """The sum of integers is exact, so that one multiplied by 1 / 3 is seen."""
    of = row(oracle, 1, 1, 3)
    right = np.float16(5 / 3)
    assert verdict(of, [[[[right]]]]).verdict is PASS
    found = verdict(of, [[[[np.nextafter(right, np.float16(0))]]]])
    assert (found.verdict, found.kinds) == (DIVERGES, ("one unit in the last place",))


@pytest.mark.parametrize(
    ("elements", "right", "wrong"),
    [((INF, 1), INF, 65504), ((INF, -INF), NAN, INF), ((NAN, 1), NAN, 1), ((0.0, -0.0), 0.0, -0.0)],
)
def test_what_is_settled_is_right_to_the_bit(
    oracle: Oracle, elements: tuple[float, ...], right: float, wrong: float
) -> None:
    of = row(oracle, *elements)
    assert verdict(of, [[[[right]]]]).verdict is PASS
    assert verdict(of, [[[[wrong]]]]).verdict is DIVERGES


def test_the_sign_of_a_mean_of_negative_zeros_is_open(oracle: Oracle) -> None:
    of = row(oracle, -0.0, -0.0, pads=[0, 1, 0, 1])
    for got in (0.0, -0.0):
        assert verdict(of, [[[[got] * 3]]]).verdict is PASS


def test_sums_that_may_overflow(oracle: Oracle) -> None:
    of = row(oracle, 65504, 65504, -65504)
    for got in (65504 / 3, INF):
        found = verdict(of, [[[[got]]]])
        assert (found.verdict, found.kinds) == (Verdict.NOT_JUDGED, (ORDER_OPEN,))


def test_our_own_means_follow_the_reference_order(oracle: Oracle) -> None:
    of = row(oracle, 2048, 1)
    for got, expected in [(1024, PASS), (1025, DIVERGES)]:
        assert verdict(of, [[[[got]]]], strict=True).verdict is expected


def test_in_a_wider_type(oracle: Oracle) -> None:
    """There, the 1 is not lost; the mean is rounded at last."""
    of = row(oracle, 2048, 1, 1)
    for got, expected in [(683.5, WITHIN), (682.5, DIVERGES)]:
        assert verdict(of, [[[[got]]]], accumulate="float32").verdict is expected
