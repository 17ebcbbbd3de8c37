"""Conv: each element by the definition, to the bit, and which operands are rejected."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.conv import conv
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.conv import CONV
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import FORMATS, Array, assert_same, floats
from tests.reference.structural import outcomes, rejected, tensors

Shape = tuple[int, ...]
PLAIN: dict[str, Any] = {
    "strides": [1, 1],
    "pads": [0, 0, 0, 0],
    "dilations": [1, 1],
    "group": 1,
    "kernel_shape": [2, 2],
}


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Shape, Shape, dict[str, Any]]:
    """Shapes of X and of W that go together, with the attributes."""
    kernel = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    strides = draw(st.lists(st.integers(1, 3), min_size=2, max_size=2))
    dilations = draw(st.lists(st.integers(1, 2), min_size=2, max_size=2))
    pads = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    reach = [step * (size - 1) + 1 for step, size in zip(dilations, kernel, strict=True)]
    missing = [max(0, size - pads[k] - pads[k + 2]) for k, size in enumerate(reach)]
    image = [size + draw(st.integers(0, 2)) for size in missing]
    samples, channels = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    group = draw(st.sampled_from([1, channels]))
    out = draw(st.integers(1, 3)) if group == 1 else channels
    attributes = {
        "strides": strides,
        "pads": pads,
        "dilations": dilations,
        "group": group,
        "kernel_shape": [*kernel],
    }
    return (samples, channels, *image), (out, channels // group, *kernel), attributes


@each_instance(CONV)
@settings(max_examples=25, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit."""
    (type_,) = instance.types
    of_x, of_w, attributes = data.draw(convolutions())
    x, w = (data.draw(tensors(type_.name, shape)) for shape in (of_x, of_w))
    bias = [data.draw(tensors(type_.name, of_w[:1]))] if data.draw(st.booleans()) else []
    laid_out = LAYOUTS[data.draw(layouts(type_.name))](x)
    result = conv(laid_out, w, *bias, **attributes)
    assert result.dtype == type_.dtype
    assert_same(type_.name, result, expected(oracle, CONV, x, w, *bias, **attributes))


def by_formula(x: Array, w: Array, b: Array, of: dict[str, Any]) -> dict[tuple[int, ...], Fraction]:
    """The document's sums, element by element and with zeros around X, for a group of channels."""
    (s0, s1), (d0, d1), (top, left, bottom, right) = of["strides"], of["dilations"], of["pads"]
    out, each, rows, columns = w.shape
    height, width = (size + sum(of["pads"][k::2]) for k, size in enumerate(x.shape[2:]))

    def at(sample: int, channel: int, row: int, column: int) -> Fraction:
        inside = top <= row < height - bottom and left <= column < width - right
        return x[sample, channel, row - top, column - left] if inside else Fraction(0)

    found: dict[tuple[int, ...], Fraction] = {}
    for sample, c in product(range(x.shape[0]), range(out)):
        first = 0 if of["group"] == 1 else c
        for m, row in enumerate(range(0, height - (rows - 1) * d0, s0)):
            for n, column in enumerate(range(0, width - (columns - 1) * d1, s1)):
                found[sample, c, m, n] = b[c] + sum(
                    at(sample, first + i, row + j * d0, column + z * d1) * w[c, i, j, z]
                    for i, j, z in product(range(each), range(rows), range(columns))
                )
    return found


@pytest.mark.long
@settings(max_examples=50, derandomize=True)
@given(data=st.data())
def test_against_the_formula(oracle: Oracle, data: st.DataObject) -> None:
    """Both are what the document says, over real numbers."""
    of_x, of_w, attributes = data.draw(convolutions())
    x, w, b = (data.draw(tensors("real", shape)) for shape in (of_x, of_w, of_w[:1]))
    wanted = by_formula(x, w, b, attributes)
    for result in (conv(x, w, b, **attributes), expected(oracle, CONV, x, w, b, **attributes)):
        assert dict(np.ndenumerate(result)) == wanted


def ones(*shapes: Shape) -> tuple[Array, ...]:
    return tuple(np.ones(shape, np.float32) for shape in shapes)


