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

from sonnx_formal.backends import reference
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import OnnxNode, Operator, System


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
        values: dict[str, Array | None] = {"": None}  # an operand that is left out
        values |= {each.name: np.asarray(numpy_helper.to_array(each)) for each in graph.initializer}
        if not isinstance(inputs, Mapping):
            names = [each.name for each in graph.input if each.name not in values]
            inputs = dict(zip(names, inputs, strict=True))
        values |= inputs
        opset = _opset(self._model)
        for node in graph.node:
            operator = self._backend.operator(node.op_type, opset)
            attributes = {each.name: _plain(each) for each in node.attribute}
            operands = tuple(values[name] for name in node.input)
            call = Call(operator, operands, Attributes.of(attributes))
            values[node.output[0]] = reference.apply(call)
        results = (values[each.name] for each in graph.output)
        return tuple(result for result in results if result is not None)


class _OneProcessor(Backend):
    """The common part of both backends."""

    OPERATORS: Sequence[str]
    """The types of nodes."""

    @classmethod
    def operator(cls, op_type: str, opset: int) -> Operator:
        """The operator that a node of this type is in this operator set."""
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


def _nodes(system: System) -> list[tuple[OnnxNode, Operator]]:
    """The operators of a system with the nodes by which ONNX writes them."""
    return [(each.onnx, each) for each in operators() if each.system is system and each.onnx]


class Sonnx(_OneProcessor):
    """The operators of SONNX; a model outside the profile is rejected when it runs."""

    OPERATORS = tuple(node.op_type for node, _ in _nodes(System.SONNX))

    @classmethod
    def operator(cls, op_type: str, opset: int) -> Operator:
        return next(each for node, each in _nodes(System.SONNX) if node.op_type == op_type)


class OnnxMul(_OneProcessor):
    """ONNX Mul, by the version that belongs to the operator set of the model."""

    OPERATORS = ("Mul",)

    @classmethod
    def operator(cls, op_type: str, opset: int) -> Operator:
        versions = [pair for pair in _nodes(System.ONNX) if pair[0].op_type == op_type]
        return next(
            each
            for node, each in versions
            if node.since <= opset and (node.until is None or opset < node.until)
        )


def _plain(attribute: onnx.AttributeProto) -> Any:
    """The value of an attribute, its texts decoded."""
    value = helper.get_attribute_value(attribute)
    match value:
        case bytes():
            return value.decode()
        case [bytes(), *_]:
            return [text.decode() for text in value]
        case _:
            return value


def _opset(model: onnx.ModelProto) -> int:
    """The version of ONNX's operator set that the model imports; the checker has seen one."""
    imports = model.opset_import
    versions = (each.version for each in imports if each.domain in {"", "ai.onnx"})
    return int(next(versions))
