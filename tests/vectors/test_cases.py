"""What the cases are, and that each is what its class says: judged by exact arithmetic."""

import ast
import itertools
import random
import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal import vectors
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.spec import requirements
from sonnx_formal.spec.formats import Format
from sonnx_formal.vectors.case import SONNX, Array, Case, CaseClass, Operator
from sonnx_formal.vectors.combinations import COMBINATIONS
from sonnx_formal.vectors.elementwise import elementwise_operands
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.integers import IntegerRange
from tests.reference.reference import FORMATS, Integer, assert_same, elementwise, matmul

C = CaseClass
OF_SONNX = [one for one in COMBINATIONS if one[0] in SONNX]
EVERYWHERE = {C.NOMINAL, C.EXAMPLE, C.BOUNDARY, C.ZERO_SIZE, C.RANDOM}


def classes_expected(operator: Operator, element_type: str) -> set[CaseClass]:
    """The classes that make sense for an operator over a type."""
    expected = set(EVERYWHERE)
    kind = NUMERICAL[element_type].kind
    if operator is not Operator.MATMUL:
        expected.add(C.RANK_0)
    if kind == "float":
        expected |= {C.SPECIAL, C.TIE, C.SUBNORMAL, C.OVERFLOW}
        if operator is Operator.MATMUL:
            expected |= {C.EXACT_SUM, C.CANCELLATION, C.GROWTH, C.ORDER_DEPENDENT}
    elif kind == "integer" and operator is not Operator.DIV:
        expected.add(C.WRAP)
    elif operator is Operator.DIV and element_type.startswith("int"):
        expected.add(C.HAZARD)
    elif operator is Operator.DIV and kind == "real":
        expected.add(C.SPECIAL)  # zero divisors
    return expected


def select(cases: list[Case], case_class: CaseClass, *operators: Operator) -> list[Case]:
    return [case for case in cases if case.case_class is case_class and case.operator in operators]


def is_float(case: Case) -> bool:
    return NUMERICAL[case.element_type].kind == "float"


def patterns(array: Array, case: Case) -> list[int]:
    """The bit patterns of floating-point elements."""
    found: list[int] = array.view(NUMERICAL[case.element_type].pattern).ravel().tolist()
    return found


def exact(pattern: int, form: Format) -> Fraction:
    """The value of a finite number, in units."""
    exponent, trailing = divmod(pattern % form.sign, form.trailing)
    digits = trailing if exponent == 0 else (trailing + form.trailing) << (exponent - 1)
    return Fraction(-digits if pattern >= form.sign else digits)


def exact_results(case: Case) -> list[Fraction]:
    """The exact results of a case of finite numbers, in units."""
    form = FORMATS[case.element_type]
    one = exact(form.one, form)
    a, b = ([exact(x, form) for x in patterns(side, case)] for side in (case.a, case.b))
    match case.operator:
        case Operator.MUL:
            return [x * y / one for x, y in zip(a, b, strict=True)]
        case Operator.DIV:
            return [x * one / y for x, y in zip(a, b, strict=True)]
    (rows, inner), columns = case.a.shape, case.b.shape[1]
    return [
        sum((a[i * inner + k] * b[k * columns + j] for k in range(inner)), Fraction(0)) / one
        for i, j in itertools.product(range(rows), range(columns))
    ]


def is_half_way(units: Fraction, form: Format) -> bool:
    """Whether a number lies half-way between two neighbouring numbers of the format."""
    magnitude, last = abs(units), 1
    while magnitude >= last << form.precision:
        last *= 2
    return (2 * magnitude / last).denominator == 1 and (2 * magnitude / last).numerator % 2 == 1


def test_thousands_of_cases_each_with_a_name(cases: list[Case]) -> None:
    assert 2000 < len(cases) < 9000
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert case.name.startswith(f"{case.operator}-{case.element_type}-{case.case_class}-")


def test_every_operator_and_type_of_the_documents() -> None:
    integers = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    floats = ["float16", "bfloat16", "float32", "float64"]
    wide = [name for name in integers if name.endswith(("32", "64"))]
    assert set(OF_SONNX) == {
        *itertools.product((Operator.MUL, Operator.DIV), ["real", *integers, *floats]),
        *((Operator.MATMUL, name) for name in ("real", *wide, *floats)),
    }
    assert len(OF_SONNX) == 35


@pytest.mark.parametrize(("operator", "element_type"), OF_SONNX)
def test_every_class_that_makes_sense(
    cases: list[Case], operator: Operator, element_type: str
) -> None:
    mine = [c for c in cases if (c.operator, c.element_type) == (operator, element_type)]
    assert {case.case_class for case in mine} == classes_expected(operator, element_type)
    dtype = NUMERICAL[element_type].dtype
    for case in mine:
        assert {case.a.dtype, case.b.dtype, case.expected.dtype} == {dtype}


