"""AveragePool: by the definition; windows, padding, order and rounding; what is rejected."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.average_pool import average_pool
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.average_pool import AVERAGE_POOL
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts, specials, tensors
from tests.reference.reference import FORMATS, assert_same, floats
from tests.reference.structural import outcomes, rejected
from tests.reference.test_max_pool import pools

PLAIN: dict[str, Any] = {
    "kernel_shape": [2, 2],
    "strides": [1, 1],
    "pads": [0, 0, 0, 0],
    "dilations": [1, 1],
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "count_include_pad": 0,
}
INF = float("inf")
Shape = tuple[int, ...]


@st.composite
def averages(draw: st.DrawFn) -> tuple[Shape, dict[str, Any]]:
    """Shapes and attributes of all kinds, most of them accepted."""
    shape, attributes = draw(pools())
    del attributes["storage_order"]
    return shape, {**attributes, "count_include_pad": draw(st.integers(0, 1))}


@each_instance(AVERAGE_POOL)
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    shape, attributes = data.draw(averages())
    x = data.draw(tensors(name, shape))
    ours, defined = outcomes(oracle, AVERAGE_POOL, x, **attributes)
    assert ours == defined
    if isinstance(ours, str):
        return
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    with np.errstate(all="raise"):
        result = average_pool(laid_out, **attributes)
    assert_same(name, result, expected(oracle, AVERAGE_POOL, x, **attributes))
    assert not np.shares_memory(result, laid_out)


def windows(x: Any, attributes: dict[str, Any], wanted: Any) -> Any:
    """For each element of Y, the elements of X under the window row by row, None for padding."""
    (kh, kw), (sh, sw), (dh, dw), (top, left, *_) = (
        attributes[name] for name in ("kernel_shape", "strides", "dilations", "pads")
    )
    _, _, height, width = x.shape
    for b, c, m, n in np.ndindex(wanted.shape):
        places = [(m * sh + h * dh - top, n * sw + w * dw - left) for h, w in np.ndindex(kh, kw)]
        yield (
            (b, c, m, n),
            [x[b, c, h, w] if 0 <= h < height and 0 <= w < width else None for h, w in places],
        )


def divisor(elements: list[Any], attributes: dict[str, Any]) -> int:
    return sum(each is not None or attributes["count_include_pad"] == 1 for each in elements)


@pytest.mark.long
@settings(max_examples=100, derandomize=True)
@given(drawn=averages(), data=st.data())
def test_beside_fractions(oracle: Oracle, drawn: Any, data: st.DataObject) -> None:
    """The formula: the sum of what is not padding, divided by what counts."""
    shape, attributes = drawn
    x = data.draw(tensors("real", shape))
    if isinstance(outcomes(oracle, AVERAGE_POOL, x, **attributes)[1], str):
        return
    wanted = expected(oracle, AVERAGE_POOL, x, **attributes)
    for at, elements in windows(x, attributes, wanted):
        total = sum((each for each in elements if each is not None), Fraction(0))
        assert wanted[at] == total / divisor(elements, attributes)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@settings(max_examples=60, derandomize=True)
@given(drawn=averages(), data=st.data())
def test_beside_numpy_scalars(oracle: Oracle, name: str, drawn: Any, data: st.DataObject) -> None:
    """The reference order, one operation of the type after the other, zeros of the padding, too."""
    shape, attributes = drawn
    x = data.draw(tensors(name, shape))
    if isinstance(outcomes(oracle, AVERAGE_POOL, x, **attributes)[1], str):
        return
    wanted = expected(oracle, AVERAGE_POOL, x, **attributes)
    found, zero = np.zeros_like(wanted), x.dtype.type(0)
    with np.errstate(all="ignore"):
        for at, elements in windows(x, attributes, wanted):
            total = zero
            for each in elements:
                total = total + (zero if each is None else each)
            found[at] = total / x.dtype.type(divisor(elements, attributes))
    assert_same(name, found, wanted)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_zeros_and_nans(oracle: Oracle, name: str) -> None:
    """Special values, each beside each; one alone is as it was, but for -0."""
    form = FORMATS[name]
    patterns = [sign + each for each in specials(form) for sign in (0, form.sign)]
    x = floats(
        name, [entry for first in patterns for second in patterns for entry in (first, second)]
    )
    x = x.reshape(1, 1, -1, 2)
    for attributes in (
        {**PLAIN, "kernel_shape": [1, 2]},
        {**PLAIN, "kernel_shape": [2, 2], "pads": [1, 0, 0, 1], "strides": [2, 1]},
    ):
        result = average_pool(x, **attributes)
        assert_same(name, result, expected(oracle, AVERAGE_POOL, x, **attributes))
    alone = {**PLAIN, "kernel_shape": [1, 1]}
    with np.errstate(invalid="ignore"):
        as_it_was = x + x.dtype.type(0)
    assert_same(name, average_pool(x, **alone), as_it_was)
    assert_same(name, expected(oracle, AVERAGE_POOL, x, **alone), as_it_was)


def test_the_mean_of_the_greatest_overflows(oracle: Oracle) -> None:
    for dtype in (np.float16, np.float32, np.float64):
        x = np.full((1, 1, 1, 2), np.finfo(dtype).max)
        attributes = {**PLAIN, "kernel_shape": [1, 2]}
        assert average_pool(x, **attributes).item() == INF
        assert expected(oracle, AVERAGE_POOL, x, **attributes).item() == INF


@pytest.mark.parametrize(("count", "wanted"), [(2048, 1.0), (2049, 1.0), (2051, 2048 / 2052)])
def test_counts_that_the_type_does_not_have(oracle: Oracle, count: int, wanted: float) -> None:
    """Ones, of which no more than 2048 add up in float16; 2051 is rounded to 2052."""
    x = np.ones((1, 1, 1, count), np.float16)
    attributes = {**PLAIN, "kernel_shape": [1, count]}
    result = expected(oracle, AVERAGE_POOL, x, **attributes)
    assert result.item() == np.float16(wanted)
    assert average_pool(x, **attributes).item() == np.float16(wanted)


def test_the_padding_counts_or_not(oracle: Oracle) -> None:
    x = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
    attributes = {**PLAIN, "pads": [1, 1, 0, 0]}
    for include_pad, wanted in (
        (0, [[1, 1.5, 2.5], [2.5, 3, 4], [5.5, 6, 7]]),
        (1, [[0.25, 0.75, 1.25], [1.25, 3, 4], [2.75, 6, 7]]),
    ):
        given_ = {**attributes, "count_include_pad": include_pad}
        assert average_pool(x, **given_).tolist() == [[wanted]]
        assert expected(oracle, AVERAGE_POOL, x, **given_).tolist() == [[wanted]]


@pytest.mark.parametrize(
    ("shape", "changed", "item"),
    [
        ((1, 3, 3), {}, "X.C1"),
        ((1, 1, 3, 3, 3), {}, "X.C1"),
        ((1, 1, 3, 3), {"auto_pad": "WIDE"}, "AUTO_PAD.C1"),
        ((1, 1, 3, 3), {"auto_pad": ""}, "AUTO_PAD.C1"),
        ((1, 1, 3, 3), {"auto_pad": "VALID"}, "AUTO_PAD.C2"),
        ((1, 1, 3, 3), {"auto_pad": "SAME_UPPER"}, "AUTO_PAD.C2"),
        ((1, 1, 3, 3), {"auto_pad": "SAME_LOWER"}, "AUTO_PAD.C2"),
        ((1, 1, 3, 3), {"ceil_mode": -1}, "CEIL_MODE.C1"),
        ((1, 1, 3, 3), {"ceil_mode": 1}, "CEIL_MODE.C2"),
        ((1, 1, 3, 3), {"count_include_pad": 2}, "COUNT_INCLUDE_PAD.C1"),
        ((1, 1, 3, 3), {"count_include_pad": -1}, "COUNT_INCLUDE_PAD.C1"),
        ((1, 1, 3, 3), {"kernel_shape": [2]}, "KERNEL_SHAPE.C2"),
        ((1, 1, 3, 3), {"kernel_shape": [0, 2]}, "KERNEL_SHAPE.C1"),
        ((1, 1, 3, 3), {"dilations": []}, "DILATIONS.C2"),
        ((1, 1, 3, 3), {"dilations": [1, 0]}, "DILATIONS.C1"),
        ((1, 1, 3, 3), {"strides": [1, 1, 1]}, "STRIDES.C2"),
        ((1, 1, 3, 3), {"strides": [-1, 1]}, "STRIDES.C1"),
        ((1, 1, 3, 3), {"pads": [1, 1]}, "PADS.C2"),
        ((1, 1, 3, 3), {"pads": [0, 0, 0, -1]}, "PADS.C1"),
        ((1, 1, 3, 3), {"pads": [2, 0, 0, 0]}, "PADS.C3"),
        ((1, 1, 3, 3), {"pads": [0, 0, 0, 2], "count_include_pad": 1}, "PADS.C3"),
        ((1, 1, 3, 3), {"kernel_shape": [5, 1]}, "SHAPE"),
        ((1, 1, 1, 1), {"pads": [1] * 4, "dilations": [2, 2]}, "PADS.C3"),
        ((1, 1, 1, 0), {"pads": [1] * 4, "count_include_pad": 1}, "PADS.C3"),
    ],
)
def test_rejections(oracle: Oracle, shape: Shape, changed: dict[str, Any], item: str) -> None:
    attributes = {**PLAIN, **changed}
    found = rejected(oracle, AVERAGE_POOL, np.ones(shape, np.float32), **attributes)
    assert found == f"ONNX-AVERAGEPOOL-19.{item}"


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    small = st.integers(0, 3)
    x = np.ones(data.draw(st.lists(small, min_size=4, max_size=4) | st.lists(small, max_size=5)))
    numbers = st.lists(st.integers(-1, 3), min_size=1, max_size=4)
    every: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(("dilations", "kernel_shape", "pads", "strides"), numbers),
        "auto_pad": st.sampled_from(["NOTSET", "VALID", "WIDE"]),
        **dict.fromkeys(("ceil_mode", "count_include_pad"), st.integers(-1, 2)),
    }
    names = data.draw(st.lists(st.sampled_from([*every]), max_size=3, unique=True))
    attributes = {**PLAIN, **{name: data.draw(every[name]) for name in names}}
    ours, defined = outcomes(oracle, AVERAGE_POOL, x, **attributes)
    assert ours == defined


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_, np.complex64])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    found = rejected(oracle, AVERAGE_POOL, np.ones((1, 1, 3, 3), dtype), **PLAIN)
    assert found == "ONNX-AVERAGEPOOL-19.T"


@pytest.mark.parametrize("missing", PLAIN)
def test_all_attributes_have_to_be_set(missing: str) -> None:
    others = {name: value for name, value in PLAIN.items() if name != missing}
    with pytest.raises(TypeError, match="missing"):
        average_pool(np.ones((1, 1, 3, 3), np.float32), **others)


def test_no_element_beside_a_kernel_that_nearly_fits(oracle: Oracle) -> None:
    """Rounded towards zero, there would be one."""
    attributes = {**PLAIN, "kernel_shape": [2, 1], "strides": [2, 1]}
    x = np.ones((1, 1, 1, 2), np.float16)
    assert outcomes(oracle, AVERAGE_POOL, x, **attributes) == [(1, 1, 0, 2)] * 2
