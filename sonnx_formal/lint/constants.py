"""Values that are the same in every run."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from sonnx_formal.lint.shapes import static
from sonnx_formal.lint.values import Constant, Value, as_value_info
from sonnx_formal.spec.element_types import Array

REARRANGING = {
    "Cast", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze",
}  # fmt: skip
"""Operators whose elements are those of the first input: they are computed, if it is constant."""
_LONGEST = 2**24
"""Elements that are worth the time."""


def of_tensor(tensor: onnx.TensorProto, folder: Path) -> Constant:
    """The elements of a tensor, which are read when they are asked for."""

    @cache
    def read() -> Array | None:
        try:
            return np.asarray(numpy_helper.to_array(tensor, str(folder)))
        except (ValueError, TypeError, OSError, onnx.checker.ValidationError):
            return None  # data that does not fit the shape: nothing is known of it

    return read


def of_node(
    node: onnx.NodeProto, inputs: Mapping[str, Value], opset: int, folder: Path
) -> Constant | None:
    """The elements that a node of the default domain gives in every run."""
    if node.op_type == "Constant":
        return _of_attribute(node.attribute[0], folder) if node.attribute else None
    operands = [inputs.get(name) for name in node.input if name]
    if node.op_type not in REARRANGING or len(node.output) != 1:
        return None
    known = [x for x in operands if x is not None and x.constant is not None]
    if not known or len(known) < len(operands):
        return None
    return _computed(node, known, opset)


def _of_attribute(attribute: onnx.AttributeProto, folder: Path) -> Constant | None:
    numbers: dict[str, tuple[Any, type[np.generic]]] = {
        "value_float": (attribute.f, np.float32),
        "value_floats": (attribute.floats, np.float32),
        "value_int": (attribute.i, np.int64),
        "value_ints": (attribute.ints, np.int64),
    }
    if attribute.ref_attr_name:  # outside a function: nothing that it refers to
        return None
    if attribute.name == "value":
        return of_tensor(attribute.t, folder)
    if attribute.name not in numbers:
        return None
    elements = np.array(*numbers[attribute.name])
    return lambda: elements


def _computed(node: onnx.NodeProto, operands: list[Value], opset: int) -> Constant:
    @cache
    def compute() -> Array | None:
        if any(_size(operand) > _LONGEST for operand in operands):
            return None
        values = {operand.name: operand.constant() for operand in operands if operand.constant}
        if any(elements is None for elements in values.values()):
            return None
        by_name = {operand.name: as_value_info(operand, operand.name) for operand in operands}
        output = onnx.ValueInfoProto(name=node.output[0])
        graph = helper.make_graph([node], "constant", list(by_name.values()), [output])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        try:
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, values)
        except Exception:
            return None  # whatever the evaluator cannot do: nothing is known of it
        return np.asarray(result)

    return compute


def _size(operand: Value) -> int:
    shape = static(operand.shape)
    return _LONGEST + 1 if shape is None else int(np.prod(shape, dtype=object))
