"""Flatten: the same elements in the same order, all their bits, and which axes are rejected."""

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.flatten import flatten
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.flatten import FLATTEN
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.structural import SHAPES, bits, outcomes, rejected, tensors

CUBE = (2, 3, 4)


@each_instance(FLATTEN)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too. Once more changes nothing."""
    name, shape = instance.label, data.draw(SHAPES)
    axis = data.draw(st.integers(-len(shape), len(shape)))
    x = data.draw(tensors(name, shape))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = flatten(laid_out, axis=axis)
    defined = expected(oracle, FLATTEN, x, axis=axis)
    assert result.dtype == x.dtype
    assert element_type_of(defined) is instance.types[0]
    assert result.shape == defined.shape
    assert bits(result) == bits(defined) == bits(x)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)
    assert bits(flatten(result, axis=1)) == bits(x)
    assert flatten(result, axis=1).shape == result.shape


def test_rows_and_columns(oracle: Oracle) -> None:
    """The sums of the document, written out for axis = 2 and the shape [2 3 4 5]."""
    x = np.arange(120, dtype=np.int64).reshape(2, 3, 4, 5)
    y, defined = flatten(x, axis=2), expected(oracle, FLATTEN, x, axis=2)
    for j in np.ndindex(x.shape):
        assert y[j[0] * 3 + j[1], j[2] * 5 + j[3]] == x[j]
        assert defined[j[0] * 3 + j[1], j[2] * 5 + j[3]] == x[j]


@pytest.mark.parametrize(
    ("shape", "axis", "wanted"),
    [
        (CUBE, 0, (1, 24)),
        (CUBE, 1, (2, 12)),
        (CUBE, 2, (6, 4)),
        (CUBE, 3, (24, 1)),
        (CUBE, -1, (6, 4)),
        (CUBE, -2, (2, 12)),
        (CUBE, -3, (1, 24)),
        ((), 0, (1, 1)),
        ((0, 3), 0, (1, 0)),
        ((0, 3), 1, (0, 3)),
        ((3, 0, 2), 1, (3, 0)),
        ((3, 0, 2), 3, (0, 1)),
    ],
)
def test_shapes(oracle: Oracle, shape: tuple[int, ...], axis: int, wanted: tuple[int, ...]) -> None:
    x = np.ones(shape, np.int8)
    assert flatten(x, axis=axis).shape == expected(oracle, FLATTEN, x, axis=axis).shape == wanted


@pytest.mark.parametrize(
    ("shape", "axis"), [(CUBE, 4), (CUBE, -4), ((), 1), ((), -1), ((0,), 2), (CUBE, 2**62)]
)
def test_rejections(oracle: Oracle, shape: tuple[int, ...], axis: int) -> None:
    x = np.ones(shape, np.float32)
    assert rejected(oracle, FLATTEN, x, axis=axis) == "SONNX-FLATTEN.AXIS.C1"


@settings(max_examples=100, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    x, axis = np.ones(data.draw(SHAPES), np.int8), data.draw(st.integers(-5, 5))
    ours, defined = outcomes(oracle, FLATTEN, x, axis=axis)
    assert ours == defined


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, FLATTEN, np.ones(6, dtype), axis=0) == "SONNX-FLATTEN.T"


def test_axis_has_to_be_set(oracle: Oracle) -> None:
    x = np.ones(6, np.int8)
    with pytest.raises(TypeError, match="axis"):
        flatten(x)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        flatten(x, axis=0.0)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="the attribute axis is missing"):
        oracle.evaluate(Call(FLATTEN, (x,)))


@pytest.mark.parametrize(("item", "printed"), [("EX1", (1, 24)), ("EX2", (2, 12)), ("EX3", (6, 4))])
def test_examples(oracle: Oracle, item: str, printed: tuple[int, int]) -> None:
    """With the shapes that the document prints; the elements stay in their order."""
    example = next(each for each in FLATTEN.examples if each.item == item)
    x, attributes = np.array(example.operands[0], np.float64), example.attributes.as_dict()
    result = flatten(x, **attributes)  # type: ignore[arg-type]
    assert result.shape == printed
    assert result.ravel().tolist() == [*range(prod(printed))]
    assert expected(oracle, FLATTEN, x, **attributes).tolist() == result.tolist()