def test_expected_is_what_other_arithmetic_says(cases: list[Case]) -> None:
    """Python's integers and fractions, and MPFR, where there are not too many products."""
    judged: dict[tuple[Operator, str], int] = defaultdict(int)
    for case in cases:
        if case.operator is not Operator.MATMUL:
            wanted = elementwise(case.operator, case.element_type, case.a, case.b)
        elif case.a.size * case.b.size <= 400:
            wanted = matmul(case.element_type, case.a, case.b)
        else:
            continue
        assert_same(case.element_type, case.expected, wanted)
        judged[case.operator, case.element_type] += 1
    assert set(judged) == set(OF_SONNX)
    assert sum(judged.values()) > 2500


def test_expected_is_computed_by_the_oracle_alone(cases: list[Case]) -> None:
    """An oracle that says nothing but zeros makes nothing but zeros expected."""

    class Nought(Oracle):
        def evaluate(self, *arguments: Any, **options: Any) -> Array:
            result = super().evaluate(*arguments, **options)
            return np.zeros_like(result)

    with Nought() as nought:
        for operator in SONNX:
            for case in generate(operator, "float32", 0, nought):
                assert not case.expected.any()


def test_ties_are_half_way(cases: list[Case]) -> None:
    ties = select(cases, C.TIE, *SONNX)
    for case in ties:
        results = exact_results(case)
        assert all(is_half_way(units, FORMATS[case.element_type]) for units in results), case.name
    # Both ways of rounding them occur.
    for operator, element_type in itertools.product(SONNX, FORMATS):
        form = FORMATS[element_type]
        mine = [c for c in ties if (c.operator, c.element_type) == (operator, element_type)]
        up = [
            abs(exact(pattern, form)) > abs(units)
            for case in mine
            for pattern, units in zip(
                patterns(case.expected, case), exact_results(case), strict=True
            )
        ]
        assert {True, False} == set(up)


def test_subnormals_are_in_every_case(cases: list[Case]) -> None:
    for case in select(cases, C.SUBNORMAL, *SONNX):
        form = FORMATS[case.element_type]
        everything = [x for side in (case.a, case.b, case.expected) for x in patterns(side, case)]
        assert any(0 < x % form.sign < form.trailing for x in everything), case.name


@pytest.mark.parametrize("element_type", FORMATS)
@pytest.mark.parametrize("operator", SONNX)
def test_overflow_is_met_from_both_sides(
    cases: list[Case], operator: Operator, element_type: str
) -> None:
    form = FORMATS[element_type]
    mine = [c for c in select(cases, C.OVERFLOW, operator) if c.element_type == element_type]
    results = {x % form.sign for case in mine for x in patterns(case.expected, case)}
    assert {form.infinity, form.infinity - 1, form.infinity - 2} <= results
    # The exact results nearest to the threshold differ from it by little.
    threshold = exact(form.infinity - 1, form) + exact(form.infinity - 1, form) / (
        2 ** (form.precision + 1) - 2
    )
    exactly = [abs(units) / threshold for case in mine for units in exact_results(case)]
    near = [ratio for ratio in exactly if abs(ratio - 1) < Fraction(4, form.trailing)]
    assert any(ratio >= 1 for ratio in near)
    assert any(ratio < 1 for ratio in near)


def test_wrapping_cases_wrap(cases: list[Case]) -> None:
    for case in select(cases, C.WRAP, *SONNX):
        low, high = Integer(case.element_type).limits
        a, b = case.a.astype(object), case.b.astype(object)
        if case.operator is Operator.MUL:
            exactly = a * b
            assert not any(low <= x <= high for x in exactly.ravel()), case.name
        else:
            partial = [
                sum(products[: k + 1])
                for row, column in itertools.product(a, b.T)
                for products in [[x * y for x, y in zip(row, column, strict=True)]]
                for k in range(len(products))
            ]
            assert any(not low <= x <= high for x in partial), case.name


def test_boundaries_of_integers_do_not_wrap(cases: list[Case]) -> None:
    for case in select(cases, C.BOUNDARY, Operator.MUL, Operator.MATMUL):
        if NUMERICAL[case.element_type].kind == "integer":
            a, b = case.a.astype(object), case.b.astype(object)
            exactly = a * b if case.operator is Operator.MUL else a @ b
            assert (case.expected.astype(object) == exactly).all(), case.name


def test_hazards_are_apart_and_zero_divisors_nowhere(cases: list[Case]) -> None:
    hazards = 0
    for case in cases:
        if case.operator is Operator.DIV and NUMERICAL[case.element_type].kind == "integer":
            assert case.b.all()
            low = np.iinfo(case.a.dtype).min
            minus_one = case.b.astype(object) == -1
            hazard = bool(((case.a == low) & minus_one).any())
            assert hazard == (case.case_class is C.HAZARD), case.name
            hazards += hazard
    assert hazards == 20


