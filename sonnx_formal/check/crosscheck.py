"""The cross-check: every implementation on every trial, and the smallest input of each failure."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from sonnx_formal.backends import OUR_OWN
from sonnx_formal.backends.process import (
    CALL_SECONDS,
    Crashed,
    Hung,
    NotAvailableError,
    Worker,
)
from sonnx_formal.check.compare import Judgement, Verdict, judge
from sonnx_formal.check.errors import Errors
from sonnx_formal.check.probes import PROBES, Answer, Probe
from sonnx_formal.check.smallest import Example, Search
from sonnx_formal.check.trial import Trial, all_pairs, inadmissible, of_case, outcome
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import Case, Operator

Combination = tuple[Operator, str]
Cases = Callable[[Oracle, Operator, str], Iterable[Case]]
Progress = Callable[[str], None]

_MOST_HANGS = 3
_MOST_CRASHES = 20
"""Of one implementation, operator and type: what is left is not run."""


@dataclass(frozen=True)
class Request:
    """What is to be checked."""

    backends: Sequence[str]
    combinations: Sequence[Combination]
    required: frozenset[str] = frozenset()
    """Implementations that fail the check when they fail; our own always does."""
    seconds: float = CALL_SECONDS
    accumulate: str | None = None
    """The type in which sums of narrower floats are to be accumulated; None for their own."""
    environment: Mapping[str, str] | None = None
    """Of the workers, in place of that of this process."""


@dataclass(frozen=True)
class Candidate:
    """An implementation that was asked for."""

    name: str
    version: str | None
    missing: str | None
    """Why it is not there, if it is not."""


@dataclass(frozen=True, eq=False)
class Finding:
    """One way in which an implementation fails on an operator and a type."""

    backend: str
    operator: Operator
    element_type: str
    verdict: Verdict
    kind: str
    trials: int
    elements: int
    """Wrong elements; 0 where it is not about elements."""
    example: Example

    @property
    def admissible(self) -> bool:
        """Whether the specification has a result for the operands."""
        return self.example.trial.violated is None


@dataclass(frozen=True)
class Report:
    """The result of a cross-check."""

    request: Request
    candidates: list[Candidate]
    counts: dict[tuple[str, Operator, str], Counter[Verdict]]
    """How many trials came to each verdict, by implementation, operator and type."""
    not_passed: dict[tuple[str, Operator, str], dict[str, Verdict]]
    """The trials with another verdict than a pass by their names, of who supports the type."""
    findings: list[Finding]
    errors: dict[tuple[str, Operator, str], dict[int, Errors]]
    """Of sums that may depend on their order, by the number of products."""
    answers: list[tuple[str, Probe, Answer]]
    """Of each implementation to each probe."""
    seconds: float

    def failed(self) -> list[str]:
        """The implementations that had to pass and did not."""
        must = {OUR_OWN, *self.request.required}
        return [one.name for one in self.candidates if one.name in must and self._fails(one.name)]

    def _fails(self, name: str) -> bool:
        total = sum((c for (one, _, _), c in self.counts.items() if one == name), Counter())
        answers = [answer for one, _, answer in self.answers if one == name]
        if name == OUR_OWN:
            fine = {Verdict.PASS, Verdict.NOT_SUPPORTED}
            return set(total) != {Verdict.PASS} or not {one.verdict for one in answers} <= fine
        # Outside the domain of an operator, an implementation may do what it likes.
        bad = {Verdict.DIVERGES, Verdict.CRASHES}
        findings = [one for one in self.findings if one.backend == name]
        told = [(one.verdict, one.admissible) for one in findings]
        told += [(one.verdict, one.admissible) for one in answers]
        departs = any(admissible and verdict in bad for verdict, admissible in told)
        return departs or not (total[Verdict.PASS] or total[Verdict.WITHIN_BOUND])


@dataclass
class _Group:
    """Trials that fail in one way."""

    example: Example
    trials: int = 0
    elements: int = 0


@dataclass
class _Tally:
    """What came of the trials of one implementation, operator and type."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    not_passed: dict[str, Verdict] = field(default_factory=dict)
    groups: dict[tuple[Verdict, str, bool], _Group] = field(default_factory=dict)
    errors: dict[int, Errors] = field(default_factory=dict)
    computed: bool = False
    """Whether there was an array for any admissible operands."""

    def add(self, trial: Trial, judgement: Judgement) -> None:
        """Count a verdict, and keep the smaller example."""
        self.counts[judgement.verdict] += 1
        if judgement.verdict not in {Verdict.PASS, Verdict.WITHIN_BOUND}:
            self.not_passed[trial.name] = judgement.verdict
        if (found := judgement.errors) is not None:
            before = self.errors.get(found.products, Errors(found.products))
            self.errors[found.products] = before.with_all(found)
        self.computed |= judgement.got is not None and trial.violated is None
        example = Example(trial, judgement)
        for kind in judgement.kinds:
            key = (judgement.verdict, kind, trial.violated is None)
            group = self.groups.setdefault(key, _Group(example))
            group.trials += 1
            group.elements += sum(one == kind for _, one in judgement.wrong)
            if example.size < group.example.size:
                group.example = example


