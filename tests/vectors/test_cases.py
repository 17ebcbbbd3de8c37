"""What the cases are, and that each is what its class says: judged by exact arithmetic."""

import ast
import itertools
import math
import random
import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal import vectors
from sonnx_formal.backends.plainest import places
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.element_types import Array, ElementType, Family, Format
from sonnx_formal.spec.operator import Arithmetic, Instance, ShapeRule
from sonnx_formal.spec.requirements import registry
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors import elements
from sonnx_formal.vectors.generate import all_operands, generate
from sonnx_formal.vectors.manifest import Case
from sonnx_formal.vectors.operands import all_places
from tests.reference.reference import ARITHMETIC, Integer, assert_same, elementwise, matmul
from tests.vectors.parts import (
    BY_NAME,
    OF_SONNX,
    SONNX,
    Cases,
    a_of,
    arithmetic_of,
    b_of,
    operation_of,
    operator_of,
    type_of,
)

C = CaseClass
A = Arithmetic
OVER_FLOATS = [each for each in OF_SONNX if each.types[0].family is Family.FLOAT]
ROUNDING = set(A) - {A.EXACT, A.OTHER}
TRUTH = {"true": Fraction(1), "false": Fraction(0)}
EVERYWHERE = {C.NOMINAL, C.BOUNDARY, C.ZERO_SIZE, C.RANDOM}


def wraps(instance: Instance) -> bool:
    """Whether an end of the type, or the product of two, has a result beyond the ends."""
    low, high = Integer(instance.types[0].name).limits
    if len({input_.type for input_ in instance.operator.inputs}) > 1:
        return False
    if instance.operator.arithmetic is A.SUM_OF_PRODUCTS:
        return not low <= high * high <= high
    operation = getattr(ARITHMETIC["real"], operation_of(instance.operator))
    ends = itertools.product((Fraction(low), Fraction(high)), repeat=len(instance.operator.inputs))
    return not all(low <= operation(*each) <= high for each in ends)


def classes_expected(instance: Instance) -> set[CaseClass]:
    """The classes that make sense for an operator over a type."""
    expected = set(EVERYWHERE)
    (type_,) = instance.types
    arithmetic = instance.operator.arithmetic
    sums = arithmetic in {A.SUM, A.DIFFERENCE}
    for example in instance.operator.examples:
        if type_.family in example.families and (not example.types or type_.name in example.types):
            expected.add(C.EXAMPLE)
    if arithmetic is not A.SUM_OF_PRODUCTS:
        expected.add(C.RANK_0)
    if instance.operator.shape_rule is ShapeRule.MULTIDIRECTIONAL:
        expected |= {C.BROADCAST, C.REJECTED}
        # The special values are the boundaries, too.
        expected -= {C.BOUNDARY} if type_.family is Family.FLOAT else set()
    match type_.family:
        case Family.FLOAT:
            expected.add(C.SPECIAL)
            expected |= {C.TIE, C.SUBNORMAL, C.OVERFLOW} if arithmetic in ROUNDING else set()
            expected |= {C.CANCELLATION} if sums else set()
            if arithmetic is A.SUM_OF_PRODUCTS:
                expected |= {C.EXACT_SUM, C.CANCELLATION, C.GROWTH, C.ORDER_DEPENDENT}
        case Family.INTEGER if arithmetic is A.QUOTIENT:
            expected |= {C.HAZARD} if type_.signed else set()
        case Family.INTEGER if wraps(instance):
            expected.add(C.WRAP)
        case Family.REAL if arithmetic is A.QUOTIENT:
            expected.add(C.SPECIAL)  # zero divisors
    return expected


def select(cases: list[Case], case_class: CaseClass, *operators: str) -> list[Case]:
    return [c for c in cases if c.case_class is case_class and operator_of(c) in operators]


def is_float(case: Case) -> bool:
    return type_of(case).family is Family.FLOAT


