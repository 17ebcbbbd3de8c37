"""QuantizeLinear: each element by the definition and by fractions; which operands are rejected."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.dequantize_linear import dequantize_linear
from sonnx_formal.reference.quantize_linear import quantize_linear
from sonnx_formal.spec.element_types import BY_NAME
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.quantize_linear import QUANTIZE_LINEAR
from tests.float8 import DTYPES, GREATEST, cast, nearest, numbers, one_nan
from tests.quick import has_float32_scales
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import NARROW as FLOATS
from tests.reference.structural import bits, outcomes, rejected, tensors

Shape = tuple[int, ...]
BYTES = (np.int8, np.uint8)
NARROW = (*BYTES, np.int16, np.uint16)
BFLOAT16 = BY_NAME["bfloat16"].dtype.type
E4M3FN, E5M2 = DTYPES["float8e4m3fn"], DTYPES["float8e5m2"]
DOCUMENT = "ONNX-QUANTIZELINEAR-21"


def scale_type(instance: Instance) -> str:
    _, of_scale, _ = QUANTIZE_LINEAR.inputs
    return instance.type_of(of_scale).name


def same(result: Array, wanted: Array) -> bool:
    """Of floats, zeros have a sign, and all NaNs are one value."""
    if result.dtype != wanted.dtype or result.shape != wanted.shape:
        return False
    if result.dtype.kind in "iu":
        return np.array_equal(result, wanted)
    single, other = (each.astype(np.float32) for each in (result, wanted))
    signs = np.signbit(single) == np.signbit(other)
    return np.array_equal(single, other, equal_nan=True) and bool((signs | np.isnan(single)).all())


@st.composite
def placed(draw: st.DrawFn, parameter: bool | None = None) -> tuple[Shape, Shape, dict[str, Any]]:
    """Shapes of x and of the scale, and an axis, which may be left to its default; or blocks."""
    x = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    along = draw(st.booleans()) if parameter is None else parameter
    if not along or not x:
        return x, (), {}
    axis = draw(st.integers(-len(x), len(x) - 1))
    attributes = {} if axis == 1 and draw(st.booleans()) else {"axis": axis}
    if draw(st.booleans()):
        block = draw(st.integers(1, 4))
        scale = [*x]
        scale[axis] = len(range(0, x[axis], block))
        return x, tuple(scale), {**attributes, "block_size": block}
    return x, (x[axis],), attributes


@each_instance(QUANTIZE_LINEAR, quick=has_float32_scales)
@settings(max_examples=60, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, with any scales."""
    of_x, of_zero = (type_.name for type_ in instance.types)
    shape, of_scale, attributes = data.draw(placed())
    x, scale = data.draw(tensors(of_x, shape)), data.draw(tensors(scale_type(instance), of_scale))
    zero: Array | None = data.draw(tensors(of_zero, of_scale))
    if zero is not None and of_zero in FLOATS:
        zero = np.where(zero < 0, -0.0, 0.0).astype(zero.dtype)
        attributes["saturate"] = data.draw(st.integers(0, 2))
    if of_zero == "uint8" and data.draw(st.booleans()):
        zero = None
    laid_out = LAYOUTS[data.draw(layouts(of_x))](x)
    before = laid_out.copy()
    with np.errstate(all="raise"):
        result = quantize_linear(laid_out, scale, zero, **attributes)
    assert bits(before) == bits(laid_out)
    assert same(result, expected(oracle, QUANTIZE_LINEAR, x, scale, zero, **attributes))


