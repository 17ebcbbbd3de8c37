"""ReduceSum: each sum by the definition, in its order, and which operands are rejected."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.reduce_sum import reduce_sum
from sonnx_formal.reference.unsqueeze import unsqueeze
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import Format, element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.reduce_sum import REDUCE_SUM
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import DTYPES, FORMATS, Array, assert_same, floats
from tests.reference.structural import bits, outcomes, rejected, tensors, vector

Shape = tuple[int, ...]
SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)
SWITCH = st.sampled_from([0, 1])
EVERY_FORMAT = pytest.mark.parametrize(("name", "form"), FORMATS.items(), ids=FORMATS)


@st.composite
def axes_in(draw: st.DrawFn, shape: Shape) -> Array | None:
    """Some axes, each counted from either end; or none."""
    if draw(st.booleans()):
        return None
    axes = draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    return vector(*(axis - len(shape) * draw(st.booleans()) for axis in axes))


@each_instance(REDUCE_SUM)
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, bit for bit but for NaNs."""
    name, shape = instance.label, data.draw(SHAPES)
    x, axes = data.draw(tensors(name, shape)), data.draw(axes_in(shape))
    attributes = {"keepdims": data.draw(SWITCH), "noop_with_empty_axes": data.draw(SWITCH)}
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    before = bits(x)
    result = reduce_sum(laid_out, axes, **attributes)
    defined = expected(oracle, REDUCE_SUM, x, axes, **attributes)
    assert bits(x) == before
    assert element_type_of(result) is element_type_of(defined) is instance.types[0]
    assert_same(name, result, defined)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)


def test_data_as_they_are(oracle: Oracle) -> None:
    """To the bit: -0, and the payload of a NaN. Else, -0 is added to +0."""
    x = np.array([0x80000000, 0xFFC00001], np.uint32).view(np.float32).reshape(2, 1)
    for axes in (None, vector()):
        result = reduce_sum(x, axes, noop_with_empty_axes=1, keepdims=0)
        assert bits(result) == bits(x)
        assert not np.shares_memory(result, x)
        defined = expected(oracle, REDUCE_SUM, x, axes, noop_with_empty_axes=1)
        assert np.signbit(defined[0, 0])
        assert not np.signbit(reduce_sum(x, vector(1))[0, 0])
        assert not np.signbit(expected(oracle, REDUCE_SUM, x, vector(1))[0, 0])


def in_blocks(x: Array, axes: Shape) -> dict[Shape, list[Any]]:
    """The elements of each block in row-major order, by the coordinates along the other axes."""
    found: dict[Shape, list[Any]] = {}
    others = [axis for axis in range(x.ndim) if axis not in axes]
    for at in np.ndindex(*(x.shape[axis] for axis in others)):
        found[at] = []
    for index in np.ndindex(x.shape):
        found[tuple(index[axis] for axis in others)].append(x[index])
    return found


@pytest.mark.parametrize("name", ["int32", "int64", "uint32", "uint64"])
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_integers_beside_python(oracle: Oracle, name: str, data: st.DataObject) -> None:
    """Modulo 2^n, of Python's integers."""
    shape = data.draw(SHAPES)
    x = data.draw(tensors(name, shape))
    axes = tuple(axis for axis in range(len(shape)) if data.draw(st.booleans()))
    of_type = np.iinfo(x.dtype)
    for result in (
        reduce_sum(x, vector(*axes), keepdims=0),
        expected(oracle, REDUCE_SUM, x, vector(*axes), keepdims=0),
    ):
        for at, block in in_blocks(x, axes or tuple(range(len(shape)))).items():
            exact = sum(map(int, block))
            assert (int(result[at]) - exact) % (of_type.max - of_type.min + 1) == 0