def crosscheck(request: Request, cases: Cases, oracle: Oracle, progress: Progress) -> Report:
    """Run every implementation on every trial.

    :param cases: the test vectors of an operator and a type.
    :param progress: is told what is going on.
    :raises UserError: for a mistake of the user's, or when the oracle gives no answer.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(
                Worker(name, seconds=request.seconds, environment=request.environment)
            )
            for name in request.backends
        }
        candidates = [_candidate(worker) for worker in workers.values()]
        _require_installed(candidates, request.required)
        report = Report(request, candidates, {}, {}, [], {}, [], 0)
        for operator, element_type in request.combinations:
            progress(f"{operator} {element_type}: expected results")
            trials = [
                *(of_case(one, oracle) for one in cases(oracle, operator, element_type)),
                *all_pairs(oracle, operator, element_type),
                *inadmissible(oracle, operator, element_type),
            ]
            for one in candidates:
                progress(f"{operator} {element_type}: {one.name}, {len(trials)} cases")
                tally = _tally(
                    one,
                    workers[one.name],
                    trials,
                    (operator, element_type),
                    request.accumulate,
                )
                report.counts[one.name, operator, element_type] = tally.counts
                report.not_passed[one.name, operator, element_type] = tally.not_passed
                report.errors[one.name, operator, element_type] = tally.errors
                search = Search(
                    workers[one.name],
                    oracle,
                    strict=one.name == OUR_OWN,
                    accumulate=request.accumulate,
                )
                report.findings.extend(_findings(one.name, tally, search))
        for probe in PROBES:
            if (probe.operator, probe.element_type) in request.combinations:
                for one in candidates:
                    progress(f"{probe.operator} {probe.element_type}: {one.name}, {probe.name}")
                    answer = _answered(one, workers[one.name], probe, oracle)
                    report.answers.append((one.name, probe, answer))
    return replace(report, seconds=time.monotonic() - began)


def _answered(candidate: Candidate, worker: Worker, probe: Probe, oracle: Oracle) -> Answer:
    if candidate.missing is not None:
        return Answer(Verdict.NOT_INSTALLED)
    return probe.ask(probe, oracle, lambda trial, form: outcome(worker, trial, form))


def _candidate(worker: Worker) -> Candidate:
    try:
        return Candidate(worker.name, worker.version(), None)
    except NotAvailableError as error:
        return Candidate(worker.name, None, str(error))


def _require_installed(candidates: Sequence[Candidate], required: frozenset[str]) -> None:
    for one in candidates:
        if one.missing is not None and one.name in required:
            raise UserError(f"{one.name}, which is required, is not installed: {one.missing}")
    if all(one.missing is not None for one in candidates):
        reasons = "; ".join(f"{one.name}: {one.missing}" for one in candidates)
        raise UserError(f"there is nothing to check, for nothing is installed: {reasons}")


def _tally(
    candidate: Candidate,
    worker: Worker,
    trials: Sequence[Trial],
    combination: Combination,
    accumulate: str | None,
) -> _Tally:
    if candidate.missing is not None:
        return _Tally(Counter({Verdict.NOT_INSTALLED: len(trials)}))
    if not _supports(worker, combination):
        return _Tally(Counter({Verdict.NOT_SUPPORTED: len(trials)}))
    tally = _Tally()
    strict = candidate.name == OUR_OWN
    hangs = crashes = 0
    # What has a result comes first: only who computes anything can be said to reject the rest.
    for trial in sorted(trials, key=lambda one: one.violated is not None):
        if hangs >= _MOST_HANGS or crashes >= _MOST_CRASHES:
            tally.add(trial, Judgement(Verdict.NOT_JUDGED, ("not run after so many failures",)))
            continue
        became = outcome(worker, trial)
        hangs += isinstance(became, Hung)
        crashes += isinstance(became, Crashed)
        judgement = judge(trial, became, strict=strict, accumulate=accumulate)
        if trial.violated and judgement.verdict is Verdict.PASS and not tally.computed:
            judgement = Judgement(Verdict.REFUSES)
        tally.add(trial, judgement)
    return tally


def _supports(worker: Worker, combination: Combination) -> bool:
    try:
        return worker.supports(*combination)
    except NotAvailableError:
        return True  # it had loaded before: what it dies of now is told trial by trial


def _findings(backend: str, tally: _Tally, search: Search) -> list[Finding]:
    found = []
    for (verdict, kind, _), group in tally.groups.items():
        trial = group.example.trial
        example = search.smaller(group.example, verdict, kind)
        found.append(
            Finding(
                backend,
                trial.operator,
                trial.element_type,
                verdict,
                kind,
                group.trials,
                group.elements,
                example,
            )
        )
    return found