def by_formula(x: Any, scale: Any, zero: Any) -> int:
    """The quotient by the scalars of NumPy or ml_dtypes, and fractions from there on."""
    low, high = np.iinfo(zero.dtype).min, np.iinfo(zero.dtype).max
    with np.errstate(all="ignore"):
        quotient = np.float32(scale.dtype.type(x) / scale)
    if not np.isfinite(quotient):
        return int(high if quotient > 0 else low)
    return int(min(max(round(Fraction(float(quotient))) + int(zero), low), high))


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_against_fractions(oracle: Oracle, data: st.DataObject) -> None:
    """One scale and zero point for each element."""
    every = (each for each in QUANTIZE_LINEAR.instances() if each.types[1].name not in FLOATS)
    instance = data.draw(st.sampled_from([*every]))
    of_x, of_zero = (type_.name for type_ in instance.types)
    count = data.draw(st.integers(0, 8))
    of_scale = scale_type(instance)
    x, scale = (data.draw(tensors(name, (count,))) for name in (of_x, of_scale))
    if data.draw(st.booleans()):
        scale = np.ldexp(np.float32(1), np.random.default_rng(count).integers(-8, 8, count))
        scale = scale.astype(BY_NAME[of_scale].dtype)
        x = (x.astype(np.float64) % 999).astype(x.dtype) if of_x == "int32" else x
    zero = data.draw(tensors(of_zero, (count,)))
    wanted = [by_formula(*each) for each in zip(x, scale, zero, strict=True)]
    assert quantize_linear(x, scale, zero, axis=0).tolist() == wanted
    assert expected(oracle, QUANTIZE_LINEAR, x, scale, zero, axis=0).tolist() == wanted


def both(oracle: Oracle, *operands: Any, **attributes: Any) -> Array:
    result = quantize_linear(*operands, **attributes)
    assert same(result, expected(oracle, QUANTIZE_LINEAR, *operands, **attributes))
    return result


ONE, TWO = np.array(1, np.float32), np.array(2, np.float32)


@pytest.mark.parametrize("dtype", BYTES)
def test_ties(oracle: Oracle, dtype: Any) -> None:
    """Half-way the even integer is taken, and the zero point is added after that."""
    x = np.array([0.5, 1.5, 2.5, 3.5, 0.49999997, 1.5000001], np.float32)
    assert both(oracle, x, ONE, np.array(1, dtype)).tolist() == [1, 3, 3, 5, 1, 3]
    whole = np.array([1, 3, 5, 7], np.int32)
    assert both(oracle, whole, TWO, np.array(0, dtype)).tolist() == [0, 2, 2, 4]
    if dtype is np.int8:
        assert both(oracle, -x, ONE, np.array(0, dtype)).tolist() == [0, -2, -2, -4, 0, -2]


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_quotients_of_their_type(oracle: Oracle, name: str) -> None:
    """The quotient is rounded to the type of the scale before it is rounded to an integer."""
    dtype = BY_NAME[name].dtype
    x = np.array([2.5, 300, -300, np.inf, np.nan, 65280], dtype)
    found = both(oracle, x, np.array(1, dtype), np.array(0, np.int8))
    assert found.tolist() == [2, 127, -128, 127, -128, 127]
    chance = np.random.default_rng(11)
    x, scale = (chance.integers(1, 128, 4000).astype(dtype) for _ in range(2))
    single = np.rint(x.astype(np.float32) * 250 / scale.astype(np.float32))
    rounded = np.rint(((x * dtype.type(250)) / scale).astype(np.float32))
    found = both(oracle, x * dtype.type(250), scale, np.zeros(4000, np.uint16), axis=0)
    assert np.array_equal(found, rounded)
    assert not np.array_equal(found, single)


def test_saturation(oracle: Oracle) -> None:
    x = np.array([-1e38, -300, -128.5, -127.5, 126.5, 127.5, 254.5, 255.5, 1e38], np.float32)
    ends = [-128, -128, -128, -128, 126, 127, 127, 127, 127]
    assert both(oracle, x, ONE, np.array(0, np.int8)).tolist() == ends
    ends = [0, 0, 0, 0, 126, 128, 254, 255, 255]
    assert both(oracle, x, ONE).tolist() == ends
    tiny = np.array(1e-45, np.float32)
    assert both(oracle, x, tiny).tolist() == [0, 0, 0, 0, 255, 255, 255, 255, 255]


