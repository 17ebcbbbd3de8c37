"""Vectors of operators that compute, made of arrangements: their results."""

import pytest

from sonnx_formal import reference
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors.onnx_export import _has_one_result
from tests.reference.reference import assert_same
from tests.vectors.parts import COMPUTING, Cases

EACH = pytest.mark.parametrize("instance", COMPUTING, ids=str)


@EACH
def test_our_own_implementation_has_these_results(every_case: Cases, instance: Instance) -> None:
    compute = getattr(reference, instance.operator.reference.function)
    for case in every_case.of(instance):
        if case.violated is None:
            got = compute(*case.call.operands, **case.call.attributes.as_dict())
            assert_same(case.call.result_type.name, case.expected, got)


@EACH
def test_sums_of_floats_may_differ(every_case: Cases, instance: Instance) -> None:
    """As no bound is known of them, no exported test asks for a result to the bit."""
    for case in every_case.of(instance):
        if case.violated is None and instance.operator.arithmetic is Arithmetic.SUM_OF_PRODUCTS:
            floats = instance.types[0].family is Family.FLOAT
            assert _has_one_result(case) == (not floats)
