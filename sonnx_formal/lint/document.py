"""An examination as a JSON document."""

from typing import Annotated, Literal

from msgspec import Meta

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.lint.equivalence import Equivalence
from sonnx_formal.lint.examination import Examination, NodeExamination
from sonnx_formal.lint.finding import Conformance, NodeFinding
from sonnx_formal.lint.fix import Fix
from sonnx_formal.lint.operand import Operand

Positive = Annotated[int, Meta(ge=1)]
NodeVerdict = Literal[Conformance.CONFORMS, Conformance.VIOLATES, Conformance.UNDECIDED]


class OperandEntry(Part, frozen=True):
    """An operand or a result."""

    name: str
    element_type: str | None
    """null if it is unknown."""
    shape: tuple[Count | str | None, ...] | None
    """Numbers, symbols, and null for what is unknown."""
    sparse: bool
    constant: bool
    """Whether it has the same elements in every run."""


class NodeEntry(Part, frozen=True):
    """A node of a declared operator; those of a function are there once a call."""

    node: str
    """Path and name."""
    path: tuple[str, ...]
    """Node and attribute of each inner graph, call and function."""
    operator: str
    opset: Positive
    since: Positive
    """The version of the operator."""
    inputs: tuple[OperandEntry, ...]
    outputs: tuple[OperandEntry, ...]
    verdict: Conformance
    findings: tuple[NodeFinding, ...]


class UnjudgedOperator(Part, frozen=True):
    """An operator that no declaration is about."""

    domain: str
    """Empty for ONNX's own."""
    operator: str
    count: Positive


class FixEntry(Part, frozen=True):
    """What `--fix` wrote."""

    output: str
    explicit: tuple[str, ...]
    """Nodes that are broadcast explicitly now."""
    equivalence: Equivalence
    verdict: Conformance
    """On the model that was written."""


class LintDocument(Document, frozen=True, tag="sonnx-formal/lint/2"):
    """The output of `sonnx-formal lint --json`."""

    command = "lint MODEL.onnx --json PATH"
    model: str
    """The path as it was given."""
    verdict: Conformance
    judged: Count
    """How many nodes were judged, …"""
    total: Count
    """… of how many."""
    nodes: tuple[NodeEntry, ...]
    others: tuple[UnjudgedOperator, ...]
    notes: tuple[str, ...]
    fix: FixEntry | None


def lint_document(examination: Examination, fix: Fix | None) -> LintDocument:
    """The examination, and what was written, if anything was."""
    return LintDocument(
        model=str(examination.path),
        verdict=examination.verdict,
        judged=len(examination.nodes),
        total=examination.total,
        nodes=tuple(map(_node, examination.nodes)),
        others=tuple(UnjudgedOperator(*key, count) for key, count in examination.others.items()),
        notes=examination.notes,
        fix=FixEntry(str(fix.output), fix.explicit, fix.equivalence, fix.after.verdict)
        if fix
        else None,
    )


def _node(judged: NodeExamination) -> NodeEntry:
    node = judged.at.node
    return NodeEntry(
        node=node.name,
        path=node.path,
        operator=judged.op_type,
        opset=node.version,
        since=judged.at.schema.since_version,
        inputs=tuple(map(_operand, node.inputs)),
        outputs=tuple(map(_operand, node.outputs)),
        verdict=judged.verdict,
        findings=judged.findings,
    )


def _operand(operand: Operand) -> OperandEntry:
    constant = operand.constant is not None
    return OperandEntry(operand.name, operand.element_type, operand.shape, operand.sparse, constant)