@pytest.mark.parametrize("zero", [-128, 0, 5, 127])
def test_special_values(oracle: Oracle, zero: int) -> None:
    x = np.array([np.inf, -np.inf, np.nan, -0.0], np.float32)
    result = both(oracle, x, ONE, np.array(zero, np.int8))
    assert result.tolist() == [127, -128, -128, zero]
    for scale in (0.0, np.inf, np.nan):
        numbers = np.array([1, -1, 0], np.float32)
        wanted = {0.0: [127, -128, -128], np.inf: [zero] * 3}.get(scale, [-128] * 3)
        found = both(oracle, numbers, np.array(scale, np.float32), np.array(zero, np.int8))
        assert found.tolist() == wanted


def test_node_tests_of_onnx(oracle: Oracle) -> None:
    x = np.array([0, 2, 3, 1000, -254, -1000], np.float32)
    scale, zero = np.array(2, np.float32), np.array(128, np.uint8)
    assert both(oracle, x, scale, zero).tolist() == [128, 129, 130, 255, 1, 0]
    x = np.array([-162, 10, -100, 232, -20, -50], np.float32).reshape(1, 3, 2)
    scale, zero = np.array([2, 4, 5], np.float32), np.array([84, 24, 196], np.uint8)
    assert both(oracle, x, scale, zero).tolist() == [[[3, 89], [0, 82], [192, 186]]]
    x, scale = np.array([0, 1, 2, 100000, 200], np.float32), np.array(2, np.float32)
    for name, wanted in (
        ("float8e4m3fn", [0, 0.5, 1, 448, 96]),
        ("float8e5m2", [0, 0.5, 1, 49152, 96]),
    ):
        found = both(oracle, x, scale, np.zeros((), DTYPES[name]))
        assert same(found, np.array(wanted, DTYPES[name]))


@pytest.mark.parametrize("dtype", NARROW)
def test_back_and_forth(oracle: Oracle, dtype: Any) -> None:
    """Each integer comes back from its number, unless that overflows; of 8 bits, with each zero
    point, and of 16 bits, with some."""
    every = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
    zeros = every if dtype in BYTES else every[[0, 1, 12345, -2, -1]]
    q, zero = (each.ravel() for each in np.meshgrid(every, zeros))
    for scale in (1.0, 0.1, 1e-45, 1.1754942e-38, 1.3343e36, 2.0**127, 3.4028235e38):
        s = np.full(q.shape, scale, np.float32)
        number = dequantize_linear(q, s, zero, axis=0)
        back = quantize_linear(number, s, zero, axis=0)
        finite = np.isfinite(number)
        assert np.array_equal(back[finite], q[finite])
        assert finite.all() == (scale <= 1.3343e36 if dtype in BYTES else scale <= 1)
        ends = np.where(number > 0, np.iinfo(dtype).max, np.iinfo(dtype).min)
        assert np.array_equal(back[~finite], ends[~finite])
    some = slice(0, None, 997)
    assert same(back[some], both(oracle, number[some], s[some], zero[some], axis=0))


@pytest.mark.parametrize(
    ("name", "lost", "scale"), [("float16", 525, 251 / 128), ("bfloat16", 73, 227 / 128)]
)
def test_least_integer_that_is_lost(oracle: Oracle, name: str, lost: int, scale: float) -> None:
    """With all scales from 1 to 2, it is that of the example; with subnormal ones, none is less."""
    dtype = BY_NAME[name].dtype
    first, end = (int(np.array(number, dtype).view(np.uint16)) for number in (1, 2))
    for least in (1, first):
        scales = np.arange(least, least + end - first, dtype=np.uint16).view(dtype)
        q, s = (each.ravel() for each in np.meshgrid(np.arange(lost + 1, dtype=np.int16), scales))
        number, zero = dequantize_linear(q, s, axis=0), np.zeros(q.shape, np.int16)
        back = quantize_linear(number, s, zero, axis=0)
        wrong = back != q
        assert (q[wrong] == lost).all()
        if least == first:
            assert (s[wrong].tolist(), back[wrong].tolist()) == ([scale], [lost - 1])
        some = slice(0, None, 997)
        assert same(back[some], both(oracle, number[some], s[some], zero[some], axis=0))


