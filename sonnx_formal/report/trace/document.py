"""The document that `trace --json` writes, and how it is shown: as a table, and as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import field
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import say
from sonnx_formal.core.texts import counted, csv_cell
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.spec.requirements.entries import Kind, LeftOut, Level, Sketch, Status, ids_in


class Proof(StrEnum):
    """The lower part of a requirement's ladder: what is known of the weakest of its goals."""

    PLANNED = "planned"
    UNPROVED = "unproved"
    CONDITIONAL = "proved, but rests on what is not"
    ONE_FAMILY = "proved by one family"
    TWO_FAMILIES = "proved by two families"


class TraceRule(StrEnum):
    """What can be wrong with a trace."""

    UNPROVED = "a formalised requirement, or a finding, without proof"
    CONDITIONAL = "a proof that rests on what is not proved"
    MISSING_GOAL = "a link to a goal that does not exist"
    UNLINKED_GOAL = "goals that Why3 explains with a requirement that does not link them"
    ORPHAN_GOAL = "an operator-level goal that serves no requirement"
    STALE_SCAFFOLDING = "an exemption that fits no goal"
    NO_VECTOR = "a formalised requirement without a passing vector"
    MISSING_VECTOR = "a link to a class of vectors that has none for it"
    UNEXPECTED_VECTOR = "vectors where the registry says that there can be none"
    MISSING_TEST = "a link to a test that does not exist"
    NO_LONGER_PLANNED = "a planned requirement with goals or vectors"
    UNKNOWN_ID = "an id that is not in the registry"
    MISSING_FILE = "a file that an operator needs and that does not exist"


class State(StrEnum):
    """What a trace comes to."""

    WHOLE = "whole"
    """Each formalised requirement has its proofs and passing vectors, and no rule is broken."""
    INCOMPLETE = "incomplete"
    """No rule is broken, but some evidence was not given: that is no pass."""
    BROKEN = "broken"


class DocumentLine(Part, frozen=True):
    """A source document."""

    id: str
    title: str
    text_sha256: Sha256
    """Of the text that the requirements were taken from, which says which edition that was."""


class GoalLink(Part, frozen=True):
    """A goal of the library that serves a requirement or shows a finding."""

    id: str
    """`file.mlw:Module.goal.k`."""
    explanation: str
    families: tuple[str, ...]
    """Families of provers with a proof of this very text; none unless the goal is proved."""
    rests_on: str | None = None
    """The first goal that is not proved, of those that a proof of this one takes as true."""

    @property
    def symbol(self) -> str:
        """`file.mlw:Module.goal`: all pieces of a goal have it."""
        return self.id.rpartition(".")[0]

    @property
    def explained_by(self) -> set[str]:
        return ids_in(self.explanation)


class VectorCount(Part, frozen=True):
    """How many test vectors of a class exercise a requirement."""

    name: str = field(name="class")
    cases: Count


class Confirmation(Part, frozen=True):
    """An implementation that passes on vectors of a requirement."""

    implementation: str
    combinations: Count
    """Pairs of operator and element type on which it passes."""
    of: Count
    """Pairs that have vectors of the requirement."""

    @property
    def complete(self) -> bool:
        return self.combinations == self.of

    def __str__(self) -> str:
        return f"{self.implementation} {self.combinations}/{self.of}"


class RequirementLine(Part, frozen=True):
    """One requirement, what serves it, and how far it is."""

    id: str
    document: str
    section: str
    kind: Kind
    text: str
    status: Status
    levels: tuple[Level, ...]
    departs: tuple[Level, ...]
    """Where the definition decides against the text, as one of the findings says."""
    precondition: bool
    proof: Proof
    ladder: tuple[str, ...]
    """The rungs that it has reached, from the lowest."""
    goals: tuple[GoalLink, ...]
    vectors: tuple[VectorCount, ...]
    no_vector: str | None
    """Why no vector can exercise it."""
    confirmed_by: tuple[Confirmation, ...]
    tests: tuple[str, ...]
    findings: tuple[str, ...]
    """Ids of the findings about it."""
    gaps: tuple[str, ...]
    """What an assessor should know before anything else, in words."""

    @property
    def claim(self) -> str:
        """The status in words, with what it holds of."""
        departs = f"; departs from the text over {', '.join(self.departs)}" if self.departs else ""
        return self.status + departs

    @property
    def planned(self) -> bool:
        return self.status is Status.PLANNED

    @property
    def confirmations(self) -> int:
        """On how many implementations all its vectors pass, of every element type."""
        return sum(each.complete for each in self.confirmed_by)

    @property
    def cases(self) -> int:
        return sum(count.cases for count in self.vectors)

    @property
    def two_families(self) -> int:
        return sum(len(goal.families) > 1 for goal in self.goals)


class FindingLine(Part, frozen=True):
    """One finding about a source document, and the goals that show it."""

    id: str
    document: str
    section: str
    title: str
    readings: tuple[str, str]
    requirements: tuple[str, ...]
    proof: Proof | None
    """None where no goal shows it."""
    goals: tuple[GoalLink, ...]
    sketch: Sketch | None
    not_shown: str | None
    """Why there is no theorem."""
    decision: str
    proposal: str


