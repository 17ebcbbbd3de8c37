"""The multiplications of ONNX and OpenVINO on examples that can be worked out by hand."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_formal.reference.onnx_mul import onnx_mul
from sonnx_formal.reference.openvino_multiply import openvino_multiply
from sonnx_formal.spec.admission import SpecViolation
from tests.reference.reference import Array

SQUARE = np.array([[1, 2], [3, 4]], np.float32)
PAIR = np.array([10, 100], np.float32)


def ones(*shape: int, dtype: Any = np.float32) -> Array:
    return np.ones(shape, dtype)


def test_where_the_element_of_b_comes_from() -> None:
    by_row = [[10, 20], [300, 400]]
    by_column = [[10, 200], [30, 400]]
    assert onnx_mul(SQUARE, PAIR, opset=7).tolist() == by_column
    assert onnx_mul(SQUARE, PAIR, opset=6, broadcast=1).tolist() == by_column
    assert onnx_mul(SQUARE, PAIR, opset=6, broadcast=1, axis=1).tolist() == by_column
    assert onnx_mul(SQUARE, PAIR, opset=6, broadcast=1, axis=0).tolist() == by_row
    assert openvino_multiply(SQUARE, PAIR).tolist() == by_column


@pytest.mark.parametrize(
    ("opset", "version"),
    [(1, 1), (2, 1), (5, 1), (6, 6), (7, 7), (8, 7), (12, 7), (13, 13), (14, 14), (99, 14)],
)
def test_the_version_of_an_operator_set(opset: int, version: int) -> None:
    with pytest.raises(SpecViolation) as caught:
        onnx_mul(ones(2, dtype=bool), ones(2), opset=opset)
    assert caught.value.requirement == f"ONNX-MUL-{version}.T"


@pytest.mark.parametrize("opset", [0, -1])
def test_operator_sets_that_are_none(opset: int) -> None:
    with pytest.raises(ValueError, match=f"there is no operator set {opset}: the first is 1"):
        onnx_mul(PAIR, PAIR, opset=opset)


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((), None), ((1, 1), None), ((5,), None), ((4, 5), None), ((3, 4), 1), ((2,), 0)],
)
def test_the_shapes_that_the_document_lists(
    opset: int, shape: tuple[int, ...], axis: int | None
) -> None:
    a = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    b = np.arange(1, 1 + np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    result = onnx_mul(a, b, opset=opset, broadcast=1, axis=axis)
    beside = b.reshape(*shape, *[1] * (4 - axis - len(shape))) if axis is not None else b
    assert np.array_equal(result, a * beside)
    with pytest.raises(SpecViolation) as caught:
        onnx_mul(a, b, opset=opset, axis=axis)
    assert caught.value.requirement == f"ONNX-MUL-{opset}.B.C1"


@pytest.mark.parametrize(
    ("shapes", "attributes", "item", "message"),
    [
        (((2,), (3,)), {}, "B.C1", r"A is float32 of shape \(2,\), B is .*; pass broadcast=1"),
        (((2,), (2,)), {"broadcast": 2}, "ATTR.BROADCAST", "broadcast is 2; pass 0 or 1 for b"),
        (((2, 3), (2,)), {"broadcast": 1}, "B.C2", "broadcast is 1; reshape B, or pass the"),
        (((2, 3), (2,)), {"broadcast": 1, "axis": 1}, "B.C2", "axis is 1, .*; reshape B"),
        (((2, 3), (2, 1)), {"broadcast": 1}, "B.C2", "reshape B"),
        (((3,), (2, 3)), {"broadcast": 1}, "B.C2", "reshape B"),
        (((3,), (2, 3)), {"broadcast": 1, "axis": 0}, "ATTR.AXIS", "axis is 0, .*; pass an axis"),
        (((2,), (1, 1)), {"broadcast": 1}, "B.C2", "reshape B"),
        (((2, 3), (3,)), {"broadcast": 1, "axis": -1}, "ATTR.AXIS", "counted from 0"),
        (((2, 3), (3,)), {"broadcast": 1, "axis": 2}, "ATTR.AXIS", "counted from 0"),
    ],
)
@pytest.mark.parametrize("opset", [1, 6])
def test_what_the_legacy_versions_reject(
    opset: int, shapes: Any, attributes: dict[str, Any], item: str, message: str
) -> None:
    with pytest.raises(SpecViolation, match=message) as caught:
        onnx_mul(ones(*shapes[0]), ones(*shapes[1]), opset=opset, **attributes)
    assert caught.value.requirement == f"ONNX-MUL-{opset}.{item}"


def test_attributes_without_effect() -> None:
    assert onnx_mul(PAIR, PAIR, opset=6, axis=7).tolist() == [100, 10000]
    assert onnx_mul(SQUARE, ones(1), opset=6, broadcast=1, axis=-5).tolist() == SQUARE.tolist()
    assert onnx_mul(PAIR, PAIR, opset=1, consumed_inputs=[0, 1]).tolist() == [100, 10000]


@pytest.mark.parametrize(
    ("opset", "attributes", "message"),
    [
        (7, {"axis": 0}, "ONNX Mul 7 has no attribute axis: leave it out"),
        (14, {"broadcast": 1}, "ONNX Mul 14 has no attribute broadcast"),
        (6, {"consumed_inputs": [0]}, "ONNX Mul 6 has no attribute consumed_inputs"),
        (6, {"broadcast": 1.0}, "the attribute broadcast is 1.0, not int: it takes an integer"),
        (6, {"broadcast": 1, "axis": "0"}, "the attribute axis is '0', not int"),
        ("6", {}, "str"),
    ],
)
def test_attributes_that_a_version_has_not(
    opset: Any, attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        onnx_mul(SQUARE, PAIR, opset=opset, **attributes)


@pytest.mark.parametrize("opset", [14, 13, 7])
def test_shapes_that_do_not_go_together(opset: int) -> None:
    for s, u in [((2,), (3,)), ((0,), (2,)), ((2, 3), (2,)), ((4, 1, 2), (2, 3, 2, 3))]:
        with pytest.raises(SpecViolation, match="reshape one of them") as caught:
            onnx_mul(ones(*s), ones(*u), opset=opset)
        assert caught.value.requirement == f"ONNX-MUL-{opset}.SHAPE"


@pytest.mark.parametrize(
    ("shapes", "rule", "item"),
    [
        (((2,), (1,)), "none", "ATTR.AUTO_BROADCAST"),
        (((2,), (3,)), "none", "ATTR.AUTO_BROADCAST"),
        (((2,), (2,)), "pdpd", "ATTR.AUTO_BROADCAST"),
        (((2,), (3,)), "numpy", "SHAPE"),
    ],
)
def test_what_openvino_multiply_rejects(shapes: Any, rule: str, item: str) -> None:
    with pytest.raises(SpecViolation) as caught:
        openvino_multiply(ones(*shapes[0]), ones(*shapes[1]), auto_broadcast=rule)
    assert caught.value.requirement == f"OV-MULTIPLY-1.{item}"


def test_the_example_of_version_14() -> None:
    a = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    b = np.arange(5, dtype=np.float32)
    result = onnx_mul(a, b, opset=14)
    assert result.shape == (3, 4, 5)
    assert [result[i].tolist() for i in np.ndindex(3, 4)] == [
        [x * k for k, x in enumerate(a[i])] for i in np.ndindex(3, 4)
    ]


def test_more_axes_than_numpy_likes() -> None:
    many = (1,) * 30
    a, b = ones(2, *many, 3), ones(*many, 3)
    assert onnx_mul(a, b, opset=14).shape == (2, *many, 3)
    assert onnx_mul(a, b, opset=6, broadcast=1).shape == (2, *many, 3)
    assert onnx_mul(a, ones(2), opset=6, broadcast=1, axis=0).shape == (2, *many, 3)
    assert openvino_multiply(b, a).shape == (2, *many, 3)


def test_the_layers_of_the_document() -> None:
    same = ones(256, 56)
    for rule in ("none", "numpy"):
        assert openvino_multiply(same, same, auto_broadcast=rule).shape == (256, 56)
    a, b = ones(8, 1, 6, 1), ones(7, 1, 5)
    assert openvino_multiply(a, b).shape == (8, 7, 6, 5)


def test_a_result_of_its_own() -> None:
    wrapped = onnx_mul(np.array([[100], [-128]], np.int8), np.array([2, -1], np.int8), opset=14)
    assert wrapped.tolist() == [[-56, -100], [0, -128]]
    assert openvino_multiply(*[np.array(3, ml_dtypes.bfloat16)] * 2).shape == ()
    for sparse in (0, 1):
        operands = [ones(2), ones(2)]
        operands[sparse] = type("Sparse", (), {"todense": None, "shape": (2,)})()
        for call in (lambda a, b: onnx_mul(a, b, opset=14), openvino_multiply):
            with pytest.raises(SpecViolation, match=r"\.T: .*make all dense"):
                call(*operands)
    with pytest.raises(TypeError, match="A is of type list, not a NumPy array"):
        openvino_multiply([1], PAIR)  # type: ignore[arg-type]
