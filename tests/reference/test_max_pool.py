"""MaxPool: by the definition; windows, padding, zeros and NaN; which operands are rejected."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.max_pool import max_pool
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.max_pool import MAX_POOL
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts, specials, tensors
from tests.reference.reference import FORMATS, assert_same, floats
from tests.reference.structural import outcomes, rejected

PLAIN: dict[str, Any] = {
    "kernel_shape": [2, 2],
    "strides": [1, 1],
    "pads": [0, 0, 0, 0],
    "dilations": [1, 1],
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "storage_order": 0,
}
INF = float("inf")


@st.composite
def pools(draw: st.DrawFn) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Shapes and attributes of all kinds, most of them accepted."""
    two = st.lists(st.integers(1, 3), min_size=2, max_size=2)
    drawn = {name: draw(two) for name in ("kernel_shape", "strides", "dilations")}
    pairs = zip(drawn["kernel_shape"], drawn["dilations"], strict=True)
    most = [min(dilation * (kernel - 1), 2) for kernel, dilation in pairs] * 2
    pads = [draw(st.integers(0, limit)) for limit in most]
    outer, spatial = st.integers(0, 2), st.integers(0, 6)
    shape = (draw(outer), draw(outer), draw(spatial), draw(spatial))
    return shape, {**PLAIN, **drawn, "pads": pads}


@each_instance(MAX_POOL)
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    shape, attributes = data.draw(pools())
    x = data.draw(tensors(name, shape))
    ours, defined = outcomes(oracle, MAX_POOL, x, **attributes)
    assert ours == defined
    if isinstance(ours, str):
        return
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    with np.errstate(all="raise"):
        result = max_pool(laid_out, **attributes)
    assert_same(name, result, expected(oracle, MAX_POOL, x, **attributes))
    assert not np.shares_memory(result, laid_out)


@settings(max_examples=100, derandomize=True)
@given(drawn=pools(), data=st.data())
def test_beside_plain_python(oracle: Oracle, drawn: Any, data: st.DataObject) -> None:
    """The formula of the document: X is padded with what is less than all elements."""
    shape, attributes = drawn
    x = data.draw(tensors("int8", shape))
    if isinstance(outcomes(oracle, MAX_POOL, x, **attributes)[1], str):
        return
    top, left, bottom, right = attributes["pads"]
    padded = np.pad(x.astype(int), ((0, 0), (0, 0), (top, bottom), (left, right)))
    inside = np.pad(np.ones(shape, bool), ((0, 0), (0, 0), (top, bottom), (left, right)))
    padded[~inside] = -1000
    wanted = expected(oracle, MAX_POOL, x, **attributes)
    (kh, kw), (sh, sw), (dh, dw) = (
        attributes[name] for name in ("kernel_shape", "strides", "dilations")
    )
    for b, c, m, n in np.ndindex(wanted.shape):
        under = [
            int(padded[b, c, m * sh + h * dh, n * sw + w * dw])
            for h in range(kh)
            for w in range(kw)
        ]
        assert wanted[b, c, m, n] == max(under)


@pytest.mark.parametrize("name", FORMATS)
def test_zeros_and_nans(oracle: Oracle, name: str) -> None:
    """Special values, each beside each."""
    form = FORMATS[name]
    if name == "bfloat16":
        return
    patterns = [sign + each for each in specials(form) for sign in (0, form.sign)]
    x = floats(
        name, [entry for first in patterns for second in patterns for entry in (first, second)]
    )
    x = x.reshape(1, 1, -1, 2)
    attributes = {**PLAIN, "kernel_shape": [1, 2]}
    result = max_pool(x, **attributes)
    assert_same(name, result, expected(oracle, MAX_POOL, x, **attributes))
    for (first, second), found in zip(
        x[0, 0].astype(float), result.ravel().astype(float), strict=True
    ):
        if np.isnan([first, second]).any():
            assert np.isnan(found)
        else:
            signed = max((each, np.copysign(1, each)) for each in (first, second))
            assert (found, np.copysign(1, found)) == signed


