"""Cases about sums of floats: that each is what its class says, by exact arithmetic."""

import random
from fractions import Fraction
from math import isfinite

import pytest

from sonnx_formal.accuracy import Outcome, matmul_bound
from sonnx_formal.spec.element_types import Format
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case
from tests.accuracy.orders import Fused, Order, OverflowedError, Product, Sum, evaluate, rounded
from tests.vectors.parts import BY_NAME, Cases, a_of, b_of, type_of

C = CaseClass
NAMES = [
    *("float16", "float32"),
    *(pytest.param(name, marks=pytest.mark.long) for name in ("bfloat16", "float64")),
]


@pytest.fixture(scope="module", params=NAMES)
def cases(request: pytest.FixtureRequest, every_case: Cases) -> list[Case]:
    return every_case.of(BY_NAME[f"matmul-{request.param}"])


def of_class(cases: list[Case], case_class: CaseClass) -> list[Case]:
    found = [case for case in cases if case.case_class is case_class]
    assert found
    return found


def form_of(case: Case) -> Format:
    return type_of(case).format


def terms(case: Case, row: int = 0) -> list[Fraction]:
    """The exact products; those of an infinity are left out."""
    pairs = zip(a_of(case)[row].astype(float), b_of(case)[:, 0].astype(float), strict=True)
    return [Fraction(x) * Fraction(y) for x, y in pairs if isfinite(x) and isfinite(y)]


def any_order(count: int, chance: random.Random) -> Order:
    """A legal order."""
    parts: list[Order] = [Product(index) for index in range(count)]
    chance.shuffle(parts)
    while len(parts) > 1:
        part = parts.pop(chance.randrange(len(parts)))
        place = chance.randrange(len(parts))
        other = parts[place]
        parts[place] = Fused(other, part.index) if isinstance(part, Product) else Sum(other, part)
        if chance.random() < 0.5 and isinstance(part, Product):
            parts[place] = Sum(other, part)
    return parts[0]


def test_no_order_rounds_an_exact_sum(cases: list[Case]) -> None:
    chance = random.Random(0)
    for case in of_class(cases, C.EXACT_SUM):
        products = terms(case)
        magnitude = sum(map(abs, products), Fraction(0))
        assert magnitude / min(map(abs, products)) < 1 << form_of(case).precision
        for _ in range(4):
            result = evaluate(any_order(len(products), chance), products, form_of(case))
            assert result == sum(products) == Fraction(float(case.expected[0, 0]))
        assert matmul_bound(a_of(case), b_of(case)).outcome[0, 0] is Outcome.EXACT


def test_great_terms_cancel(cases: list[Case]) -> None:
    for case in of_class(cases, C.CANCELLATION):
        products = terms(case)
        magnitude = sum(map(abs, products), Fraction(0))
        assert 0 < abs(sum(products, Fraction(0))) < magnitude / form_of(case).trailing
    lost = [case for case in of_class(cases, C.CANCELLATION) if case.expected[0, 0] == 0]
    assert lost  # the small term was rounded away on the way


def test_sums_grow(cases: list[Case]) -> None:
    growing = of_class(cases, C.GROWTH)
    assert max(a_of(case).shape[1] for case in growing) == 4096
    errors = set()
    for case in growing:
        products = terms(case)
        expected = Fraction(float(case.expected[0, 0]))
        result = Fraction(0)
        for product in products:
            result = rounded(result + rounded(product, form_of(case)), form_of(case))
        assert result == expected
        errors.add(expected == sum(products))
        assert matmul_bound(a_of(case), b_of(case)).outcome[0, 0] is Outcome.BOUNDED
    assert False in errors


def test_some_order_overflows_and_another_does_not(cases: list[Case]) -> None:
    chance = random.Random(0)
    for case in of_class(cases, C.ORDER_DEPENDENT):
        products = terms(case)
        fates = set()
        for _ in range(40):
            try:
                evaluate(any_order(len(products), chance), products, form_of(case))
                fates.add("finite")
            except OverflowedError:
                fates.add("overflow")
        if len(products) == a_of(case).shape[1]:
            assert fates == {"finite", "overflow"}
        else:  # beside an infinity, which overflow of the other sign turns into NaN
            assert "overflow" in fates
        assert matmul_bound(a_of(case), b_of(case)).outcome[0, 0] is Outcome.ORDER_DEPENDENT
