"""Values that are the same in every run."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from sonnx_formal.lint.shapes import static
from sonnx_formal.lint.values import Constant, Value, as_value_info
from sonnx_formal.spec.element_types import Array

_COMPUTED = {
    "Cast", "Constant", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose",
    "Unsqueeze",
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
    operands = {name: inputs.get(name, Value(name)) for name in node.input if name}
    sources = {name: x.constant for name, x in operands.items() if x.constant is not None}
    if node.op_type not in _COMPUTED or len(sources) < len(operands) or len(node.output) != 1:
        return None

    @cache
    def compute() -> Array | None:
        if any(_size(operand) > _LONGEST for operand in operands.values()):
            return None
        values = {name: elements() for name, elements in sources.items()}
        if any(elements is None for elements in values.values()):
            return None
        types = [as_value_info(operand, name) for name, operand in operands.items()]
        output = onnx.ValueInfoProto(name=node.output[0])
        graph = helper.make_graph([node], "constant", types, [output])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        try:
            onnx.load_external_data_for_model(model, str(folder))
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, values)
        except Exception:
            return None  # whatever the evaluator cannot do: nothing is known of it
        return np.asarray(result)

    return compute


def _size(operand: Value) -> int:
    shape = static(operand.shape)
    return _LONGEST + 1 if shape is None else int(np.prod(shape, dtype=object))
