"""Models of one node, and tensors, in ONNX's own format."""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.backends.backend import Array
from sonnx_formal.vectors.case import Operator

OPSET = 14
"""The last version of the operators in the source documents."""
IR_VERSION = 8
"""Old enough for every runtime here: some refuse 14, which `onnx` writes if it is not told."""

_NODES = {Operator.MUL: "Mul", Operator.DIV: "Div", Operator.MATMUL: "MatMul"}


def model(operator: Operator, a: Array, b: Array) -> onnx.ModelProto:
    """The model of one operator for operands of these shapes and types: A, B -> C."""
    graph = helper.make_graph(
        [helper.make_node(_NODES[operator], ["A", "B"], ["C"])],
        operator.value,
        [_described("A", a.dtype, a.shape), _described("B", b.dtype, b.shape)],
        [_described("C", a.dtype, _result_shape(operator, a, b))],
    )
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def tensor(name: str, array: Array) -> onnx.TensorProto:
    """An array as ONNX stores it."""
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def array(content: bytes) -> Array:
    """The array that a serialised tensor holds."""
    proto = onnx.TensorProto()
    proto.ParseFromString(content)
    return numpy_helper.to_array(proto)


def _described(
    name: str, dtype: np.dtype[Any], shape: tuple[int, ...] | None
) -> onnx.ValueInfoProto:
    element = helper.np_dtype_to_tensor_dtype(dtype)
    return helper.make_tensor_value_info(name, element, shape)


def _result_shape(operator: Operator, a: Array, b: Array) -> tuple[int, ...] | None:
    """What the specification says; None, which leaves it to the runtime, where it says nothing."""
    if operator is not Operator.MATMUL:
        return a.shape if a.shape == b.shape else None
    matrices = a.ndim == b.ndim == 2  # noqa: PLR2004
    return (a.shape[0], b.shape[1]) if matrices and a.shape[1] == b.shape[0] else None
