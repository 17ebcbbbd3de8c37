"""Judges a model node by node: what there is to say is a document."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import onnx
from msgspec import Meta

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.texts import one_line, printable
from sonnx_formal.lint.judging import findings
from sonnx_formal.lint.model import FixedInput, with_inputs
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import Application, LintVerdict, NodeFinding, application, gravest
from sonnx_formal.lint.values import Value
from sonnx_formal.spec.operator import System
from sonnx_formal.spec.requirements.entries import Kind
from sonnx_formal.spec.requirements.registry import requirement

Positive = Annotated[int, Meta(ge=1)]
_SHOWN = 3
"""Nodes with one cause that are named in words; documents have all."""
_REASONS = {Kind.TYPE: "by element type", Kind.ATTRIBUTE: "by attribute"}
"""Why a node is outside the profile, by the kind of the requirement; other kinds: by shape."""
_ADVICE = dict(zip(LintVerdict, ("repair", "decides", "", "remark"), strict=True))


class ValueEntry(Part, frozen=True):
    """An operand or a result; null is what is unknown.

    A shape has numbers and symbols. A constant has the same elements in every run.
    """

    name: str
    element_type: str | None
    shape: tuple[Count | str | None, ...] | None
    sparse: bool
    constant: bool


class JudgedNode(Part, frozen=True):
    """A node of a declared operator; those of a function are there once a call.

    The path has the node and the attribute of each inner graph, the call and the function.
    """

    node: str
    path: tuple[str, ...]
    operator: str
    system: System
    """Whose document it was judged by: ONNX's, where SONNX has none."""
    opset: Positive
    since: Positive
    inputs: tuple[ValueEntry, ...]
    outputs: tuple[ValueEntry, ...]
    verdict: LintVerdict
    findings: tuple[NodeFinding, ...]

    @property
    def name(self) -> str:
        return self.node.removeprefix("".join(f"{part}/" for part in self.path))


class UnjudgedOperator(Part, frozen=True):
    """An operator that no declaration is about; the domain of ONNX's own is empty."""

    domain: str
    operator: str
    count: Positive

    def __str__(self) -> str:
        return f"{self.domain}{'::' if self.domain else ''}{self.operator} {self.count}"


class Equivalence(Part, frozen=True):
    """On how many runs the models gave the same values."""

    runs: Count
    values: Count
    """How many values, of nodes of the main graph, were compared in each run."""
    not_run: Count
    """Operands that neither model takes."""


class FixEntry(Part, frozen=True):
    """What `--fix` wrote: the nodes that are broadcast explicitly now, the verdict on the rest."""

    output: str
    explicit: tuple[str, ...]
    equivalence: Equivalence
    verdict: LintVerdict


class Examination(Document, frozen=True, tag="sonnx-formal/lint/3"):
    """The output of `sonnx-formal lint --json`: of `total` nodes, `judged` were judged."""

    command = "lint MODEL.onnx --json PATH"
    model: str
    verdict: LintVerdict
    """On the model, which conforms only if each of its nodes was judged and does."""
    judged: Count
    total: Count
    """How many nodes the model has, those of functions once a call."""
    nodes: tuple[JudgedNode, ...]
    others: tuple[UnjudgedOperator, ...]
    notes: tuple[str, ...]
    fix: FixEntry | None = None

    @property
    def conforms(self) -> bool:
        """Whether each node was judged and conforms."""
        return self.verdict is LintVerdict.CONFORMS

    @property
    def coverage(self) -> str:
        """How much of the model the verdict rests on: `27 of 46 nodes judged`."""
        return f"{self.judged} of {self.total} nodes judged"

    @property
    def unjudged(self) -> str:
        """The operators that are not judged, the most frequent first: `Conv 2, ai.onnx.ml::X 1`."""
        others = sorted(self.others, key=lambda each: -each.count)
        return one_line(", ".join(map(str, others)))

    @property
    def share(self) -> str:
        """How much of the model is inside the profile, and why the rest is not.

        `inside the profile: 5 of 20 nodes (25 %); outside by operator: Conv 12; by element type:
        Add 3`. What cannot be decided counts as outside, under the first requirement that is open.
        """
        inside = sum(node.verdict is LintVerdict.CONFORMS for node in self.nodes)
        reasons: dict[str, Counter[str]] = {}
        for node in self.nodes:
            if node.verdict is not LintVerdict.CONFORMS:
                first = next(each for each in node.findings if each.verdict is node.verdict)
                kind = requirement(first.requirement).kind
                reason = _REASONS.get(kind, "by shape or another constraint")
                reasons.setdefault(reason, Counter())[node.operator] += 1
        rest = [f"by operator: {self.unjudged}"] if self.others else []
        for reason in sorted(reasons):
            named = ", ".join(f"{name} {n}" for name, n in reasons[reason].most_common())
            rest.append(f"{reason}: {named}")
        percent = f" ({100 * inside // self.total} %)" if self.total else ""
        outside = f"; outside {'; '.join(rest)}" if rest else ""
        return f"inside the profile: {inside} of {self.total} nodes{percent}{outside}"

    @property
    def details(self) -> str:
        return causes([self])

    @property
    def conclusion(self) -> str:
        verdict = f"{one_line(self.model)}: {self.verdict} ({self.coverage})"
        share = "" if self.conforms else one_line(self.share)
        return "\n".join(filter(None, (share, of_onnx([self]), verdict)))

    def __str__(self) -> str:
        return f"{self.details}{self.conclusion}"

    def __repr__(self) -> str:
        return f"<{one_line(self.model)}: {self.verdict}, {self.coverage}>"


