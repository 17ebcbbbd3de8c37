"""Our implementations as ONNX's own test runner takes them: backends of `onnx.backend.base`.

`Sonnx` runs models inside the profile of SONNX; `Onnx` runs the operators that are declared of ONNX
itself: Mul of any version, and those that SONNX lacks. Both run graphs of any number of nodes.

    runner = onnx.backend.test.runner.Runner(Sonnx, __name__)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
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
Computed = Callable[[Call, onnx.NodeProto], Array]
"""The result of a call, which is that of a node."""


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

    SYSTEM: System

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        """Whether each node is one that the backend has."""
        known = _by_node(cls.SYSTEM)
        return cls.supports_device(device) and all(
            node.domain in _DOMAINS and node.op_type in known for node in model.graph.node
        )

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> _Prepared:
        """The model, ready to run. Raises `ValueError` where it is not compatible."""
        onnx.checker.check_model(model)
        if not cls.is_compatible(model, device):
            known = ", ".join(_by_node(cls.SYSTEM))
            raise ValueError(f"on the CPU, this runs {known} and nothing else")
        names = [each.name for each in inputs(model)]
        found = _by_node(cls.SYSTEM, opset(model))
        return _Prepared(names, evaluator(model, found, lambda call, _: apply(call)))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


def opset(model: onnx.ModelProto) -> int:
    """The version of ONNX's own operators; of a model that the checker has seen, there is one."""
    versions = (int(each.version) for each in model.opset_import if each.domain in _DOMAINS)
    return next(versions)


def inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Those without an initializer, in the order of the graph."""
    given = {each.name for each in model.graph.initializer}
    return [each for each in model.graph.input if each.name not in given]


def operators_by_node(opset: int) -> dict[str, Operator]:
    """Of each type of node the operator of SONNX, or else that of ONNX in the operator set."""
    return _by_node(System.ONNX, opset) | _by_node(System.SONNX, opset)


def evaluator(
    model: onnx.ModelProto, known: Mapping[str, Operator], computed: Computed
) -> ReferenceEvaluator:
    """ONNX's evaluator of a graph, with these operators computed elsewhere, by types of nodes."""
    ours = [
        _node(name, domain, each, computed) for name, each in known.items() for domain in _DOMAINS
    ]
    return ReferenceEvaluator(model, new_ops=ours)


def _node(op_type: str, domain: str, operator: Operator, computed: Computed) -> type[OpRun]:
    """An operator as ONNX's evaluator takes it, which adds the defaults of the schema."""
    known = {each.name for each in operator.attributes}

    def run(self: OpRun, *operands: Array | np.generic | None, **attributes: Any) -> tuple[Array]:
        arrays = tuple(None if x is None else _array(x) for x in operands)
        known_or_set = known | {each.name for each in self.onnx_node.attribute}
        ours = {name: value for name, value in attributes.items() if name in known_or_set}
        return (computed(Call(operator, arrays, Attributes.of(ours)), self.onnx_node),)

    return type(op_type, (OpRun,), {"op_domain": domain, "_run": run})


def _array(operand: Array | np.generic) -> Array:
    """An operand of ONNX's evaluator, which has elements for rank 0, and objects for texts."""
    array = np.asarray(operand)
    return array.astype(str) if array.dtype == object else array


def _by_node(system: System, opset: int = 0) -> dict[str, Operator]:
    """Of each type of node the version that is in the operator set, else the oldest one."""
    versions = [(each.onnx, each) for each in operators() if each.system is system and each.onnx]
    versions.sort(key=lambda version: version[0].since)
    inside = [(node, each) for node, each in versions if node.since <= opset]
    return {node.op_type: each for node, each in [*reversed(versions), *inside]}


class Sonnx(_OneProcessor):
    """The operators of SONNX. What operands violate is said when the model runs.

    An attribute that is not set has the default of ONNX where the operator has that attribute: that
    the profile asks for it is the linter's to say.
    """

    SYSTEM = System.SONNX


class Onnx(_OneProcessor):
    """The operators of ONNX: Mul by the version that belongs to the operator set of the model.

    The others are of one version each, which later ones extend by element types alone.
    """

    SYSTEM = System.ONNX
