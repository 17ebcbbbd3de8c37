"""ConvInteger: each element by the definition, and which operands are rejected."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.conv_integer import conv_integer
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.conv_integer import CONV_INTEGER
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import outcomes, rejected, tensors
from tests.reference.test_conv import PLAIN, convolutions

Shape = tuple[int, ...]


def same(result: Array, wanted: Array) -> bool:
    return result.dtype == wanted.dtype == np.int32 and np.array_equal(result, wanted)


def zero_points(
    data: st.DataObject, instance: Instance, channels: int
) -> tuple[Array | None, Array | None]:
    of_x, of_w = instance.types
    shapes = st.sampled_from([(), (channels,)])
    x_zero = data.draw(tensors(of_x.name, ())) if data.draw(st.booleans()) else None
    w_zero = data.draw(tensors(of_w.name, data.draw(shapes))) if data.draw(st.booleans()) else None
    return x_zero, w_zero


@each_instance(CONV_INTEGER)
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition."""
    of_x, of_w, attributes = data.draw(convolutions())
    named = zip(instance.types, (of_x, of_w), strict=True)
    x, w = (data.draw(tensors(type_.name, shape)) for type_, shape in named)
    zeros = zero_points(data, instance, of_w[0])
    laid_out = LAYOUTS[data.draw(layouts(instance.types[0].name))](x)
    before = laid_out.copy(), w.copy()
    result = conv_integer(laid_out, w, *zeros, **attributes)
    assert np.array_equal(before[0], laid_out)
    assert np.array_equal(before[1], w)
    assert same(result, expected(oracle, CONV_INTEGER, x, w, *zeros, **attributes))


def by_formula(
    x: Array, w: Array, x_zero: Array | None, w_zero: Array | None, of: dict[str, Any]
) -> dict[tuple[int, ...], int]:
    """The sums of Python's integers, over the elements of x under the kernel."""
    (s0, s1), (d0, d1), (top, left, bottom, right) = of["strides"], of["dilations"], of["pads"]
    out, each, rows, columns = w.shape
    _, _, height, width = x.shape
    less_x = 0 if x_zero is None else int(x_zero)
    less_w = [0] * out if w_zero is None else np.broadcast_to(w_zero, out).tolist()
    found: dict[tuple[int, ...], int] = {}
    for sample, c in product(range(x.shape[0]), range(out)):
        first = 0 if of["group"] == 1 else c
        for m, row in enumerate(range(-top, height + bottom - (rows - 1) * d0, s0)):
            for n, column in enumerate(range(-left, width + right - (columns - 1) * d1, s1)):
                found[sample, c, m, n] = sum(
                    (int(x[sample, first + i, h, v]) - less_x) * (int(w[c, i, j, z]) - less_w[c])
                    for i, j, z in product(range(each), range(rows), range(columns))
                    if 0 <= (h := row + j * d0) < height and 0 <= (v := column + z * d1) < width
                )
    return found


@settings(max_examples=50, derandomize=True)
@given(data=st.data())
def test_against_the_formula(oracle: Oracle, data: st.DataObject) -> None:
    instance = data.draw(st.sampled_from([*CONV_INTEGER.instances()]))
    of_x, of_w, attributes = data.draw(convolutions())
    named = zip(instance.types, (of_x, of_w), strict=True)
    x, w = (data.draw(tensors(type_.name, shape)) for type_, shape in named)
    zeros = zero_points(data, instance, of_w[0])
    wanted = by_formula(x, w, *zeros, attributes)
    for result in (
        conv_integer(x, w, *zeros, **attributes),
        expected(oracle, CONV_INTEGER, x, w, *zeros, **attributes),
    ):
        assert dict(np.ndenumerate(result)) == wanted


def test_node_tests_of_onnx(oracle: Oracle) -> None:
    """The numbers of ONNX's node tests: the padding is what the zero point stands for."""
    x = np.arange(2, 11, dtype=np.uint8).reshape(1, 1, 3, 3)
    w, unit = np.ones((1, 1, 2, 2), np.uint8), np.array(1, np.uint8)
    plain = [[12, 16], [24, 28]]
    padded = [[1, 3, 5, 3], [5, 12, 16, 9], [11, 24, 28, 15], [7, 15, 17, 9]]
    for attributes, wanted in (({}, plain), ({"pads": [1, 1, 1, 1]}, padded)):
        given_: Any = attributes
        assert conv_integer(x, w, unit, **given_).tolist() == [[wanted]]
        assert expected(oracle, CONV_INTEGER, x, w, unit, **given_).tolist() == [[wanted]]


