"""Judges a model node by node."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from sonnx_formal.lint import division, elementwise, matmul
from sonnx_formal.lint.finding import Finding, Verdict, worst
from sonnx_formal.lint.fixed_inputs import FixedInput, with_inputs
from sonnx_formal.lint.nodes import Node, find
from sonnx_formal.lint.profile import OPERATORS


@dataclass(frozen=True, eq=False)
class Judged:
    """A Mul, Div or MatMul node, and what was found there."""

    node: Node
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """On the node."""
        return worst(one.verdict for one in self.findings)


@dataclass(frozen=True, eq=False)
class Examination:
    """What there is to say about a model."""

    path: Path
    nodes: tuple[Judged, ...]
    others: Mapping[tuple[str, str], int]
    """How many nodes there are of each other operator, by domain and name."""
    notes: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """On the model."""
        return worst(one.verdict for one in self.nodes)


def examine(model: onnx.ModelProto, path: Path, fixed: Sequence[FixedInput] = ()) -> Examination:
    """Judge each Mul, Div and MatMul node of the default domain.

    :param path: what the model was read from; external data is beside it.

    Raises `ModelError` if types cannot be inferred; `UserError` for inputs that the model has not.
    """
    notes: dict[str, None] = {}
    judged, others = [], Counter[tuple[str, str]]()
    for node in find(with_inputs(model, fixed), path.parent, notes.setdefault):
        if node.domain == "" and node.proto.op_type in OPERATORS:
            judged.append(Judged(node, tuple(_findings(node))))
        else:
            others[node.domain, node.proto.op_type] += 1
    return Examination(path, tuple(judged), dict(sorted(others.items())), tuple(notes))


def _findings(node: Node) -> Iterator[Finding]:
    match node.proto.op_type:
        case "Mul":
            yield from elementwise.findings("SONNX-MUL", node)
        case "Div":
            yield from elementwise.findings("SONNX-DIV", node)
            yield from division.findings(node)
        case _:
            yield from matmul.findings(node)
