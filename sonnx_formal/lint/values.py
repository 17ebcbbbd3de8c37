"""What is known of a value in a model before it runs: its type, its shape, its elements."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from sonnx_formal.spec.element_types import Array, Family, family_of

Dimension = int | str | None
"""A number; a symbol, which stands for one number throughout a graph; or unknown."""
Shape = tuple[Dimension, ...]
StaticShape = tuple[int, ...]
Constant = Callable[[], Array | None]
"""Gives the elements; None if they cannot be had after all."""

_NO_NAMES = {"", "?"}
"""Symbols by which exporters mean that nothing is known, not even equality."""
_RENAMED = {"FLOAT": "float32", "DOUBLE": "float64"}
NAMES = {n: _RENAMED.get(name, name.lower()) for name, n in onnx.TensorProto.DataType.items() if n}
"""The names of element types by ONNX's numbers: float32 of `onnx.TensorProto.FLOAT`."""
_NUMBERS = {name: number for number, name in NAMES.items()}
_NO_TENSOR = "no tensor"


@dataclass(frozen=True, eq=False)
class Value:
    """A value: an input, an initializer, or the output of a node."""

    name: str
    element_type: str | None = None
    """int8, float32, float8e5m2, bool …: also what no document has; None if it is not known."""
    shape: Shape | None = None
    sparse: bool = False
    constant: Constant | None = None
    """If its elements are the same in every run."""

    def __str__(self) -> str:
        """In a message: float32 (N, 3)."""
        storage = "sparse " if self.sparse else ""
        return f"{storage}{self.element_type or 'unknown type'} {described(self.shape)}"

    @property
    def static_shape(self) -> StaticShape | None:
        numbers = tuple(size for size in self.shape or () if isinstance(size, int))
        return numbers if numbers == self.shape else None

    @property
    def empty(self) -> bool:
        return self.shape is not None and 0 in self.shape


def element_dtype(name: str) -> np.dtype[Any]:
    return helper.tensor_dtype_to_np_dtype(_NUMBERS[name])


def family(name: str | None) -> Family | None:
    """The family of a type that ONNX has, whether or not a document has it."""
    return family_of(name) if name and name in _NUMBERS else None


def onnx_type(name: str) -> str | None:
    """The type of tensors as ONNX's schemas write it, `tensor(float)`; None if ONNX lacks it."""
    if name not in _NUMBERS:
        return None
    number = onnx.TensorProto.DataType.ValueType(_NUMBERS[name])
    return f"tensor({onnx.TensorProto.DataType.Name(number).lower()})"


def typed(value: onnx.ValueInfoProto) -> Value:
    """A value with the type that the model declares, or that was inferred."""
    kind = value.type.WhichOneof("value")
    match kind:
        case "tensor_type" | "sparse_tensor_type":
            tensor = getattr(value.type, kind)
        case None:
            return Value(value.name)
        case _:
            return Value(value.name, _NO_TENSOR)
    shape = tuple(map(_dimension, tensor.shape.dim)) if tensor.HasField("shape") else None
    return Value(value.name, NAMES.get(tensor.elem_type), shape, kind.startswith("sparse"))


def _dimension(proto: onnx.TensorShapeProto.Dimension) -> Dimension:
    """Negative numbers are a way to say unknown."""
    if proto.HasField("dim_value"):
        return proto.dim_value if proto.dim_value >= 0 else None
    return None if proto.dim_param in _NO_NAMES else proto.dim_param


def as_value_info(operand: Value, name: str) -> onnx.ValueInfoProto:
    if operand.element_type not in _NUMBERS:
        return onnx.ValueInfoProto(name=name)
    make = helper.make_sparse_tensor_value_info if operand.sparse else helper.make_tensor_value_info
    return make(name, _NUMBERS[operand.element_type], operand.shape)


def differ(m: Dimension, n: Dimension) -> bool:
    return isinstance(m, int) and isinstance(n, int) and m != n


def shapes_differ(a: Shape | None, b: Shape | None) -> bool:
    return a is not None and b is not None and (len(a) != len(b) or any(map(differ, a, b)))


def may_broadcast(a: Shape, b: Shape) -> bool:
    """Whether no dimension is known to differ, from the last axis on, without being 1."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return not any(differ(m, n) and 1 not in (m, n) for m, n in pairs)


def described(shape: Shape | None) -> str:
    """A shape in a message: (N, 3); of unknown shape."""
    if shape is None:
        return "of unknown shape"
    inner = ", ".join(map(described_dimension, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def described_dimension(size: Dimension) -> str:
    return "?" if size is None else str(size)