@settings(max_examples=50, derandomize=True)
@given(data=st.data())
def test_elements_and_zero_point_moved(oracle: Oracle, data: st.DataObject) -> None:
    """From uint8 to int8, by 128: the result is the same, with padding, too."""
    of_x, of_w, attributes = data.draw(convolutions())
    x, zero = (data.draw(tensors("uint8", shape)) for shape in (of_x, ()))
    w = data.draw(tensors("int8", of_w))
    moved = (np.asarray(each ^ 0x80).view(np.int8) for each in (x, zero))
    result = conv_integer(x, w, zero, **attributes)
    x, zero = moved
    assert same(conv_integer(x, w, zero, **attributes), result)
    assert same(expected(oracle, CONV_INTEGER, x, w, zero, **attributes), result)


def test_attributes_that_are_not_set(oracle: Oracle) -> None:
    x, w = np.arange(9, dtype=np.int8).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2), np.uint8)
    wanted = conv_integer(x, w, **PLAIN, auto_pad="NOTSET")
    assert wanted.tolist() == [[[[8, 12], [20, 24]]]]
    assert same(conv_integer(x, w), wanted)
    assert same(expected(oracle, CONV_INTEGER, x, w), wanted)
    for name, value in PLAIN.items():
        alone: dict[str, Any] = {name: value}
        assert same(conv_integer(x, w, **alone), wanted)
        assert same(expected(oracle, CONV_INTEGER, x, w, **alone), wanted)


def test_overflow(oracle: Oracle) -> None:
    """33025 products of the greatest differences are of int32, and 33026 are not."""
    for channels, wanted in ((33025, 2147450625), (33026, -2147451646)):
        x = np.full((1, channels, 1, 1), 255, np.uint8)
        assert conv_integer(x, x).item() == wanted
        assert expected(oracle, CONV_INTEGER, x, x).item() == wanted


def ones(*shapes: Shape | None) -> tuple[Array | None, ...]:
    return tuple(None if shape is None else np.ones(shape, np.int8) for shape in shapes)


@pytest.mark.parametrize(
    ("x", "w", "attributes", "wanted"),
    [
        ((1, 1, 5, 5), (1, 1, 3, 3), {}, (1, 1, 3, 3)),
        ((1, 1, 5, 5), (1, 1, 3, 3), {"dilations": [2, 2]}, (1, 1, 1, 1)),
        ((1, 1, 5, 5), (1, 1, 3, 3), {"strides": [2, 3]}, (1, 1, 2, 1)),
        ((2, 3, 2, 2), (4, 3, 2, 2), {"pads": [0, 1, 2, 3]}, (2, 4, 3, 5)),
        ((0, 1, 2, 2), (1, 1, 1, 1), {}, (0, 1, 2, 2)),
        ((1, 1, 2, 2), (0, 1, 1, 1), {}, (1, 0, 2, 2)),
        ((1, 0, 2, 2), (1, 0, 1, 1), {}, (1, 1, 2, 2)),
        ((1, 1, 0, 1), (1, 1, 1, 1), {"pads": [0, 0, 1, 0]}, (1, 1, 1, 1)),
    ],
)
def test_shapes(
    oracle: Oracle, x: Shape, w: Shape, attributes: dict[str, Any], wanted: Shape
) -> None:
    operands: Any = ones(x, w)
    assert outcomes(oracle, CONV_INTEGER, *operands, **attributes) == [wanted, wanted]


IMAGE, KERNEL = (1, 1, 3, 3), (1, 1, 2, 2)