def form_of(case: Case) -> Format:
    return type_of(case).format


def patterns(array: Array, case: Case) -> list[int]:
    """The bit patterns of floating-point elements."""
    found: list[int] = array.view(type_of(case).pattern).ravel().tolist()
    return found


def exact(pattern: int, form: Format) -> Fraction:
    """The value of a finite number, in units."""
    exponent, trailing = divmod(pattern % form.sign, form.trailing)
    digits = trailing if exponent == 0 else (trailing + form.trailing) << (exponent - 1)
    return Fraction(-digits if pattern >= form.sign else digits)


def exact_results(case: Case) -> list[Fraction]:
    """The exact results of a case of finite numbers, in units."""
    form = form_of(case)
    unit = exact(form.one, form)
    sides = [[exact(x, form) / unit for x in patterns(side, case)] for side in case.call.arrays]
    if arithmetic_of(case) is not A.SUM_OF_PRODUCTS:
        operation = getattr(ARITHMETIC["real"], operation_of(case.instance.operator))
        return [unit * operation(*each) for each in zip(*sides, strict=True)]
    (a, b), (rows, inner), columns = sides, a_of(case).shape, b_of(case).shape[1]
    return [
        unit * sum((a[i * inner + k] * b[k * columns + j] for k in range(inner)), Fraction(0))
        for i, j in itertools.product(range(rows), range(columns))
    ]


def is_half_way(units: Fraction, form: Format) -> bool:
    """Whether a number lies half-way between two neighbouring numbers of the format."""
    magnitude, last = abs(units), 1
    while magnitude >= last << form.precision:
        last *= 2
    return (2 * magnitude / last).denominator == 1 and (2 * magnitude / last).numerator % 2 == 1


@pytest.mark.long
def test_thousands_of_cases_each_with_a_name(cases: list[Case]) -> None:
    assert 50 * len(OF_SONNX) < len(cases) < 150 * len(OF_SONNX)
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert case.name.startswith(f"{case.instance.name}-{case.case_class}-")


def test_every_operator_and_type_of_the_documents() -> None:
    integers = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    floats = ["float16", "bfloat16", "float32", "float64"]
    wide = [name for name in integers if name.endswith(("32", "64"))]
    expected = {
        *itertools.product(("mul", "div", "neg", "abs"), ["real", *integers, *floats]),
        *(("matmul", name) for name in ("real", *wide, *floats)),
        *(("relu", name) for name in ("real", *integers[:4], *floats)),
    }
    assert len(expected) == 70
    assert expected <= {(each.operator.name, each.label) for each in OF_SONNX}


@pytest.mark.parametrize("instance", OF_SONNX, ids=str)
def test_every_class_that_makes_sense(cases: Cases, instance: Instance) -> None:
    found = cases.of(instance)
    assert {case.case_class for case in found} == classes_expected(instance)
    for case in found:
        assert (
            case.violated or case.expected.dtype == instance.type_of(instance.operator.output).dtype
        )
        for _, input_, operand in case.call.bound():
            assert operand is None or operand.dtype == instance.type_of(input_).dtype


def test_expected_is_what_other_arithmetic_says(cases: list[Case]) -> None:
    """Python's integers and fractions, and MPFR, where there are not too many products."""
    judged: dict[Instance, int] = defaultdict(int)
    for case in cases:
        name, operands = type_of(case).name, case.call.arrays
        if case.violated:
            continue
        if arithmetic_of(case) is not A.SUM_OF_PRODUCTS:
            attributes = case.call.attributes.as_dict()
            wanted = elementwise(
                operation_of(case.instance.operator), name, *operands, **attributes
            )
        elif math.prod(side.size for side in operands) <= 400:
            wanted = matmul(name, *operands)
        else:
            continue
        assert_same(case.call.result_type.name, case.expected, wanted)
        judged[case.instance] += 1
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
            for case in generate(BY_NAME[f"{operator}-float32"], 0, nought):
                assert case.violated or not case.expected.any()