WIDE = ("float16", "bfloat16", "float32")


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_of_8_bits(oracle: Oracle, name: str, wide: str) -> None:
    """Each quotient of NumPy or ml_dtypes, rounded by ONNX's table with fractions."""
    chance, dtype = np.random.default_rng(8), BY_NAME[wide].dtype
    stored = np.uint16 if dtype.itemsize == 2 else np.uint32
    patterns = [chance.integers(0, 1 << (8 * dtype.itemsize), 3000) for _ in range(2)]
    x, scale = (each.astype(stored).view(dtype) for each in patterns)
    near = chance.uniform(-600, 600, 2000).astype(dtype)
    x, scale = np.concatenate([x, near]), np.concatenate([scale, np.ones(2000, dtype)])
    zero = np.zeros(x.shape, DTYPES[name])
    with np.errstate(all="ignore"):
        quotient = (x / scale).astype(np.float64).tolist()
    for saturate in (0, 1):
        found = both(oracle, x, scale, zero, axis=0, saturate=saturate)
        wanted = [cast(name, saturate == 1, each) for each in quotient]
        assert np.array_equal(one_nan(name, found.view(np.uint8)), wanted)


@pytest.mark.parametrize(
    ("parts", "name", "twice", "once"),
    [
        ((np.float16(543), np.float16(511)), "float8e4m3fn", 1, 1.125),
        ((BFLOAT16(67), BFLOAT16(63)), "float8e4m3fn", 1, 1.125),
        ((np.float32(4456447), np.float32(4194303)), "float8e4m3fn", 1, 1.125),
        ((np.float32(4718591), np.float32(4194303)), "float8e5m2", 1, 1.25),
        ((np.int32(17825793), np.float32(1 << 20)), "float8e4m3fn", 16, 18),
    ],
)
def test_quotients_are_rounded_twice(
    oracle: Oracle, parts: tuple[Any, Any], name: str, twice: float, once: float
) -> None:
    """To the type of the scale, and then to a float of 8 bits: once would be another one."""
    x, scale = parts
    result = both(oracle, np.array([x]), np.array(scale), np.zeros((), DTYPES[name]))
    assert same(result, np.array([twice], DTYPES[name]))
    ((number, _),) = (
        each for each in numbers(name) if each[1] == nearest(name, Fraction(int(x), int(scale)))
    )
    assert number == once


@pytest.mark.parametrize("name", FLOATS)
def test_saturation_of_floats(oracle: Oracle, name: str) -> None:
    """By ONNX's table of Cast."""
    largest = GREATEST[name]
    x = np.array([np.inf, -np.inf, np.nan, -0.0, largest, 2.0 * largest, -1e30, 1.0], np.float32)
    zero = np.zeros((), DTYPES[name])
    beyond = np.inf if name == "float8e5m2" else np.nan
    ends = [largest, -largest, np.nan, -0.0, largest, largest, -largest, 1.0]
    plain = [beyond, -beyond, np.nan, -0.0, largest, beyond, -beyond, 1.0]
    for attributes, wanted in (({}, ends), ({"saturate": 1}, ends), ({"saturate": 7}, ends),
                               ({"saturate": 0}, plain)):  # fmt: skip
        said: Any = attributes
        assert same(both(oracle, x, ONE, zero, **said), np.array(wanted, DTYPES[name]))
    integers = np.array([300, -300], np.float32)
    assert both(oracle, integers, ONE, np.array(0, np.int8), saturate=0).tolist() == [
        127, -128,
    ]  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_zero_points_of_floats(oracle: Oracle, name: str) -> None:
    """Zeros of both signs, of which nothing is seen in the result."""
    x, scale = np.array([0.0, -0.0, 3.0], np.float32), np.ones(3, np.float32)
    dtype = DTYPES[name]
    wanted = x.astype(dtype)
    number = {"float8e4m3fn": 17, "float8e5m2": 19}[name]
    assert same(both(oracle, x, scale, axis=0, output_dtype=number), wanted)
    for zeros in ([0.0, 0.0, 0.0], [-0.0, 0.0, -0.0]):
        zero = np.array(zeros, dtype)
        assert same(both(oracle, x, scale, zero, axis=0), wanted)
        assert same(both(oracle, x, scale, zero, axis=0, output_dtype=number), wanted)
    for other in (1.0, -2.0, np.nan, 2.0**-9):
        given_: Any = (x, scale, np.array([0, 0, other], dtype))
        wanted_id = f"{DOCUMENT}.Y_ZERO_POINT.C2"
        assert rejected(oracle, QUANTIZE_LINEAR, *given_, axis=0) == wanted_id


