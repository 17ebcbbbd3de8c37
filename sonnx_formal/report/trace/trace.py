"""The trace: computed from the registry and the evidence, and checked both ways."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.backends import OUR_OWN
from sonnx_formal.report.trace.crosscheck import Combination, CrossCheck, Outcome
from sonnx_formal.report.trace.evidence import Evidence
from sonnx_formal.report.trace.goals import ProvedGoal
from sonnx_formal.spec.requirements import (
    Finding,
    Level,
    OperatorGoals,
    Requirement,
    Status,
)

_NAMED = 3
"""Of many goals: the others are counted."""
_TWO = 2


class Proof(StrEnum):
    """The lower part of a requirement's ladder: what is known of the weakest of its goals."""

    PLANNED = "planned"
    UNPROVED = "unproved"
    ONE_FAMILY = "proved by one family"
    TWO_FAMILIES = "proved by two families"


class Rule(StrEnum):
    """What can be wrong with a trace."""

    UNPROVED = "a formalised requirement, or a finding, without proof"
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


class State(StrEnum):
    """What a trace comes to."""

    WHOLE = "whole"
    """Each formalised requirement has its proofs and passing vectors, and no rule is broken."""
    INCOMPLETE = "incomplete"
    """No rule is broken, but some evidence was not given: that is no pass."""
    BROKEN = "broken"


@dataclass(frozen=True)
class Error:
    """A rule that is broken."""

    rule: Rule
    subject: str
    """The id or symbol that it is about."""
    message: str
    """What is wrong, and the way out."""


@dataclass(frozen=True)
class Confirmation:
    """An implementation that passes on vectors of a requirement."""

    implementation: str
    combinations: int
    """Pairs of operator and element type on which it passes."""
    of: int
    """Pairs that have vectors of the requirement."""

    @property
    def complete(self) -> bool:
        """Whether it passes wherever there are vectors."""
        return self.combinations == self.of


@dataclass(frozen=True)
class Line:
    """One requirement, what serves it, and how far it is."""

    requirement: Requirement
    proof: Proof
    goals: tuple[ProvedGoal, ...]
    """All that serve it."""
    cases: Mapping[str, int]
    """Test vectors that exercise it, by class."""
    confirmed_by: tuple[Confirmation, ...]
    findings: tuple[str, ...]
    """Ids of the findings about it."""
    gaps: tuple[str, ...]
    """What an assessor should know before anything else, in words."""

    @property
    def confirmations(self) -> int:
        """On how many implementations all its vectors pass, of every element type."""
        return sum(one.complete for one in self.confirmed_by)

    @property
    def ladder(self) -> tuple[str, ...]:
        """The rungs that it has reached, from the lowest."""
        if self.proof in {Proof.PLANNED, Proof.UNPROVED}:
            return (str(self.proof),)
        reached = [str(Proof.ONE_FAMILY)]
        if self.proof is Proof.TWO_FAMILIES:
            reached.append(str(Proof.TWO_FAMILIES))
        if self.confirmations:
            plural = "s" * (self.confirmations > 1)
            partly = len(self.confirmed_by) - self.confirmations
            more = f", on {partly} more in part" if partly else ""
            reached.append(f"vectors pass on {self.confirmations} implementation{plural}{more}")
        return tuple(reached)


@dataclass(frozen=True)
class FindingLine:
    """One finding and the goals that show it."""

    finding: Finding
    goals: tuple[ProvedGoal, ...]
    proof: Proof | None
    """None where no goal shows it."""


@dataclass(frozen=True)
class Trace:
    """The whole trace."""

    lines: tuple[Line, ...]
    findings: tuple[FindingLine, ...]
    errors: tuple[Error, ...]
    not_given: tuple[str, ...]
    """Evidence that was not there: vectors, cross-check, tests."""

    @property
    def state(self) -> State:
        """Broken before incomplete before whole."""
        if self.errors:
            return State.BROKEN
        return State.INCOMPLETE if self.not_given else State.WHOLE


def trace(
    requirements: Mapping[str, Requirement],
    findings: Sequence[Finding],
    rule: OperatorGoals,
    evidence: Evidence,
) -> Trace:
    """Compute the trace and check it both ways. Needs no file and starts nothing.

    :param requirements: the registry, by id.
    :param rule: which goals have to serve a requirement.
    """
    return _Tracing(requirements, findings, rule, evidence).trace()