EXAMPLES: dict[str, Any] = {
    "EX1": """
5.67591154 4.82722666 4.82722666 4.82722666 7.96647029 7.96647029
4.45761508 4.82722666 4.82722666 4.82722666 7.96647029 7.96647029
6.01461967 6.01461967 6.01461967 4.82722666 7.96647029 7.96647029
6.01461967 6.01461967 6.01461967 4.83723727 4.67267459 3.73167179
6.8972704 6.01461967 6.01461967 4.83723727 3.27683692 3.27683692
6.8972704 5.99293336 5.99293336 6.70386189 6.70386189 6.70386189
""",
    "EX2": [[2.03411151, 3.15139065], [5.85721996, 5.85721996]],
    "EX3": [
        [2.41529657, 5.17877496],
        [5.82770299, 5.17877496],
        [5.82770299, 3.95043140],
        [3.95043140, 3.95043140],
    ],
    "EX4": [[-INF, 4.56432533], [3.46789489, 5.23979851]],
    "EX5": [
        [-INF, 9.57875561, 9.57875561, 4.56432533],
        [2.72844928, 9.57875561, 9.57875561, 4.56432533],
        [2.83691720, 3.54234851, 5.23979851, 5.23979851],
        [2.83691720, 3.46789489, 5.23979851, 5.23979851],
    ],
    "EX6": [[-12, 6], [8, 8]],
    "EX7": [[-128, 6], [8, 8]],
    "EX8": [[1, 3, 5, 5], [0, 5, 6, 6], [-2, 5, 6, 6]],
    "EX9": [[-128, -127, 5, 5], [-128, -127, 6, 6], [7, 8, 8, 6], [7, 8, 8, -128]],
    "EX10": [[0, 1, 5, 5], [1, 1, 6, 6], [7, 8, 8, 6], [7, 8, 8, 0]],
}


@pytest.mark.parametrize("example", MAX_POOL.examples, ids=lambda example: example.item)
def test_examples(oracle: Oracle, example: Any) -> None:
    """The results that the document prints."""
    (written,) = example.operands
    wanted, dtype = EXAMPLES[example.item], next(iter(example.types), "object")
    if isinstance(wanted, str):
        wanted = [[*map(Fraction, row.split())] for row in wanted.strip().split("\n")]
    x = np.array(written, dtype)
    attributes = example.attributes.as_dict()
    assert max_pool(x, **attributes).tolist() == [[wanted]]
    assert expected(oracle, MAX_POOL, x, **attributes).tolist() == [[wanted]]


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
        ((1, 1, 3, 3), {"storage_order": 1}, "STORAGE_ORDER.C1"),
        ((1, 1, 3, 3), {"kernel_shape": [2]}, "KERNEL_SHAPE.C2"),
        ((1, 1, 3, 3), {"kernel_shape": [0, 2]}, "KERNEL_SHAPE.C1"),
        ((1, 1, 3, 3), {"dilations": []}, "DILATIONS.C2"),
        ((1, 1, 3, 3), {"dilations": [1, 0]}, "DILATIONS.C1"),
        ((1, 1, 3, 3), {"strides": [1, 1, 1]}, "STRIDES.C2"),
        ((1, 1, 3, 3), {"strides": [-1, 1]}, "STRIDES.C1"),
        ((1, 1, 3, 3), {"pads": [1, 1]}, "PADS.C1"),
        ((1, 1, 3, 3), {"pads": [0, 0, 0, -1]}, "ATTR.PADS"),
        ((1, 1, 3, 3), {"pads": [2, 0, 0, 0]}, "PADS.C2"),
        ((1, 1, 3, 3), {"pads": [0, 0, 0, 2]}, "PADS.C2"),
        ((1, 1, 3, 3), {"kernel_shape": [5, 1]}, "Y.C1"),
        ((1, 1, 1, 1), {"pads": [1] * 4, "dilations": [2, 2]}, "PADS.C2"),
        ((1, 1, 1, 0), {"pads": [1] * 4}, "PADS.C2"),
    ],
)
def test_rejections(
    oracle: Oracle, shape: tuple[int, ...], changed: dict[str, Any], item: str
) -> None:
    attributes = {**PLAIN, **changed}
    found = rejected(oracle, MAX_POOL, np.ones(shape, np.float32), **attributes)
    assert found == f"SONNX-MAXPOOL.{item}"


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.bool_, np.complex64])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, MAX_POOL, np.ones((1, 1, 3, 3), dtype), **PLAIN) == "SONNX-MAXPOOL.T"


@pytest.mark.parametrize("missing", PLAIN)
def test_all_attributes_have_to_be_set(missing: str) -> None:
    others = {name: value for name, value in PLAIN.items() if name != missing}
    with pytest.raises(TypeError, match="missing"):
        max_pool(np.ones((1, 1, 3, 3), np.float32), **others)


def test_no_element_beside_a_kernel_that_nearly_fits(oracle: Oracle) -> None:
    """Rounded towards zero, there would be one."""
    attributes = {**PLAIN, "kernel_shape": [2, 1], "strides": [2, 1]}
    x = np.ones((1, 1, 1, 2), np.int8)
    assert outcomes(oracle, MAX_POOL, x, **attributes) == [(1, 1, 0, 2)] * 2