class LawOverLine(Part, frozen=True):
    """Whether a law holds over numbers of some kind, and the goals that show it."""

    levels: tuple[Level, ...]
    holds: bool
    proof: Proof
    goals: tuple[GoalLink, ...]
    remark: str


class LawLine(Part, frozen=True):
    """A law that one might expect of an operator."""

    operator: str
    statement: str
    over: tuple[LawOverLine, ...]

    def at(self, level: Level) -> LawOverLine | None:
        """What is known of it over these numbers, if anything."""
        return next((each for each in self.over if level in each.levels), None)


class TraceFault(Part, frozen=True):
    """A rule that is broken."""

    rule: TraceRule
    subject: str
    """The id or symbol that it is about."""
    message: str
    """What is wrong, and the way out."""


class Trace(MadeDocument, frozen=True, tag="sonnx-formal/trace/4"):
    """The output of `sonnx-formal trace --json`."""

    command = "trace --json PATH"

    state: State
    not_given: tuple[str, ...]
    """Evidence that was not there: vectors, cross-check, tests."""
    documents: tuple[DocumentLine, ...]
    requirements: tuple[RequirementLine, ...]
    findings: tuple[FindingLine, ...]
    laws: tuple[LawLine, ...]
    left_out: tuple[LeftOut, ...]
    errors: tuple[TraceFault, ...]


_STYLES = {
    Proof.PLANNED: "dim",
    Proof.UNPROVED: "red",
    Proof.CONDITIONAL: "red",
    Proof.ONE_FAMILY: "yellow",
    Proof.TWO_FAMILIES: "green",
}
COLUMNS = (
    "id", "document", "section", "kind", "levels", "status", "text", "proof", "ladder", "goals",
    "goals proved by two families", "vectors", "confirmed by", "tests", "findings", "gaps",
    "errors",
)  # fmt: skip


def print_summary(console: Console, trace: Trace) -> None:
    """The gaps first, then the table, the findings, and what is wrong."""
    say(console, "Gaps", *_gaps(trace), "")
    console.print(_table(trace))
    shown = sum(line.proof is not None for line in trace.findings)
    found = f"{counted(len(trace.findings), 'finding')} about the source documents"
    say(console, f"\n{found}, {shown} of them shown by goals")
    for error in trace.errors:
        subject = Text(f"{error.subject}: {error.rule}", "red")
        console.print(subject + Text(f": {error.message}"), soft_wrap=True)
    say(console, _last_line(trace))


def as_csv(trace: Trace | None) -> str:
    """A row for each requirement; what a spreadsheet takes for a formula gets an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for line in trace.requirements if trace else ():
        cells = _cells(line, trace.errors if trace else ())
        writer.writerow(map(csv_cell, cells))
    return text.getvalue()


def _cells(line: RequirementLine, errors: Iterable[TraceFault]) -> tuple[str, ...]:
    return (
        line.id,
        line.document,
        line.section,
        line.kind,
        "\n".join(line.levels),
        line.claim,
        line.text,
        line.proof,
        "\n".join(line.ladder),
        "\n".join(dict.fromkeys(goal.symbol for goal in line.goals)),
        f"{line.two_families} of {len(line.goals)}",
        "\n".join(f"{count.name}: {count.cases}" for count in line.vectors),
        "\n".join(map(str, line.confirmed_by)),
        "\n".join(line.tests),
        "\n".join(line.findings),
        "\n".join(line.gaps),
        "\n".join(f"{each.rule}: {each.message}" for each in errors if each.subject == line.id),
    )


def _gaps(trace: Trace) -> Iterator[str]:
    for name in trace.not_given:
        yield f"  no {name} given: nothing is taken for it"
    every = ((gap, line.document) for line in trace.requirements for gap in line.gaps)
    single = "some goals proved by one family of provers only"
    for gap, found in grouped(every, lambda x: single if "one family" in x[0] else x[0]).items():
        names = ", ".join(dict.fromkeys(document for _, document in found))
        yield f"  {counted(len(found), 'requirement')} of {names}: {gap}"


def _table(trace: Trace) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("requirement", "proof"):
        table.add_column(name, no_wrap=True)
    for name in ("goals", "by two", "cases"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("vectors pass on", overflow="fold")
    for line in trace.requirements:
        confirmed = (each.implementation if each.complete else each for each in line.confirmed_by)
        proof = Text(line.proof, _STYLES[line.proof])
        counts = len(line.goals), line.two_families, line.cases
        table.add_row(line.id, proof, *map(str, counts), Text(", ".join(map(str, confirmed))))
    return table


def _last_line(trace: Trace) -> str:
    counts = Counter(line.proof for line in trace.requirements)
    parts = [f"{counts[proof]} {proof}" for proof in reversed(Proof) if counts[proof]]
    total = f"{counted(len(trace.requirements), 'requirement')}: {', '.join(parts)}"
    match trace.state:
        case State.WHOLE:
            ending = "the trace is whole"
        case State.INCOMPLETE:
            ending = f"the trace is incomplete: not given: {', '.join(trace.not_given)}"
        case State.BROKEN:
            ending = f"the trace is broken: {counted(len(trace.errors), 'error')}"
    return f"{total}; {ending}"
