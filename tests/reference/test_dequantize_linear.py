"""DequantizeLinear: each element by the definition and by NumPy's scalars; what is rejected."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.dequantize_linear import dequantize_linear
from sonnx_formal.spec.element_types import BY_NAME
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.dequantize_linear import DEQUANTIZE_LINEAR
from tests.quick import has_float32_scales
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array, assert_same
from tests.reference.structural import NARROW as FLOATS
from tests.reference.structural import bits, outcomes, rejected, tensors
from tests.reference.test_quantize_linear import placed, repeated

Shape = tuple[int, ...]
DOCUMENT = "ONNX-DEQUANTIZELINEAR-21"
TYPES = ("int8", "uint8", "int16", "uint16", "int32")


def both(oracle: Oracle, *operands: Any, **attributes: Any) -> Array:
    with np.errstate(all="raise"):
        result = dequantize_linear(*operands, **attributes)
    name = operands[1].dtype.name
    assert_same(name, result, expected(oracle, DEQUANTIZE_LINEAR, *operands, **attributes))
    return result


@each_instance(DEQUANTIZE_LINEAR, quick=has_float32_scales)
@settings(max_examples=60, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, with any scales."""
    name, of_result = (type_.name for type_ in instance.types)
    shape, of_scale, attributes = data.draw(placed())
    x, scale = data.draw(tensors(name, shape)), data.draw(tensors(of_result, of_scale))
    zero: Array | None = data.draw(tensors(name, of_scale))
    if name in {"int32", *FLOATS}:
        zero = np.zeros(of_scale, x.dtype)
    if data.draw(st.booleans()):
        zero = None
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    before = laid_out.copy()
    result = dequantize_linear(laid_out, scale, zero, **attributes)
    assert bits(before) == bits(laid_out)
    assert_same(of_result, result, both(oracle, x, scale, zero, **attributes))


def nearest(exact: Fraction) -> np.float32:
    """A fraction rounded to float32 by its neighbours, half-way to the even one."""
    guess = np.float32(float(exact))
    if not np.isfinite(guess):
        return guess
    near = [np.nextafter(guess, np.float32(side)) for side in (-np.inf, np.inf)]
    finite = [each for each in (guess, *near) if np.isfinite(each)]

    def rank(number: np.float32) -> tuple[Fraction, int]:
        return abs(Fraction(float(number)) - exact), int(number.view(np.uint32)) & 1

    return min(finite, key=rank)


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_against_fractions(oracle: Oracle, data: st.DataObject) -> None:
    """Of int32, the integer is rounded, and the product; of fewer bits, the product alone."""
    name = data.draw(st.sampled_from(TYPES))
    count = data.draw(st.integers(0, 8))
    x = data.draw(tensors(name, (count,)))
    scale = np.abs(data.draw(tensors("float32", (count,))))
    scale[~(scale < 1e30)] = 0.1
    zero = data.draw(tensors(name, (count,))) * (0 if name == "int32" else 1)
    wanted = []
    for each, s, z in zip(x.tolist(), scale.tolist(), zero.tolist(), strict=True):
        integer = nearest(Fraction(each - z))
        product = nearest(Fraction(float(integer)) * Fraction(s))
        wanted.append(np.float32(0) * np.float32(each - z) if each == z else product)
    result = both(oracle, x, scale, zero.astype(x.dtype), axis=0)
    assert np.array_equal(result, np.array(wanted, np.float32))


