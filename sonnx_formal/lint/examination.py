"""Judges a model node by node: what there is to say is a document."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
from sonnx_formal.lint.profile import (
    Application,
    LintVerdict,
    NodeFinding,
    Reason,
    application,
    gravest,
)
from sonnx_formal.lint.values import Value
from sonnx_formal.spec.operator import System

Positive = Annotated[int, Meta(ge=1)]
_SHOWN = 3
"""Nodes with one cause that are named in words; documents have all."""
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


class OutsideEntry(Part, frozen=True):
    """Nodes of an operator that are not inside the profile, for one reason."""

    reason: Reason
    """That of the first finding that has the verdict."""
    verdict: LintVerdict
    """Whether they violate something, cannot be decided, or were not judged."""
    domain: str
    operator: str
    count: Positive

    def __str__(self) -> str:
        return str(UnjudgedOperator(self.domain, self.operator, self.count))


class ProfileShare(Part, frozen=True):
    """How many nodes are inside the profile, and why the others are not."""

    inside: Count
    total: Count
    outside: tuple[OutsideEntry, ...]
    """By the verdict, then by the reason, the most frequent operator first."""

    @property
    def percent(self) -> str:
        """Rounded down, so that 100 % is all of them; empty without a node."""
        return f"{100 * self.inside // self.total} %" if self.total else ""

    def __str__(self) -> str:
        """In words: `inside the profile: 5 of 20 nodes (25 %); outside by operator: Conv 15`."""
        of_each = grouped(self.outside, lambda each: (each.verdict, each.reason))
        rest, before = [], ""
        for (verdict, reason), entries in of_each.items():
            start = "not decided by" if verdict is LintVerdict.UNDECIDED else "outside by"
            named = ", ".join(map(str, entries))
            rest.append(f"{start if start != before else 'by'} {reason}: {named}")
            before = start
        percent = f" ({self.percent})" if self.percent else ""
        whole = f"inside the profile: {self.inside} of {self.total} nodes{percent}"
        return one_line("; ".join([whole, *rest]))


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


class Examination(Document, frozen=True, tag="sonnx-formal/lint/4"):
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
    share: ProfileShare
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
    def details(self) -> str:
        return causes([self])

    @property
    def conclusion(self) -> str:
        verdict = f"{one_line(self.model)}: {self.verdict} ({self.coverage})"
        share = "" if self.conforms else str(self.share)
        return "\n".join(filter(None, (share, of_onnx([self]), verdict)))

    def __str__(self) -> str:
        return f"{self.details}{self.conclusion}"

    def __repr__(self) -> str:
        return f"<{one_line(self.model)}: {self.verdict}, {self.coverage}>"


class Examinations(Document, frozen=True, tag="sonnx-formal/lint-models/2"):
    """The output of `sonnx-formal lint --json` for several models, or for a folder."""

    command = "lint MODELS --json PATH"
    verdict: LintVerdict
    """The gravest of those on the models."""
    models: tuple[Examination, ...]
    share: ProfileShare
    """Of all nodes of the models together."""
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
    unknown = tuple(UnjudgedOperator(*key, count) for key, count in sorted(others.items()))
    return Examination(
        model=printable(str(path)),
        verdict=gravest([*(each.verdict for each in nodes), *unjudged]),
        judged=len(nodes),
        total=len(nodes) + others.total(),
        nodes=tuple(nodes),
        others=unknown,
        share=_share(nodes, unknown),
        notes=tuple(dict.fromkeys(notes)),
    )


def _share(nodes: Sequence[JudgedNode], others: Iterable[UnjudgedOperator]) -> ProfileShare:
    counts = Counter[_Outside]()
    for node in nodes:
        if node.verdict is not LintVerdict.CONFORMS:
            first = next(each for each in node.findings if each.verdict is node.verdict)
            counts[first.reason, node.verdict, "", node.operator] += 1
    inside = len(nodes) - counts.total()
    for each in others:
        counts[Reason.OPERATOR, LintVerdict.NOT_JUDGED, each.domain, each.operator] += each.count
    return ProfileShare(inside, inside + counts.total(), _ordered(counts))


def share_of_all(models: Sequence[Examination]) -> ProfileShare:
    """The share of several models, node by node: a large model counts more than a small one."""
    counts = Counter[_Outside]()
    for each in (entry for model in models for entry in model.share.outside):
        counts[each.reason, each.verdict, each.domain, each.operator] += each.count
    inside = sum(each.share.inside for each in models)
    return ProfileShare(inside, inside + counts.total(), _ordered(counts))


_Outside = tuple[Reason, LintVerdict, str, str]
"""Why, with which verdict, and the operator with its domain."""


def _ordered(counts: Counter[_Outside]) -> tuple[OutsideEntry, ...]:
    """Those that are not judged first; then what violates, and what is open at last."""
    reasons = [*Reason]
    verdicts = [LintVerdict.NOT_JUDGED, LintVerdict.VIOLATES, LintVerdict.UNDECIDED]
    entries = [OutsideEntry(*key, count) for key, count in counts.items()]
    return tuple(
        sorted(
            entries,
            key=lambda each: (
                verdicts.index(each.verdict),
                reasons.index(each.reason),
                -each.count,
                each.domain,
                each.operator,
            ),
        )
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