@pytest.mark.parametrize(
    ("shapes", "attributes", "item"),
    [
        (((1, 3, 3), KERNEL), {}, "X.C1"),
        (((1, 1, 3, 3, 3), KERNEL), {}, "X.C1"),
        ((IMAGE, (1, 1, 2)), {}, "W.C1"),
        ((IMAGE, (1, 1, 2, 2, 2)), {}, "W.C1"),
        ((IMAGE, KERNEL, (1,)), {}, "X_ZERO_POINT.C1"),
        ((IMAGE, KERNEL, (0,)), {}, "X_ZERO_POINT.C1"),
        ((IMAGE, KERNEL, None, (1, 1)), {}, "W_ZERO_POINT.C1"),
        ((IMAGE, KERNEL, None, (2,)), {}, "W_ZERO_POINT.C2"),
        ((IMAGE, (2, 1, 2, 2), None, (1,)), {}, "W_ZERO_POINT.C2"),
        ((IMAGE, KERNEL), {"auto_pad": ""}, "AUTO_PAD.C1"),
        ((IMAGE, KERNEL), {"auto_pad": "notset"}, "AUTO_PAD.C1"),
        ((IMAGE, KERNEL), {"auto_pad": "VALID"}, "AUTO_PAD.C2"),
        ((IMAGE, KERNEL), {"auto_pad": "SAME_LOWER"}, "AUTO_PAD.C2"),
        ((IMAGE, KERNEL), {"strides": [1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"strides": [0, 1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"pads": [0, 0]}, "PADS.C2"),
        ((IMAGE, KERNEL), {"pads": [0, -1, 0, 0]}, "PADS.C1"),
        ((IMAGE, KERNEL), {"dilations": []}, "DILATIONS.C2"),
        ((IMAGE, KERNEL), {"dilations": [1, 0]}, "DILATIONS.C1"),
        ((IMAGE, KERNEL), {"group": 0}, "GROUP.C1"),
        (((1, 3, 3, 3), (3, 1, 2, 2)), {"group": 2}, "GROUP.C2"),
        (((1, 4, 3, 3), (2, 2, 2, 2)), {"group": 2}, "GROUP.C3"),
        (((1, 2, 3, 3), KERNEL), {}, "W.C2"),
        (((1, 2, 3, 3), (4, 1, 2, 2)), {"group": 2}, "GROUP.C3"),
        ((IMAGE, (1, 1, 2, 0)), {}, "W.C3"),
        ((IMAGE, (1, 1, 0, 2)), {"kernel_shape": [0, 2]}, "W.C3"),
        ((IMAGE, KERNEL), {"kernel_shape": [-2, 2]}, "KERNEL_SHAPE.C1"),
        ((IMAGE, (1, 1, 1, 2)), {"kernel_shape": [2, 1]}, "KERNEL_SHAPE.C1"),
        ((IMAGE, KERNEL), {"kernel_shape": []}, "KERNEL_SHAPE.C1"),
        (((1, 1, 1, 3), KERNEL), {}, "X.C2"),
        ((IMAGE, KERNEL), {"dilations": [3, 1]}, "X.C2"),
        (((1, 1, 0, 0), (1, 1, 1, 1)), {}, "X.C2"),
    ],
)
def test_rejections(
    oracle: Oracle, shapes: tuple[Shape | None, ...], attributes: dict[str, Any], item: str
) -> None:
    operands: Any = ones(*shapes)
    found = rejected(oracle, CONV_INTEGER, *operands, **attributes)
    assert found == f"ONNX-CONVINTEGER-10.{item}"


@settings(max_examples=300, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    small = st.integers(0, 3)
    shapes = st.lists(small, min_size=3, max_size=5) | st.lists(small, min_size=4, max_size=4)
    numbers = st.lists(st.integers(-1, 3), min_size=1, max_size=4)
    of_zero = st.none() | st.lists(small, max_size=2).map(tuple)
    operands: Any = ones(
        *(tuple(data.draw(shapes)) for _ in "XW"), data.draw(of_zero), data.draw(of_zero)
    )
    every = {**dict.fromkeys(sorted({*PLAIN} - {"group"}), numbers), "group": st.integers(0, 3)}
    names = data.draw(st.lists(st.sampled_from([*every]), max_size=2, unique=True))
    attributes = {name: data.draw(every[name]) for name in names}
    ours, defined = outcomes(oracle, CONV_INTEGER, *operands, **attributes)
    assert ours == defined


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint64, np.float32, np.bool_])
def test_types(oracle: Oracle, dtype: Any) -> None:
    """Of each operand; and of a zero point that of its tensor."""
    x, w, zero = (np.ones(shape, np.int8) for shape in (IMAGE, KERNEL, ()))
    for operands in (
        (x.astype(dtype), w),
        (x, w.astype(dtype)),
        (x, w, zero.astype(dtype)),
        (x, w, zero, zero.astype(dtype)),
    ):
        assert rejected(oracle, CONV_INTEGER, *operands) == "ONNX-CONVINTEGER-10.T"


def test_zero_points_of_the_other_type(oracle: Oracle) -> None:
    x, w = np.ones(IMAGE, np.int8), np.ones(KERNEL, np.uint8)
    of_x, of_w = np.ones((), np.int8), np.ones((), np.uint8)
    assert outcomes(oracle, CONV_INTEGER, x, w, of_x, of_w) == [(1, 1, 2, 2)] * 2
    wrong: Any
    for wrong in ((of_w, None), (None, of_x)):
        assert rejected(oracle, CONV_INTEGER, x, w, *wrong) == "ONNX-CONVINTEGER-10.T"


@pytest.mark.parametrize("name", [*PLAIN])
def test_attributes_are_integers(name: str) -> None:
    x, w = np.ones(IMAGE, np.int8), np.ones(KERNEL, np.int8)
    wrong: dict[str, Any] = {name: 1.0 if name == "group" else [1.0, 1.0]}
    with pytest.raises(TypeError):
        conv_integer(x, w, **wrong)