def test_ties_are_half_way(cases: list[Case]) -> None:
    ties = Cases(select(cases, C.TIE, *SONNX))
    for case in ties:
        results = exact_results(case)
        assert all(is_half_way(units, form_of(case)) for units in results), case.name
    # Both ways of rounding them occur.
    for instance in {case.instance for case in ties}:
        form = instance.types[0].format
        up = [
            abs(exact(pattern, form)) > abs(units)
            for case in ties.of(instance)
            for pattern, units in zip(
                patterns(case.expected, case), exact_results(case), strict=True
            )
        ]
        assert {True, False} == set(up)


def test_subnormals_are_in_every_case(cases: list[Case]) -> None:
    for case in select(cases, C.SUBNORMAL, *SONNX):
        form = form_of(case)
        sides = (*case.call.arrays, case.expected)
        everything = [x for side in sides for x in patterns(side, case)]
        assert any(0 < x % form.sign < form.trailing for x in everything), case.name


@pytest.mark.parametrize(
    "instance", [each for each in OVER_FLOATS if each.operator.arithmetic in ROUNDING], ids=str
)
def test_overflow_is_met_from_both_sides(cases: Cases, instance: Instance) -> None:
    form = instance.types[0].format
    overflows = [case for case in cases.of(instance) if case.case_class is C.OVERFLOW]
    results = {x % form.sign for case in overflows for x in patterns(case.expected, case)}
    assert {form.infinity, form.infinity - 1, form.infinity - 2} <= results
    # The exact results nearest to the threshold differ from it by little.
    threshold = exact(form.infinity - 1, form) + exact(form.infinity - 1, form) / (
        2 ** (form.precision + 1) - 2
    )
    exactly = [abs(units) / threshold for c in overflows for units in exact_results(c)]
    near = [ratio for ratio in exactly if abs(ratio - 1) < Fraction(4, form.trailing)]
    assert any(ratio >= 1 for ratio in near)
    assert any(ratio < 1 for ratio in near)


def exactly(case: Case) -> Array | None:
    """The exact result over integers; None where it is a sum of products."""
    if arithmetic_of(case) is A.SUM_OF_PRODUCTS:
        return None
    operation = getattr(ARITHMETIC["real"], operation_of(case.instance.operator))
    repeated = np.broadcast_arrays(*case.call.arrays)
    sides = [map(Fraction, side.ravel().tolist()) for side in repeated]
    found = np.empty(case.expected.size, object)
    found[:] = [operation(*each) for each in zip(*sides, strict=True)]
    return found.reshape(case.expected.shape)


def test_terms_cancel_to_zero_or_a_last_digit(cases: list[Case]) -> None:
    for case in cases:
        if case.case_class is C.CANCELLATION and arithmetic_of(case) in {A.SUM, A.DIFFERENCE}:
            form, a = form_of(case), patterns(a_of(case), case)
            for x, rest in zip(a, exact_results(case), strict=True):
                assert abs(rest) <= max(Fraction(1), 2 * abs(exact(x, form)) / form.trailing)
            if exact_results(case).count(Fraction(0)):
                zeros = [x for x in patterns(case.expected, case) if x % form.sign == 0]
                assert set(zeros) == {0}  # to nearest, x - x is +0


def test_wrapping_cases_wrap(cases: list[Case]) -> None:
    for case in select(cases, C.WRAP, *SONNX):
        low, high = Integer(type_of(case).name).limits
        if (together := exactly(case)) is not None:
            assert not any(low <= x <= high for x in together.ravel()), case.name
        else:
            a, b = (side.astype(object) for side in case.call.arrays)
            partial = [
                sum(products[: k + 1])
                for row, column in itertools.product(a, b.T)
                for products in [[x * y for x, y in zip(row, column, strict=True)]]
                for k in range(len(products))
            ]
            assert any(not low <= x <= high for x in partial), case.name


