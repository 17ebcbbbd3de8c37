"""The JSON document of `sonnx-formal network --json`: what came of each node of a model."""

from typing import Self

from sonnx_formal.check.document import CheckedBackend, Verdict
from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.spec.element_types import Array, element_type_of

_RIGHT = {Verdict.PASS, Verdict.WITHIN_BOUND}
_WRONG = {Verdict.DIVERGES, Verdict.CRASHES}


class ValueText(Part, frozen=True):
    """What is known of an input, or of an operand of a node, before its elements."""

    name: str
    element_type: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, name: str, array: Array) -> Self:
        return cls(name, element_type_of(array).name, array.shape)


class NodeAnswer(Part, frozen=True):
    """What an implementation makes of a node."""

    backend: str
    verdict: Verdict
    kinds: tuple[str, ...]
    """In words, what is wrong, or why it is not judged."""


class NodeRow(Part, frozen=True):
    """A node that was come to."""

    node: str
    operator: str
    """With its system: `SONNX Conv`."""
    element_type: str
    operands: tuple[ValueText, ...]
    shape: tuple[int, ...] | None
    """Of the result; None if the definition has none."""
    violated: str | None
    """The id of the requirement that its operands or attributes violate."""
    answers: tuple[NodeAnswer, ...]


class NetworkReport(MadeDocument, frozen=True, tag="sonnx-formal/network/2"):
    """The output of `sonnx-formal network --json`."""

    command = "network MODEL.onnx --json PATH"

    model: str
    model_sha256: Sha256
    inputs: tuple[ValueText, ...]
    backends: tuple[CheckedBackend, ...]
    nodes: tuple[NodeRow, ...]
    """In the order in which they were computed; the last one, if it violates something."""
    of: Count
    """Nodes that the model has, but for constants."""

    @property
    def asked(self) -> tuple[CheckedBackend, ...]:
        """The implementations that are here."""
        return tuple(each for each in self.backends if each.missing is None)

    @property
    def passes(self) -> bool:
        """Whether every node has a result, and nobody who has to pass does anything else."""
        must = {each.name for each in self.asked if each.ours or each.required}
        ours = {each.name for each in self.asked if each.ours}
        answers = [answer for row in self.nodes for answer in row.answers if answer.backend in must]
        return (
            len(self.nodes) == self.of
            and not any(row.violated for row in self.nodes)
            and not any(
                answer.verdict in _WRONG
                or (
                    answer.backend in ours
                    and answer.verdict not in _RIGHT | {Verdict.NOT_SUPPORTED}
                )
                for answer in answers
            )
        )
