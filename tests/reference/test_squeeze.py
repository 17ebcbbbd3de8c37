"""Squeeze: the same elements in the same order, all their bits, and which axes are rejected."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.squeeze import squeeze
from sonnx_formal.reference.unsqueeze import unsqueeze
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.squeeze import SQUEEZE
from tests.reference.declared import each_instance
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import bits, outcomes, rejected, tensors, vector

SHAPES = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)
MIXED = (1, 2, 1)


@st.composite
def axes_in(draw: st.DrawFn, shape: tuple[int, ...]) -> Array | None:
    """Some axes of one element, each counted from either end, perhaps more than once; or none."""
    single = [axis for axis, size in enumerate(shape) if size == 1]
    either = [number for axis in single for number in (axis, axis - len(shape))]
    if draw(st.booleans()):
        return None
    return vector(*(draw(st.lists(st.sampled_from(either), max_size=4)) if either else []))


@each_instance(SQUEEZE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too."""
    name, shape = instance.label, data.draw(SHAPES)
    x, axes = data.draw(tensors(name, shape)), data.draw(axes_in(shape))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = squeeze(laid_out, axes)
    defined = oracle.evaluate(Call(SQUEEZE, (x, axes)))
    assert result.dtype == x.dtype
    assert element_type_of(defined) is instance.types[0]
    assert result.shape == defined.shape
    assert bits(result) == bits(defined) == bits(x)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)


def test_unsqueeze_undone() -> None:
    x, axes = np.arange(6, dtype=np.int8).reshape(2, 3), vector(-1, 1)
    assert squeeze(unsqueeze(x, axes), axes).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("shape", "asked", "wanted"),
    [
        (MIXED, None, (2,)),
        (MIXED, (), MIXED),
        (MIXED, (0,), (2, 1)),
        (MIXED, (-1,), (1, 2)),
        (MIXED, (2, 0), (2,)),
        (MIXED, (2, 2, -1), (1, 2)),
        ((1, 1), None, ()),
        ((2, 3), None, (2, 3)),
        ((), None, ()),
        ((), (), ()),
        ((0, 1), None, (0,)),
    ],
)
def test_shapes(
    oracle: Oracle, shape: tuple[int, ...], asked: tuple[int, ...] | None, wanted: tuple[int, ...]
) -> None:
    """An axis that is there twice is left out once, and empty axes leave nothing out."""
    x, axes = np.ones(shape, np.int8), None if asked is None else vector(*asked)
    assert squeeze(x, axes).shape == wanted
    assert oracle.evaluate(Call(SQUEEZE, (x, axes))).shape == wanted


@pytest.mark.parametrize(
    ("shape", "asked", "item"),
    [
        (MIXED, (3,), "AXES.C1"),
        (MIXED, (-4,), "AXES.C1"),
        (MIXED, (1, 3), "AXES.C1"),
        ((), (0,), "AXES.C1"),
        (MIXED, (-(2**63),), "AXES.C1"),
        (MIXED, (1,), "AXES.C2"),
        (MIXED, (0, -2), "AXES.C2"),
        ((0,), (0,), "AXES.C2"),
    ],
)
def test_rejections(
    oracle: Oracle, shape: tuple[int, ...], asked: tuple[int, ...], item: str
) -> None:
    x = np.ones(shape, np.float32)
    assert rejected(oracle, SQUEEZE, x, vector(*asked)) == f"ONNX-SQUEEZE-13.{item}"


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    x = np.ones(data.draw(SHAPES), np.int8)
    asked = data.draw(st.lists(st.integers(-4, 4), max_size=3))
    ours, defined = outcomes(oracle, SQUEEZE, x, vector(*asked))
    assert ours == defined


@pytest.mark.parametrize(
    "axes",
    [np.array([0], np.int32), np.array([0.0]), np.array([[0]], np.int64), np.array(0, np.int64)],
    ids=str,
)
def test_axes_are_a_vector_of_int64(oracle: Oracle, axes: Array) -> None:
    assert rejected(oracle, SQUEEZE, np.ones(1, np.int8), axes) == "ONNX-SQUEEZE-13.AXES.T"


def test_types(oracle: Oracle) -> None:
    assert rejected(oracle, SQUEEZE, np.array([Fraction(1, 3)])) == "ONNX-SQUEEZE-13.T"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.longdouble])
def test_types_that_are_left_out_here(dtype: Any) -> None:
    with pytest.raises(SpecViolation, match=r"ONNX-SQUEEZE-13\.T"):
        squeeze(np.ones(1, dtype))


def test_sparse() -> None:
    sparse: Any = type("SparseTensor", (), {})()
    with pytest.raises(SpecViolation, match=r"ONNX-SQUEEZE-13\.T"):
        squeeze(sparse)
