"""Judges a model node by node."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from sonnx_formal.lint import domain, element_types, shape_rules, signature
from sonnx_formal.lint.errors import one_line
from sonnx_formal.lint.finding import Conformance, NodeFinding, gravest
from sonnx_formal.lint.fixed_inputs import FixedInput, with_inputs
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import Application, application

_ADVICE = {
    Conformance.CONFORMS: "remark",
    Conformance.VIOLATES: "repair",
    Conformance.UNDECIDED: "decides",
}


@dataclass(frozen=True, eq=False)
class NodeExamination:
    """A node that is judged, and what was found there."""

    at: Application
    findings: tuple[NodeFinding, ...]

    @property
    def name(self) -> str:
        """Of the node, with what it is in."""
        return self.at.node.name

    @property
    def op_type(self) -> str:
        """What ONNX calls the operator."""
        return self.at.node.proto.op_type

    @property
    def verdict(self) -> Conformance:
        """On the node."""
        return gravest(each.verdict for each in self.findings)

    def lines(self) -> Iterator[tuple[Conformance, str, str]]:
        """The verdict of each finding, the node, and what was found."""
        where = f"{one_line(self.name)}  ({self.op_type}, opset {self.at.node.version})"
        for each in self.findings:
            found = one_line(f"{each.requirement}: {each.found}")
            advice = one_line(f"{_ADVICE[each.verdict]}: {each.advice}")
            yield each.verdict, where, f"  {found}\n  {advice}"


@dataclass(frozen=True, eq=False, repr=False)
class Examination:
    """What there is to say about a model."""

    path: Path
    nodes: tuple[NodeExamination, ...]
    others: Mapping[tuple[str, str], int]
    """How many nodes there are of each operator that is not judged, by domain and name."""
    notes: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many nodes the model has, those of functions once a call."""
        return len(self.nodes) + sum(self.others.values())

    @property
    def verdict(self) -> Conformance:
        """On the model, which conforms only if each of its nodes was judged and does."""
        unjudged = [Conformance.NOT_JUDGED] if self.others or not self.nodes else []
        return gravest([*(each.verdict for each in self.nodes), *unjudged])

    @property
    def conforms(self) -> bool:
        """Whether each node was judged and conforms."""
        return self.verdict is Conformance.CONFORMS

    @property
    def coverage(self) -> str:
        """How much of the model the verdict rests on: `27 of 46 nodes judged`."""
        return f"{len(self.nodes)} of {self.total} nodes judged"

    @property
    def unjudged(self) -> str:
        """The operators that are not judged, the most frequent first: `Conv 2, ai.onnx.ml::X 1`."""
        counts = sorted(self.others.items(), key=lambda each: (-each[1], each[0]))
        return one_line(
            ", ".join(
                f"{domain}::{operator} {count}" if domain else f"{operator} {count}"
                for (domain, operator), count in counts
            )
        )

    def __str__(self) -> str:
        """What the command says of the model."""
        found = [
            f"{verdict}  {where}\n{what}"
            for each in self.nodes
            for verdict, where, what in each.lines()
        ]
        outside = [f"not judged: {self.unjudged}"] if self.others else []
        notes = [f"note: {one_line(note)}" for note in self.notes]
        verdict = f"{one_line(self.path)}: {self.verdict} ({self.coverage})"
        return "\n".join([*found, *notes, *outside, verdict])

    def __repr__(self) -> str:
        return f"<{one_line(self.path)}: {self.verdict}, {self.coverage}>"


def examine(model: onnx.ModelProto, path: Path, fixed: Sequence[FixedInput] = ()) -> Examination:
    """Judge each node of the default domain whose operator SONNX declares.

    :param path: what the model was read from; external data is beside it.

    Raises `ModelError` if types cannot be inferred; `UserError` for inputs that the model has not.
    """
    notes: dict[str, None] = {}
    judged, others = [], Counter[tuple[str, str]]()
    for node in find(with_inputs(model, fixed), path.parent, notes.setdefault):
        at = application(node)
        if at is None:
            others[node.domain, node.proto.op_type] += 1
        else:
            judged.append(NodeExamination(at, tuple(_findings(at))))
    return Examination(path, tuple(judged), dict(sorted(others.items())), tuple(notes))


def _findings(at: Application) -> Iterator[NodeFinding]:
    yield from signature.findings(at)
    if not any(signature.mismatches(at)):
        yield from element_types.findings(at)
        yield from shape_rules.findings(at)
        yield from domain.findings(at)
