"""The trace: computed from the registry and the evidence, and checked both ways."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sonnx_formal.report.trace.crosscheck import CaseOutcome, Combination, CrossCheck
from sonnx_formal.report.trace.document import (
    Confirmation,
    DocumentLine,
    FindingLine,
    GoalLink,
    Proof,
    RequirementLine,
    SketchEntry,
    State,
    Trace,
    TraceFault,
    TraceRule,
    VectorCount,
)
from sonnx_formal.report.trace.evidence import Registry, TraceEvidence
from sonnx_formal.spec.requirements import Finding, Level, Requirement, Status

_NAMED = 3
"""Of many goals: the others are counted."""
_TWO = 2


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

    def trace(self) -> Trace:
        lines = tuple(map(self._line, self._requirements.values()))
        findings = tuple(map(self._finding_line, self._registry.findings))
        errors = (
            *(error for line in lines for error in self._errors_of(line)),
            *(
                error
                for finding in self._registry.findings
                for error in self._errors_of_finding(finding)
            ),
            *self._orphans(),
            *self._stale_scaffolding(),
            *self._unknown_ids(),
            *(
                TraceFault(TraceRule.MISSING_FILE, missing.operator, f"{missing}; write it")
                for missing in self._evidence.missing
            ),
        )
        given = self._evidence
        absent = tuple(
            name
            for name, value in (
                ("vectors", given.vectors),
                ("cross-check", given.crosscheck),
                ("tests", given.tests),
            )
            if value is None
        )
        return Trace(
            State.BROKEN if errors else State.INCOMPLETE if absent else State.WHOLE,
            absent,
            tuple(
                DocumentLine(name, each.title, each.text_sha256)
                for name, each in self._registry.documents.items()
            ),
            lines,
            findings,
            self._registry.left_out,
            errors,
        )

    # --- Lines ---

    def _line(self, requirement: Requirement) -> RequirementLine:
        goals = self._goals(requirement.goals)
        planned = requirement.status is Status.PLANNED
        proof = Proof.PLANNED if planned else _weakest(goals)
        confirmed = tuple(self._confirmations(requirement.id))
        return RequirementLine(
            id=requirement.id,
            document=requirement.document,
            section=requirement.section,
            kind=requirement.kind,
            text=requirement.text,
            status=requirement.status,
            levels=requirement.levels,
            precondition=requirement.precondition,
            proof=proof,
            ladder=tuple(_ladder(proof, confirmed)),
            goals=goals,
            vectors=tuple(VectorCount(*count) for count in self._cases[requirement.id].items()),
            no_vector=requirement.no_vector or None,
            confirmed_by=confirmed,
            tests=requirement.checks,
            findings=tuple(
                finding.id
                for finding in self._registry.findings
                if requirement.id in finding.requirements
            ),
            gaps=tuple(self._gaps(requirement, goals, confirmed)),
        )

    def _finding_line(self, finding: Finding) -> FindingLine:
        goals = self._goals(finding.shown_by)
        sketch = finding.sketch
        return FindingLine(
            id=finding.id,
            document=finding.document,
            section=finding.section,
            title=finding.title,
            readings=finding.readings,
            requirements=finding.requirements,
            proof=_weakest(goals) if finding.shown_by else None,
            goals=goals,
            sketch=SketchEntry(sketch.outcome, sketch.text, sketch.message or None)
            if sketch
            else None,
            not_shown=finding.not_shown or None,
            decision=finding.decision,
            proposal=finding.proposal,
        )

    def _goals(self, links: Iterable[str]) -> tuple[GoalLink, ...]:
        return tuple(dict.fromkeys(goal for link in links for goal in self._linked(link)))

    def _linked(self, link: str) -> list[GoalLink]:
        return (self._by_symbol if ":" in link else self._by_id).get(link, [])

    def _confirmations(self, identifier: str) -> Iterator[Confirmation]:
        """Of implementations that pass wherever they support what the vectors of it need."""
        asked = self._named[identifier]
        check = self._evidence.crosscheck or CrossCheck({})
        for implementation in check.rows:
            found = [check.outcome(implementation, *each) for each in asked.items()]
            supported = [each for each in found if each is not CaseOutcome.NOT_SUPPORTED]
            if supported and all(each is CaseOutcome.PASSES for each in supported):
                yield Confirmation(implementation, len(supported), len(asked))

    def _gaps(
        self, requirement: Requirement, goals: Sequence[GoalLink], confirmed: Sequence[Confirmation]
    ) -> Iterator[str]:
        if requirement.status is Status.PLANNED:
            yield f"planned: {requirement.gap}"
            return
        single = sum(len(goal.families) == 1 for goal in goals)
        if single:
            yield f"{single} of {len(goals)} goals proved by one family of provers only"
        if requirement.precondition:
            yield (
                "stated as a precondition: proved is that it can be met and is met in each use; "
                "that programs reject what violates it, tests show"
            )
        if requirement.levels == (Level.REAL,):
            yield "claimed of real numbers only"
        names = {each.implementation for each in confirmed}
        if requirement.no_vector:
            yield f"no vector: {requirement.no_vector}"
        elif self._evidence.crosscheck and names and names <= self._evidence.crosscheck.ours:
            yield "its vectors pass on our own implementation only"

    # --- Rules ---

    def _errors_of(self, line: RequirementLine) -> Iterator[TraceFault]:
        requirement = self._requirements[line.id]
        if line.planned:
            yield from self._errors_of_planned(line)
            return
        yield from self._errors_of_links(line.id, requirement.goals)
        yield from _unproved(line.id, line.goals)
        if not line.goals:
            yield TraceFault(
                TraceRule.UNPROVED, line.id, "no goal serves it; link one that states it"
            )
        if self._by_id[line.id] and line.id not in requirement.goals:
            names = sorted({goal.symbol for goal in self._by_id[line.id]})
            message = f"Why3 explains {_some(names)} with it; add its id to its goals"
            yield TraceFault(TraceRule.UNLINKED_GOAL, line.id, message)
        yield from self._errors_of_vectors(line, requirement)
        tests = self._evidence.tests
        for test in line.tests if tests is not None else ():
            if test not in (tests or ()):
                message = f"{test} does not exist; name the test that checks it now"
                yield TraceFault(TraceRule.MISSING_TEST, line.id, message)

    def _errors_of_planned(self, line: RequirementLine) -> Iterator[TraceFault]:
        goals = sorted({goal.symbol for goal in self._by_id[line.id]})
        if goals or line.vectors:
            what = _some(goals) if goals else "vectors name it"
            message = f"it is being built ({what}); make it formalised and link what serves it"
            yield TraceFault(TraceRule.NO_LONGER_PLANNED, line.id, message)

    def _errors_of_links(self, identifier: str, links: Iterable[str]) -> Iterator[TraceFault]:
        for link in links:
            if self._linked(link):
                continue
            if ":" not in link and link not in self._requirements:
                yield TraceFault(
                    TraceRule.UNKNOWN_ID, identifier, f"it links {link}, an unknown id"
                )
            else:
                message = f"{link} does not exist; correct the link, or state the goal"
                yield TraceFault(TraceRule.MISSING_GOAL, identifier, message)

    def _errors_of_vectors(
        self, line: RequirementLine, requirement: Requirement
    ) -> Iterator[TraceFault]:
        if self._evidence.vectors is None:
            return
        if line.no_vector:
            if line.vectors:
                message = f"{line.cases} cases name it; link their classes instead"
                yield TraceFault(TraceRule.UNEXPECTED_VECTOR, line.id, message)
            return
        missing = sorted({*requirement.vectors} - {count.name for count in line.vectors})
        if missing:
            message = f"no case of the class {_some(missing)} names it; correct the link"
            yield TraceFault(TraceRule.MISSING_VECTOR, line.id, message)
        if not line.vectors:
            message = "no case names it; generate one, or say why none can be"
            yield TraceFault(TraceRule.NO_VECTOR, line.id, message)
        elif self._evidence.crosscheck is not None and not line.confirmations:
            message = "no implementation passes on all its cases; see `sonnx-formal check`"
            yield TraceFault(TraceRule.NO_VECTOR, line.id, message)

    def _errors_of_finding(self, finding: Finding) -> Iterator[TraceFault]:
        yield from self._errors_of_links(finding.id, finding.shown_by)
        yield from _unproved(finding.id, self._goals(finding.shown_by))
        for identifier in finding.requirements:
            if identifier not in self._requirements:
                message = f"it is about {identifier}, which the registry does not have"
                yield TraceFault(TraceRule.UNKNOWN_ID, finding.id, message)

    def _orphans(self) -> Iterator[TraceFault]:
        serving = {goal for each in self._requirements.values() for goal in each.goals}
        serving |= {goal for finding in self._registry.findings for goal in finding.shown_by}
        for symbol, goals in self._by_symbol.items():
            explained = any(self._requirements.keys() & goal.explained_by for goal in goals)
            if self._registry.rule.includes(symbol) and symbol not in serving and not explained:
                message = "no requirement and no finding links it; link it, or drop it"
                yield TraceFault(TraceRule.ORPHAN_GOAL, symbol, message)

    def _stale_scaffolding(self) -> Iterator[TraceFault]:
        for exemption in self._registry.rule.scaffolding:
            for symbol in exemption.goals:
                if symbol not in self._by_symbol:
                    message = "it is exempt and does not exist; drop the exemption"
                    yield TraceFault(TraceRule.STALE_SCAFFOLDING, symbol, message)
            for pattern in exemption.files:
                if not any(exemption.covers(symbol) for symbol in self._by_symbol):
                    message = "no file with goals is so named; drop the exemption"
                    yield TraceFault(TraceRule.STALE_SCAFFOLDING, pattern, message)

    def _unknown_ids(self) -> Iterator[TraceFault]:
        used = {
            identifier: [goal.symbol for goal in goals] for identifier, goals in self._by_id.items()
        }
        for identifier in self._named:
            used.setdefault(identifier, []).append("test vectors")
        for identifier, files in self._evidence.used.items():
            used.setdefault(identifier, []).extend(files)
        for identifier, places in sorted(used.items()):
            if identifier not in self._requirements:
                where = _some(list(dict.fromkeys(places)))
                message = f"used in {where}; correct it, or add it to the registry"
                yield TraceFault(TraceRule.UNKNOWN_ID, identifier, message)


def _ladder(proof: Proof, confirmed: Sequence[Confirmation]) -> Iterator[str]:
    """The rungs that are reached, from the lowest."""
    if proof in {Proof.PLANNED, Proof.UNPROVED}:
        yield str(proof)
        return
    yield str(Proof.ONE_FAMILY)
    if proof is Proof.TWO_FAMILIES:
        yield str(proof)
    complete = sum(each.complete for each in confirmed)
    if complete:
        partly = len(confirmed) - complete
        more = f", on {partly} more in part" if partly else ""
        yield f"vectors pass on {complete} implementation{'s' * (complete > 1)}{more}"


def _unproved(subject: str, goals: Sequence[GoalLink]) -> Iterator[TraceFault]:
    names = [goal.id for goal in goals if not goal.families]
    if names:
        message = f"not proved: {_some(names)}; prove it with `sonnx-formal prove`"
        yield TraceFault(TraceRule.UNPROVED, subject, message)


def _weakest(goals: Sequence[GoalLink]) -> Proof:
    families = min((len(goal.families) for goal in goals), default=0)
    if families >= _TWO:
        return Proof.TWO_FAMILIES
    return Proof.ONE_FAMILY if families else Proof.UNPROVED


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