def test_chance_draws_neither_a_hazard_nor_a_zero_divisor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it draws from the four numbers alone that make them."""
    monkeypatch.setattr(
        IntegerRange, "any_number", lambda self, chance: chance.choice([self.least, -1, 0, 1])
    )
    made = list(elementwise_operands(Operator.DIV, "int8", lambda _: random.Random(1)))
    for operands in made:
        if operands.case_class is C.RANDOM:
            assert operands.b.all()
            assert not ((operands.a == -128) & (operands.b == -1)).any()


@pytest.mark.parametrize("element_type", FORMATS)
@pytest.mark.parametrize("operator", SONNX)
def test_special_values_meet_each_other(
    cases: list[Case], operator: Operator, element_type: str
) -> None:
    form = FORMATS[element_type]
    values = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity, form.nan]
    signed = [sign + value for value in values for sign in (0, form.sign)]
    met = set()
    for case in select(cases, C.SPECIAL, operator):
        if case.element_type == element_type:
            a, b = patterns(case.a, case), patterns(case.b, case)
            if operator is not Operator.MATMUL:
                met |= set(zip(a, b, strict=True))
            elif case.a.shape[1] == 1:
                met |= set(itertools.product(a, b))
    assert set(itertools.product(signed, signed)) <= met


def test_zero_size_and_rank_0(cases: list[Case]) -> None:
    for case in select(cases, C.ZERO_SIZE, *SONNX):
        assert 0 in (*case.a.shape, *case.b.shape)
    empty_sums = [c for c in select(cases, C.ZERO_SIZE, Operator.MATMUL) if c.expected.size]
    assert empty_sums
    for case in empty_sums:
        if is_float(case):
            assert set(patterns(case.expected, case)) == {0}
    for case in select(cases, C.RANK_0, *SONNX):
        assert case.a.shape == case.b.shape == case.expected.shape == ()


def test_requirements_are_in_the_registry(cases: list[Case]) -> None:
    known = requirements.requirements()
    exercised = {identifier for case in cases for identifier in case.requirements}
    assert exercised <= set(known)
    # Rejections have no result.
    rejected = {f"SONNX-{name}.{item}" for name in ("MUL", "DIV") for item in ("R2", "R3", "R4")}
    documents = {case.requirements[0].partition(".")[0] for case in cases}
    asked = {one.id for one in known.values() if one.document in documents}
    assert asked - exercised == rejected


def test_examples_are_those_of_the_registry(cases: list[Case]) -> None:
    """Number by number, but the quotients that a type has to round."""
    examples = [case for case in cases if case.case_class is C.EXAMPLE]
    for case in examples:
        text = requirements.requirement(case.requirements[-1]).text
        numbers = re.findall(r"(?<![\w/])(?:-?inf|NaN|-?\d+(?:/\d+)?)", text)
        written = [float(Fraction(one)) if one[-1].isdigit() else float(one) for one in numbers]
        mine = [float(x) for side in (case.a, case.b, case.expected) for x in side.ravel()]
        count = len(mine)
        if case.requirements[-1] == "SONNX-DIV.EX3" and case.element_type != "real":
            count -= case.expected.size
        np.testing.assert_array_equal(mine[:count], written[:count], case.name)
    assert len(examples) > 90


def test_requirements_fit_the_operands(cases: list[Case]) -> None:
    for case in cases:
        assert len(set(case.requirements)) == len(case.requirements)
        items = {identifier.partition(".")[2] for identifier in case.requirements}
        assert ("FUNC" in items) <= bool(case.expected.size)
        assert any(item.startswith("EX") for item in items) == (case.case_class is C.EXAMPLE)
        if case.operator is Operator.DIV:
            with np.errstate(invalid="ignore"):
                zero = bool((case.b == 0).any())
            assert ("R5" in items) == zero
            assert ("C2" in items) == (not zero)
        if case.operator is Operator.MATMUL:
            assert ("T" in items) == (case.element_type != "bfloat16")


def test_the_same_seed_gives_the_same_cases(oracle: Oracle, cases: list[Case]) -> None:
    def digest(case: Case) -> tuple[str, bytes, bytes]:
        return case.name, case.a.tobytes(), case.b.tobytes()

    def some(seed: int) -> list[tuple[str, bytes, bytes]]:
        return [digest(case) for case in generate(Operator.MUL, "float16", seed, oracle)]

    stored = [digest(c) for c in cases if (c.operator, c.element_type) == (Operator.MUL, "float16")]
    assert some(0) == some(0) == stored
    changed = [x for x, y in zip(some(0), some(1), strict=True) if x != y]
    assert {name.split("-")[2] for name, _, _ in changed} >= {"random", "tie", "subnormal"}
    assert "special" not in {name.split("-")[2] for name, _, _ in changed}


def test_the_implementation_under_test_has_no_part_in_generation() -> None:
    """Of `sonnx_formal.reference`, only the names of types."""
    for path in Path(vectors.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "sonnx_formal.reference"
            ):
                assert {alias.name for alias in node.names} <= {"ELEMENT_TYPES", "TYPES"}
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("sonnx_formal.reference")
