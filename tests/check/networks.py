"""Small networks inside the profile: their weights are drawn from a seed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from sonnx_formal.spec.element_types import Array

PLAIN = {"strides": [1, 1], "dilations": [1, 1], "auto_pad": "NOTSET"}
"""What SONNX wants to be set of a window."""


def network(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[int, Sequence[int]]],
    output: tuple[str, int, Sequence[int]],
    weights: dict[str, Array],
) -> onnx.ModelProto:
    given = [helper.make_tensor_value_info(name, *of) for name, of in inputs.items()]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(
        nodes, "network", given, [helper.make_tensor_value_info(*output)], tensors
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def node(op_type: str, operands: Sequence[str], result: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, [*operands], [result], name=result, **attributes)


def of_floats(seed: int = 0) -> onnx.ModelProto:
    """Conv, Relu, MaxPool, Conv, Add, Flatten, MatMul, Add over float32: an image, four classes."""
    random = np.random.default_rng(seed)

    def drawn(*shape: int) -> Array:
        array: Array = random.standard_normal(shape).astype(np.float32)
        return array

    weights = {"w1": drawn(4, 2, 3, 3), "b1": drawn(4), "w2": drawn(3, 4, 1, 1), "b2": drawn(3)}
    weights |= {"more": drawn(1, 3, 4, 4), "w3": drawn(48, 4), "b3": drawn(1, 4)}
    nodes = [
        node("Conv", ["x", "w1", "b1"], "convolved", **PLAIN, pads=[1, 1, 1, 1], group=1,
             kernel_shape=[3, 3]),
        node("Relu", ["convolved"], "positive"),
        node("MaxPool", ["positive"], "pooled", auto_pad="NOTSET", strides=[2, 2],
             dilations=[1, 1], pads=[0, 0, 0, 0], kernel_shape=[2, 2], ceil_mode=0,
             storage_order=0),
        node("Conv", ["pooled", "w2", "b2"], "mixed", **PLAIN, pads=[0, 0, 0, 0], group=1,
             kernel_shape=[1, 1]),
        node("Add", ["mixed", "more"], "moved"),
        node("Flatten", ["moved"], "flat", axis=1),
        node("MatMul", ["flat", "w3"], "products"),
        node("Add", ["products", "b3"], "classes"),
    ]  # fmt: skip
    return network(
        nodes,
        {"x": (TensorProto.FLOAT, [1, 2, 8, 8])},
        ("classes", TensorProto.FLOAT, [1, 4]),
        weights,
    )


def of_integers(seed: int = 0) -> onnx.ModelProto:
    """MaxPool over uint8, ConvInteger with weights of int8, Relu, Reshape and MatMul over int32."""
    random = np.random.default_rng(seed)
    weights: dict[str, Array] = {
        "w": random.integers(-128, 128, (3, 2, 3, 3)).astype(np.int8),
        "x_zero": np.array(128, np.uint8),
        "w_zero": np.array([0, 3, -3], np.int8),
        "shape": np.array([3, 4], np.int64),
        "v": random.integers(-9, 10, (4, 2)).astype(np.int32),
    }
    nodes = [
        node("MaxPool", ["x"], "pooled", auto_pad="NOTSET", strides=[2, 2], dilations=[1, 1],
             pads=[0, 0, 0, 0], kernel_shape=[2, 2], ceil_mode=0, storage_order=0),
        node("ConvInteger", ["pooled", "w", "x_zero", "w_zero"], "sums", kernel_shape=[3, 3]),
        node("Relu", ["sums"], "positive"),
        node("Reshape", ["positive", "shape"], "rows", allowzero=0),
        node("MatMul", ["rows", "v"], "y"),
    ]  # fmt: skip
    return network(
        nodes, {"x": (TensorProto.UINT8, [1, 2, 8, 8])}, ("y", TensorProto.INT32, [3, 2]), weights
    )
