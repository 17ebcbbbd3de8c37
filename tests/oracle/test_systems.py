"""The operators of ONNX and OpenVINO: which operands they accept, and what they give."""

import itertools
import random
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle, OracleError
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.catalogue import operator, operators
from tests.formats import dtype_of
from tests.reference.reference import FORMATS, INTEGERS, Array, assert_same, elementwise

ONNX: dict[str, tuple[str, ...]] = {
    "onnx-mul-14": (*INTEGERS, *FORMATS),
    "onnx-mul-13": ("int32", "int64", "uint32", "uint64", *FORMATS),
    "onnx-mul-7": ("int32", "int64", "uint32", "uint64", "float16", "float32", "float64"),
    "onnx-mul-6": ("int32", "int64", "uint32", "uint64", "float16", "float32", "float64"),
    "onnx-mul-1": ("float16", "float32", "float64"),
}
TYPES: dict[str, tuple[str, ...]] = {**ONNX, "ov-multiply-1": (*INTEGERS, *FORMATS)}
ALL = [*INTEGERS, *FORMATS, "real", "bool", "complex64", "U1"]
LEGACY: tuple[str, ...] = ("onnx-mul-6", "onnx-mul-1")
SHAPES = [(), (1,), (2,), (3,), (0,), (1, 1), (2, 3), (3, 2), (2, 1), (1, 3), (2, 0), (2, 3, 2)]


def ones(name: str, *shape: int) -> Array:
    dtype = {"bfloat16": ml_dtypes.bfloat16, "real": object}.get(name, name)
    made: Array = np.ones(shape, dtype)
    return made


def outcome(oracle: Oracle, op: str, a: Array, b: Array, **set_: Any) -> Array | str:
    """The result, or the item of the requirement that is violated."""
    try:
        return oracle.apply(op, a, b, **set_)
    except Inadmissible as error:
        document, _, item = error.requirement.partition(".")
        assert document == op.upper()
        return item


def test_the_operators_are_named_as_their_documents() -> None:
    others = {each.name for each in operators() if not each.goes_by_onnx_name}
    assert others == {*TYPES}
    for name in others:
        assert set(operator(name).documents.values()) == {name.upper()}


@pytest.mark.parametrize("op", TYPES)
def test_types(oracle: Oracle, op: str) -> None:
    for name, other in itertools.product(ALL, ALL):
        result = outcome(oracle, op, ones(name, 1), ones(other, 1))
        if name == other and name in TYPES[op]:
            assert isinstance(result, np.ndarray)
            assert result.dtype == ones(name).dtype
        else:
            assert result == "T", (name, other)


@pytest.mark.parametrize("op", TYPES)
def test_shapes(oracle: Oracle, op: str) -> None:
    """NumPy says which shapes go together; before version 7 they have to be equal."""
    for s, u in itertools.product(SHAPES, SHAPES):
        result = outcome(oracle, op, ones("float32", *s), ones("float32", *u))
        if op in LEGACY:
            expected: Any = s if s == u else "B.C1"
        else:
            try:
                expected = np.broadcast_shapes(s, u)
            except ValueError:
                expected = "SHAPE"
        assert (result if isinstance(result, str) else result.shape) == expected, (s, u)


def placed(axis: int | None, s: tuple[int, ...], u: tuple[int, ...]) -> str | tuple[int, ...]:
    """The shape by which B goes with A as NumPy broadcasts, or what is violated."""
    if axis is not None and prod(u) != 1 and not 0 <= axis <= len(s) - len(u):
        return "ATTR.AXIS"
    if prod(u) == 1 and len(u) <= len(s):
        return (1,) * len(s)
    start = len(s) - len(u) if axis is None else axis
    if start < 0 or len(u) > len(s) or s[start : start + len(u)] != u:
        return "B.C2"
    return u + (1,) * (len(s) - start - len(u))


@pytest.mark.parametrize("op", LEGACY)
def test_attributes_of_the_legacy_versions(oracle: Oracle, op: str) -> None:
    for s, u, axis in itertools.product(SHAPES, SHAPES, (None, -1, 0, 1, 2, 3)):
        a = np.arange(1, prod(s) + 1, dtype=np.float32).reshape(s)
        b = np.arange(2, prod(u) + 2, dtype=np.float32).reshape(u)
        result = outcome(oracle, op, a, b, broadcast=1, axis=axis)
        expected = placed(axis, s, u)
        if isinstance(expected, str):
            assert isinstance(result, str), (s, u, axis)
            assert result == expected, (s, u, axis)
        else:
            assert not isinstance(result, str), (s, u, axis, result)
            assert np.array_equal(result, a * b.reshape(expected)), (s, u, axis)
        # Without broadcasting, an axis means nothing.
        without = outcome(oracle, op, a, b, broadcast=0, axis=axis)
        assert (without == "B.C1") if s != u else np.array_equal(without, a * b)
    a = ones("float32", 2)
    for wrong in (-1, 2, 3, 1 << 70):
        assert outcome(oracle, op, a, a, broadcast=wrong) == "ATTR.BROADCAST"


