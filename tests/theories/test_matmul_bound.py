"""The bound for operands at hand is that of the theory of accuracy, rounded upwards."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sonnx_formal.accuracy import Outcome, matmul_bound
from sonnx_formal.accuracy.bound import FORMATS, SummationOrder, relative_error, underflow_error
from sonnx_formal.spec.element_types import BY_NAME
from tests.theories.evaluator import Evaluator

BOUND = "accuracy.computable_bound.ComputableBound"
DTYPES = {name: BY_NAME[name].dtype for name in FORMATS}
ALMOST = 1 + Fraction(1, 10**12)
STEPS = 8 * Fraction(1, 1 << 1074)
"""Each rounding upwards, where binary64 has no finer numbers."""


def drawn(chance: random.Random, name: str, count: int, scale: float) -> NDArray[Any]:
    numbers = [chance.uniform(-scale, scale) for _ in range(count)]
    return np.array([numbers]).astype(DTYPES[name])


@pytest.mark.parametrize(
    ("order", "block"),
    [("any", None), ("sequential", None), ("pairwise", None), ("blocks", 1), ("blocks", 16)],
)
@pytest.mark.parametrize("name", FORMATS)
def test_bounds_are_those_of_the_theory(
    evaluate: Evaluator, name: str, order: str, block: int | None
) -> None:
    chance = random.Random(f"{name} {order}")
    form = FORMATS[name]
    outcomes = set()
    for count in (1, 2, 3, 17, 100):
        for scale in (1.0, 2.0 ** (2 - form.emax // 2), 2.0 ** (form.emax // 2)):
            a, b = drawn(chance, name, count, scale), drawn(chance, name, count, scale).T
            found = matmul_bound(a, b, order=order, block=block)
            pairs = zip(a[0].astype(float), b[:, 0].astype(float), strict=True)
            magnitude = sum((abs(Fraction(x) * Fraction(y)) for x, y in pairs), Fraction(0))
            height = SummationOrder(order).roundings(count, block or 1)
            in_range = evaluate(f"{BOUND}.range_fraction", form.name, count, height, magnitude)
            outcome = found.outcome[0, 0]
            outcomes.add(outcome)
            assert in_range or outcome is not Outcome.BOUNDED
            if outcome is Outcome.BOUNDED:
                exact = evaluate(f"{BOUND}.bound_fraction", form.name, count, height, magnitude)
                assert isinstance(exact, Fraction)
                assert exact <= Fraction(float(found.bound[0, 0])) <= exact * ALMOST + STEPS
    assert outcomes == {Outcome.BOUNDED, Outcome.ORDER_DEPENDENT}


def factors(evaluate: Evaluator, name: str, height: int) -> Iterator[tuple[float, object]]:
    """As computed, and of the theory: of sums that are 1, and of sums that are 0."""
    form, fraction = FORMATS[name], f"{BOUND}.bound_fraction"
    yield relative_error(form, height), evaluate(fraction, form.name, 0, height, Fraction(1))
    for count in (1, 7, 1000):
        exact = evaluate(fraction, form.name, count, height, Fraction(0))
        yield underflow_error(form, count, height), exact


@pytest.mark.parametrize("height", [1, 2, 3, 17, 100])
@pytest.mark.parametrize("name", FORMATS)
def test_factors_are_rounded_upwards_and_no_farther(
    evaluate: Evaluator, name: str, height: int
) -> None:
    for found, exact in factors(evaluate, name, height):
        assert isinstance(exact, Fraction)
        two_below = np.nextafter(np.nextafter(found, 0), 0)
        assert Fraction(float(two_below)) <= exact <= Fraction(found)
