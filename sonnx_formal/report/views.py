"""What the templates show: the evidence arranged, nothing added to it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sonnx_formal.check.document import CheckedBackend, CheckFinding, CheckReport, ProbeRow, Verdict
from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report import whyml_text
from sonnx_formal.report.accuracy import Accuracy, accuracy
from sonnx_formal.report.evidence import Evidence, FileTally
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

    backends: tuple[CheckedBackend, ...]
    rows: tuple[tuple[str, str, tuple[Mapping[Verdict, int], ...]], ...]
    divergences: Mapping[str, tuple[CheckFinding, ...]]
    probes: tuple[tuple[ProbeRow, tuple[ProbeRow | None, ...]], ...]


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
    bars: tuple[FileTally, ...]
    """The files with most goals first."""
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
    trace, check = evidence.trace, evidence.check
    provers = tuple(_busy_provers(evidence))
    efforts = tuple(_efforts(evidence, provers))
    documents = tuple(_documents(evidence))
    return View(
        evidence=evidence,
        pages=tuple(_page(page, evidence) for page in evidence.pages),
        documents=documents,
        conformance=_conformance(check) if check else None,
        accuracy=accuracy(check) if check else None,
        bars=tuple(sorted(evidence.files, key=lambda tally: (-tally.goals, tally.file))),
        effort_of=provers,
        efforts=efforts,
        most_effort=max((share for effort in efforts for share in effort.shares), default=1) or 1,
        contributions=tuple(_contributions(evidence.goals)),
        coverage=tuple(_coverage(documents)),
        files=tuple(
            (
                tally.file,
                tuple(_modules(goal for goal in evidence.goals if goal.file == tally.file)),
            )
            for tally in evidence.files
        ),
        goal_ids=frozenset(goal.id for goal in evidence.goals),
        ours=frozenset(
            backend.name for backend in (check.backends if check else ()) if backend.ours
        ),
        certified=frozenset(_certified(evidence)),
        requirements={line.id: line for line in (trace.requirements if trace else ())},
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
    files.update(page.theories)
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
    by_document: dict[str, list[RequirementLine]] = {}
    for line in trace.requirements:
        by_document.setdefault(line.document, []).append(line)
    groups = [
        DocumentRequirements(document, tuple(by_document.get(document.id, ())))
        for document in trace.documents
    ]
    # Those of the operators' pages in the order of the pages, SONNX first.
    order = [name for page in evidence.pages for name in page.documents]
    place = {name: number for number, name in enumerate(order)}
    yield from sorted(
        groups, key=lambda group: (group.planned, place.get(group.document.id, len(place)))
    )


def _conformance(check: CheckReport) -> Conformance:
    cells = {(cell.backend, cell.operator, cell.element_type): cell for cell in check.matrix}
    names = [backend.name for backend in check.backends]
    return Conformance(
        backends=check.backends,
        rows=tuple(
            (*combination, tuple(cells[name, *combination].counts for name in names))
            for combination in dict.fromkeys((c.operator, c.element_type) for c in check.matrix)
        ),
        divergences={
            name: tuple(
                sorted(
                    (found for found in check.findings if found.backend == name),
                    key=lambda found: _WORST_FIRST.index(found.verdict),
                )
            )
            for name in names
        },
        probes=tuple(_probes(check.probes, names)),
    )


def _probes(
    probes: Sequence[ProbeRow], names: Sequence[str]
) -> Iterator[tuple[ProbeRow, tuple[ProbeRow | None, ...]]]:
    """Each question with the answer of each implementation that was asked."""
    asked: dict[tuple[str, str, str], dict[str, ProbeRow]] = {}
    for probe in probes:
        question = probe.probe, probe.operator, probe.element_type
        asked.setdefault(question, {})[probe.backend] = probe
    for answers in asked.values():
        yield next(iter(answers.values())), tuple(map(answers.get, names))


def _certified(evidence: Evidence) -> Iterator[str]:
    texts = {goal.id: goal.task_sha256 for goal in evidence.goals}
    for goal in evidence.certified.goals if evidence.certified else ():
        if goal.outcome == "proof" and texts.get(goal.id) == goal.task_sha256:
            yield goal.id


def _busy_provers(evidence: Evidence) -> Iterator[str]:
    for prover in evidence.provers:
        proved = sum(tally.by_prover.get(prover.name, 0) for tally in evidence.files)
        if 10 * proved >= len(evidence.goals):
            yield prover.name


def _efforts(evidence: Evidence, names: Sequence[str]) -> Sequence[FileEffort]:
    total = {name: sum(each.steps.get(name, 0) for each in evidence.files) or 1 for name in names}
    found = [
        FileEffort(each.file, tuple(each.steps.get(name, 0) / total[name] for name in names))
        for each in evidence.files
    ]
    found.sort(key=lambda effort: (-max(effort.shares, default=0), effort.label))
    return found[:_CHARTED]


def _contributions(goals: Sequence[GoalEntry]) -> Sequence[tuple[str, int]]:
    sets = Counter(
        " and ".join(sorted({proof.prover for proof in goal.proofs})) or "none" for goal in goals
    )
    return sorted(sets.items(), key=lambda item: (-item[1], item[0]))


def _coverage(documents: Sequence[DocumentRequirements]) -> Iterator[Coverage]:
    for group in documents:
        counts = {
            line.id: {count.name: count.cases for count in line.vectors}
            for line in group.requirements
            if not line.planned
        }
        classes = sorted({name for row in counts.values() for name in row})
        if classes:
            rows = tuple(
                (identifier, tuple(row.get(name, 0) for name in classes))
                for identifier, row in counts.items()
            )
            most = max(count for _, row in rows for count in row)
            yield Coverage(group.document.id, tuple(classes), rows, most)
