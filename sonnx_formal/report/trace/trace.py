"""The trace: computed from the registry and the evidence, and checked both ways."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sonnx_formal.check.document import MatrixRow, Verdict
from sonnx_formal.core.texts import counted
from sonnx_formal.report.trace.document import (
    Confirmation,
    DocumentLine,
    FindingLine,
    GoalLink,
    LawLine,
    LawOverLine,
    Proof,
    RequirementLine,
    State,
    Trace,
    TraceFault,
    TraceRule,
    VectorCount,
)
from sonnx_formal.report.trace.inputs import TraceEvidence
from sonnx_formal.spec.requirements.entries import Finding, Law, Level, Requirement, Status
from sonnx_formal.spec.requirements.registry import Registry

_NAMED = 3
_NOT_ASKED = (Verdict.NOT_SUPPORTED, Verdict.NOT_INSTALLED)

_OF_BOTH = ("id", "document", "section")
_OF_REQUIREMENT = (*_OF_BOTH, "kind", "text", "status", "levels", "departs", "precondition")
_OF_FINDING = (*_OF_BOTH, "title", "readings", "requirements", "sketch", "decision", "proposal")

Combination = tuple[str, str]
Fault = tuple[TraceRule, str]
"""A rule that something breaks, and what is wrong with it."""


def trace(registry: Registry, evidence: TraceEvidence) -> Trace:
    """Compute the trace and check it both ways. Needs no file and starts nothing."""
    return _Tracer(registry, evidence).trace()


class _Tracer:
    def __init__(self, registry: Registry, evidence: TraceEvidence) -> None:
        self._registry = registry
        self._requirements = registry.requirements
        self._evidence = evidence
        self._by_symbol: dict[str, list[GoalLink]] = defaultdict(list)
        self._by_id: dict[str, list[GoalLink]] = defaultdict(list)
        for goal in evidence.goals:
            self._by_symbol[goal.symbol].append(goal)
            for identifier in goal.explained_by:
                self._by_id[identifier].append(goal)
        self._cases: dict[str, Counter[str]] = defaultdict(Counter)
        self._named: dict[str, dict[Combination, set[str]]] = defaultdict(lambda: defaultdict(set))
        for file in evidence.vectors.files if evidence.vectors else ():
            for case in file.cases:
                for identifier in case.requirements:
                    self._cases[identifier][str(case.case_class)] += 1
                    combination = file.operator, "-".join(file.types)
                    self._named[identifier][combination].add(case.name)
        self._matrix: dict[str, dict[Combination, MatrixRow]] = defaultdict(dict)
        for row in evidence.crosscheck.matrix if evidence.crosscheck else ():
            self._matrix[row.backend][row.operator, row.element_type] = row
        backends = evidence.crosscheck.backends if evidence.crosscheck else ()
        self._ours = {backend.name for backend in backends if backend.ours}

    def trace(self) -> Trace:
        lines = tuple(map(self._line, self._requirements.values()))
        errors = tuple(self._errors(lines))
        given = {
            "vectors": self._evidence.vectors,
            "cross-check": self._evidence.crosscheck,
            "tests": self._evidence.tests,
        }
        absent = tuple(name for name, value in given.items() if value is None)
        return Trace(
            self._evidence.made.ended(),
            State.BROKEN if errors else State.INCOMPLETE if absent else State.WHOLE,
            absent,
            tuple(
                DocumentLine(name, each.title, each.text_sha256)
                for name, each in self._registry.documents.items()
            ),
            lines,
            tuple(map(self._finding_line, self._registry.findings)),
            tuple(map(self._law_line, self._registry.laws)),
            self._registry.left_out,
            errors,
        )

    def _line(self, requirement: Requirement) -> RequirementLine:
        goals = self._goals(requirement.goals)
        proof = Proof.PLANNED if requirement.status is Status.PLANNED else _weakest(goals)
        confirmed = tuple(self._confirmations(requirement.id))
        return RequirementLine(
            **{name: getattr(requirement, name) for name in _OF_REQUIREMENT},
            proof=proof,
            ladder=tuple(_ladder(proof, confirmed)),
            goals=goals,
            vectors=tuple(VectorCount(*count) for count in self._cases[requirement.id].items()),
            no_vector=requirement.no_vector or None,
            confirmed_by=confirmed,
            tests=requirement.checks,
            findings=tuple(
                each.id for each in self._registry.findings if requirement.id in each.requirements
            ),
            gaps=tuple(self._gaps(requirement, goals, confirmed)),
        )

    def _finding_line(self, finding: Finding) -> FindingLine:
        goals = self._goals(finding.shown_by)
        return FindingLine(
            **{name: getattr(finding, name) for name in _OF_FINDING},
            proof=_weakest(goals) if finding.shown_by else None,
            goals=goals,
            not_shown=finding.not_shown or None,
        )

    def _law_line(self, law: Law) -> LawLine:
        over = ((each, self._goals(each.shown_by)) for each in law.over)
        return LawLine(
            law.operator,
            law.statement,
            tuple(
                LawOverLine(each.levels, each.holds, _weakest(goals), goals, each.remark)
                for each, goals in over
            ),
        )

    def _goals(self, links: Iterable[str]) -> tuple[GoalLink, ...]:
        return tuple(dict.fromkeys(goal for link in links for goal in self._linked(link)))

    def _linked(self, link: str) -> list[GoalLink]:
        return (self._by_symbol if ":" in link else self._by_id).get(link, [])

    def _confirmations(self, identifier: str) -> Iterator[Confirmation]:
        """Of implementations that pass wherever they support what the vectors of it need."""
        asked = self._named[identifier]
        for implementation, rows in self._matrix.items():
            passed = []
            for combination, cases in asked.items():
                row = rows.get(combination)
                if row is None or not any(row.counts.get(verdict) for verdict in _NOT_ASKED):
                    # What was not looked at did not pass.
                    passed.append(row is not None and not cases & row.not_passed.keys())
            if passed and all(passed):
                yield Confirmation(implementation, len(passed), len(asked))

    def _gaps(
        self, requirement: Requirement, goals: Sequence[GoalLink], confirmed: Sequence[Confirmation]
    ) -> Iterator[str]:
        if requirement.status is Status.PLANNED:
            yield f"planned: {requirement.gap}"
            return
        if single := sum(len(goal.families) == 1 for goal in goals):
            yield f"{single} of {counted(len(goals), 'goal')} proved by one family of provers only"
        if requirement.precondition:
            yield (
                "stated as a precondition: proved is that it can be met and is met in each use; "
                "that programs reject what violates it, tests show"
            )
        if requirement.levels == (Level.REAL,):
            yield "claimed of real numbers only"
        if requirement.no_vector:
            yield f"no vector: {requirement.no_vector}"
        elif confirmed and {each.implementation for each in confirmed} <= self._ours:
            yield "its vectors pass on our own implementation only"

    def _errors(self, lines: Sequence[RequirementLine]) -> Iterator[TraceFault]:
        for line in lines:
            faults = self._no_longer_planned(line) if line.planned else self._faults(line)
            yield from (TraceFault(rule, line.id, message) for rule, message in faults)
        for finding in self._registry.findings:
            goals = self._goals(finding.shown_by)
            for rule, message in (*self._wrong_links(finding.shown_by), *_unproved(goals)):
                yield TraceFault(rule, finding.id, message)
            for identifier in finding.requirements:
                if identifier not in self._requirements:
                    message = f"it is about {identifier}, which the registry does not have"
                    yield TraceFault(TraceRule.UNKNOWN_ID, finding.id, message)
        for law in self._registry.laws:
            links = [link for each in law.over for link in each.shown_by]
            for rule, message in (*self._wrong_links(links), *_unproved(self._goals(links))):
                yield TraceFault(rule, law.name, message)
        yield from (*self._orphans(), *self._stale_scaffolding(), *self._unknown_ids())
        for missing in self._evidence.missing:
            yield TraceFault(TraceRule.MISSING_FILE, missing.operator, f"{missing}; write it")

    def _no_longer_planned(self, line: RequirementLine) -> Iterator[Fault]:
        goals = sorted({goal.symbol for goal in self._by_id[line.id]})
        if goals or line.vectors:
            what = _some(goals) if goals else "vectors name it"
            message = f"it is being built ({what}); make it formalised and link what serves it"
            yield TraceRule.NO_LONGER_PLANNED, message

    def _faults(self, line: RequirementLine) -> Iterator[Fault]:
        requirement = self._requirements[line.id]
        yield from self._wrong_links(requirement.goals)
        yield from _unproved(line.goals)
        if not line.goals:
            yield TraceRule.UNPROVED, "no goal serves it; link one that states it"
        if self._by_id[line.id] and line.id not in requirement.goals:
            names = _some(sorted({goal.symbol for goal in self._by_id[line.id]}))
            message = f"Why3 explains {names} with it; add its id to its goals"
            yield TraceRule.UNLINKED_GOAL, message
        if self._evidence.vectors is not None:
            yield from self._faults_of_vectors(line, requirement)
        tests = self._evidence.tests
        for test in line.tests:
            if tests is not None and test not in tests:
                message = f"{test} does not exist; name the test that checks it now"
                yield TraceRule.MISSING_TEST, message

    def _wrong_links(self, links: Iterable[str]) -> Iterator[Fault]:
        for link in links:
            if self._linked(link):
                continue
            if ":" not in link and link not in self._requirements:
                yield TraceRule.UNKNOWN_ID, f"it links {link}, an unknown id"
            else:
                message = f"{link} does not exist; correct the link, or state the goal"
                yield TraceRule.MISSING_GOAL, message

    def _faults_of_vectors(self, line: RequirementLine, linked: Requirement) -> Iterator[Fault]:
        if line.no_vector:
            if line.vectors:
                name = counted(line.cases, "case names", "cases name")
                message = f"{name} it; link their classes instead"
                yield TraceRule.UNEXPECTED_VECTOR, message
            return
        if missing := sorted({*linked.vectors} - {count.name for count in line.vectors}):
            message = f"no case of the class {_some(missing)} names it; correct the link"
            yield TraceRule.MISSING_VECTOR, message
        if not line.vectors:
            yield TraceRule.NO_VECTOR, "no case names it; generate one, or say why none can be"
        elif self._evidence.crosscheck is not None and not line.confirmations:
            message = "no implementation passes on all its cases; see `sonnx-formal check`"
            yield TraceRule.NO_VECTOR, message

    def _orphans(self) -> Iterator[TraceFault]:
        serving = {goal for each in self._requirements.values() for goal in each.goals}
        serving |= {goal for finding in self._registry.findings for goal in finding.shown_by}
        for symbol, goals in self._by_symbol.items():
            explained = any(self._requirements.keys() & goal.explained_by for goal in goals)
            if self._registry.includes(symbol) and symbol not in serving and not explained:
                message = "no requirement and no finding links it; link it, or drop it"
                yield TraceFault(TraceRule.ORPHAN_GOAL, symbol, message)

    def _stale_scaffolding(self) -> Iterator[TraceFault]:
        for exemption in self._registry.scaffolding:
            for symbol in exemption.goals:
                if symbol not in self._by_symbol:
                    message = "it is exempt and does not exist; drop the exemption"
                    yield TraceFault(TraceRule.STALE_SCAFFOLDING, symbol, message)
            for pattern in exemption.files:
                if not any(exemption.covers(symbol) for symbol in self._by_symbol):
                    message = "no file with goals is so named; drop the exemption"
                    yield TraceFault(TraceRule.STALE_SCAFFOLDING, pattern, message)

    def _unknown_ids(self) -> Iterator[TraceFault]:
        used: dict[str, list[str]] = defaultdict(list)
        for identifier, goals in self._by_id.items():
            used[identifier] += (goal.symbol for goal in goals)
        for identifier in self._named:
            used[identifier].append("test vectors")
        for identifier, files in self._evidence.used.items():
            used[identifier] += files
        for identifier in sorted(used.keys() - self._requirements.keys()):
            where = _some([*dict.fromkeys(used[identifier])])
            message = f"used in {where}; correct it, or add it to the registry"
            yield TraceFault(TraceRule.UNKNOWN_ID, identifier, message)


def _ladder(proof: Proof, confirmed: Sequence[Confirmation]) -> Iterator[str]:
    if proof in {Proof.PLANNED, Proof.UNPROVED, Proof.CONDITIONAL}:
        yield str(proof)
        return
    yield str(Proof.ONE_FAMILY)
    if proof is Proof.TWO_FAMILIES:
        yield str(proof)
    if complete := sum(each.complete for each in confirmed):
        partly = len(confirmed) - complete
        more = f", on {partly} more in part" if partly else ""
        yield f"vectors pass on {complete} implementation{'s' * (complete > 1)}{more}"


def _unproved(goals: Sequence[GoalLink]) -> Iterator[Fault]:
    how = "prove it with `sonnx-formal prove`"
    if names := [goal.id for goal in goals if not (goal.families or goal.rests_on)]:
        yield TraceRule.UNPROVED, f"not proved: {_some(names)}; {how}"
    if below := [*dict.fromkeys(goal.rests_on for goal in goals if goal.rests_on)]:
        yield TraceRule.CONDITIONAL, f"it rests on {_some(below)}, which is not proved; {how}"


def _weakest(goals: Sequence[GoalLink]) -> Proof:
    if not goals or any(not (goal.families or goal.rests_on) for goal in goals):
        return Proof.UNPROVED
    if any(goal.rests_on for goal in goals):
        return Proof.CONDITIONAL
    families = min(len(goal.families) for goal in goals)
    return Proof.ONE_FAMILY if families == 1 else Proof.TWO_FAMILIES


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