@pytest.mark.parametrize("name", FORMATS)
def test_order_of_sums(oracle: Oracle, name: str) -> None:
    """Channel by channel, row by row, column by column; then the bias."""
    form = FORMATS[name]
    big = form.one + (form.precision + 4) * form.trailing
    w = floats(name, [form.one] * 8).reshape(1, 2, 2, 2)
    for place in range(1, 7):
        patterns = [form.one] * 8
        patterns[place : place + 2] = [big, form.sign + big]
        x = floats(name, patterns).reshape(1, 2, 2, 2)
        bias = x[0, 0, 0, :1]  # 1
        result = conv(x, w, bias, **PLAIN)
        assert_same(name, result, expected(oracle, CONV, x, w, bias, **PLAIN))
        # What comes before the great number is less than half of its last place.
        assert result.ravel().tolist() == [6 - place + 1]


def test_padding_is_multiplied(oracle: Oracle) -> None:
    """0 * inf is NaN, also where the 0 is of the padding."""
    (x,) = ones((1, 1, 1, 1))
    w = np.array([[[[np.inf], [1]]]], np.float32)
    attributes = {**PLAIN, "pads": [1, 0, 0, 0], "kernel_shape": [2, 1]}
    assert np.isnan(conv(x, w, **attributes)).all()
    assert np.isnan(expected(oracle, CONV, x, w, **attributes)).all()