class Examinations(Document, frozen=True, tag="sonnx-formal/lint-models/1"):
    """The output of `sonnx-formal lint --json` for several models, or for a folder."""

    command = "lint MODELS --json PATH"
    verdict: LintVerdict
    """The gravest of those on the models."""
    models: tuple[Examination, ...]
    unreadable: tuple[str, ...]
    """Why the other files are no models that can be examined."""


_Found = tuple[str, JudgedNode, NodeFinding]
"""A finding, and where: by the name of the node, with its model if there are several."""


def of_onnx(examinations: Sequence[Examination]) -> str:
    """Which nodes were judged by documents of ONNX's; empty without any."""
    nodes = (node for each in examinations for node in each.nodes)
    counts = Counter(node.operator for node in nodes if node.system is System.ONNX)
    named = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    return f"by ONNX's own documents, for SONNX has none: {named}" if named else ""


def causes(examinations: Sequence[Examination]) -> str:
    """The findings in words: those with one cause together, whichever nodes and models have it."""
    several = len(examinations) > 1
    found = [
        (f"{each.model}: {node.node}" if several else node.node, node, finding)
        for each in examinations
        for node in each.nodes
        for finding in node.findings
    ]
    of_each = grouped(
        found, lambda each: (each[1].operator, each[1].opset, each[2].requirement, each[2].advice)
    )
    notes = [
        f"note: {f'{one_line(each.model)}: ' if several else ''}{note}\n"
        for each in examinations
        for note in each.notes
    ]
    return "".join([*map(_told, grouped(of_each.values(), _alike).values()), *notes])


def _places(cause: Sequence[_Found]) -> list[str]:
    return [*dict.fromkeys(place for place, _, _ in cause)]


def _alike(cause: Sequence[_Found]) -> tuple[object, ...]:
    """The nodes with a cause, and what can be done about it."""
    _, node, first = cause[0]
    return *_places(cause), node.operator, node.opset, first.verdict, first.advice


def _told(causes: Sequence[Sequence[_Found]]) -> str:
    """Those of the same nodes: an operand of unknown shape leaves many requirements open."""
    places = _places(causes[0])
    _, node, first = causes[0][0]
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    named = f"{len(places)} nodes: {', '.join(places[:_SHOWN])}{more}" if places[1:] else places[0]
    where = "at the first of them, " if places[1:] else ""
    lines = [
        f"{finding.requirement}: {where}{finding.found}"
        for cause in causes
        for _, _, finding in (cause[:1] if places[1:] else cause)
    ]
    lines.append(f"{_ADVICE[first.verdict]}: {first.advice}")
    heading = f"{first.verdict}  {one_line(named)}  ({node.operator}, opset {node.opset})\n"
    return heading + "".join(f"  {one_line(line)}\n" for line in lines)


def examine(model: onnx.ModelProto, path: Path, fixed: Sequence[FixedInput] = ()) -> Examination:
    """Judge each node of the default domain whose operator SONNX has or, where it has none, ONNX.

    :param path: what the model was read from; external data is beside it.
    :raises ModelError: if types cannot be inferred.
    :raises UserError: for inputs that the model has not.
    """
    notes: list[str] = []
    nodes, others = [], Counter[tuple[str, str]]()
    for node in find(with_inputs(model, fixed), path.parent, notes):
        at = application(node)
        if at is None:
            others[node.domain, node.proto.op_type] += 1
        else:
            nodes.append(_judged(at))
    unjudged = [LintVerdict.NOT_JUDGED] if others or not nodes else []
    return Examination(
        model=printable(str(path)),
        verdict=gravest([*(each.verdict for each in nodes), *unjudged]),
        judged=len(nodes),
        total=len(nodes) + others.total(),
        nodes=tuple(nodes),
        others=tuple(UnjudgedOperator(*key, count) for key, count in sorted(others.items())),
        notes=tuple(dict.fromkeys(notes)),
    )


def _judged(at: Application) -> JudgedNode:
    node, found = at.node, tuple(findings(at))
    return JudgedNode(
        node=node.name,
        path=node.path,
        operator=node.proto.op_type,
        system=at.operator.system,
        opset=node.version,
        since=at.schema.since_version,
        inputs=tuple(map(_entry, node.inputs)),
        outputs=tuple(map(_entry, node.outputs)),
        verdict=gravest(each.verdict for each in found),
        findings=found,
    )


def _entry(value: Value) -> ValueEntry:
    constant = value.constant is not None
    return ValueEntry(value.name, value.element_type, value.shape, value.sparse, constant)
