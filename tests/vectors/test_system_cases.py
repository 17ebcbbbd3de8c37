"""The cases of ONNX Mul and OpenVINO Multiply-1: that each is what its class says."""

import itertools
from collections import Counter
from math import prod
from typing import Any

import numpy as np
import pytest

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec import requirements
from sonnx_formal.vectors.arrays import Shape
from sonnx_formal.vectors.broadcasting import (
    EMPTY,
    EMPTY_MISMATCHED,
    EXPANSIONS,
    NO_ROOM,
    NO_RUNS,
    RANK_PAIRS,
    covering,
    mismatched,
    placements,
)
from sonnx_formal.vectors.case import LEGACY, ONNX_MUL, SONNX, Array, Case, CaseClass, Operator
from sonnx_formal.vectors.combinations import ALL_TYPES, COMBINATIONS
from sonnx_formal.vectors.generate import generate
from tests.reference.reference import DTYPES, assert_same, elementwise

C = CaseClass
SYSTEMS = [*ONNX_MUL, Operator.OV_MULTIPLY_1]
COMBINED = [one for one in COMBINATIONS if one[0] not in SONNX]


def together(s: Shape, u: Shape) -> bool:
    """By NumPy."""
    try:
        np.broadcast_shapes(s, u)
    except ValueError:
        return False
    return True


def of(cases: list[Case], operator: Operator, element_type: str) -> list[Case]:
    return [c for c in cases if (c.operator, c.element_type) == (operator, element_type)]


def test_the_types_are_those_that_the_definitions_accept(oracle: Oracle) -> None:
    for operator, name in itertools.product(SYSTEMS, ALL_TYPES):
        ones: Array = np.ones(1, DTYPES[name])
        if (operator, name) in COMBINATIONS:
            assert oracle.evaluate(operator.value, ones, ones).tolist() == [1]
        else:
            with pytest.raises(Inadmissible, match=rf"{operator.upper()}\.T: "):
                oracle.evaluate(operator.value, ones, ones)


@pytest.mark.parametrize(("rank_a", "rank_b"), RANK_PAIRS)
def test_patterns_of_ones(rank_a: int, rank_b: int) -> None:
    """All combinations along each two axes; along one, all four of them, or both."""
    pairs = covering(rank_a, rank_b)
    assert len(pairs) == len(set(pairs)) <= 16
    kinds = []
    for s, u in pairs:
        assert (len(s), len(u)) == (rank_a, rank_b)
        assert together(s, u)
        sides = [tuple(d == 1 for d in reversed(one)) for one in (s, u)]
        kinds.append(list(itertools.zip_longest(*sides)))
    count = [4 if axis < min(rank_a, rank_b) else 2 for axis in range(max(rank_a, rank_b))]
    for axis, ways in enumerate(count):
        assert len({row[axis] for row in kinds}) == ways
    for one, other in itertools.combinations(range(len(count)), 2):
        assert len({(row[one], row[other]) for row in kinds}) == count[one] * count[other]


def test_shapes_that_do_not_go_together() -> None:
    for ranks in RANK_PAIRS:
        made = list(mismatched(*ranks))
        assert len(made) == min(ranks)
        for s, u in made:
            assert (len(s), len(u)) == ranks
            assert not together(s, u)
    assert all(together(s, u) and 0 in (*s, *u) for s, u in EMPTY)
    assert not any(together(*pair) for pair in EMPTY_MISMATCHED)


def test_placements() -> None:
    made = list(placements())
    assert len(made) == len(set(made))
    for s, u, axis in made:
        if prod(u) == 1:
            continue
        start = len(s) - len(u) if axis is None else axis
        assert s[start : start + len(u)] == u
    for s, u, axis in (*NO_RUNS, *EXPANSIONS):
        start = len(s) - len(u) if axis is None else axis
        assert start < 0 or s[start : start + len(u)] != u
    for s, u, axis in NO_ROOM:
        assert axis is not None
        assert not 0 <= axis <= len(s) - len(u)


@pytest.mark.parametrize(("operator", "element_type"), COMBINED)
def test_classes(system_cases: list[Case], operator: Operator, element_type: str) -> None:
    mine = of(system_cases, operator, element_type)
    found = Counter(case.case_class for case in mine)
    values = C.WRAP if "int" in element_type else C.SPECIAL
    assert {C.BROADCAST, C.ZERO_SIZE, C.RANK_0, values, C.RANDOM, C.REJECTED} <= set(found)
    assert (C.AXIS in found) == (operator in LEGACY)
    whole = element_type == "float32"
    assert (C.EXAMPLE in found) == (
        operator in LEGACY or (whole and operator in {Operator.ONNX_MUL_14, Operator.OV_MULTIPLY_1})
    )
    if operator not in LEGACY:
        ranks = {(c.a.ndim, c.b.ndim) for c in mine if c.case_class is not C.REJECTED}
        assert ranks >= set(RANK_PAIRS)
    for case in mine:
        assert {case.a.dtype, case.b.dtype} == {DTYPES[element_type]}


