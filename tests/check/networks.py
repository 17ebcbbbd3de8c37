"""Small networks inside the profile: their weights are drawn from a seed.

`python -m tests.check.networks FOLDER` writes them.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from sonnx_formal.backends.onnx_backend import operators_by_node
from sonnx_formal.spec.element_types import Array

PLAIN = {"strides": [1, 1], "dilations": [1, 1], "auto_pad": "NOTSET"}
"""What SONNX wants to be set of a window."""


def network(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[int, Sequence[int]]],
    output: tuple[str, int, Sequence[int]],
    weights: dict[str, Array],
    opset: int = 22,
) -> onnx.ModelProto:
    given = [helper.make_tensor_value_info(name, *of) for name, of in inputs.items()]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(
        nodes, "network", given, [helper.make_tensor_value_info(*output)], tensors
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
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


def of_bytes(seed: int = 0) -> onnx.ModelProto:
    """An image of float32 through weights of int8 to four classes of uint8, by 15 nodes.

    QuantizeLinear, ConvInteger and its bias, DequantizeLinear, Relu, MaxPool; QuantizeLinear, a
    depthwise ConvInteger, Flatten, MatMul over int32, DequantizeLinear; MatMul with
    weights that DequantizeLinear gives it, Add, QuantizeLinear.
    """
    random = np.random.default_rng(seed)

    def drawn(*shape: int) -> Array:
        """Weights of 7 bits: the product of two and two bytes stays within 16, which some want."""
        return random.integers(-64, 64, shape).astype(np.int8)

    def scales(*shape: int, about: float) -> Array:
        array: Array = (random.uniform(0.5, 2, shape) * about).astype(np.float32)
        return array

    weights: dict[str, Array] = {
        "x_scale": scales(about=0.02),
        "x_zero": np.array(128, np.uint8),
        "w1": drawn(4, 2, 3, 3),
        "w1_zero": np.array(3, np.int8),
        "b1": random.integers(-999, 1000, (1, 4, 8, 8)).astype(np.int32),
        "sums_scale": scales(4, about=0.0005),
        "pooled_scale": scales(about=0.05),
        "pooled_zero": np.array(-128, np.int8),
        "w2": drawn(4, 1, 3, 3),
        "w3": random.integers(-9, 10, (16, 3)).astype(np.int32),
        "rows_scale": scales(about=1e-5),
        "w4": drawn(3, 4),
        "w4_scale": scales(4, about=0.01),
        "b4": random.standard_normal((1, 4)).astype(np.float32),
        "classes_scale": scales(about=0.02),
        "classes_zero": np.array(100, np.uint8),
    }
    nodes = [
        node("QuantizeLinear", ["x", "x_scale", "x_zero"], "bytes"),
        node("ConvInteger", ["bytes", "w1", "x_zero", "w1_zero"], "products", pads=[1, 1, 1, 1]),
        node("Add", ["products", "b1"], "sums"),
        node("DequantizeLinear", ["sums", "sums_scale"], "convolved", axis=1),
        node("Relu", ["convolved"], "positive"),
        node("MaxPool", ["positive"], "pooled", auto_pad="NOTSET", strides=[2, 2],
             dilations=[1, 1], pads=[0, 0, 0, 0], kernel_shape=[2, 2], ceil_mode=0,
             storage_order=0),
        node("QuantizeLinear", ["pooled", "pooled_scale", "pooled_zero"], "small"),
        node("ConvInteger", ["small", "w2", "pooled_zero"], "by_channel", group=4),
        node("Flatten", ["by_channel"], "flat", axis=1),
        node("MatMul", ["flat", "w3"], "row"),
        node("DequantizeLinear", ["row", "rows_scale"], "features"),
        node("DequantizeLinear", ["w4", "w4_scale"], "w4_of_floats", axis=1),
        node("MatMul", ["features", "w4_of_floats"], "weighted"),
        node("Add", ["weighted", "b4"], "scores"),
        node("QuantizeLinear", ["scores", "classes_scale", "classes_zero"], "classes"),
    ]  # fmt: skip
    known = operators_by_node(opset=0)
    declared = (known[each.op_type].onnx for each in nodes)
    return network(
        nodes,
        {"x": (TensorProto.FLOAT, [1, 2, 8, 8])},
        ("classes", TensorProto.UINT8, [1, 4]),
        weights,
        opset=max(each.since for each in declared if each),
    )


def main(folder: Path) -> None:
    """Write the networks, to be run by `sonnx-formal network` and `lint`."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (of_floats, of_integers, of_bytes):
        onnx.save(make(), path := folder / f"{make.__name__}.onnx")
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