def test_auto_broadcast(oracle: Oracle) -> None:
    for s, u in itertools.product(SHAPES, SHAPES):
        a, b = ones("int8", *s), ones("int8", *u)
        none = outcome(oracle, "ov-multiply-1", a, b, auto_broadcast="none")
        if s == u:
            assert not isinstance(none, str)
            assert none.shape == s
        else:
            assert isinstance(none, str)
            assert none == "ATTR.AUTO_BROADCAST"
        numpy = outcome(oracle, "ov-multiply-1", a, b, auto_broadcast="numpy")
        assert np.array_equal(numpy, outcome(oracle, "ov-multiply-1", a, b))
    for wrong in ("", "NUMPY", "pdpd", "nümpy"):
        found = outcome(oracle, "ov-multiply-1", a, a, auto_broadcast=wrong)
        assert found == "ATTR.AUTO_BROADCAST"


@pytest.mark.parametrize("op", TYPES)
def test_products(oracle: Oracle, op: str) -> None:
    """Each with each, through broadcasting: a column times a row, or by the attributes of ONNX."""
    for name in TYPES[op]:
        values = any_elements(name)
        column, row = np.meshgrid(values, values, indexing="ij")
        if op in LEGACY:
            result = outcome(oracle, op, column.copy(), values, broadcast=1)
        else:
            result = outcome(oracle, op, values.reshape(-1, 1), values)
        assert not isinstance(result, str)
        assert_same(name, result, elementwise("mul", name, column, row))


def any_elements(name: str) -> NDArray[Any]:
    chance = random.Random(name)
    if name in FORMATS:
        form = FORMATS[name]
        ends = [0, 1, form.trailing, form.one, form.infinity - 1, form.infinity, form.nan]
        some = [*ends, *(form.sign + each for each in ends)]
        some += [chance.randrange(2 * form.sign) for _ in range(6)]
        return np.array(some, dtype_of(form)).view(ones(name).dtype)
    bounds = np.iinfo(name)
    low, high = int(bounds.min), int(bounds.max)
    return np.array([low, high, 0, 1, *(chance.randint(low, high) for _ in range(6))], name)


def test_consumed_inputs_mean_nothing(oracle: Oracle) -> None:
    a = np.array([1.5, -2], np.float32)
    for consumed in (None, (), (0, 0), (1, 7), (-(1 << 70),), (0,) * 300):
        result = outcome(oracle, "onnx-mul-1", a, a, consumed_inputs=consumed)
        assert np.array_equal(result, a * a)


@pytest.mark.parametrize("op", [each.name for each in operators()])
def test_attributes_that_an_operator_has_not(oracle: Oracle, op: str) -> None:
    has = {
        "concat": {"axis"},
        "dequantize_linear": {"axis"},
        "flatten": {"axis"},
        "onnx-mul-6": {"axis", "broadcast"},
        "onnx-mul-1": {"axis", "broadcast", "consumed_inputs"},
        "ov-multiply-1": {"auto_broadcast"},
        "quantize_linear": {"axis"},
    }.get(op, set())
    operands = [ones("float32", 1, 1) for _ in operator(op).inputs]
    set_: dict[str, Any] = {"axis": 0, "broadcast": 0, "consumed_inputs": (), "auto_broadcast": ""}
    for name in set_.keys() - has:
        with pytest.raises(UserError, match=f"{op} has no attribute {name}"):
            oracle.apply(op, *operands, **{name: set_[name]})


@pytest.mark.parametrize("op", TYPES)
def test_each_has_one_reading(oracle: Oracle, op: str) -> None:
    with pytest.raises(UserError, match=f"{op} has no reading r5: leave it out"):
        oracle.apply(op, ones("float32"), ones("float32"), reading="r5")


def test_attributes_in_words() -> None:
    assert not str(UNSET)
    some = Attributes.of({"axis": -1, "broadcast": None, "consumed_inputs": [0, 2], "b": "none"})
    assert str(some) == "axis=-1, b=none, consumed_inputs=[0, 2]"


def test_absurd_results_are_refused(oracle: Oracle) -> None:
    column, row = ones("int8", 1 << 12, 1), ones("int8", 1 << 12)
    with pytest.raises(OracleError, match="too many elements"):
        oracle.apply("onnx-mul-14", column, row)
