"""Min: by the definition, of any number of operands; zeros and NaN; which operands are rejected."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.min import min as minimum
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.min import MIN
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts, specials, tensors
from tests.reference.reference import DTYPES, FORMATS, Array, Integer, assert_same, floats

EACH_FORMAT = pytest.mark.parametrize("name", FORMATS)


def rejected(oracle: Oracle, *operands: Array) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        minimum(*operands)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, MIN, *operands)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@each_instance(MIN)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name, count = instance.label, data.draw(st.integers(1, 3))
    shapes = data.draw(
        mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=3, max_dims=3)
    )
    operands = [data.draw(tensors(name, shape)) for shape in shapes.input_shapes]
    layout = LAYOUTS[data.draw(layouts(name))]
    with np.errstate(all="raise"):
        result = minimum(*map(layout, operands))
    assert result.shape == shapes.result_shape
    assert_same(name, result, expected(oracle, MIN, *operands))
    assert not any(np.shares_memory(result, operand) for operand in operands)


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_pair_of_8_bits(oracle: Oracle, name: str) -> None:
    low, high = Integer(name).limits
    numbers = np.arange(low, high + 1).astype(name)
    result = minimum(numbers[:, None], numbers)
    assert result.tolist() == [[min(x, y) for y in range(low, high + 1)] for x in numbers.tolist()]
    assert_same(name, result, expected(oracle, MIN, numbers[:, None], numbers))


@EACH_FORMAT
def test_zeros_and_nans(oracle: Oracle, name: str) -> None:
    """Special values and their neighbours, and signalling NaNs: each with each, of any sign."""
    form = FORMATS[name]
    magnitudes = [*specials(form), form.infinity + 1]
    x = floats(name, [sign + each for each in magnitudes for sign in (0, form.sign)])
    with np.errstate(all="raise"):
        result = minimum(x[:, None], x)
    assert_same(name, result, expected(oracle, MIN, x[:, None], x))
    numbers = map(float, result.ravel())
    for pair, found in zip(itertools.product(map(float, x), repeat=2), numbers, strict=True):
        if np.isnan(pair).any():
            assert np.isnan(found)
        else:
            signed = [(number, np.copysign(1, number)) for number in pair]
            assert (found, np.copysign(1, found)) == min(signed)


@EACH_FORMAT
def test_order_of_operands(name: str) -> None:
    form = FORMATS[name]
    patterns = [0, form.sign, form.one, form.sign + form.infinity, form.infinity, form.nan]
    for chosen in itertools.combinations_with_replacement(patterns, 3):
        every = [
            minimum(*(floats(name, [each]) for each in order))
            for order in itertools.permutations(chosen)
        ]
        for other in every:
            assert_same(name, other, every[0])


def test_one_operand_is_copied() -> None:
    operand = np.array([[1, -2]], np.int8)
    result = minimum(operand)
    assert result.tolist() == operand.tolist()
    assert not np.shares_memory(result, operand)


def test_no_operand() -> None:
    with pytest.raises(TypeError):
        minimum()


@pytest.mark.parametrize(
    "shapes",
    [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((2, 1), (1, 3), (2,)), ((1,), (2,), (3,))],
)
def test_shapes_that_do_not_go_together(
    oracle: Oracle, shapes: tuple[tuple[int, ...], ...]
) -> None:
    for order in itertools.permutations(shapes):
        operands = (np.ones(shape, np.float32) for shape in order)
        assert rejected(oracle, *operands) == "ONNX-MIN-13.SHAPE"


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_two_types(oracle: Oracle, first: str, second: str) -> None:
    x, y = (np.zeros(0, DTYPES[name]) for name in (first, second))
    if first == second != "real":
        assert minimum(x, x, y).dtype == x.dtype
        return
    assert rejected(oracle, x, y) == "ONNX-MIN-13.T"
    assert rejected(oracle, x, x, y) == "ONNX-MIN-13.T"


@pytest.mark.parametrize("dtype", [np.bool_, np.complex64, np.complex128])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, np.ones(2, dtype)) == "ONNX-MIN-13.T"
    assert rejected(oracle, np.ones(2, np.int32), np.ones(2, dtype)) == "ONNX-MIN-13.T"