def test_boundaries_of_integers_do_not_wrap(cases: list[Case]) -> None:
    for case in select(cases, C.BOUNDARY, *SONNX):
        if type_of(case).family is Family.INTEGER and arithmetic_of(case) is not A.QUOTIENT:
            together = exactly(case)
            if together is None:
                together = a_of(case).astype(object) @ b_of(case).astype(object)
            assert (case.expected.astype(object) == together).all(), case.name


def test_hazards_are_apart_and_zero_divisors_nowhere(cases: list[Case]) -> None:
    hazards = 0
    for case in cases:
        if arithmetic_of(case) is A.QUOTIENT and type_of(case).family is Family.INTEGER:
            a, b = case.call.arrays
            assert b.all()
            low = np.iinfo(a.dtype).min
            minus_one = b.astype(object) == -1
            hazard = bool(((a == low) & minus_one).any())
            assert hazard == (case.case_class is C.HAZARD), case.name
            hazards += hazard
    assert hazards == 20


def test_chance_draws_neither_a_hazard_nor_a_zero_divisor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it draws from the four numbers alone that make them."""

    def few(_: ElementType, chance: random.Random) -> int:
        return chance.choice([-128, -1, 0, 1])

    monkeypatch.setattr(elements, "_any_integer", few)
    for operands in all_operands(BY_NAME["div-int8"], 1):
        if operands.case_class is C.RANDOM:
            a, b = operands.arrays
            assert a is not None
            assert b is not None
            assert b.all()
            assert not ((a == -128) & (b == -1)).any()


@pytest.mark.parametrize("instance", OVER_FLOATS, ids=str)
def test_special_values_meet_each_other(cases: Cases, instance: Instance) -> None:
    form = instance.types[0].format
    values = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity, form.nan]
    signed = [sign + value for value in values for sign in (0, form.sign)]
    met: dict[tuple[int, tuple[int, ...]], set[tuple[int, ...]]] = defaultdict(set)
    for case in cases.of(instance):
        sums = instance.operator.shape_rule is ShapeRule.MATRIX_PRODUCT
        if case.case_class is C.SPECIAL and not (sums and a_of(case).shape[1] > 1):
            # A column and a row of a matrix product meet as if they were broadcast.
            every = np.broadcast_arrays(*case.call.arrays)
            sides = [patterns(side, case) for side in every if side.dtype == type_of(case).dtype]
            for some in itertools.combinations(range(len(sides)), min(len(sides), 2)):
                met[len(sides), some] |= set(zip(*(sides[k] for k in some), strict=True))
    # Of three operands, any two.
    counts = {len([x for x in way.types if x is instance.types[0]]) for way in all_places(instance)}
    assert {count for count, _ in met} == counts
    for (_, some), found in met.items():
        assert set(itertools.product(signed, repeat=len(some))) <= found


def test_special_values_of_one_operand_are_there_once(cases: Cases) -> None:
    alone = (each.operator for each in OVER_FLOATS if len(places(each.operator)) == 1)
    plain = {operator for operator in alone if not operator.attributes}
    for instance in (each for each in OVER_FLOATS if each.operator in plain):
        (case,) = [each for each in cases.of(instance) if each.case_class is C.SPECIAL]
        every = patterns(a_of(case), case)
        assert len(set(every)) == len(every) == 18, case.name


def test_zero_size_and_rank_0(cases: list[Case]) -> None:
    for case in select(cases, C.ZERO_SIZE, *SONNX):
        assert 0 in itertools.chain(*(side.shape for side in case.call.arrays))
    empty_sums = [c for c in select(cases, C.ZERO_SIZE, "matmul") if c.expected.size]
    assert empty_sums
    for case in empty_sums:
        if is_float(case):
            assert set(patterns(case.expected, case)) == {0}
    for case in select(cases, C.RANK_0, *SONNX):
        assert {side.shape for side in (*case.call.arrays, case.expected)} == {()}


def test_requirements_are_in_the_registry(cases: list[Case]) -> None:
    known = registry.requirements()
    exercised = {identifier for case in cases for identifier in case.requirements}
    assert exercised <= set(known)
    documents = {case.instance.document for case in cases}
    asked = {each for each in known.values() if each.document in documents}
    assert {each.id for each in asked if each.id not in exercised} == {
        each.id for each in asked if each.no_vector
    }
    classes = {(each, case.case_class) for case in cases for each in case.requirements}
    assert {(each.id, linked) for each in asked for linked in each.vectors} <= classes


def test_examples_are_those_of_the_registry(cases: list[Case]) -> None:
    """Number by number, rounded to the type, but the quotients that a type has to round."""
    examples = [case for case in cases if case.case_class is C.EXAMPLE]
    for case in examples:
        text = registry.requirement(case.requirements[-1]).text
        numbers = re.findall(r"(?<![\w/])(?:true|false|-?inf|NaN|-?\d+(?:[/.]\d+)?)", text)
        exactly = [
            TRUTH[x] if x in TRUTH else Fraction(x) if x[-1].isdigit() else float(x)
            for x in numbers
        ]
        written = np.array([float(x) for x in exactly])
        if is_float(case):
            written = written.astype(type_of(case).dtype).astype(float)
        mine = [float(x) for side in (*case.call.arrays, case.expected) for x in side.ravel()]
        count = len(mine)
        rounded = arithmetic_of(case) is A.OTHER or case.requirements[-1] == "SONNX-DIV.EX3"
        if rounded and type_of(case).name != "real":
            count -= case.expected.size
        np.testing.assert_array_equal(mine[:count], written[:count], case.name)
    assert len(examples) > 90


def test_what_is_rejected_cannot_be_broadcast(cases: list[Case]) -> None:
    for case in cases:
        assert (case.case_class is C.REJECTED) == (case.violated is not None)
        if case.violated:
            assert case.violated == f"{case.instance.document}.X.C1"
            with pytest.raises(ValueError, match="broadcast"):
                np.broadcast_shapes(*(side.shape for side in case.call.arrays))


def test_requirements_fit_the_operands(cases: list[Case]) -> None:
    for case in (each for each in cases if not each.violated):
        assert len(set(case.requirements)) == len(case.requirements)
        items = {identifier.partition(".")[2] for identifier in case.requirements}
        assert ("FUNC" in items) <= bool(case.expected.size)
        assert any(item.startswith("EX") for item in items) == (case.case_class is C.EXAMPLE)
        if arithmetic_of(case) is A.QUOTIENT:
            with np.errstate(invalid="ignore"):
                zero = bool((b_of(case) == 0).any())
            assert ("R5" in items) == zero
            assert ("C2" in items) == (not zero)
        lists_types = "T" in case.instance.operator.always
        assert ("T" in items) == (lists_types and not case.instance.extension)


def test_the_same_seed_gives_the_same_cases(oracle: Oracle, cases: Cases) -> None:
    def digest(case: Case) -> tuple[str, bytes, bytes]:
        return case.name, a_of(case).tobytes(), b_of(case).tobytes()

    def some(seed: int) -> list[tuple[str, bytes, bytes]]:
        return [digest(case) for case in generate(BY_NAME["mul-float16"], seed, oracle)]

    stored = [digest(case) for case in cases.of(BY_NAME["mul-float16"])]
    assert some(0) == some(0) == stored
    changed = [x for x, y in zip(some(0), some(1), strict=True) if x != y]
    assert {name.split("-")[2] for name, _, _ in changed} >= {"random", "tie", "subnormal"}
    assert "special" not in {name.split("-")[2] for name, _, _ in changed}


def test_the_implementation_under_test_has_no_part_in_generation() -> None:
    for path in Path(vectors.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(
                    ("sonnx_formal.reference", "sonnx_formal.backends")
                )
