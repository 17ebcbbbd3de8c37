"""The cross-check: every implementation on every trial, and the smallest input of each failure."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field

import msgspec

from sonnx_formal.backends.backend import Crashed, Hung
from sonnx_formal.backends.catalogue import OUR_OWN
from sonnx_formal.backends.process import CALL_SECONDS, NotAvailableError, Worker
from sonnx_formal.check.compare import Judgement, judge
from sonnx_formal.check.document import (
    CheckedBackend,
    CheckFinding,
    CheckReport,
    ExhaustiveRun,
    MatrixRow,
    ProbeRow,
    SumErrors,
    SumErrorsRow,
    Verdict,
)
from sonnx_formal.check.probes import Probe, ProbeAnswer, probes
from sonnx_formal.check.smallest import Counterexample, Search
from sonnx_formal.check.trials import Trial, exhaustive, inadmissible, of_case, outcome
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.manifest import Case

Cases = Callable[[Oracle, Instance], Iterable[Case]]
Say = Callable[[str], None]

_MOST_HANGS = 3
_MOST_CRASHES = 20
"""Of one implementation, operator and type: what is left is not run."""


@dataclass(frozen=True)
class CheckRequest:
    """What is to be checked."""

    backends: Sequence[str]
    instances: Sequence[Instance]
    required: frozenset[str] = frozenset()
    """Implementations that fail the check when they fail; our own always does."""
    seconds: float = CALL_SECONDS
    accumulate: str | None = None
    """The type in which sums of narrower floats are to be accumulated; None for their own."""
    manifest_sha256: str | None = None
    """Of the manifest of the test vectors, where these are read and not made."""
    environment: Mapping[str, str] | None = None
    """Of the workers, in place of that of this process."""


@dataclass
class _Group:
    """Trials that fail in one way."""

    example: Counterexample
    trials: int = 0
    elements: int = 0


@dataclass
class _Tally:
    """What came of the trials of one implementation, operator and choice of types."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    not_passed: dict[str, Verdict] = field(default_factory=dict)
    """The trials with another verdict than a pass by their names, of who supports the types."""
    errors: dict[int, SumErrors] = field(default_factory=dict)
    """Of sums that may depend on their order, by the number of products."""
    groups: dict[tuple[Verdict, str, bool], _Group] = field(default_factory=dict)
    computed: bool = False
    """Whether there was an array for any admissible operands."""

    def add(self, trial: Trial, judgement: Judgement) -> None:
        """Count a verdict, and keep the smaller example."""
        self.counts[judgement.verdict] += 1
        if judgement.verdict not in {Verdict.PASS, Verdict.WITHIN_BOUND}:
            self.not_passed[trial.name] = judgement.verdict
        if (errors := judgement.errors) is not None:
            before = self.errors.get(errors.products, SumErrors(errors.products))
            self.errors[errors.products] = before.with_all(errors)
        self.computed |= judgement.got is not None and trial.violated is None
        found = Counterexample(trial, judgement)
        for kind in judgement.kinds:
            key = (judgement.verdict, kind, trial.violated is None)
            group = self.groups.setdefault(key, _Group(found))
            group.trials += 1
            group.elements += sum(other == kind for _, other in judgement.wrong)
            if found.size < group.example.size:
                group.example = found

    def row(self, about: tuple[str, str], backend: CheckedBackend) -> MatrixRow:
        counts = {verdict: self.counts[verdict] for verdict in Verdict}
        return MatrixRow(*about, backend.name, counts, self.not_passed)

    def error_rows(self, about: tuple[str, str], backend: CheckedBackend) -> Iterator[SumErrorsRow]:
        operator, types = about
        for _, errors in sorted(self.errors.items()):
            known = msgspec.structs.asdict(errors)
            yield SumErrorsRow(**known, operator=operator, element_type=types, backend=backend.name)

    def findings(
        self, about: tuple[str, str], backend: CheckedBackend, search: Search
    ) -> Iterator[CheckFinding]:
        """What is wrong, each with the smallest example."""
        for (verdict, kind, admissible), group in self.groups.items():
            smallest = search.smaller(group.example, verdict, kind).told(kind)
            counts = group.trials, group.elements
            yield CheckFinding(*about, backend.name, verdict, kind, admissible, *counts, smallest)


