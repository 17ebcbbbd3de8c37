"""Our implementations as ONNX's own test runner takes them: backends of `onnx.backend.base`.

`Sonnx` runs models inside the profile of SONNX; `OnnxMul` runs ONNX Mul of any version. Both run
graphs of any number of nodes.

    runner = onnx.backend.test.runner.Runner(Sonnx, __name__)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep

from sonnx_formal.backends.catalogue import apply
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Operator, System

_DOMAINS = {"", "ai.onnx"}


@dataclass(frozen=True)
class _Prepared(BackendRep):
    """A model, ready to run."""

    backend: "type[_OneProcessor]"
    model: onnx.ModelProto

    def run(self, inputs: Sequence[Array] | Mapping[str, Array], **_: Any) -> tuple[Array, ...]:
        """The outputs.

        :param inputs: in the order of the graph, or by name; those without an initializer.
        :raises SpecViolation: when operands of a node violate a requirement.
        """
        graph = self.model.graph
        values: dict[str, Array | None] = {"": None}  # an operand that is left out
        values |= {each.name: np.asarray(numpy_helper.to_array(each)) for each in graph.initializer}
        if not isinstance(inputs, Mapping):
            names = [each.name for each in graph.input if each.name not in values]
            inputs = dict(zip(names, inputs, strict=True))
        values |= inputs
        # The checker has seen one.
        opset = next(each.version for each in self.model.opset_import if each.domain in _DOMAINS)
        for node in graph.node:
            operator = self.backend.operator(node.op_type, opset)
            operands = tuple(values[name] for name in node.input)
            attributes = {each.name: _plain(each) for each in node.attribute}
            values[node.output[0]] = apply(Call(operator, operands, Attributes.of(attributes)))
        results = (values[each.name] for each in graph.output)
        return tuple(result for result in results if result is not None)


class _OneProcessor(Backend):
    """The common part of both backends."""

    OPERATORS: Mapping[str, Mapping[int, Operator]]
    """By the type of node, then by the operator set that the version came with."""

    @classmethod
    def operator(cls, op_type: str, opset: int) -> Operator:
        """The version that is in this operator set, else the oldest one."""
        versions = cls.OPERATORS[op_type]
        since = max((since for since in versions if since <= opset), default=min(versions))
        return versions[since]

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        """Whether each node is one that the backend has."""
        return cls.supports_device(device) and all(
            node.domain in _DOMAINS and node.op_type in cls.OPERATORS for node in model.graph.node
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


def _by_node(system: System) -> dict[str, dict[int, Operator]]:
    found: dict[str, dict[int, Operator]] = {}
    for each in operators():
        if each.system is system and each.onnx:
            found.setdefault(each.onnx.op_type, {})[each.onnx.since] = each
    return found


class Sonnx(_OneProcessor):
    """The operators of SONNX; a model outside the profile is rejected when it runs."""

    OPERATORS = _by_node(System.SONNX)


class OnnxMul(_OneProcessor):
    """ONNX Mul, by the version that belongs to the operator set of the model."""

    OPERATORS = _by_node(System.ONNX)


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
