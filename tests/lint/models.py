"""Small models, built by hand, with everything pinned that onnx would otherwise choose."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.helper import make_node as node

from sonnx_formal.lint.profile import LintVerdict

OPSET = 14
IR_VERSION = 9
F16, F32, F64, BF16 = (
    onnx.TensorProto.FLOAT16,
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.DOUBLE,
    onnx.TensorProto.BFLOAT16,
)
I8, U8, I32, I64, BOOL = (
    onnx.TensorProto.INT8,
    onnx.TensorProto.UINT8,
    onnx.TensorProto.INT32,
    onnx.TensorProto.INT64,
    onnx.TensorProto.BOOL,
)
STRING, C64, F8 = (
    onnx.TensorProto.STRING,
    onnx.TensorProto.COMPLEX64,
    onnx.TensorProto.FLOAT8E4M3FN,
)
__all__ = ["node"]

UNKNOWN = "Softsign"
"""An operator of ONNX that SONNX does not have."""
Dims = Sequence[int | str | None] | None
OK, BAD, OPEN = LintVerdict.CONFORMS, LintVerdict.VIOLATES, LintVerdict.UNDECIDED
NodeCase = tuple[str, onnx.ModelProto, LintVerdict, tuple[str, ...]]
"""A name, a model of a node n, what is found, if something is, and of which items."""


def value(name: str, dims: Dims = (2, 3), element: int = F32) -> onnx.ValueInfoProto:
    """An input or output of a type."""
    return helper.make_tensor_value_info(name, element, dims)


def sparse_value(name: str, dims: Sequence[int] = (2, 3)) -> onnx.ValueInfoProto:
    return helper.make_sparse_tensor_value_info(name, F32, dims)


def tensor(name: str, elements: Any, dtype: Any = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(elements, dtype), name)


def sparse(name: str, dims: Sequence[int] = (6,)) -> onnx.SparseTensorProto:
    """All zeros but one."""
    values, indices = tensor(name, [3]), tensor(f"{name}_indices", [1], np.int64)
    return helper.make_sparse_tensor(values, indices, dims)


def untyped(name: str) -> onnx.ValueInfoProto:
    return onnx.ValueInfoProto(name=name)


def model(  # noqa: PLR0913
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    initializers: Sequence[onnx.TensorProto] = (),
    *,
    opset: int = OPSET,
    ir_version: int = IR_VERSION,
    sparse_initializers: Sequence[onnx.SparseTensorProto] = (),
    functions: Sequence[onnx.FunctionProto] = (),
    value_info: Sequence[onnx.ValueInfoProto] = (),
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    """A model of these parts."""
    graph = helper.make_graph(
        nodes,
        "graph",
        inputs,
        outputs,
        initializers,
        value_info=value_info,
        sparse_initializer=sparse_initializers,
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(entry, 1) for entry in domains)]
    return helper.make_model(
        graph, opset_imports=opsets, ir_version=ir_version, functions=functions
    )


def binary(  # noqa: PLR0913
    operator: str,
    a: Dims = (2, 3),
    b: Dims = (2, 3),
    c: Dims = None,
    *,
    of_a: int = F32,
    of_b: int | None = None,
    of_c: int | None = None,
    opset: int = OPSET,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node n: A, B -> C. B and C have the type of A if none is given."""
    return model(
        [node(operator, ["A", "B"], ["C"], name="n", **attributes)],
        [value("A", a, of_a), value("B", b, of_b or of_a)],
        [value("C", c, of_c or of_a)],
        opset=opset,
    )


def unary(  # noqa: PLR0913
    operator: str,
    x: Dims = (2, 3),
    y: Dims = None,
    *,
    of_x: int = F32,
    of_y: int | None = None,
    opset: int = OPSET,
) -> onnx.ModelProto:
    """A model of one node n: X -> Y. Y has the type of X if none is given."""
    return model(
        [node(operator, ["X"], ["Y"], name="n")],
        [value("X", x, of_x)],
        [value("Y", y, of_y or of_x)],
        opset=opset,
    )


def of_sparse(
    operator: str,
    *others: onnx.ValueInfoProto | onnx.TensorProto,
    x: Sequence[int] = (2, 3),
    of_y: int = F32,
    opset: int = OPSET,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node n: a sparse X, and others -> Y. Of these, tensors are constants."""
    return model(
        [node(operator, ["X", *(each.name for each in others)], ["Y"], name="n", **attributes)],
        [sparse_value("X", x), *(o for o in others if isinstance(o, onnx.ValueInfoProto))],
        [value("Y", None, of_y)],
        [each for each in others if isinstance(each, onnx.TensorProto)],
        opset=opset,
    )


def divided_by(elements: Any, dtype: Any, element: int) -> onnx.ModelProto:
    """A / B, where B is an initializer of three elements."""
    return model(
        [node("Div", ["A", "B"], ["C"], name="n")],
        [value("A", [3], element)],
        [value("C", [3], element)],
        [tensor("B", elements, dtype)],
    )


def save(entry: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    path = folder / name
    path.write_bytes(entry.SerializeToString())
    return path