@pytest.mark.parametrize(
    ("x", "w", "attributes", "wanted"),
    [
        ((1, 1, 5, 5), (1, 1, 3, 3), {}, (1, 1, 3, 3)),
        ((1, 1, 5, 5), (1, 1, 3, 3), {"dilations": [2, 2]}, (1, 1, 1, 1)),
        ((1, 1, 5, 5), (1, 1, 3, 3), {"strides": [2, 3]}, (1, 1, 2, 1)),
        ((1, 1, 8, 8), (1, 1, 2, 2), {"strides": [3, 3]}, (1, 1, 3, 3)),
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
    every = {**PLAIN, "kernel_shape": [*w[2:]], **attributes}
    assert outcomes(oracle, CONV, *ones(x, w), **every) == [wanted, wanted]


def test_examples(oracle: Oracle) -> None:
    """The figures have four rows and four columns, which is what a kernel of two rows gives."""
    channels = []
    for example in CONV.examples:
        attributes = example.attributes.as_dict()
        shapes = outcomes(oracle, CONV, *ones(*example.operands), **attributes)
        assert shapes[0] == shapes[1]
        channels.append(shapes[0][1])
        assert shapes[0][2:] == (4, 4)
    assert channels == [1, 1, 3]


IMAGE, KERNEL = (1, 1, 3, 3), (1, 1, 2, 2)


@pytest.mark.parametrize(
    ("shapes", "attributes", "item"),
    [
        (((1, 3, 3), KERNEL), {}, "X.C1"),
        (((1, 1, 3, 3, 3), KERNEL), {}, "X.C1"),
        ((IMAGE, (1, 1, 2)), {}, "R1"),
        ((IMAGE, (1, 1, 2, 2, 2)), {}, "R1"),
        ((IMAGE, KERNEL, ()), {}, "B.C1"),
        ((IMAGE, KERNEL, (1, 1)), {}, "B.C1"),
        ((IMAGE, KERNEL, (2,)), {}, "B.C1"),
        ((IMAGE, KERNEL, (0,)), {}, "B.C1"),
        ((IMAGE, KERNEL), {"auto_pad": ""}, "AUTO_PAD.C1"),
        ((IMAGE, KERNEL), {"auto_pad": "notset"}, "AUTO_PAD.C1"),
        ((IMAGE, KERNEL), {"auto_pad": "VALID"}, "AUTO_PAD.C2"),
        ((IMAGE, KERNEL), {"auto_pad": "SAME_UPPER"}, "AUTO_PAD.C2"),
        ((IMAGE, KERNEL), {"auto_pad": "SAME_LOWER"}, "AUTO_PAD.C2"),
        ((IMAGE, KERNEL), {"strides": [1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"strides": [1, 1, 1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"strides": [0, 1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"strides": [1, -1]}, "STRIDES.C1"),
        ((IMAGE, KERNEL), {"pads": [0, 0]}, "PADS.C2"),
        ((IMAGE, KERNEL), {"pads": [0, 0, 0, 0, 0]}, "PADS.C2"),
        ((IMAGE, KERNEL), {"pads": [0, -1, 0, 0]}, "PADS.C1"),
        ((IMAGE, KERNEL), {"dilations": []}, "DILATIONS.C2"),
        ((IMAGE, KERNEL), {"dilations": [1, 1, 1]}, "DILATIONS.C2"),
        ((IMAGE, KERNEL), {"dilations": [1, 0]}, "DILATIONS.C1"),
        ((IMAGE, KERNEL), {"dilations": [-1, 1]}, "DILATIONS.C1"),
        ((IMAGE, KERNEL), {"group": 0}, "GROUP.C1"),
        ((IMAGE, KERNEL), {"group": -1}, "GROUP.C1"),
        (((1, 3, 3, 3), (3, 1, 2, 2)), {"group": 2}, "GROUP.C2"),
        (((1, 2, 3, 3), (3, 1, 2, 2)), {"group": 2}, "GROUP.C2"),
        (((1, 4, 3, 3), (2, 2, 2, 2)), {"group": 2}, "GROUP.C3"),
        (((1, 2, 3, 3), KERNEL), {}, "X.C2"),
        (((1, 2, 3, 3), (2, 2, 2, 2)), {"group": 2}, "X.C2"),
        (((1, 2, 3, 3), (4, 1, 2, 2)), {"group": 2}, "R3"),
        (((1, 2, 3, 3), (0, 1, 2, 2)), {"group": 2}, "R3"),
        ((IMAGE, (1, 1, 2, 0)), {"kernel_shape": [2, 0]}, "KERNEL_SHAPE.C1"),
        ((IMAGE, KERNEL), {"kernel_shape": [-2, 2]}, "KERNEL_SHAPE.C1"),
        ((IMAGE, (1, 1, 1, 2)), {"kernel_shape": [2, 1]}, "KERNEL_SHAPE.C2"),
        ((IMAGE, KERNEL), {"kernel_shape": [2]}, "KERNEL_SHAPE.C2"),
        ((IMAGE, KERNEL), {"kernel_shape": []}, "KERNEL_SHAPE.C2"),
        ((IMAGE, KERNEL), {"kernel_shape": [1, 1, 2, 2]}, "KERNEL_SHAPE.C2"),
        (((1, 1, 1, 3), KERNEL), {}, "X.C3"),
        (((1, 1, 3, 1), KERNEL), {}, "X.C3"),
        ((IMAGE, KERNEL), {"dilations": [3, 1]}, "X.C3"),
        (((1, 1, 0, 0), (1, 1, 1, 1)), {"kernel_shape": [1, 1]}, "X.C3"),
    ],
)
def test_rejections(
    oracle: Oracle, shapes: tuple[Shape, ...], attributes: dict[str, Any], item: str
) -> None:
    every = {**PLAIN, **attributes}
    assert rejected(oracle, CONV, *ones(*shapes), **every) == f"SONNX-CONV.{item}"


@settings(max_examples=300, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    small = st.integers(0, 3)
    shapes = st.lists(small, min_size=3, max_size=5) | st.lists(small, min_size=4, max_size=4)
    numbers = st.lists(st.integers(-1, 3), min_size=1, max_size=3)
    x, w = (tuple(data.draw(shapes)) for _ in "XW")
    b = tuple(data.draw(st.lists(small, max_size=2))) if data.draw(st.booleans()) else None
    attributes = {
        **PLAIN,
        "kernel_shape": [*w[2:]],
        data.draw(st.sampled_from(sorted({*PLAIN} - {"group"}))): data.draw(numbers),
        "group": data.draw(st.integers(0, 3)),
    }
    operands = ones(x, w) if b is None else ones(x, w, b)
    ours, defined = outcomes(oracle, CONV, *operands, **attributes)
    assert ours == defined


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint64, np.bool_, np.complex64])
def test_types(oracle: Oracle, dtype: Any) -> None:
    x, w, b = (each.astype(dtype) for each in ones(IMAGE, KERNEL, (1,)))
    assert rejected(oracle, CONV, x, w, b, **PLAIN) == "SONNX-CONV.T"


@pytest.mark.parametrize("place", range(3))
def test_two_types(oracle: Oracle, place: int) -> None:
    operands = [*ones(IMAGE, KERNEL, (1,))]
    operands[place] = operands[place].astype(np.float64)
    assert rejected(oracle, CONV, *operands, **PLAIN) == "SONNX-CONV.T"


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_attributes_have_to_be_set(name: str) -> None:
    others = {key: value for key, value in PLAIN.items() if key != name}
    with pytest.raises(TypeError, match="missing"):
        conv(*ones(IMAGE, KERNEL), **others)


def test_padding_that_is_not_set(oracle: Oracle) -> None:
    """It is explicit."""
    x, w = ones(IMAGE, KERNEL)
    for attributes in (PLAIN, {**PLAIN, "auto_pad": "NOTSET"}):
        for result in (conv(x, w, **attributes), expected(oracle, CONV, x, w, **attributes)):
            assert result.tolist() == [[[[4, 4], [4, 4]]]]