def beside(case: Case) -> Array:
    """B with the shape by which NumPy repeats it as the attributes of ONNX Mul 6 and 1 say."""
    axis = case.attributes.axis
    if axis is None or case.attributes.broadcast != 1 or case.b.size == 1:
        return case.b
    return case.b.reshape(*case.b.shape, *[1] * (case.a.ndim - axis - case.b.ndim))


def test_expected_is_what_other_arithmetic_says(system_cases: list[Case]) -> None:
    for case in system_cases:
        if case.case_class is C.REJECTED:
            continue
        b = beside(case) if case.operator in LEGACY else case.b
        a, b = np.broadcast_arrays(case.a, b)
        wanted = elementwise("mul", case.element_type, a.copy(), b.copy())
        assert_same(case.element_type, case.expected, wanted)
        if case.operator in LEGACY:
            assert case.expected.shape == case.a.shape


def test_all_pairs_of_special_values(system_cases: list[Case]) -> None:
    for operator, element_type in COMBINED:
        mine = of(system_cases, operator, element_type)
        met = [case for case in mine if case.case_class in {C.SPECIAL, C.WRAP}]
        for case in met:
            assert case.expected.shape == (case.b.size,) * 2 == (max(case.a.shape),) * 2


def test_rejected_cases(system_cases: list[Case]) -> None:
    for case in system_cases:
        rejected = case.case_class is C.REJECTED
        assert rejected == (case.violated is not None)
        if not rejected:
            continue
        assert case.requirements[0] == case.violated
        with pytest.raises(ValueError, match=f"{case.name} has no result: it violates"):
            case.expected  # noqa: B018
        item = (case.violated or "").partition(".")[2]
        match item:
            case "SHAPE":
                assert not together(case.a.shape, case.b.shape)
            case "B.C1":
                assert case.attributes.broadcast in {None, 0}
                assert case.a.shape != case.b.shape
            case "ATTR.BROADCAST":
                assert case.attributes.broadcast not in {None, 0, 1}
            case "ATTR.AUTO_BROADCAST":
                rule = case.attributes.auto_broadcast
                assert rule not in {"none", "numpy", None} or case.a.shape != case.b.shape
            case _:
                assert item in {"B.C2", "ATTR.AXIS"}
                assert case.attributes.broadcast == 1


def test_every_requirement_is_exercised(system_cases: list[Case]) -> None:
    """Both ways: met by operands with a result and, if it forbids anything, violated by others."""
    documents = {operator.upper() for operator in SYSTEMS}
    known = {one for one, each in requirements.requirements().items() if each.document in documents}
    assert {one for case in system_cases for one in case.requirements} == known
    met = {one for case in system_cases if not case.violated for one in case.requirements}
    assert met == known
    violated = {case.violated for case in system_cases if case.violated}
    items = ("B.C1", "B.C2", "ATTR.AXIS", "ATTR.BROADCAST")
    assert violated == {
        *(f"ONNX-MUL-{version}.SHAPE" for version in (14, 13, 7)),
        *(f"ONNX-MUL-{version}.{item}" for version in (6, 1) for item in items),
        "OV-MULTIPLY-1.SHAPE",
        "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST",
    }


def test_an_oracle_that_rejects_nothing_makes_no_rejected_cases() -> None:
    class Lenient(Oracle):
        def evaluate(self, *arguments: Any, **options: Any) -> Array:
            try:
                return super().evaluate(*arguments, **options)
            except Inadmissible:
                return np.zeros(0, np.float32)

    with Lenient() as lenient, pytest.raises(ValueError, match="onnx-mul-7 accepts"):
        list(generate(Operator.ONNX_MUL_7, "float32", 0, lenient))


def test_an_oracle_that_rejects_too_much_makes_no_cases() -> None:
    class Strict(Oracle):
        def evaluate(self, *_: Any, **__: Any) -> Array:
            raise Inadmissible("ONNX-MUL-7.SHAPE", "never")

    with Strict() as strict, pytest.raises(Inadmissible):
        list(generate(Operator.ONNX_MUL_7, "float32", 0, strict))


def test_there_are_few_enough(every_case: list[Case]) -> None:
    assert len(every_case) < 8000
    assert max(case.a.size for case in every_case) <= 256 * 56