def crosscheck(request: CheckRequest, cases: Cases, oracle: Oracle, say: Say) -> CheckReport:
    """Run every implementation on every trial.

    :param cases: the test vectors of an operator over some types.
    :param say: is told of the progress.
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
        backends = [_backend(worker, request) for worker in workers.values()]
        if all(backend.missing is not None for backend in backends):
            reasons = "; ".join(f"{backend.name}: {backend.missing}" for backend in backends)
            raise UserError(f"there is nothing to check, for nothing is installed: {reasons}")
        matrix: list[MatrixRow] = []
        runs: list[ExhaustiveRun] = []
        errors: list[SumErrorsRow] = []
        findings: list[CheckFinding] = []
        answers: list[ProbeRow] = []
        for instance in request.instances:
            say(f"{instance}: expected results")
            about = instance.operator.name, instance.label
            trials = [of_case(case, oracle) for case in cases(oracle, instance)]
            run = exhaustive(oracle, instance)
            runs.append(ExhaustiveRun(*about, run.combinations, run.why_not))
            trials += run.trials
            trials += inadmissible(oracle, instance, list(trials))
            for backend in backends:
                say(f"{instance}: {backend.name}, {len(trials)} cases")
                tally = _tally(backend, workers[backend.name], instance, trials, request.accumulate)
                matrix.append(tally.row(about, backend))
                errors += tally.error_rows(about, backend)
                search = Search(workers[backend.name], oracle, backend.ours, request.accumulate)
                findings += tally.findings(about, backend, search)
        for probe in probes():
            if probe.instance in request.instances:
                for backend in backends:
                    say(f"{probe.instance}: {backend.name}, {probe.name}")
                    answers.append(_answered(backend, workers[backend.name], probe, oracle))
    report = CheckReport(
        request.manifest_sha256,
        tuple(backends),
        tuple(matrix),
        tuple(runs),
        request.accumulate,
        tuple(errors),
        tuple(findings),
        tuple(answers),
        round(time.monotonic() - began, 3),
    )
    verdicts = (msgspec.structs.replace(each, failed=_fails(each, report)) for each in backends)
    return msgspec.structs.replace(report, backends=tuple(verdicts))


def _fails(backend: CheckedBackend, report: CheckReport) -> bool:
    """Whether an implementation had to pass and did not."""
    if not backend.ours and not backend.required:
        return False
    rows = [row.counts for row in report.matrix if row.backend == backend.name]
    total = {verdict: sum(counts[verdict] for counts in rows) for verdict in Verdict}
    answers = [answer for answer in report.probes if answer.backend == backend.name]
    if backend.ours:
        fine = {Verdict.PASS, Verdict.NOT_SUPPORTED}
        only_passes = total[Verdict.PASS] == sum(total.values()) > 0
        return not only_passes or not {answer.verdict for answer in answers} <= fine
    # Outside the domain of an operator, an implementation may do what it likes.
    told: list[ProbeRow | CheckFinding] = [*answers]
    told += (each for each in report.findings if each.backend == backend.name)
    bad = {Verdict.DIVERGES, Verdict.CRASHES}
    departs = any(each.admissible and each.verdict in bad for each in told)
    return departs or not (total[Verdict.PASS] or total[Verdict.WITHIN_BOUND])


def _answered(backend: CheckedBackend, worker: Worker, probe: Probe, oracle: Oracle) -> ProbeRow:
    answer = ProbeAnswer(Verdict.NOT_INSTALLED)
    if backend.missing is None:
        answer = probe.ask(probe, oracle, lambda trial, form: outcome(worker, trial, form))
    return ProbeRow(
        probe.instance.operator.name,
        probe.instance.label,
        backend.name,
        probe.name,
        probe.question,
        answer.verdict,
        answer.kind,
        answer.admissible,
        asdict(answer.form),
        answer.example.told(answer.kind) if answer.example else None,
    )


def _backend(worker: Worker, request: CheckRequest) -> CheckedBackend:
    version, missing = None, None
    try:
        version = worker.version()
    except NotAvailableError as error:
        missing = str(error)
    name, required = worker.name, worker.name in request.required
    if missing is not None and required:
        raise UserError(f"{name}, which is required, is not installed: {missing}")
    return CheckedBackend(name, version, name == OUR_OWN, missing, required, failed=False)


def _tally(
    backend: CheckedBackend,
    worker: Worker,
    instance: Instance,
    trials: Sequence[Trial],
    accumulate: str | None,
) -> _Tally:
    if backend.missing is not None:
        return _Tally(Counter({Verdict.NOT_INSTALLED: len(trials)}))
    if not _supports(worker, instance):
        return _Tally(Counter({Verdict.NOT_SUPPORTED: len(trials)}))
    tally = _Tally()
    hangs = crashes = 0
    # What has a result comes first: only who computes anything can be said to reject the rest.
    for trial in sorted(trials, key=lambda trial: trial.violated is not None):
        if hangs >= _MOST_HANGS or crashes >= _MOST_CRASHES:
            tally.add(trial, Judgement(Verdict.NOT_JUDGED, ("not run after so many failures",)))
            continue
        became = outcome(worker, trial)
        hangs += isinstance(became, Hung)
        crashes += isinstance(became, Crashed)
        judgement = judge(trial, became, strict=backend.ours, accumulate=accumulate)
        if trial.violated and judgement.verdict is Verdict.PASS and not tally.computed:
            judgement = Judgement(Verdict.REFUSES)
        tally.add(trial, judgement)
    return tally


def _supports(worker: Worker, instance: Instance) -> bool:
    try:
        return worker.supports(instance)
    except NotAvailableError:
        return True  # it had loaded before: what it dies of now is told trial by trial
