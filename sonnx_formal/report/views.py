"""What the templates show: the evidence arranged, nothing added to it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report import inputs, whyml_text
from sonnx_formal.report.accuracy import Accuracy, accuracy
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.mathematics import mathematics
from sonnx_formal.report.pages import Page, owner
from sonnx_formal.report.trace.document import DocumentLine, RequirementLine

_TWO = 2
_CHARTED = 30
"""Files in a chart that is about the greatest ones."""
_WORST_FIRST = (
    "crashes",
    "diverges",
    "refuses",
    "not judged",
    "not supported",
    "not installed",
    "within bound",
    "pass",
)


@dataclass(frozen=True)
class ListingRow:
    """A line of a listing, with the goals that Why3 found there."""

    number: int
    html: str
    goals: tuple[GoalEntry, ...]

    @property
    def proved(self) -> bool:
        """Whether all its goals are."""
        return all(goal.proved for goal in self.goals)

    @property
    def families(self) -> int:
        """By how many families of provers the weakest goal is proved."""
        return min(len(goal.families) for goal in self.goals)


@dataclass(frozen=True)
class ModuleGoals:
    """The goals of a module."""

    name: str
    goals: tuple[GoalEntry, ...]

    @property
    def proved(self) -> int:
        """How many are proved."""
        return sum(goal.proved for goal in self.goals)

    @property
    def two(self) -> int:
        """How many by two families."""
        return sum(len(goal.families) >= _TWO for goal in self.goals)


@dataclass(frozen=True)
class OperatorView:
    """A page with all that is shown on it."""

    page: Page
    mathematics: tuple[str, ...]
    requirements: tuple[RequirementLine, ...]
    related: tuple[RequirementLine, ...]
    listings: tuple[tuple[str, tuple[ListingRow, ...]], ...]
    """Of the modules that define it."""
    modules: tuple[ModuleGoals, ...]
    """Of its files."""


@dataclass(frozen=True)
class DocumentRequirements:
    """The requirements of a source document."""

    document: DocumentLine
    requirements: tuple[RequirementLine, ...]

    @property
    def planned(self) -> bool:
        """Whether none is formalised yet."""
        return all(line.planned for line in self.requirements)


@dataclass(frozen=True)
class Conformance:
    """The matrix: a row an operator and a type, a column an implementation."""

    backends: tuple[inputs.Backend, ...]
    rows: tuple[tuple[str, str, tuple[Mapping[str, int], ...]], ...]
    divergences: Mapping[str, tuple[inputs.Divergence, ...]]
    probes: tuple[tuple[inputs.Probe, tuple[inputs.Probe | None, ...]], ...]


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, in goals."""

    label: str
    two: int
    one: int
    none: int

    @property
    def total(self) -> int:
        """All goals."""
        return self.two + self.one + self.none


@dataclass(frozen=True)
class FileEffort:
    """What the goals of a file cost."""

    label: str
    shares: tuple[float, ...]
    """Of all the steps of each prover."""


@dataclass(frozen=True)
class Coverage:
    """Test vectors of a source document: requirements by classes."""

    document: str
    classes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    most: int


@dataclass(frozen=True)
class View:
    """All of it."""

    evidence: Evidence
    pages: tuple[OperatorView, ...]
    documents: tuple[DocumentRequirements, ...]
    conformance: Conformance | None
    accuracy: Accuracy | None
    bars: tuple[Bar, ...]
    effort_of: tuple[str, ...]
    """The provers that are compared: those that prove a tenth of the goals or more."""
    efforts: tuple[FileEffort, ...]
    most_effort: float
    """The greatest share."""
    contributions: tuple[tuple[str, int], ...]
    """Goals by the set of provers that prove them."""
    coverage: tuple[Coverage, ...]
    files: tuple[tuple[str, tuple[ModuleGoals, ...]], ...]
    goal_ids: frozenset[str]
    ours: frozenset[str]
    """The names under which this project's own implementation was looked at."""
    certified: frozenset[str]
    """The ids of the goals whose proof was written out and checked."""
    requirements: Mapping[str, RequirementLine] = field(default_factory=dict)


def view(evidence: Evidence) -> View:
    """Arrange the evidence for the templates."""
    requirements = evidence.trace.requirements if evidence.trace else ()
    provers = tuple(_busy_provers(evidence))
    efforts = tuple(_efforts(evidence, provers))
    return View(
        evidence=evidence,
        pages=tuple(_page(page, evidence) for page in evidence.pages),
        documents=tuple(_documents(evidence)),
        conformance=_conformance(evidence.check) if evidence.check else None,
        accuracy=accuracy(evidence.check) if evidence.check else None,
        bars=tuple(_bars(evidence)),
        effort_of=provers,
        efforts=efforts,
        most_effort=max((share for one in efforts for share in one.shares), default=1) or 1,
        contributions=tuple(_contributions(evidence.goals)),
        coverage=tuple(_coverage(evidence)),
        files=tuple(
            (
                tally.file,
                tuple(_modules(goal for goal in evidence.goals if goal.file == tally.file)),
            )
            for tally in evidence.files
        ),
        goal_ids=frozenset(goal.id for goal in evidence.goals),
        ours=frozenset(one.name for one in evidence.check.backends if one.ours)
        if evidence.check
        else frozenset(),
        certified=frozenset(_certified(evidence)),
        requirements={one.id: one for one in requirements},
    )


def code_spans(text: str) -> list[tuple[bool, str]]:
    """The parts of a text, and of each whether it is code: what is between backquotes."""
    parts = re.split(r"`([^`]*)`", text)
    return [(bool(number % 2), part) for number, part in enumerate(parts) if part]