@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_real_numbers_beside_python(oracle: Oracle, data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    x = data.draw(tensors("real", shape))
    axes = tuple(axis for axis in range(len(shape)) if data.draw(st.booleans()))
    for result in (
        reduce_sum(x, vector(*axes), keepdims=0),
        expected(oracle, REDUCE_SUM, x, vector(*axes), keepdims=0),
    ):
        for at, block in in_blocks(x, axes or tuple(range(len(shape)))).items():
            assert result[at] == sum(block, Fraction(0))


@EVERY_FORMAT
def test_the_reference_order(oracle: Oracle, name: str, form: Format) -> None:
    """1 + u + u + …, with u half of a last digit, is 1; u + u + … + 1, or a sum of pairs, is not.

    Along the first and the last axis, the last one goes first.
    """
    unit, u = form.one, form.one - form.precision * form.trailing
    for order, wanted in (([unit, *[u] * 30], unit), ([*[u] * 30, unit], unit + 15)):
        x = floats(name, order)
        result = reduce_sum(x, vector(0))
        assert_same(name, result, floats(name, [wanted]))
        assert_same(name, result, expected(oracle, REDUCE_SUM, x, vector(0)))
    x = floats(name, np.array([[[unit, u], [unit, unit]], [[u, u], [unit, unit]]]))
    result = reduce_sum(x, vector(2, 0), keepdims=0)
    assert_same(name, result[:1], floats(name, [unit]))
    assert_same(name, result, expected(oracle, REDUCE_SUM, x, vector(0, 2), keepdims=0))


@EVERY_FORMAT
def test_special_values(oracle: Oracle, name: str, form: Format) -> None:
    greatest, inf = form.infinity - 1, form.infinity
    for row, wanted in (
        ([inf, form.sign + inf], form.nan),
        ([inf, form.one], inf),
        ([form.nan, form.one], form.nan),
        ([greatest, greatest, form.sign + greatest], inf),
        ([form.sign, form.sign], 0),
        ([], 0),
    ):
        x = floats(name, np.array([row, row], np.uint64))
        result = reduce_sum(x, vector(1), keepdims=0)
        assert_same(name, result, floats(name, [wanted, wanted]))
        assert_same(name, result, expected(oracle, REDUCE_SUM, x, vector(1), keepdims=0))
    assert DTYPES[name] == result.dtype


def test_against_numpy() -> None:
    """Of whole numbers, which no order rounds."""
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    for count in range(16):
        axes = tuple(axis for axis in range(4) if count >> axis & 1)
        for keepdims in (0, 1):
            wanted = np.sum(x, axes or None, keepdims=bool(keepdims))
            result = reduce_sum(x, vector(*axes), keepdims=keepdims)
            assert np.array_equal(result, wanted)
            assert result.shape == np.shape(wanted)


def test_keepdims_is_unsqueeze() -> None:
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for asked in ((0,), (1, 2), (-1, 0), (2, 1, 0)):
        axes = vector(*asked)
        kept, left = reduce_sum(x, axes), reduce_sum(x, axes, keepdims=0)
        assert kept.tolist() == unsqueeze(left, axes).tolist()


@pytest.mark.parametrize(
    ("shape", "asked", "attributes", "wanted"),
    [
        ((2, 3, 4), (1,), {}, (2, 1, 4)),
        ((2, 3, 4), (1,), {"keepdims": 0}, (2, 4)),
        ((2, 3, 4), (-1, 0), {"keepdims": 1}, (1, 3, 1)),
        ((2, 3, 4), (-1, 0), {"keepdims": 0}, (3,)),
        ((2, 3), None, {}, (1, 1)),
        ((2, 3), (), {}, (1, 1)),
        ((2, 3), None, {"keepdims": 0}, ()),
        ((2, 3), (), {"keepdims": 0}, ()),
        ((2, 3), None, {"noop_with_empty_axes": 1, "keepdims": 0}, (2, 3)),
        ((2, 3), (), {"noop_with_empty_axes": 1}, (2, 3)),
        ((2, 3), (0,), {"noop_with_empty_axes": 1}, (1, 3)),
        ((), None, {}, ()),
        ((), (), {"keepdims": 0}, ()),
        ((0, 3), (0,), {}, (1, 3)),
        ((0, 3), (1,), {}, (0, 1)),
        ((0, 3), (1,), {"keepdims": 0}, (0,)),
    ],
)
def test_shapes(
    oracle: Oracle, shape: Shape, asked: Shape | None, attributes: dict[str, int], wanted: Shape
) -> None:
    x, axes = np.ones(shape, np.int32), None if asked is None else vector(*asked)
    assert reduce_sum(x, axes, **attributes).shape == wanted
    assert expected(oracle, REDUCE_SUM, x, axes, **attributes).shape == wanted


@pytest.mark.parametrize(
    ("shape", "asked", "item"),
    [
        ((2, 3), (2,), "AXES.C1"),
        ((2, 3), (-3,), "AXES.C1"),
        ((2, 3), (0, 5), "AXES.C1"),
        ((), (0,), "AXES.C1"),
        ((2, 3), (-(2**63),), "AXES.C1"),
        ((2, 3), (0, 0), "AXES.C2"),
        ((2, 3), (1, -1), "AXES.C2"),
        ((0,), (0, 0), "AXES.C2"),
    ],
)
def test_rejections(oracle: Oracle, shape: Shape, asked: Shape, item: str) -> None:
    x = np.ones(shape, np.float32)
    assert rejected(oracle, REDUCE_SUM, x, vector(*asked)) == f"ONNX-REDUCESUM-13.{item}"


@pytest.mark.parametrize("name", ["keepdims", "noop_with_empty_axes"])
@pytest.mark.parametrize("value", [-1, 2, 2**62])
def test_attributes_are_0_or_1(oracle: Oracle, name: str, value: int) -> None:
    found = rejected(oracle, REDUCE_SUM, np.ones(1, np.int32), **{name: value})
    assert found == f"ONNX-REDUCESUM-13.{name.upper()}.C1"


def test_attributes_are_integers() -> None:
    data: Any = np.ones(1, np.int32)
    for value in (1.0, "1", None):
        wrong: Any = value
        with pytest.raises(TypeError):
            reduce_sum(data, keepdims=wrong)


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    x = np.ones(data.draw(SHAPES), np.int32)
    asked = data.draw(st.lists(st.integers(-4, 4), max_size=3))
    attributes = {"keepdims": data.draw(st.integers(0, 2))}
    ours, defined = outcomes(oracle, REDUCE_SUM, x, vector(*asked), **attributes)
    assert ours == defined


@pytest.mark.parametrize(
    "axes",
    [np.array([0], np.int32), np.array([0.0]), np.array([[0]], np.int64), np.array(0, np.int64)],
    ids=str,
)
def test_axes_are_a_vector_of_int64(oracle: Oracle, axes: Array) -> None:
    found = rejected(oracle, REDUCE_SUM, np.ones(1, np.int32), axes)
    assert found == "ONNX-REDUCESUM-13.AXES.T"


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.uint16, np.bool_])
def test_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, REDUCE_SUM, np.ones(1, dtype)) == "ONNX-REDUCESUM-13.T"


def test_sparse() -> None:
    sparse: Any = type("SparseTensor", (), {})()
    with pytest.raises(SpecViolation, match=r"ONNX-REDUCESUM-13\.T"):
        reduce_sum(sparse)


def test_node_tests_of_onnx(oracle: Oracle) -> None:
    """The numbers of ONNX's node tests."""
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 2, 2)
    for axes, attributes, wanted in (
        (vector(1), {"keepdims": 0}, [[4, 6], [12, 14], [20, 22]]),
        (vector(1), {"keepdims": 1}, [[[4, 6]], [[12, 14]], [[20, 22]]]),
        (vector(-2), {}, [[[4, 6]], [[12, 14]], [[20, 22]]]),
        (None, {}, [[[78]]]),
    ):
        for result in (
            reduce_sum(x, axes, **attributes),
            expected(oracle, REDUCE_SUM, x, axes, **attributes),
        ):
            assert result.tolist() == wanted
