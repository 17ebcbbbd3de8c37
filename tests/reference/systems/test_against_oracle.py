"""ONNX Mul and OpenVINO Multiply-1 against the formal definitions: results and rejections."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.onnx_mul import onnx_mul
from sonnx_formal.reference.openvino_multiply import openvino_multiply
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from tests.reference.operands import LAYOUTS, layouts, tensors
from tests.reference.reference import DTYPES, FORMATS, INTEGERS, Array, assert_same

pytestmark = pytest.mark.long

WIDE = ("int32", "int64", "uint32", "uint64")
TYPES = (*INTEGERS, *FORMATS)
VERSIONS = {14: TYPES, 13: (*WIDE, *FORMATS), 7: (*WIDE, "float16", "float32", "float64")}
LEGACY = {6: VERSIONS[7], 1: ("float16", "float32", "float64")}
SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)

fast = settings(max_examples=40, derandomize=True)
Shape = tuple[int, ...]


@st.composite
def neighbours(draw: st.DrawFn, shape: Shape) -> Shape:
    """A shape that has a good chance to go with another one by one of the rules."""
    kind = draw(st.sampled_from(["same", "some ones", "run", "ones", "any"]))
    if kind == "same":
        return shape
    if kind == "some ones":
        kept = shape[draw(st.integers(0, len(shape))) :]
        return tuple(draw(st.sampled_from([d, 1])) for d in kept)
    if kind == "run":
        start = draw(st.integers(0, len(shape)))
        return shape[start : draw(st.integers(start, len(shape)))]
    return draw(st.lists(st.just(1), max_size=5).map(tuple) if kind == "ones" else SHAPES)


@dataclass(frozen=True)
class Subject:
    """A function of ours, and what the definitions call it."""

    op: str
    call: Callable[[Array, Array], Array]
    attributes: Attributes = UNSET

    def expected(self, oracle: Oracle, a: Array, b: Array) -> Array | str:
        """The result, or the requirement that is violated."""
        try:
            return oracle.evaluate(Call(operator(self.op), (a, b), self.attributes))
        except Inadmissible as error:
            return error.requirement

    def agrees(self, oracle: Oracle, name: str, data: st.DataObject) -> None:
        """One result bit for bit, or one requirement."""
        shape = data.draw(SHAPES)
        shapes = [shape, data.draw(neighbours(shape))]
        if self.op not in {"onnx-mul-6", "onnx-mul-1"} and data.draw(st.booleans()):
            shapes.reverse()
        a, b = (data.draw(tensors(name, each)) for each in shapes)
        expected = self.expected(oracle, a, b)
        left, right = (LAYOUTS[data.draw(layouts(name))](each) for each in (a, b))
        before = left.tobytes(), right.tobytes()
        if isinstance(expected, str):
            with pytest.raises(SpecViolation) as caught:
                self.call(left, right)
            assert caught.value.requirement == expected
        else:
            with np.errstate(all="raise"):
                got = self.call(left, right)
            assert_same(name, got, expected)
            assert not np.shares_memory(got, left)
            assert not np.shares_memory(got, right)
            assert got.flags.writeable
        assert (left.tobytes(), right.tobytes()) == before


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version, names in VERSIONS.items() for name in names]
)
@fast
@given(data=st.data())
def test_onnx_mul(oracle: Oracle, version: int, name: str, data: st.DataObject) -> None:
    op: Any = f"onnx-mul-{version}"
    Subject(op, partial(onnx_mul, opset=version)).agrees(oracle, name, data)


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version, names in LEGACY.items() for name in names]
)
@settings(fast, max_examples=80)
@given(data=st.data())
def test_onnx_mul_before_7(oracle: Oracle, version: int, name: str, data: st.DataObject) -> None:
    op: Any = f"onnx-mul-{version}"
    broadcast = data.draw(st.sampled_from([0, 1, 1, 1, 1, 1, 2, -1]))
    axis = data.draw(st.none() | st.integers(-2, 5))
    consumed = data.draw(st.none() | st.just((0, 0))) if version == 1 else None

    call = partial(
        onnx_mul, opset=version, axis=axis, broadcast=broadcast, consumed_inputs=consumed
    )
    subject = Subject(
        op, call, Attributes.of({"axis": axis, "broadcast": broadcast, "consumed_inputs": consumed})
    )
    subject.agrees(oracle, name, data)


@pytest.mark.parametrize("name", TYPES)
@fast
@given(data=st.data())
def test_openvino_multiply(oracle: Oracle, name: str, data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(["none", "numpy", "pdpd"]))

    call = partial(openvino_multiply, auto_broadcast=rule)
    subject = Subject("ov-multiply-1", call, Attributes.of({"auto_broadcast": rule}))
    subject.agrees(oracle, name, data)


@pytest.mark.parametrize("version", [*VERSIONS, *LEGACY])
def test_pairs_of_types(oracle: Oracle, version: int) -> None:
    op: Any = f"onnx-mul-{version}"
    subject = Subject(op, partial(onnx_mul, opset=version))
    assert accepted_pairs(oracle, subject) == len((VERSIONS | LEGACY)[version])


def test_pairs_of_types_of_openvino(oracle: Oracle) -> None:
    assert accepted_pairs(oracle, Subject("ov-multiply-1", openvino_multiply)) == len(TYPES)


def accepted_pairs(oracle: Oracle, subject: Subject) -> int:
    """How many pairs of types both accept; they agree on all of them."""
    others: list[Any] = [np.bool_, np.complex64, np.str_, object]
    arrays = [np.ones(1, dtype) for dtype in [*map(DTYPES.get, TYPES), *others]]
    accepted = 0
    for a, b in itertools.product(arrays, arrays):
        expected = subject.expected(oracle, a, b)
        if isinstance(expected, str):
            with pytest.raises(SpecViolation) as caught:
                subject.call(a, b)
            assert caught.value.requirement == expected == f"{subject.op.upper()}.T"
        else:
            assert subject.call(a, b).tolist() == expected.tolist() == [1]
            accepted += 1
    return accepted
