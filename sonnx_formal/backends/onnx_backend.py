"""Our implementations as ONNX's own test runner takes them: backends of `onnx.backend.base`.

`Sonnx` runs models inside the profile of SONNX; `OnnxMul` runs ONNX Mul of any version. Both run
graphs of any number of nodes.

    runner = onnx.backend.test.runner.Runner(Sonnx, __name__)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx.backend.base import Backend, BackendRep
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

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

    names: Sequence[str]
    """Of the inputs, without those that have an initializer."""
    evaluator: ReferenceEvaluator

    def run(self, inputs: Sequence[Array] | Mapping[str, Array], **_: Any) -> tuple[Array, ...]:
        """The outputs.

        :param inputs: in the order of the graph, or by name; those without an initializer.
        :raises SpecViolation: when operands of a node violate a requirement.
        """
        if not isinstance(inputs, Mapping):
            inputs = dict(zip(self.names, inputs, strict=True))
        return tuple(self.evaluator.run(None, dict(inputs)))


class _OneProcessor(Backend):
    """The common part of both backends."""

    OPERATORS: Mapping[str, Mapping[int, Operator]]
    """By the type of node, then by the operator set that the version came with."""

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
        # The checker has seen one.
        opset = next(each.version for each in model.opset_import if each.domain in _DOMAINS)
        ours = [
            _node(op_type, domain, versions, opset)
            for op_type, versions in cls.OPERATORS.items()
            for domain in _DOMAINS
        ]
        given = {each.name for each in model.graph.initializer}
        names = [each.name for each in model.graph.input if each.name not in given]
        return _Prepared(names, ReferenceEvaluator(model, new_ops=ours))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


def _node(op_type: str, domain: str, versions: Mapping[int, Operator], opset: int) -> type[OpRun]:
    """An operator as ONNX's evaluator takes it: of the operator set, else the oldest version."""
    since = max((since for since in versions if since <= opset), default=min(versions))

    def run(_self: OpRun, *operands: Array | None, **attributes: Any) -> tuple[Array]:
        return (apply(Call(versions[since], operands, Attributes.of(attributes))),)

    return type(op_type, (OpRun,), {"op_domain": domain, "_run": run})


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