@pytest.mark.parametrize("of_scale", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", TYPES)
def test_other_formats(oracle: Oracle, name: str, of_scale: str) -> None:
    """The product of float32, rounded by NumPy and ml_dtypes."""
    chance, bounds = np.random.default_rng(5), np.iinfo(name)
    x = chance.integers(bounds.min, bounds.max, 500, endpoint=True).astype(name)
    scale = chance.standard_normal(500).astype(BY_NAME[of_scale].dtype)
    result = both(oracle, x, scale, axis=0)
    product = x.astype(np.float32) * scale.astype(np.float32)
    with np.errstate(all="ignore"):
        wanted = product.astype(scale.dtype)
    assert result.dtype == scale.dtype
    assert np.array_equal(result.view(np.uint16), wanted.view(np.uint16))


def test_node_tests_of_onnx(oracle: Oracle) -> None:
    x = np.array([0, 3, 128, 255], np.uint8)
    scale, zero = np.array(2, np.float32), np.array(128, np.uint8)
    assert both(oracle, x, scale, zero).tolist() == [-256, -250, 0, 254]
    x = np.array([3, 89, 34, 200, 74, 59], np.uint8).reshape(1, 3, 2)
    scale, zero = np.array([2, 4, 5], np.float32), np.array([84, 24, 196], np.uint8)
    assert both(oracle, x, scale, zero).tolist() == [[[-162, 10], [40, 704], [-610, -685]]]
    narrow = np.array([0, 0.5, 1, 448, -104], BY_NAME["float8e4m3fn"].dtype)
    for dtype in (np.float32, np.float16):
        numbers = both(oracle, narrow, np.array(2, dtype), np.zeros((), narrow.dtype), axis=0)
        assert numbers.tolist() == [0, 1, 2, 896, -208]


@pytest.mark.parametrize("of_scale", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_8_bits(oracle: Oracle, name: str, of_scale: str) -> None:
    """All 256 with scales of all sizes: the product of float32, rounded to that of the scale."""
    dtype, chance = BY_NAME[of_scale].dtype, np.random.default_rng(9)
    every = np.arange(256, dtype=np.uint8).view(BY_NAME[name].dtype)
    patterns = chance.integers(0, 1 << (8 * dtype.itemsize), 30).astype(f"u{dtype.itemsize}")
    scales = np.concatenate([patterns.view(dtype), np.array([1, -1, 0, np.inf, np.nan], dtype)])
    x, scale = (each.ravel() for each in np.meshgrid(every, scales))
    for zero in (None, np.full(x.shape, -0.0, x.dtype)):
        found = both(oracle, x, scale, zero, axis=0)
        with np.errstate(all="ignore"):
            wanted = (x.astype(np.float32) * scale.astype(np.float32)).astype(dtype)
        assert_same(of_scale, found, wanted)
    assert (
        both(oracle, np.array([-0.0], every.dtype), np.array(1, dtype)).tobytes()
        == np.array([-0.0], dtype).tobytes()
    )


@pytest.mark.parametrize("name", FLOATS)
def test_zero_points_of_floats(oracle: Oracle, name: str) -> None:
    dtype = BY_NAME[name].dtype
    x, scale = np.ones((2, 3), dtype), np.ones(3, np.float32)
    for zeros in ([0, 0, 0], [0, -0.0, 0]):
        both(oracle, x, scale, np.array(zeros, dtype))
    for other in (1, np.nan):
        given_: Any = (x, scale, np.array([0, other, 0], dtype))
        assert rejected(oracle, DEQUANTIZE_LINEAR, *given_) == f"{DOCUMENT}.X_ZERO_POINT.C2"


def test_integers_of_more_than_24_digits(oracle: Oracle) -> None:
    x = np.array([2**24, 2**24 + 1, 2**24 + 3, 2**31 - 1, -(2**31)], np.int32)
    wanted = [2.0**24, 2.0**24, 2.0**24 + 4, 2.0**31, -(2.0**31)]
    assert both(oracle, x, np.array(1, np.float32)).tolist() == wanted


def test_zeros_have_the_sign_of_the_scale(oracle: Oracle) -> None:
    x = np.array([-5, -5], np.int8)
    result = both(oracle, x, np.array([0.5, -0.5], np.float32), x, axis=0)
    assert np.signbit(result).tolist() == [False, True]


def test_special_scales(oracle: Oracle) -> None:
    x = np.array([-1, 0, 1], np.int8)
    result = both(oracle, x, np.array(np.inf, np.float32))
    assert result[[0, 2]].tolist() == [-np.inf, np.inf]
    assert np.isnan(result[1])
    assert np.isnan(both(oracle, x, np.array(np.nan, np.float32))).all()
    greatest = np.array(np.finfo(np.float32).max)
    assert both(oracle, 2 * x, greatest).tolist() == [-np.inf, 0, np.inf]


def test_axis_that_is_not_set(oracle: Oracle) -> None:
    x, scale = np.arange(6, dtype=np.int8).reshape(2, 3), np.array([1, 2, 4], np.float32)
    wanted = [[0, 2, 8], [3, 8, 20]]
    for attributes in ({}, {"axis": 1}, {"axis": -1}):
        given_: Any = attributes
        assert both(oracle, x, scale, **given_).tolist() == wanted


def test_blocks(oracle: Oracle) -> None:
    """Scale and zero point of each block, as NumPy repeats them."""
    x = np.arange(-20, 20, dtype=np.int16).reshape(2, 5, 4)
    for axis, block in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (-1, 4), (-2, 9)):
        shape = [*x.shape]
        shape[axis] = len(range(0, x.shape[axis], block))
        scale = (1 + np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)
        zero = np.arange(scale.size, dtype=np.int16).reshape(shape)
        each = [repeated(parameter, block, axis, x.shape) for parameter in (scale, zero)]
        wanted = ((x - each[1]) * each[0]).astype(np.float32)
        found = both(oracle, x, scale, zero, axis=axis, block_size=block)
        assert np.array_equal(found, wanted)


def test_blocks_of_zero_points_of_int32(oracle: Oracle) -> None:
    """All of them are zero, in each row."""
    x, scale = np.ones((2, 3), np.int32), np.ones((2, 2), np.float32)
    zero = np.zeros((2, 2), np.int32)
    assert both(oracle, x, scale, zero, block_size=2).tolist() == [[1] * 3] * 2
    zero[1, 1] = 1
    given_: Any = (x, scale, zero)
    wanted = f"{DOCUMENT}.X_ZERO_POINT.C2"
    assert rejected(oracle, DEQUANTIZE_LINEAR, *given_, block_size=2) == wanted


def operands(x: Shape, scale: Shape, zero: Shape | None) -> tuple[Array | None, ...]:
    third = None if zero is None else np.ones(zero, np.int8)
    return np.ones(x, np.int8), np.ones(scale, np.float32), third


@pytest.mark.parametrize(
    ("x", "scale", "attributes"),
    [
        ((2, 3), (), {}),
        ((2, 3), (), {"axis": 7}),
        ((2, 3), (3,), {}),
        ((2, 3), (2,), {"axis": -2}),
        ((), (), {}),
        ((0, 3), (3,), {}),
        ((3, 0), (0,), {}),
        ((1,), (1,), {"axis": 0}),
        ((2, 5), (2, 3), {"axis": 1, "block_size": 2}),
        ((0, 5), (0, 5), {"axis": 0, "block_size": 2}),
    ],
)
def test_shapes(oracle: Oracle, x: Shape, scale: Shape, attributes: dict[str, Any]) -> None:
    for zero in (scale, None):
        given_: Any = operands(x, scale, zero)
        assert outcomes(oracle, DEQUANTIZE_LINEAR, *given_, **attributes) == [x, x]


@pytest.mark.parametrize(
    ("shapes", "attributes", "item"),
    [
        (((2, 3), (3, 1), (3, 1)), {}, "X_SCALE.C1"),
        (((2, 3), (1, 1), None), {"axis": 9}, "X_SCALE.C1"),
        (((3,), (3,), (3,)), {}, "AXIS.C1"),
        (((), (1,), (1,)), {"axis": 0}, "AXIS.C1"),
        (((2, 3), (3,), (3,)), {"axis": 2}, "AXIS.C1"),
        (((2, 3), (2,), None), {"axis": -3}, "AXIS.C1"),
        (((2, 3), (2,), (2,)), {}, "X_SCALE.C2"),
        (((2, 3), (1,), (1,)), {}, "X_SCALE.C2"),
        (((2, 3), (3,), (3,)), {"axis": 0}, "X_SCALE.C2"),
        (((2, 3), (), (1,)), {}, "X_ZERO_POINT.C1"),
        (((2, 3), (3,), ()), {}, "X_ZERO_POINT.C1"),
        (((2, 3), (3,), (3, 1)), {}, "X_ZERO_POINT.C1"),
        (((2, 5), (2, 3), (2, 3)), {"axis": 1}, "X_SCALE.C1"),
        (((2, 5), (2, 3), (2, 3)), {"axis": 1, "block_size": -2}, "BLOCK_SIZE.C1"),
        (((2, 5), (), ()), {"block_size": -1}, "BLOCK_SIZE.C1"),
        (((2, 5), (5,), (5,)), {"axis": 1, "block_size": 2}, "X_SCALE.C1"),
        (((2, 5), (), None), {"block_size": 2}, "X_SCALE.C1"),
        (((), (), None), {"axis": 0, "block_size": 1}, "X_SCALE.C1"),
        (((2, 5), (2, 3, 1), None), {"axis": 1, "block_size": 2}, "X_SCALE.C1"),
        (((2, 5), (2, 3), None), {"axis": 2, "block_size": 2}, "AXIS.C1"),
        (((2, 5), (2, 3), None), {"axis": 0, "block_size": 2}, "X_SCALE.C2"),
        (((2, 5), (2, 2), (2, 2)), {"axis": 1, "block_size": 2}, "X_SCALE.C2"),
        (((2, 5), (2, 3), (2, 5)), {"axis": 1, "block_size": 2}, "X_ZERO_POINT.C1"),
    ],
)
def test_rejections(oracle: Oracle, shapes: Any, attributes: dict[str, Any], item: str) -> None:
    given_: Any = operands(*shapes)
    assert rejected(oracle, DEQUANTIZE_LINEAR, *given_, **attributes) == f"{DOCUMENT}.{item}"


@pytest.mark.parametrize("zeros", [0, 1, [0, 0, 0], [0, 0, -1], []])
def test_zero_points_of_int32(oracle: Oracle, zeros: Any) -> None:
    zero = np.array(zeros, np.int32)
    x = np.ones((2, *(zero.shape or (3,))), np.int32)
    given_: Any = (x, np.ones(zero.shape, np.float32), zero)
    if zero.any():
        assert rejected(oracle, DEQUANTIZE_LINEAR, *given_) == f"{DOCUMENT}.X_ZERO_POINT.C2"
    else:
        assert outcomes(oracle, DEQUANTIZE_LINEAR, *given_) == [x.shape] * 2


@pytest.mark.parametrize("dtype", [np.uint32, np.int64, np.float64, np.bool_])
def test_types(oracle: Oracle, dtype: Any) -> None:
    """Of each operand; and the zero point is of the type of x."""
    every = operands((2, 3), (3,), (3,))
    for place in range(3):
        changed = [x.astype(dtype) if k == place and x is not None else x
                   for k, x in enumerate(every)]  # fmt: skip
        given_: Any = changed
        assert rejected(oracle, DEQUANTIZE_LINEAR, *given_) == f"{DOCUMENT}.T"
    x, scale, _ = every
    other: Any = (x, scale, np.ones(3, np.uint8))
    assert rejected(oracle, DEQUANTIZE_LINEAR, *other) == f"{DOCUMENT}.T"


@pytest.mark.parametrize("name", ["axis", "block_size"])
def test_attributes_are_integers(name: str) -> None:
    wrong: Any = {name: 1.0}
    with pytest.raises(TypeError):
        dequantize_linear(np.ones(2, np.int8), np.array(1, np.float32), **wrong)
