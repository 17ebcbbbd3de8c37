"""Vectors with declared operands; of structural operators, results are made of these elements."""

import numpy as np
import pytest

from sonnx_formal.check.compare import patterns
from sonnx_formal.spec.admission import signature_of
from sonnx_formal.spec.element_types import Array, Family, element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements import registry
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case
from tests.vectors.parts import ARRANGED, STRUCTURAL, Cases

EACH = pytest.mark.parametrize("instance", ARRANGED, ids=str)


def elements(array: Array) -> list[object]:
    """In row-major order; of types that have some, the bit patterns."""
    type_ = element_type_of(array)
    found: list[object] = (patterns(array, type_) if type_.has_patterns else array).ravel().tolist()
    return found


@EACH
def test_classes(every_case: Cases, instance: Instance) -> None:
    found = {case.case_class for case in every_case.of(instance)}
    assert found >= {CaseClass.NOMINAL, CaseClass.BOUNDARY, CaseClass.RANDOM}
    broken = any(each.broken for each in instance.operator.arrangements)
    assert (CaseClass.REJECTED in found) == broken
    floats = any(type_.family is Family.FLOAT for type_ in instance.types)
    assert (CaseClass.SPECIAL in found) == floats


@pytest.mark.parametrize("instance", STRUCTURAL, ids=str)
def test_nothing_is_computed(every_case: Cases, instance: Instance) -> None:
    """Each element of the result is one of an operand; Reshape keeps all, in their order."""
    payloads: set[object] = set()
    for case in every_case.of(instance):
        if case.violated is None:
            type_ = instance.types[0]
            given = [x for x in case.call.arrays if element_type_of(x) is type_]
            there = {element for operand in given for element in elements(operand)}
            assert element_type_of(case.expected) is type_
            assert set(elements(case.expected)) <= there
            if instance.operator.name == "reshape":
                assert elements(case.expected) == elements(case.call.arrays[0])
            if case.case_class is CaseClass.SPECIAL:
                payloads |= {x for x in elements(case.expected) if np.isnan(_value(x, instance))}
    if instance.types[0].family is Family.FLOAT:
        assert len(payloads) == 6


def _value(pattern: object, instance: Instance) -> float:
    type_ = instance.types[0]
    return float(np.array([pattern], type_.pattern).view(type_.dtype)[0])


@EACH
def test_the_declaration_says_the_shape(every_case: Cases, instance: Instance) -> None:
    """As the linter asks it."""
    shape = instance.operator.definition.shape
    assert shape is not None
    for case in every_case.of(instance):
        if case.violated is None:
            taken = signature_of(case.call).taken(instance.operator.definition.takes)
            assert shape(*taken) == case.expected.shape


def test_every_requirement_is_exercised(every_case: list[Case]) -> None:
    documents = {instance.document for instance in ARRANGED}
    exercised = {identifier for case in every_case for identifier in case.requirements}
    asked = [each for each in registry.requirements().values() if each.document in documents]
    assert {each.id for each in asked if not each.no_vector} == {
        each.id for each in asked if each.id in exercised
    }
