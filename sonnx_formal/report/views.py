"""What the templates show: the evidence arranged, nothing added to it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from markupsafe import Markup, escape

from sonnx_formal.check.document import (
    CheckedBackend,
    CheckFinding,
    ProbeRow,
    SumErrorsRow,
    Verdict,
)
from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report import accuracy
from sonnx_formal.report.evidence import Evidence, FileTally
from sonnx_formal.report.pages import Page, mathematics, owner
from sonnx_formal.report.trace.document import DocumentLine, RequirementLine

_CHARTED = 30
"""Files in a chart that is about the greatest ones."""
_WORST_FIRST = (
    Verdict.CRASHES,
    Verdict.DIVERGES,
    Verdict.REFUSES,
    Verdict.NOT_JUDGED,
    Verdict.NOT_SUPPORTED,
    Verdict.NOT_INSTALLED,
    Verdict.WITHIN_BOUND,
    Verdict.PASS,
)
_KEYWORDS = """
absurd axiom by clone constant else end ensures exists export false forall function ghost goal if
import in invariant lemma let match module mutable not predicate private raises reads rec requires
returns so then theory true type use val variant while with
"""
_TOKEN = re.compile(
    r"(?P<c>\(\*(?!\)).*?\*\))"
    r"|(?P<a>\[@[^\]]*\])"
    rf"|(?P<k>\b(?:{'|'.join(_KEYWORDS.split())})\b)",
    re.DOTALL,
)
_MODULE = re.compile(r"^module (\w+).*?(?:^end\b|\Z)", re.MULTILINE | re.DOTALL)


class GoalGroup(tuple[GoalEntry, ...]):
    """Goals of a line, or of a module."""

    @property
    def proved(self) -> int:
        """How many are proved."""
        return sum(goal.proved for goal in self)

    @property
    def two(self) -> int:
        """How many by two families of provers."""
        return sum(len(goal.families) > 1 for goal in self)


class OperatorView(NamedTuple):
    """A page with all that is shown on it."""

    page: Page
    mathematics: tuple[str, ...]
    requirements: Sequence[RequirementLine]
    related: Sequence[RequirementLine]
    listings: Sequence[tuple[str, Sequence[tuple[int, Markup, GoalGroup]]]]
    """Of the modules that define it, the lines, with the goals that Why3 found there."""
    modules: Sequence[tuple[str, GoalGroup]]
    """Of its files."""


class DocumentRequirements(NamedTuple):
    """The requirements of a source document."""

    document: DocumentLine
    requirements: Sequence[RequirementLine]

    @property
    def planned(self) -> bool:
        """Whether none is formalised yet."""
        return all(line.planned for line in self.requirements)


class Conformance(NamedTuple):
    """The matrix: a row an operator and a type, a column an implementation."""

    backends: tuple[CheckedBackend, ...]
    rows: Sequence[tuple[str, str, Sequence[Mapping[Verdict, int]]]]
    divergences: Mapping[str, Sequence[CheckFinding]]
    probes: Sequence[tuple[ProbeRow, Sequence[ProbeRow | None]]]
    """Each question with the answer of each implementation that was asked."""


class FileEffort(NamedTuple):
    """What the goals of a file cost."""

    label: str
    shares: Sequence[float]
    """Of all the steps of each prover."""


class Coverage(NamedTuple):
    """Test vectors of a source document: requirements by classes."""

    document: str
    classes: Sequence[str]
    rows: Sequence[tuple[str, Sequence[int]]]
    most: int


class View:
    """All of it, computed when a template asks for it."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._lines = evidence.trace.requirements if evidence.trace else ()

    @cached_property
    def requirements(self) -> Mapping[str, RequirementLine]:
        return {line.id: line for line in self._lines}

    @cached_property
    def goal_ids(self) -> frozenset[str]:
        return frozenset(goal.id for goal in self._evidence.goals)

    @cached_property
    def ours(self) -> frozenset[str]:
        """The names under which this project's own implementation was looked at."""
        check = self._evidence.check
        backends = check.backends if check else ()
        return frozenset(backend.name for backend in backends if backend.ours)

    @cached_property
    def certified(self) -> frozenset[str]:
        """The ids of the goals whose proof was written out and checked."""
        found = self._evidence.certified
        checked = found.checked if found else frozenset()
        goals = self._evidence.goals
        return frozenset(goal.id for goal in goals if (goal.id, goal.task_sha256) in checked)

    @cached_property
    def documents(self) -> Sequence[DocumentRequirements]:
        """In the order of the operators' pages, SONNX first; the planned last."""
        trace = self._evidence.trace
        by_document: dict[str, list[RequirementLine]] = {}
        for line in self._lines:
            by_document.setdefault(line.document, []).append(line)
        groups = [
            DocumentRequirements(document, by_document.get(document.id, []))
            for document in (trace.documents if trace else ())
        ]
        order = [name for page in self._evidence.pages for name in page.documents]
        place = {name: number for number, name in enumerate(order)}
        last = len(place)
        return sorted(groups, key=lambda each: (each.planned, place.get(each.document.id, last)))

    @cached_property
    def pages(self) -> Sequence[OperatorView]:
        return [self._page(page) for page in self._evidence.pages]

    def _page(self, page: Page) -> OperatorView:
        evidence = self._evidence
        text = next((each.text for each in evidence.listings if each.file == page.listing), "")
        at: dict[int, list[GoalEntry]] = {}
        for goal in evidence.goals:
            if goal.location.file == page.listing:
                at.setdefault(goal.location.line, []).append(goal)
        files = {each.file for each in evidence.files if owner(each.file, evidence.pages) == page}
        files.update(page.theories)
        return OperatorView(
            page,
            mathematics(page),
            requirements=[line for line in self._lines if line.document in page.documents],
            related=[line for line in self._lines if line.document in page.related],
            listings=[
                (name, [(number, html, GoalGroup(at.get(number, ()))) for number, html in lines])
                for name, lines in _listings(text)
                if name in (page.modules or {name})
            ],
            modules=_modules(goal for goal in evidence.goals if goal.file in files),
        )

    @cached_property
    def files(self) -> Sequence[tuple[str, Sequence[tuple[str, GoalGroup]]]]:
        by_file: dict[str, list[GoalEntry]] = {tally.file: [] for tally in self._evidence.files}
        for goal in self._evidence.goals:
            by_file[goal.file].append(goal)
        return [(file, _modules(goals)) for file, goals in by_file.items()]

    @cached_property
    def bars(self) -> Sequence[FileTally]:
        """The files with most goals first."""
        return sorted(self._evidence.files, key=lambda tally: (-tally.goals, tally.file))

    @cached_property
    def effort_of(self) -> Sequence[str]:
        """The provers that are compared: those that prove a tenth of the goals or more."""
        proved: Counter[str] = Counter()
        for tally in self._evidence.files:
            proved.update(tally.by_prover)
        goals = len(self._evidence.goals)
        names = (prover.name for prover in self._evidence.provers)
        return [name for name in names if 10 * proved[name] >= goals]

    @cached_property
    def efforts(self) -> Sequence[FileEffort]:
        names, files = self.effort_of, self._evidence.files
        total = {name: sum(each.steps.get(name, 0) for each in files) or 1 for name in names}
        found = [
            FileEffort(each.file, [each.steps.get(name, 0) / total[name] for name in names])
            for each in files
        ]
        found.sort(key=lambda effort: (-max(effort.shares, default=0), effort.label))
        return found[:_CHARTED]

    @cached_property
    def most_effort(self) -> float:
        """The greatest share."""
        return max((share for effort in self.efforts for share in effort.shares), default=1) or 1

    @cached_property
    def contributions(self) -> Sequence[tuple[str, int]]:
        """Goals by the set of provers that prove them."""
        sets = Counter(
            " and ".join(sorted({proof.prover for proof in goal.proofs})) or "none"
            for goal in self._evidence.goals
        )
        return sorted(sets.items(), key=lambda item: (-item[1], item[0]))

    @cached_property
    def coverage(self) -> Sequence[Coverage]:
        found = []
        for group in self.documents:
            counts = {
                line.id: {count.name: count.cases for count in line.vectors}
                for line in group.requirements
                if not line.planned
            }
            classes = sorted({name for row in counts.values() for name in row})
            if classes:
                rows = [
                    (id_, [row.get(name, 0) for name in classes]) for id_, row in counts.items()
                ]
                most = max(count for _, row in rows for count in row)
                found.append(Coverage(group.document.id, classes, rows, most))
        return found

    @cached_property
    def conformance(self) -> Conformance | None:
        check = self._evidence.check
        if check is None:
            return None
        names = [backend.name for backend in check.backends]
        cells = {(cell.backend, cell.operator, cell.element_type): cell for cell in check.matrix}
        asked: dict[tuple[str, str, str], dict[str, ProbeRow]] = {}
        for probe in check.probes:
            question = probe.probe, probe.operator, probe.element_type
            asked.setdefault(question, {})[probe.backend] = probe
        worst_first = sorted(check.findings, key=lambda found: _WORST_FIRST.index(found.verdict))
        return Conformance(
            check.backends,
            rows=[
                (*combination, [cells[name, *combination].counts for name in names])
                for combination in dict.fromkeys((c.operator, c.element_type) for c in check.matrix)
            ],
            divergences={
                name: [found for found in worst_first if found.backend == name] for name in names
            },
            probes=[
                (next(iter(answers.values())), [*map(answers.get, names)])
                for answers in asked.values()
            ],
        )

    @cached_property
    def sums(self) -> Sequence[SumErrorsRow]:
        """Of each implementation, operator and type, the sums that may depend on their order."""
        check = self._evidence.check
        return [*accuracy.worst(check)] if check else []

    @cached_property
    def plots(self) -> Sequence[tuple[str, accuracy.Plot, accuracy.Plot]]:
        check = self._evidence.check
        return [*accuracy.plots(check)] if check else []


def _modules(goals: Iterable[GoalEntry]) -> Sequence[tuple[str, GoalGroup]]:
    by_module: dict[tuple[str, str], list[GoalEntry]] = {}
    for goal in goals:
        by_module.setdefault((goal.file, goal.module), []).append(goal)
    return [(module, GoalGroup(here)) for (_, module), here in by_module.items()]


def _listings(text: str) -> Iterator[tuple[str, list[tuple[int, Markup]]]]:
    """The modules of a file of WhyML, each with its lines as HTML and their numbers."""
    marked = _TOKEN.sub(_marked, str(escape(text)))
    lines = [*enumerate(map(Markup, marked.split("\n")), start=1)]
    for match in _MODULE.finditer(text):
        first, last = (text.count("\n", 0, place) for place in match.span())
        yield match[1], lines[first : last + 1]


def _marked(token: re.Match[str]) -> str:
    """A comment may go over lines, which become rows of a table."""
    lines = token[0].split("\n")
    return "\n".join(f'<span class="{token.lastgroup}">{line}</span>' for line in lines)