@pytest.mark.parametrize("of_scale", WIDE)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_back_and_forth(oracle: Oracle, name: str, of_scale: str) -> None:
    """Each number comes back where its product is normal, of all scales of 16 bits and some of
    float32; infinities come back where nothing is saturated."""
    dtype = BY_NAME[of_scale].dtype
    if of_scale == "float32":
        few = np.random.default_rng(3).integers(1, 0x7F800000, 4000).astype(np.uint32)
        scales = few.view(np.float32)
    else:
        patterns = np.arange(1, BY_NAME[of_scale].format.infinity, dtype=np.uint16)
        scales = patterns.view(dtype)
    every = np.arange(256, dtype=np.uint8).view(DTYPES[name])
    type_ = BY_NAME[of_scale]
    smallest = float(np.array(type_.format.trailing, type_.pattern).view(dtype))
    for q in every:
        x = np.full(scales.shape, q)
        number = dequantize_linear(x, scales, axis=0)
        zero = np.zeros(scales.shape, x.dtype)
        back = quantize_linear(number, scales, zero, axis=0, saturate=0)
        wide = number.astype(np.float64)
        normal = np.isfinite(wide) & (abs(wide) >= smallest)
        kept = (
            normal if q != 0 and np.isfinite(float(q)) else np.full(scales.shape, fill_value=True)
        )
        assert same(back[kept], x[kept])
        if q == every[7]:
            some = slice(0, None, 997)
            again = both(oracle, number[some], scales[some], zero[some], axis=0, saturate=0)
            assert same(back[some], again)


def test_axis_that_is_not_set(oracle: Oracle) -> None:
    x, scale = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 2, 4], np.float32)
    wanted = both(oracle, x, scale, axis=1)
    assert wanted.tolist() == [[0, 0, 0], [3, 2, 1]]
    assert same(both(oracle, x, scale), wanted)
    assert same(both(oracle, x, scale, axis=-1), wanted)


def test_no_zero_point(oracle: Oracle) -> None:
    x = np.array([-1, 300, 7], np.float32)
    assert same(both(oracle, x, ONE), np.array([0, 255, 7], np.uint8))
    assert same(both(oracle, x, ONE, np.array(0, np.uint8)), np.array([0, 255, 7], np.uint8))


def repeated(parameter: Array, block: int, axis: int, shape: Shape) -> Array:
    """Each element as often as its block has entries along the axis."""
    return np.repeat(parameter, block, axis)[tuple(map(slice, shape))]


def test_blocks(oracle: Oracle) -> None:
    """Scale and zero point of each block, as NumPy repeats them."""
    x = np.arange(-20, 20, dtype=np.float32).reshape(2, 5, 4)
    for axis, block in product((0, 1, 2, -1), (1, 2, 3, 5, 9)):
        shape = [*x.shape]
        shape[axis] = len(range(0, x.shape[axis], block))
        scale = (1 + np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)
        zero = np.arange(scale.size, dtype=np.int16).reshape(shape)
        found = both(oracle, x, scale, zero, axis=axis, block_size=block)
        each = [repeated(parameter, block, axis, x.shape) for parameter in (scale, zero)]
        assert same(found, (np.rint(x / each[0]) + each[1]).astype(np.int16))
        assert same(found, both(oracle, x, *each, axis=axis, block_size=1))