class _Tracing:
    def __init__(
        self,
        requirements: Mapping[str, Requirement],
        findings: Sequence[Finding],
        rule: OperatorGoals,
        evidence: Evidence,
    ) -> None:
        self._requirements = requirements
        self._findings = findings
        self._rule = rule
        self._evidence = evidence
        self._by_symbol: dict[str, list[ProvedGoal]] = defaultdict(list)
        self._by_id: dict[str, list[ProvedGoal]] = defaultdict(list)
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
                    combination = str(file.operator), file.element_type
                    self._named[identifier][combination].add(case.name)

    def trace(self) -> Trace:
        lines = tuple(map(self._line, self._requirements.values()))
        found = tuple(map(self._finding_line, self._findings))
        errors = [error for line in lines for error in self._errors_of(line)]
        errors += [error for line in found for error in self._errors_of_finding(line)]
        errors += self._orphans()
        errors += self._stale_scaffolding()
        errors += self._unknown_ids()
        given = self._evidence
        not_given = {
            "vectors": given.vectors,
            "cross-check": given.crosscheck,
            "tests": given.tests,
        }
        absent = tuple(name for name, value in not_given.items() if value is None)
        return Trace(lines, found, tuple(errors), absent)

    # --- Lines ---

    def _line(self, requirement: Requirement) -> Line:
        goals = self._goals(requirement.goals)
        proof = Proof.PLANNED if requirement.status is Status.PLANNED else _weakest(goals)
        confirmed = tuple(self._confirmations(requirement.id))
        cases = dict(self._cases[requirement.id])
        about = tuple(one.id for one in self._findings if requirement.id in one.requirements)
        gaps = tuple(self._gaps(requirement, goals, confirmed))
        return Line(requirement, proof, goals, cases, confirmed, about, gaps)

    def _finding_line(self, finding: Finding) -> FindingLine:
        goals = self._goals(finding.shown_by)
        return FindingLine(finding, goals, _weakest(goals) if finding.shown_by else None)

    def _goals(self, links: Iterable[str]) -> tuple[ProvedGoal, ...]:
        return tuple(dict.fromkeys(goal for link in links for goal in self._linked(link)))

    def _linked(self, link: str) -> list[ProvedGoal]:
        return (self._by_symbol if ":" in link else self._by_id).get(link, [])

    def _confirmations(self, identifier: str) -> Iterator[Confirmation]:
        """Of implementations that pass wherever they support what the vectors of it need."""
        asked = self._named[identifier]
        check = self._evidence.crosscheck or CrossCheck({})
        for implementation in check.rows:
            found = [check.outcome(implementation, *one) for one in asked.items()]
            supported = [one for one in found if one is not Outcome.NOT_SUPPORTED]
            if supported and all(one is Outcome.PASSES for one in supported):
                yield Confirmation(implementation, len(supported), len(asked))

    def _gaps(
        self,
        requirement: Requirement,
        goals: Sequence[ProvedGoal],
        confirmed: Sequence[Confirmation],
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
        if requirement.no_vector:
            yield f"no vector: {requirement.no_vector}"
        elif [one.implementation for one in confirmed] == [OUR_OWN]:
            yield "its vectors pass on our own implementation only"

    # --- Rules ---

    def _errors_of(self, line: Line) -> Iterator[Error]:
        one = line.requirement
        if one.status is Status.PLANNED:
            yield from self._errors_of_planned(one)
            return
        yield from self._errors_of_links(one.id, one.goals)
        unproved = [goal.id for goal in line.goals if not goal.families]
        if unproved:
            yield Error(Rule.UNPROVED, one.id, f"not proved: {_some(unproved)}; {_PROVE}")
        elif not line.goals:
            yield Error(Rule.UNPROVED, one.id, "no goal serves it; link one that states it")
        if self._by_id[one.id] and one.id not in one.goals:
            names = sorted({goal.symbol for goal in self._by_id[one.id]})
            message = f"Why3 explains {_some(names)} with it; add its id to its goals"
            yield Error(Rule.UNLINKED_GOAL, one.id, message)
        yield from self._errors_of_vectors(line)
        for check in one.checks if self._evidence.tests is not None else ():
            if check not in (self._evidence.tests or ()):
                message = f"{check} does not exist; name the test that checks it now"
                yield Error(Rule.MISSING_TEST, one.id, message)

    def _errors_of_planned(self, one: Requirement) -> Iterator[Error]:
        goals = [goal.symbol for goal in self._by_id[one.id]]
        if goals or self._cases[one.id]:
            what = _some(sorted(set(goals))) if goals else "vectors name it"
            message = f"it is being built ({what}); make it formalised and link what serves it"
            yield Error(Rule.NO_LONGER_PLANNED, one.id, message)

    def _errors_of_links(self, identifier: str, links: Iterable[str]) -> Iterator[Error]:
        for link in links:
            if not self._linked(link):
                if ":" not in link and link not in self._requirements:
                    yield Error(Rule.UNKNOWN_ID, identifier, f"it links {link}, an unknown id")
                else:
                    message = f"{link} does not exist; correct the link, or state the goal"
                    yield Error(Rule.MISSING_GOAL, identifier, message)

    def _errors_of_vectors(self, line: Line) -> Iterator[Error]:
        one = line.requirement
        if self._evidence.vectors is None:
            return
        if one.no_vector:
            if line.cases:
                message = f"{sum(line.cases.values())} cases name it; link their classes instead"
                yield Error(Rule.UNEXPECTED_VECTOR, one.id, message)
            return
        missing = [name for name in one.vectors if name not in line.cases]
        if missing:
            message = f"no case of the class {_some(missing)} names it; correct the link"
            yield Error(Rule.MISSING_VECTOR, one.id, message)
        if not line.cases:
            message = "no case names it; generate one, or say why none can be"
            yield Error(Rule.NO_VECTOR, one.id, message)
        elif self._evidence.crosscheck is not None and not line.confirmations:
            message = "no implementation passes on all its cases; see `sonnx-formal check`"
            yield Error(Rule.NO_VECTOR, one.id, message)

    def _errors_of_finding(self, line: FindingLine) -> Iterator[Error]:
        one = line.finding
        yield from self._errors_of_links(one.id, one.shown_by)
        unproved = [goal.id for goal in line.goals if not goal.families]
        if unproved:
            yield Error(Rule.UNPROVED, one.id, f"not proved: {_some(unproved)}; {_PROVE}")
        for identifier in one.requirements:
            if identifier not in self._requirements:
                message = f"it is about {identifier}, which the registry does not have"
                yield Error(Rule.UNKNOWN_ID, one.id, message)

    def _orphans(self) -> Iterator[Error]:
        serving = {goal for one in self._requirements.values() for goal in one.goals}
        serving |= {goal for one in self._findings for goal in one.shown_by}
        for symbol, goals in self._by_symbol.items():
            explained = any(
                identifier in self._requirements
                for goal in goals
                for identifier in goal.explained_by
            )
            if self._rule.includes(symbol) and symbol not in serving and not explained:
                message = "no requirement and no finding links it; link it, or drop it"
                yield Error(Rule.ORPHAN_GOAL, symbol, message)

    def _stale_scaffolding(self) -> Iterator[Error]:
        for one in self._rule.scaffolding:
            for symbol in one.goals:
                if symbol not in self._by_symbol:
                    message = "it is exempt and does not exist; drop the exemption"
                    yield Error(Rule.STALE_SCAFFOLDING, symbol, message)
            for pattern in one.files:
                if not any(one.covers(symbol) for symbol in self._by_symbol):
                    message = "no file with goals is so named; drop the exemption"
                    yield Error(Rule.STALE_SCAFFOLDING, pattern, message)

    def _unknown_ids(self) -> Iterator[Error]:
        used: dict[str, list[str]] = defaultdict(list)
        for goal in self._evidence.goals:
            for identifier in goal.explained_by:
                used[identifier].append(goal.symbol)
        for identifier, counts in self._cases.items():
            if counts:
                used[identifier].append("test vectors")
        for identifier, files in self._evidence.used.items():
            used[identifier].extend(files)
        for identifier, places in sorted(used.items()):
            if identifier not in self._requirements:
                where = _some(list(dict.fromkeys(places)))
                message = f"used in {where}; correct it, or add it to the registry"
                yield Error(Rule.UNKNOWN_ID, identifier, message)


_PROVE = "prove it with `sonnx-formal prove`"


def _weakest(goals: Sequence[ProvedGoal]) -> Proof:
    families = min((len(goal.families) for goal in goals), default=0)
    if families >= _TWO:
        return Proof.TWO_FAMILIES
    return Proof.ONE_FAMILY if families else Proof.UNPROVED


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
