"""Models of one node, and tensors, in ONNX's own format."""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.backends.backend import PLAIN, Array, Form, NotApplicableError
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.vectors.case import LEGACY, ONNX_MUL, Operator

NEWEST_OPSET = onnx.defs.onnx_opset_version()
NEWEST_IR_VERSION = onnx.IR_VERSION
"""What `onnx` writes if it is not told."""

_NODES = {
    Operator.MUL: "Mul",
    Operator.DIV: "Div",
    Operator.MATMUL: "MatMul",
    **dict.fromkeys(ONNX_MUL, "Mul"),
}


def model(
    operator: Operator, a: Array, b: Array, form: Form = PLAIN, attributes: Attributes = UNSET
) -> onnx.ModelProto:
    """The model of one operator for operands of these shapes and types: A, B -> C.

    A version of ONNX Mul is put into the operator set that it came with, whatever the form says.
    Raises `NotApplicableError` where ONNX has no such form or operator.
    """
    if operator not in _NODES:
        raise NotApplicableError(f"ONNX has no {operator}")
    if form.never_broadcast:
        raise NotApplicableError("ONNX has no way to tell a runtime not to broadcast")

    def described(
        name: str, dtype: np.dtype[Any], shape: tuple[int, ...] | None
    ) -> onnx.ValueInfoProto:
        element = helper.np_dtype_to_tensor_dtype(dtype)
        dims = [None] * len(shape) if shape is not None and form.open_dimensions else shape
        return helper.make_tensor_value_info(name, element, dims)

    graph = helper.make_graph(
        [helper.make_node(_NODES[operator], ["A", "B"], ["C"], **attributes.those_set())],
        operator.value,
        [described("A", a.dtype, a.shape), described("B", b.dtype, b.shape)],
        [described("C", a.dtype, _result_shape(operator, a, b))],
    )
    opset = helper.make_opsetid("", ONNX_MUL.get(operator, form.opset))
    return helper.make_model(graph, opset_imports=[opset], ir_version=form.ir_version)


def tensor(name: str, array: Array) -> onnx.TensorProto:
    """An array as ONNX stores it."""
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def array(content: bytes) -> Array:
    """The array that a serialised tensor holds."""
    proto = onnx.TensorProto()
    proto.ParseFromString(content)
    return numpy_helper.to_array(proto)


def _result_shape(operator: Operator, a: Array, b: Array) -> tuple[int, ...] | None:
    """What the specification says; None, which leaves it to the runtime, where it says nothing."""
    if operator in LEGACY:
        return a.shape
    if operator is not Operator.MATMUL:
        return a.shape if a.shape == b.shape else None
    matrices = a.ndim == b.ndim == 2  # noqa: PLR2004
    return (a.shape[0], b.shape[1]) if matrices and a.shape[1] == b.shape[0] else None
