"""The cases of ONNX Mul and OpenVINO Multiply-1: that each is what its class says."""

import itertools
from collections import Counter
from math import prod
from typing import Any

import numpy as np
import pytest

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.element_types import NUMERICAL, Array, ElementType, Family
from sonnx_formal.spec.operator import Instance, Operator, ShapeRule
from sonnx_formal.spec.requirements import registry
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.broadcast import (
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
from sonnx_formal.vectors.elements import Shape
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case
from sonnx_formal.vectors.operands import WrongDeclarationError
from tests.reference.reference import assert_same, elementwise
from tests.vectors.parts import (
    BY_NAME,
    OF_SYSTEMS,
    OPERATION,
    Cases,
    a_of,
    arithmetic_of,
    b_of,
    type_of,
)

C = CaseClass
SYSTEMS = [*dict.fromkeys(each.operator for each in OF_SYSTEMS)]
LEGACY = ShapeRule.UNIDIRECTIONAL


def together(s: Shape, u: Shape) -> bool:
    """By NumPy."""
    try:
        np.broadcast_shapes(s, u)
    except ValueError:
        return False
    return True


def rule_of(case: Case) -> ShapeRule:
    return case.instance.operator.shape_rule


def test_the_types_are_those_that_the_definitions_accept(oracle: Oracle) -> None:
    def declared(operator: Operator, type_: ElementType) -> bool:
        return Instance(operator, (type_,)) in OF_SYSTEMS

    for operator, type_ in itertools.product(SYSTEMS, NUMERICAL):
        ones: Array = np.ones(1, type_.dtype)
        if declared(operator, type_):
            assert oracle.evaluate(Call(operator, (ones, ones))).tolist() == [1]
        else:
            with pytest.raises(Inadmissible, match=rf"{operator.name.upper()}\.T: "):
                oracle.evaluate(Call(operator, (ones, ones)))


@pytest.mark.parametrize(("rank_a", "rank_b"), RANK_PAIRS)
def test_patterns_of_ones(rank_a: int, rank_b: int) -> None:
    """All combinations along each two axes; along one, all four of them, or both."""
    pairs = covering(rank_a, rank_b)
    assert len(pairs) == len(set(pairs)) <= 16
    kinds = []
    for s, u in pairs:
        assert (len(s), len(u)) == (rank_a, rank_b)
        assert together(s, u)
        sides = [tuple(d == 1 for d in reversed(each)) for each in (s, u)]
        kinds.append(list(itertools.zip_longest(*sides)))
    count = [4 if axis < min(rank_a, rank_b) else 2 for axis in range(max(rank_a, rank_b))]
    for axis, ways in enumerate(count):
        assert len({row[axis] for row in kinds}) == ways
    for each, other in itertools.combinations(range(len(count)), 2):
        assert len({(row[each], row[other]) for row in kinds}) == count[each] * count[other]


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


@pytest.mark.parametrize("instance", OF_SYSTEMS, ids=str)
def test_classes(system_cases: Cases, instance: Instance) -> None:
    (type_,) = instance.types
    found_cases = system_cases.of(instance)
    found = Counter(case.case_class for case in found_cases)
    legacy = instance.operator.shape_rule is LEGACY
    values = C.WRAP if type_.family is Family.INTEGER else C.SPECIAL
    assert {C.BROADCAST, C.ZERO_SIZE, C.RANK_0, values, C.RANDOM, C.REJECTED} <= set(found)
    assert (C.AXIS in found) == legacy
    examples = {"onnx-mul-14-float32", "ov-multiply-1-float32"}
    assert (C.EXAMPLE in found) == (legacy or instance.name in examples)
    if not legacy:
        accepted = (case for case in found_cases if case.case_class is not C.REJECTED)
        assert {(a_of(c).ndim, b_of(c).ndim) for c in accepted} >= set(RANK_PAIRS)
    for case in found_cases:
        assert {a_of(case).dtype, b_of(case).dtype} == {type_.dtype}


def beside(case: Case) -> Array:
    """B with the shape by which NumPy repeats it as the attributes of ONNX Mul 6 and 1 say."""
    a, b = case.call.arrays
    axis = case.call.attributes.get("axis")
    if not isinstance(axis, int) or case.call.attributes.get("broadcast") != 1 or b.size == 1:
        return b
    return b.reshape(*b.shape, *[1] * (a.ndim - axis - b.ndim))


def test_expected_is_what_other_arithmetic_says(system_cases: list[Case]) -> None:
    for case in system_cases:
        if case.case_class is C.REJECTED:
            continue
        b = beside(case) if rule_of(case) is LEGACY else b_of(case)
        name, operation = type_of(case).name, OPERATION[arithmetic_of(case)]
        assert_same(name, case.expected, elementwise(operation, name, a_of(case), b))
        if rule_of(case) is LEGACY:
            assert case.expected.shape == a_of(case).shape


def test_all_pairs_of_special_values(system_cases: Cases) -> None:
    for instance in OF_SYSTEMS:
        found = system_cases.of(instance)
        met = [case for case in found if case.case_class in {C.SPECIAL, C.WRAP}]
        assert met
        for case in met:
            assert case.expected.shape == (b_of(case).size,) * 2 == (max(a_of(case).shape),) * 2


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
        a, b = case.call.arrays
        attributes = case.call.attributes
        match item:
            case "SHAPE":
                assert not together(a.shape, b.shape)
            case "B.C1":
                assert attributes.get("broadcast") in {None, 0}
                assert a.shape != b.shape
            case "ATTR.BROADCAST":
                assert attributes.get("broadcast") not in {None, 0, 1}
            case "ATTR.AUTO_BROADCAST":
                rule = attributes.get("auto_broadcast")
                assert rule not in {"none", "numpy", None} or a.shape != b.shape
            case _:
                assert item in {"B.C2", "ATTR.AXIS"}
                assert attributes.get("broadcast") == 1


def test_every_requirement_is_exercised(system_cases: list[Case]) -> None:
    """Both ways: met by operands with a result and, if it forbids anything, violated by others."""
    documents = {operator.name.upper() for operator in SYSTEMS}
    known = {name for name, each in registry.requirements().items() if each.document in documents}
    assert {each for case in system_cases for each in case.requirements} == known
    met = {each for case in system_cases if not case.violated for each in case.requirements}
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

    with Lenient() as lenient, pytest.raises(WrongDeclarationError, match=r"accepts .* onnx-mul-7"):
        list(generate(BY_NAME["onnx-mul-7-float32"], 0, lenient))


def test_an_oracle_that_rejects_too_much_makes_no_cases() -> None:
    class Strict(Oracle):
        def evaluate(self, *_: Any, **__: Any) -> Array:
            raise Inadmissible("ONNX-MUL-7.SHAPE", "never")

    with Strict() as strict, pytest.raises(WrongDeclarationError, match="rejects"):
        list(generate(BY_NAME["onnx-mul-7-float32"], 0, strict))


def test_there_are_few_enough(every_case: list[Case]) -> None:
    assert len(every_case) < 95 * len(instances())
    assert max(a_of(case).size for case in every_case) <= 256 * 56