def test_blocks_of_a_vector(oracle: Oracle) -> None:
    """Where there is one axis, the size of the blocks says whether there are any."""
    x, scale = np.array([1, 2, 3, 4, 5], np.float32), np.array([1, 0.5, 0.25], np.float32)
    assert both(oracle, x, scale, axis=0, block_size=2).tolist() == [1, 2, 6, 8, 20]
    assert both(oracle, x, x, axis=0, block_size=0).tolist() == [1] * 5
    for other, size in ((x, 2), (scale, 0), (scale, 3)):
        given_: Any = (x, other)
        wanted = f"{DOCUMENT}.Y_SCALE.C2"
        assert rejected(oracle, QUANTIZE_LINEAR, *given_, axis=0, block_size=size) == wanted


def test_output_types(oracle: Oracle) -> None:
    """By the numbers of `TensorProto.DataType`, of which 0 is none."""
    x = np.array([-7, 70000], np.float32)
    types: dict[int, Any] = {0: np.uint8, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16}
    for number, name in ((17, "float8e4m3fn"), (19, "float8e5m2")):
        result = both(oracle, x, ONE, output_dtype=number)
        assert same(result, np.array([-7, GREATEST[name]], DTYPES[name]))
    for number, dtype in types.items():
        bounds = np.iinfo(dtype)
        result = both(oracle, x, ONE, output_dtype=number)
        assert same(result, np.array([max(-7, bounds.min), bounds.max], dtype))
        for of_zero in NARROW:
            given_: Any = (x, ONE, np.array(1, of_zero))
            if number == 0 or of_zero is dtype:
                assert both(oracle, *given_, output_dtype=number).dtype == of_zero
            else:
                wanted = f"{DOCUMENT}.OUTPUT_DTYPE.C2"
                assert rejected(oracle, QUANTIZE_LINEAR, *given_, output_dtype=number) == wanted
    for number, zero in ((19, E4M3FN), (17, E5M2), (17, np.int8), (3, E5M2)):
        given_ = (x, ONE, np.array(0, zero))
        wanted = f"{DOCUMENT}.OUTPUT_DTYPE.C2"
        assert rejected(oracle, QUANTIZE_LINEAR, *given_, output_dtype=number) == wanted
    for number in (-1, 1, 6, 7, 10, 16, 18, 20, 21, 1 << 40):
        given_ = (x, ONE)
        wanted = f"{DOCUMENT}.OUTPUT_DTYPE.C1"
        assert rejected(oracle, QUANTIZE_LINEAR, *given_, output_dtype=number) == wanted


def test_many_axes(oracle: Oracle) -> None:
    x = np.ones((1,) * 30 + (2, 3), np.float32)
    scale = np.array([1, 0.5], np.float32)
    assert both(oracle, x, scale, axis=30).ravel().tolist() == [1, 1, 1, 2, 2, 2]


def operands(
    x: Shape, scale: Shape, zero: Shape | None, dtype: Any = np.int8
) -> tuple[Array | None, ...]:
    third = None if zero is None else np.ones(zero, dtype)
    return np.ones(x, np.float32), np.ones(scale, np.float32), third


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
        assert outcomes(oracle, QUANTIZE_LINEAR, *given_, **attributes) == [x, x]


