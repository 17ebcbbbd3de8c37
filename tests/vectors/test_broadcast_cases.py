"""The cases of Max, Min and Equal, which broadcast: their classes, and what NumPy makes of them."""

import numpy as np
import pytest

from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements import registry
from sonnx_formal.spec.requirements.entries import CaseClass
from tests.vectors.parts import Cases

C = CaseClass
FUNCTIONS = {"max": np.maximum, "min": np.minimum, "equal": np.equal}
"""The order of zeros is not NumPy's: `tests.reference` has it of our implementation."""
BROADCAST = [each for each in instances() if each.operator.name in FUNCTIONS]


@pytest.mark.parametrize("instance", BROADCAST, ids=str)
def test_classes(every_case: Cases, instance: Instance) -> None:
    found = {case.case_class for case in every_case.of(instance)}
    values = C.SPECIAL if instance.types[0].family is Family.FLOAT else C.BOUNDARY
    always = {C.BROADCAST, C.ZERO_SIZE, C.RANK_0, values, C.RANDOM, C.REJECTED}
    assert found - {C.NOMINAL} == always  # over most types, there is a part of the shapes


@pytest.mark.parametrize("instance", BROADCAST, ids=str)
def test_expected_is_what_numpy_says(every_case: Cases, instance: Instance) -> None:
    function = FUNCTIONS[instance.operator.name]
    for case in every_case.of(instance):
        if case.violated:
            continue
        first, *others = case.call.arrays
        with np.errstate(invalid="ignore"):  # signalling NaNs
            wanted = first
            for operand in others:
                wanted = np.asarray(function(wanted, operand))
            result = case.expected
            both_nan = (result != result) & (wanted != wanted)  # noqa: PLR0124
            assert result.shape == wanted.shape
            assert ((result == wanted) | both_nan).all(), case.name


def test_every_requirement_is_exercised(every_case: Cases) -> None:
    cases = every_case.of(*BROADCAST)
    documents = {case.instance.document for case in cases}
    known = {name for name, each in registry.requirements().items() if each.document in documents}
    assert {each for case in cases for each in case.requirements} == known
    rejected = {case.violated for case in cases if case.violated}
    assert rejected == {name for name in known if name.endswith((".SHAPE", ".X.C1"))}
