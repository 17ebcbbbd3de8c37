"""Our implementations as ONNX's own test runner takes them: backends of `onnx.backend.base`.

`Sonnx` runs models inside the profile of SONNX; `OnnxMul` runs ONNX Mul of any version. Both run
graphs of any number of nodes.

    runner = onnx.backend.test.runner.Runner(Sonnx, __name__)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep

from sonnx_formal import reference as ops
from sonnx_formal import reference as systems
from sonnx_formal.backends.backend import Array


class _Prepared(BackendRep):
    """A model, ready to run."""

    def __init__(self, backend: "type[_OneProcessor]", model: onnx.ModelProto) -> None:
        self._backend = backend
        self._model = model

    def run(self, inputs: Sequence[Array] | Mapping[str, Array], **_: Any) -> tuple[Array, ...]:
        """The outputs.

        :param inputs: in the order of the graph, or by name; those without an initializer.
        :raises SpecViolation: when operands of a node violate a requirement.
        """
        graph = self._model.graph
        values = {one.name: np.asarray(numpy_helper.to_array(one)) for one in graph.initializer}
        if not isinstance(inputs, Mapping):
            names = [one.name for one in graph.input if one.name not in values]
            inputs = dict(zip(names, inputs, strict=True))
        values |= inputs
        opset = _opset(self._model)
        for node in graph.node:
            a, b = (values[name] for name in node.input)
            values[node.output[0]] = self._backend.apply(node, opset, a, b)
        return tuple(values[one.name] for one in graph.output)


class _OneProcessor(Backend):
    """What both backends have in common."""

    OPERATORS: Sequence[str]
    """The types of nodes."""

    @classmethod
    def apply(cls, node: onnx.NodeProto, opset: int, a: Array, b: Array) -> Array:
        """The result of a node. Raises `SpecViolation`."""
        raise NotImplementedError

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        """Whether each node is one that the backend has."""
        return cls.supports_device(device) and all(
            node.domain in {"", "ai.onnx"} and node.op_type in cls.OPERATORS
            for node in model.graph.node
        )

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> _Prepared:
        """The model, ready to run. Raises `ValueError` where it is not compatible."""
        onnx.checker.check_model(model)
        if not cls.is_compatible(model, device):
            raise ValueError(f"on the CPU, this runs {', '.join(cls.OPERATORS)} and nothing else")
        return _Prepared(cls, model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


class Sonnx(_OneProcessor):
    """SONNX Mul, Div and MatMul; a model outside the profile is rejected when it runs."""

    OPERATORS = ("Mul", "Div", "MatMul")

    @classmethod
    def apply(cls, node: onnx.NodeProto, opset: int, a: Array, b: Array) -> Array:
        match node.op_type:
            case "Mul":
                return ops.mul(a, b)
            case "Div":
                return ops.div(a, b)
            case _:
                return ops.matmul(a, b)


class OnnxMul(_OneProcessor):
    """ONNX Mul, by the version that belongs to the operator set of the model."""

    OPERATORS = ("Mul",)

    @classmethod
    def apply(cls, node: onnx.NodeProto, opset: int, a: Array, b: Array) -> Array:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        return systems.onnx_mul(a, b, opset=opset, **attributes)


def _opset(model: onnx.ModelProto) -> int:
    """The version of ONNX's operator set that the model imports; the checker has seen one."""
    versions = (one.version for one in model.opset_import if one.domain in {"", "ai.onnx"})
    return int(next(versions))
