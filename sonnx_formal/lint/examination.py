"""Judges a model node by node."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from sonnx_formal.lint import domain, element_types, shape_rules, signature
from sonnx_formal.lint.errors import one_line
from sonnx_formal.lint.finding import LintVerdict, NodeFinding, gravest
from sonnx_formal.lint.fixed_inputs import FixedInput, with_inputs
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import Application, application

_ADVICE = dict(zip(LintVerdict, ("repair", "decides", "", "remark"), strict=True))


@dataclass(frozen=True, eq=False)
class NodeExamination:
    """A node that is judged, and what was found there."""

    at: Application
    findings: tuple[NodeFinding, ...]

    @property
    def verdict(self) -> LintVerdict:
        """On the node."""
        return gravest(each.verdict for each in self.findings)

    def __str__(self) -> str:
        """The findings in words."""
        node = self.at.node
        where = f"{one_line(node.name)}  ({node.op_type}, opset {node.version})"
        return "".join(
            f"{each.verdict}  {where}\n"
            f"  {one_line(f'{each.requirement}: {each.found}')}\n"
            f"  {one_line(f'{_ADVICE[each.verdict]}: {each.advice}')}\n"
            for each in self.findings
        )


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
    def verdict(self) -> LintVerdict:
        """On the model, which conforms only if each of its nodes was judged and does."""
        unjudged = [LintVerdict.NOT_JUDGED] if self.others or not self.nodes else []
        return gravest([*(each.verdict for each in self.nodes), *unjudged])

    @property
    def conforms(self) -> bool:
        """Whether each node was judged and conforms."""
        return self.verdict is LintVerdict.CONFORMS

    @property
    def coverage(self) -> str:
        """How much of the model the verdict rests on: `27 of 46 nodes judged`."""
        return f"{len(self.nodes)} of {self.total} nodes judged"

    @property
    def unjudged(self) -> str:
        """The operators that are not judged, the most frequent first: `Conv 2, ai.onnx.ml::X 1`."""
        counts = sorted(self.others.items(), key=lambda each: (-each[1], each[0]))
        names = (("::".join(filter(None, operator)), count) for operator, count in counts)
        return one_line(", ".join(f"{name} {count}" for name, count in names))

    @property
    def details(self) -> str:
        """The findings and the notes in words."""
        return "".join(map(str, self.nodes)) + "".join(f"note: {x}\n" for x in self.notes)

    @property
    def conclusion(self) -> str:
        """The verdict in words, and what it does not rest on."""
        outside = "outside the scope of this toolkit, and not judged: "
        verdict = f"{one_line(self.path)}: {self.verdict} ({self.coverage})"
        return f"{outside}{self.unjudged}\n{verdict}" if self.others else verdict

    def __str__(self) -> str:
        """What the command says of the model."""
        return f"{self.details}{self.conclusion}"

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
            others[node.domain, node.op_type] += 1
        else:
            judged.append(NodeExamination(at, tuple(_findings(at))))
    return Examination(path, tuple(judged), dict(sorted(others.items())), tuple(notes))


def _findings(at: Application) -> Iterator[NodeFinding]:
    yield from signature.findings(at)
    if not any(signature.mismatches(at)):
        yield from element_types.findings(at)
        yield from shape_rules.findings(at)
        yield from domain.findings(at)
