"""Max: by the definition, of any number of operands; zeros and NaN; which operands are rejected."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.max import max as maximum
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.max import MAX
from tests.reference.declared import each_instance, expected, rejected
from tests.reference.operands import LAYOUTS, layouts, specials, tensors
from tests.reference.reference import DTYPES, FORMATS, Integer, assert_same, floats

EACH_FORMAT = pytest.mark.parametrize("name", FORMATS)


@each_instance(MAX)
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
        result = maximum(*map(layout, operands))
    assert result.shape == shapes.result_shape
    assert_same(name, result, expected(oracle, MAX, *operands))
    assert not any(np.shares_memory(result, operand) for operand in operands)


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_pair_of_8_bits(oracle: Oracle, name: str) -> None:
    low, high = Integer(name).limits
    numbers = np.arange(low, high + 1).astype(name)
    result = maximum(numbers[:, None], numbers)
    assert result.tolist() == [[max(x, y) for y in range(low, high + 1)] for x in numbers.tolist()]
    assert_same(name, result, expected(oracle, MAX, numbers[:, None], numbers))


@EACH_FORMAT
def test_zeros_and_nans(oracle: Oracle, name: str) -> None:
    """Special values and their neighbours, and signalling NaNs: each with each, of any sign."""
    form = FORMATS[name]
    magnitudes = [*specials(form), form.infinity + 1]
    x = floats(name, [sign + each for each in magnitudes for sign in (0, form.sign)])
    with np.errstate(all="raise"):
        result = maximum(x[:, None], x)
    assert_same(name, result, expected(oracle, MAX, x[:, None], x))
    numbers = map(float, result.ravel())
    for pair, found in zip(itertools.product(map(float, x), repeat=2), numbers, strict=True):
        if np.isnan(pair).any():
            assert np.isnan(found)
        else:
            signed = [(number, np.copysign(1, number)) for number in pair]
            assert (found, np.copysign(1, found)) == max(signed)


@EACH_FORMAT
def test_order_of_operands(name: str) -> None:
    form = FORMATS[name]
    patterns = [0, form.sign, form.one, form.sign + form.infinity, form.infinity, form.nan]
    for chosen in itertools.combinations_with_replacement(patterns, 3):
        every = [
            maximum(*(floats(name, [each]) for each in order))
            for order in itertools.permutations(chosen)
        ]
        for other in every:
            assert_same(name, other, every[0])


def test_one_operand_is_copied() -> None:
    operand = np.array([[Fraction(1, 3), Fraction(-2)]], object)
    result = maximum(operand)
    assert result.tolist() == operand.tolist()
    assert not np.shares_memory(result, operand)


def test_no_operand() -> None:
    with pytest.raises(TypeError):
        maximum()


@pytest.mark.parametrize(
    "shapes",
    [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((2, 1), (1, 3), (2,)), ((1,), (2,), (3,))],
)
def test_shapes_that_do_not_go_together(
    oracle: Oracle, shapes: tuple[tuple[int, ...], ...]
) -> None:
    for order in itertools.permutations(shapes):
        operands = (np.ones(shape, np.float32) for shape in order)
        assert rejected(oracle, MAX, *operands) == "SONNX-MAX-FLOAT.X.C1"


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_two_types(oracle: Oracle, first: str, second: str) -> None:
    x, y = (np.zeros(0, DTYPES[name]) for name in (first, second))
    if first == second:
        assert maximum(x, x, y).dtype == x.dtype
        return
    assert rejected(oracle, MAX, x, y).endswith(".T")
    assert rejected(oracle, MAX, x, x, y).endswith(".T")


@pytest.mark.parametrize("dtype", [np.bool_, np.complex64, np.complex128])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    document = "INT" if dtype is np.bool_ else "FLOAT"
    assert rejected(oracle, MAX, np.ones(2, dtype)) == f"SONNX-MAX-{document}.T"
    number = np.ones(2, np.int32)
    assert rejected(oracle, MAX, number, np.ones(2, dtype)) == "SONNX-MAX-INT.T"


def test_elements_that_are_no_numbers() -> None:
    with pytest.raises(SpecViolation) as error:
        maximum(np.array([1.5, "x"], object))
    assert error.value.requirement == "SONNX-MAX-REAL.T"