def nested_text(value: object) -> str:
    """Nested lists of texts in brackets, as the source documents write tensors."""
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(nested_text, value))}]"
    return str(value)


def _page(page: Page, evidence: Evidence) -> OperatorView:
    requirements = evidence.trace.requirements if evidence.trace else ()
    text = next((each.text for each in evidence.listings if each.file == page.listing), "")
    at: dict[int, list[GoalEntry]] = {}
    for goal in evidence.goals:
        if goal.location.file == page.listing:
            at.setdefault(goal.location.line, []).append(goal)
    listings = tuple(
        (
            module.name,
            tuple(
                ListingRow(line.number, line.html, tuple(at.get(line.number, ())))
                for line in module.lines
            ),
        )
        for module in whyml_text.modules(text)
        if module.name in (page.modules or {module.name})
    )
    files = {tally.file for tally in evidence.files if owner(tally.file, evidence.pages) == page}
    return OperatorView(
        page,
        mathematics(page),
        tuple(line for line in requirements if line.document in page.documents),
        tuple(line for line in requirements if line.document in page.related),
        listings,
        tuple(_modules(goal for goal in evidence.goals if goal.file in files)),
    )


def _modules(goals: Iterator[GoalEntry]) -> Iterator[ModuleGoals]:
    by_module: dict[tuple[str, str], list[GoalEntry]] = {}
    for goal in goals:
        by_module.setdefault((goal.file, goal.module), []).append(goal)
    for (_, module), here in by_module.items():
        yield ModuleGoals(module, tuple(here))


def _documents(evidence: Evidence) -> Iterator[DocumentRequirements]:
    trace = evidence.trace
    if trace is None:
        return
    groups = [
        DocumentRequirements(
            document, tuple(one for one in trace.requirements if one.document == document.id)
        )
        for document in trace.documents
    ]
    # Those of the operators' pages in the order of the pages, SONNX first.
    order = [name for page in evidence.pages for name in page.documents]
    place = {name: number for number, name in enumerate(order)}
    yield from sorted(groups, key=lambda one: (one.planned, place.get(one.document.id, len(place))))


def _conformance(check: inputs.Check) -> Conformance:
    cells = {(one.backend, one.operator, one.element_type): one.counts for one in check.matrix}
    combinations = dict.fromkeys((one.operator, one.element_type) for one in check.matrix)
    questions = dict.fromkeys((one.probe, one.operator, one.element_type) for one in check.probes)
    asked = {(one.backend, one.probe, one.operator, one.element_type): one for one in check.probes}
    names = [backend.name for backend in check.backends]
    return Conformance(
        backends=check.backends,
        rows=tuple(
            (operator, element_type, tuple(cells[name, operator, element_type] for name in names))
            for operator, element_type in combinations
        ),
        divergences={
            name: tuple(
                sorted(
                    (one for one in check.findings if one.backend == name),
                    key=lambda one: _WORST_FIRST.index(one.verdict),
                )
            )
            for name in names
        },
        probes=tuple(_probes(questions, asked, names)),
    )


def _probes(
    questions: Mapping[tuple[str, str, str], None],
    asked: Mapping[tuple[str, str, str, str], inputs.Probe],
    names: Sequence[str],
) -> Iterator[tuple[inputs.Probe, tuple[inputs.Probe | None, ...]]]:
    for question in questions:
        answers = tuple(asked.get((name, *question)) for name in names)
        yield next(one for one in answers if one), answers


def _certified(evidence: Evidence) -> Iterator[str]:
    texts = {goal.id: goal.task_sha256 for goal in evidence.goals}
    for one in evidence.certified.goals if evidence.certified else ():
        if one.outcome == "proof" and texts.get(one.id) == one.task_sha256:
            yield one.id


def _bars(evidence: Evidence) -> Iterator[Bar]:
    for tally in sorted(evidence.files, key=lambda one: (-one.goals, one.file)):
        one = tally.proved - tally.two_families
        yield Bar(tally.file, tally.two_families, one, tally.goals - tally.proved)


def _busy_provers(evidence: Evidence) -> Iterator[str]:
    for prover in evidence.provers:
        if 10 * sum(one.by_prover.get(prover.name, 0) for one in evidence.files) >= len(
            evidence.goals
        ):
            yield prover.name


def _efforts(evidence: Evidence, names: Sequence[str]) -> Iterator[FileEffort]:
    total = {name: sum(one.steps.get(name, 0) for one in evidence.files) or 1 for name in names}
    found = [
        FileEffort(one.file, tuple(one.steps.get(name, 0) / total[name] for name in names))
        for one in evidence.files
    ]
    yield from sorted(found, key=lambda one: (-max(one.shares, default=0), one.label))[:_CHARTED]


def _contributions(goals: Sequence[GoalEntry]) -> Iterator[tuple[str, int]]:
    sets = Counter(
        " and ".join(sorted({proof.prover for proof in goal.proofs})) or "none" for goal in goals
    )
    yield from sorted(sets.items(), key=lambda one: (-one[1], one[0]))


def _coverage(evidence: Evidence) -> Iterator[Coverage]:
    for group in _documents(evidence):
        counts = {
            one.id: {each.name: each.cases for each in one.vectors}
            for one in group.requirements
            if not one.planned
        }
        classes = sorted({name for row in counts.values() for name in row})
        if classes:
            rows = tuple(
                (identifier, tuple(row.get(name, 0) for name in classes))
                for identifier, row in counts.items()
            )
            most = max(count for _, row in rows for count in row)
            yield Coverage(group.document.id, tuple(classes), rows, most)