@pytest.mark.parametrize(
    ("shapes", "attributes", "item"),
    [
        (((2, 3), (3, 1), (3, 1)), {}, "Y_SCALE.C1"),
        (((2, 3), (1, 1), None), {"axis": 9}, "Y_SCALE.C1"),
        (((3,), (3,), (3,)), {}, "AXIS.C1"),
        (((), (1,), (1,)), {"axis": 0}, "AXIS.C1"),
        (((2, 3), (3,), (3,)), {"axis": 2}, "AXIS.C1"),
        (((2, 3), (2,), None), {"axis": -3}, "AXIS.C1"),
        (((2, 3), (2,), (2,)), {}, "Y_SCALE.C2"),
        (((2, 3), (1,), (1,)), {}, "Y_SCALE.C2"),
        (((2, 3), (3,), (3,)), {"axis": 0}, "Y_SCALE.C2"),
        (((2, 3), (), (1,)), {}, "Y_ZERO_POINT.C1"),
        (((2, 3), (3,), ()), {}, "Y_ZERO_POINT.C1"),
        (((2, 3), (3,), (3, 1)), {}, "Y_ZERO_POINT.C1"),
        (((2, 5), (2, 3), (2, 3)), {"axis": 1}, "Y_SCALE.C1"),
        (((2, 5), (2, 3), (2, 3)), {"axis": 1, "block_size": -2}, "BLOCK_SIZE.C1"),
        (((2, 5), (), ()), {"block_size": -1}, "BLOCK_SIZE.C1"),
        (((2, 5), (5,), (5,)), {"axis": 1, "block_size": 2}, "Y_SCALE.C1"),
        (((2, 5), (), None), {"block_size": 2}, "Y_SCALE.C1"),
        (((), (), None), {"axis": 0, "block_size": 1}, "Y_SCALE.C1"),
        (((2, 5), (2, 3, 1), None), {"axis": 1, "block_size": 2}, "Y_SCALE.C1"),
        (((2, 5), (2, 3), None), {"axis": 2, "block_size": 2}, "AXIS.C1"),
        (((2, 5), (2, 3), None), {"axis": 0, "block_size": 2}, "Y_SCALE.C2"),
        (((2, 5), (2, 2), (2, 2)), {"axis": 1, "block_size": 2}, "Y_SCALE.C2"),
        (((2, 5), (2, 3), (2, 5)), {"axis": 1, "block_size": 2}, "Y_ZERO_POINT.C1"),
    ],
)
def test_rejections(oracle: Oracle, shapes: Any, attributes: dict[str, Any], item: str) -> None:
    given_: Any = operands(*shapes)
    assert rejected(oracle, QUANTIZE_LINEAR, *given_, **attributes) == f"{DOCUMENT}.{item}"


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    small = st.lists(st.integers(0, 2), max_size=3).map(tuple)
    x, scale, zero = data.draw(small), data.draw(small), data.draw(st.none() | small)
    given_: Any = operands(x, scale, zero, data.draw(st.sampled_from([*NARROW, np.int32])))
    axis, block = data.draw(st.integers(-4, 4)), data.draw(st.integers(-1, 3))
    number = data.draw(st.sampled_from([0, 3, 5, 6]))
    ours, defined = outcomes(
        oracle, QUANTIZE_LINEAR, *given_, axis=axis, block_size=block, output_dtype=number
    )
    assert ours == defined


@pytest.mark.parametrize("dtype", [np.uint32, np.int64, np.float64, np.float16, np.bool_])
def test_types(oracle: Oracle, dtype: Any) -> None:
    """Of each operand."""
    every = operands((2, 3), (3,), (3,))
    for place in range(3):
        changed = [x.astype(dtype) if k == place and x is not None else x
                   for k, x in enumerate(every)]  # fmt: skip
        given_: Any = changed
        assert rejected(oracle, QUANTIZE_LINEAR, *given_) == f"{DOCUMENT}.T"
    for of_x, of_zero in product((np.float32, np.int32), NARROW):
        x, zero = np.ones((2, 3), of_x), np.ones(3, of_zero)
        assert quantize_linear(x, np.ones(3, np.float32), zero).dtype == of_zero


@pytest.mark.parametrize("name", ["axis", "block_size", "output_dtype"])
def test_attributes_are_integers(name: str) -> None:
    wrong: Any = {name: 1.0}
    with pytest.raises(TypeError):
        quantize_linear(np.ones(2, np.float32), ONE, **wrong)
