"""Equal: by the definition, beside Less; which operands are rejected."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.equal import equal
from sonnx_formal.reference.less import less
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.equal import EQUAL
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts, specials, tensors
from tests.reference.reference import DTYPES, FORMATS, Array, assert_same, floats

TRUTH = np.array([False, True])


def rejected(oracle: Oracle, *operands: Array) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        equal(*operands)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, EQUAL, *operands)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@each_instance(EQUAL)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    shapes = data.draw(
        mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=3, max_dims=3)
    )
    if name == "bool":
        a, b = (np.resize(TRUTH, shape) for shape in shapes.input_shapes)
        layout = LAYOUTS["C"]
    else:
        a, b = (data.draw(tensors(name, shape)) for shape in shapes.input_shapes)
        layout = LAYOUTS[data.draw(layouts(name))]
    with np.errstate(all="raise"):
        result = equal(layout(a), layout(b))
    assert result.shape == shapes.result_shape
    assert_same("bool", result, expected(oracle, EQUAL, a, b))
    assert_same("bool", equal(b, a), result)


def test_truth_values(oracle: Oracle) -> None:
    a, b = TRUTH[:, None], TRUTH
    assert equal(a, b).tolist() == [[True, False], [False, True]]
    assert_same("bool", equal(a, b), expected(oracle, EQUAL, a, b))


@pytest.mark.parametrize("name", FORMATS)
def test_beside_less(oracle: Oracle, name: str) -> None:
    """Special values, each with each: just one of three, unless one is NaN."""
    form = FORMATS[name]
    magnitudes = [*specials(form), form.infinity + 1]
    x = floats(name, [sign + each for each in magnitudes for sign in (0, form.sign)])
    a, b = np.repeat(x, len(x)), np.tile(x, len(x))
    with np.errstate(all="raise"):
        result = equal(a, b)
    assert_same("bool", result, expected(oracle, EQUAL, a, b))
    together = result.astype(int) + less(a, b) + less(b, a)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        assert (together == ~(np.isnan(a) | np.isnan(b))).all()


@pytest.mark.parametrize("shapes", [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,))])
def test_shapes_that_do_not_go_together(
    oracle: Oracle, shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    a, b = (np.ones(shape, np.float32) for shape in shapes)
    assert rejected(oracle, a, b) == rejected(oracle, b, a) == "ONNX-EQUAL-13.SHAPE"


@pytest.mark.parametrize("first", [*DTYPES, "bool"])
@pytest.mark.parametrize("second", [*DTYPES, "bool"])
def test_two_types(oracle: Oracle, first: str, second: str) -> None:
    dtypes = {**DTYPES, "bool": np.dtype(bool)}
    a, b = (np.zeros(0, dtypes[name]) for name in (first, second))
    if first == second != "real":
        assert equal(a, b).dtype == bool
        return
    assert rejected(oracle, a, b) == "ONNX-EQUAL-13.T"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, np.ones(2, dtype), np.ones(2, dtype)) == "ONNX-EQUAL-13.T"
