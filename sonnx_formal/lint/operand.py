"""What is known of a value in a model before it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from sonnx_formal.lint.shapes import Shape, described, shape_of

Array = NDArray[Any]
Constant = Callable[[], Array | None]
"""Gives the elements; None if they cannot be had after all."""

_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}
_NO_TENSOR = "no tensor"


@dataclass(frozen=True, eq=False)
class Operand:
    """A value: an input, an initializer, or the output of a node."""

    name: str
    element_type: str | None = None
    """int8, float32, bool, string …; None if it is not known."""
    shape: Shape | None = None
    sparse: bool = False
    constant: Constant | None = None
    """If its elements are the same in every run."""

    def __str__(self) -> str:
        """In a message: float32 (N, 3)."""
        storage = "sparse " if self.sparse else ""
        return f"{storage}{self.element_type or 'unknown type'} {described(self.shape)}"


def element_name(element: int) -> str | None:
    """The name of an element type of ONNX: float32 of `onnx.TensorProto.FLOAT`; None if unknown."""
    if element not in onnx.TensorProto.DataType.values():
        return None
    name = onnx.TensorProto.DataType.Name(onnx.TensorProto.DataType.ValueType(element))
    return None if name == "UNDEFINED" else _NAMES.get(name, name.lower())


def element_dtype(name: str) -> np.dtype[Any] | None:
    """The NumPy type of the elements of that name; None if ONNX does not have it."""
    names = {element_name(one): one for one in onnx.TensorProto.DataType.values()}
    return onnx.helper.tensor_dtype_to_np_dtype(names[name]) if name in names else None


def typed(value: onnx.ValueInfoProto, constant: Constant | None = None) -> Operand:
    """A value with the type that the model declares, or that was inferred."""
    match value.type.WhichOneof("value"):
        case "tensor_type":
            tensor, sparse = value.type.tensor_type, False
        case "sparse_tensor_type":
            tensor, sparse = value.type.sparse_tensor_type, True
        case None:
            return Operand(value.name)
        case _:
            return Operand(value.name, _NO_TENSOR)
    shape = shape_of(tensor.shape) if tensor.HasField("shape") else None
    return Operand(value.name, element_name(tensor.elem_type), shape, sparse, constant)


def as_value_info(operand: Operand, name: str) -> onnx.ValueInfoProto:
    """The other way round, under another name."""
    value = onnx.ValueInfoProto(name=name)
    names = {element_name(one): one for one in onnx.TensorProto.DataType.values()}
    if operand.element_type not in names or operand.element_type is None:
        return value
    kind = value.type.sparse_tensor_type if operand.sparse else value.type.tensor_type
    kind.elem_type = names[operand.element_type]
    if operand.shape is not None:
        kind.shape.SetInParent()
        for one in operand.shape:
            added = kind.shape.dim.add()
            if isinstance(one, int):
                added.dim_value = one
            elif one is not None:
                added.dim_param = one
    return value
