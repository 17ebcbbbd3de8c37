"""An examination as a JSON document."""

from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.lint.equivalence import Equivalence
from sonnx_formal.lint.examination import Examination, NodeExamination
from sonnx_formal.lint.finding import LintVerdict, NodeFinding
from sonnx_formal.lint.fix import Fix
from sonnx_formal.lint.values import Value

Positive = Annotated[int, Meta(ge=1)]


class ValueEntry(Part, frozen=True):
    """An operand or a result; null is what is unknown.

    A shape has numbers and symbols. A constant has the same elements in every run.
    """

    name: str
    element_type: str | None
    shape: tuple[Count | str | None, ...] | None
    sparse: bool
    constant: bool


class NodeEntry(Part, frozen=True):
    """A node of a declared operator; those of a function are there once a call.

    The path has the node and the attribute of each inner graph, the call and the function.
    """

    node: str
    path: tuple[str, ...]
    operator: str
    opset: Positive
    since: Positive
    inputs: tuple[ValueEntry, ...]
    outputs: tuple[ValueEntry, ...]
    verdict: LintVerdict
    findings: tuple[NodeFinding, ...]


class UnjudgedOperator(Part, frozen=True):
    """An operator that no declaration is about; the domain of ONNX's own is empty."""

    domain: str
    operator: str
    count: Positive


class FixEntry(Part, frozen=True):
    """What `--fix` wrote: the nodes that are broadcast explicitly now, the verdict on the rest."""

    output: str
    explicit: tuple[str, ...]
    equivalence: Equivalence
    verdict: LintVerdict


class LintDocument(Document, frozen=True, tag="sonnx-formal/lint/2"):
    """The output of `sonnx-formal lint --json`: of `total` nodes, `judged` were judged."""

    command = "lint MODEL.onnx --json PATH"
    model: str
    verdict: LintVerdict
    judged: Count
    total: Count
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
        fix=_fix(fix) if fix else None,
    )


def _fix(fix: Fix) -> FixEntry:
    return FixEntry(str(fix.output), fix.explicit, fix.equivalence, fix.after.verdict)


def _node(judged: NodeExamination) -> NodeEntry:
    node = judged.at.node
    return NodeEntry(
        node=node.name,
        path=node.path,
        operator=node.op_type,
        opset=node.version,
        since=judged.at.schema.since_version,
        inputs=tuple(map(_operand, node.inputs)),
        outputs=tuple(map(_operand, node.outputs)),
        verdict=judged.verdict,
        findings=judged.findings,
    )


def _operand(operand: Value) -> ValueEntry:
    constant = operand.constant is not None
    return ValueEntry(operand.name, operand.element_type, operand.shape, operand.sparse, constant)
