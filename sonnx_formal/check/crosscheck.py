"""The cross-check: every implementation on every trial, and the smallest input of each failure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import repeat
from threading import Event

from msgspec import structs

from sonnx_formal.backends.catalogue import prepare
from sonnx_formal.backends.process import CALL_SECONDS, Worker
from sonnx_formal.check.asking import asked, supports
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
from sonnx_formal.check.known import examined, recorded
from sonnx_formal.check.probes import Probe, ProbeAnswer, probes
from sonnx_formal.check.smallest import Counterexample, smaller
from sonnx_formal.check.trials import Trial, exhaustive, inadmissible, of_case, outcome
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.program import LIBRARY
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements.entries import Divergence
from sonnx_formal.spec.requirements.registry import registry
from sonnx_formal.vectors.manifest import Case

Cases = Callable[[Oracle, Instance], Iterable[Case]]
Say = Callable[[str], None]

_MOST_HANGS = 3
_MOST_CRASHES = 20
"""Of one implementation, operator and type: what is left is not run."""


@dataclass(frozen=True)
class CheckRequest:
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
    known: tuple[Divergence, ...] = field(default_factory=lambda: registry().divergences)
    """Divergences on record: those of what is chosen are put to the runtimes once more."""


@dataclass
class _Group:
    example: Counterexample
    trials: int = 0
    elements: int = 0


@dataclass
class _Tally:
    counts: Counter[Verdict] = field(default_factory=Counter)
    not_passed: dict[str, Verdict] = field(default_factory=dict)
    """The trials with another verdict than a pass by their names, of who supports the types."""
    errors: dict[int, SumErrors] = field(default_factory=dict)
    """Of sums that may depend on their order, by the number of products."""
    groups: dict[tuple[Verdict, str, bool], _Group] = field(default_factory=dict)
    computed: bool = False
    """Whether there was an array for any admissible operands."""
    hangs: int = 0
    crashes: int = 0

    def add(self, trial: Trial, judgement: Judgement) -> None:
        self.counts[judgement.verdict] += 1
        self.hangs += judgement.hung
        self.crashes += judgement.verdict is Verdict.CRASHES and not judgement.hung
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
            group.example = min(group.example, found, key=lambda each: each.size)


def crosscheck(request: CheckRequest, cases: Cases, oracle: Oracle, say: Say) -> CheckReport:
    """Run every implementation on every trial. Raises `UserError`, too, when the oracle fails."""
    made = BegunRun.of(LIBRARY)
    matrix: list[MatrixRow] = []
    runs: list[ExhaustiveRun] = []
    errors: list[SumErrorsRow] = []
    findings: list[CheckFinding] = []
    answers: list[ProbeRow] = []
    over = Event()
    prepare(request.backends, say)
    with ExitStack() as stack:
        # Each has a thread: while one compiles a model, others compute. A worker dies with the
        # thread that started it, so the threads are there until all is done.
        pool = stack.enter_context(ThreadPoolExecutor(len(request.backends)))
        workers = (
            Worker(name, seconds=request.seconds, environment=request.environment)
            for name in request.backends
        )
        candidates = [
            _Candidate(worker, asked(worker, request.required), oracle, request.accumulate, over)
            for worker in map(stack.enter_context, workers)
        ]
        stack.callback(over.set)
        if all(each.backend.missing is not None for each in candidates):
            why = "; ".join(f"{each.worker.name}: {each.backend.missing}" for each in candidates)
            raise UserError(f"there is nothing to check, for nothing is installed: {why}")
        for instance in request.instances:
            say(f"{instance}: expected results")
            about = instance.operator.name, instance.label
            trials = [of_case(case, oracle) for case in cases(oracle, instance)]
            run = exhaustive(oracle, instance)
            runs.append(ExhaustiveRun(*about, run.combinations, run.why_not))
            trials += run.trials
            trials += inadmissible(oracle, instance, list(trials))
            say(f"{instance}: {len(trials)} cases")
            tallies = pool.map(_Candidate.tally, candidates, repeat(instance), repeat(trials))
            for candidate, tally in zip(candidates, tallies, strict=True):
                name = candidate.worker.name
                counts = {verdict: tally.counts[verdict] for verdict in Verdict}
                matrix.append(MatrixRow(*about, name, counts, tally.not_passed))
                owner = {"operator": about[0], "element_type": about[1], "backend": name}
                for _, sums in sorted(tally.errors.items()):
                    errors.append(SumErrorsRow(**structs.asdict(sums) | owner))
                for (verdict, kind, admissible), group in tally.groups.items():
                    smallest = smaller(group.example, kind, oracle, candidate.judged).told(kind)
                    number = group.trials, group.elements
                    findings.append(
                        CheckFinding(*about, name, verdict, kind, admissible, *number, smallest)
                    )
        for probe in probes():
            if probe.instance in request.instances:
                for candidate in candidates:
                    say(f"{probe.instance}: {candidate.worker.name}, {probe.name}")
                    answers.append(candidate.answer(probe))
        here = {each.worker.name: each for each in candidates if each.backend.missing is None}
        known = tuple(
            examined(
                divergence,
                instance,
                oracle,
                candidate.worker if candidate else None,
                candidate.backend.version or "" if candidate else "",
            )
            for divergence, instance in recorded(request.known)
            if instance in request.instances
            for candidate in [here.get(divergence.runtime)]
        )
    report = CheckReport(
        made.ended(),
        request.manifest_sha256,
        tuple(each.backend for each in candidates),
        tuple(matrix),
        tuple(runs),
        request.accumulate,
        tuple(errors),
        tuple(findings),
        tuple(answers),
        known,
    )
    verdicts = (
        structs.replace(each.backend, failed=fails(each.backend, each.declared, report))
        for each in candidates
    )
    return structs.replace(report, backends=tuple(verdicts))


@dataclass(frozen=True)
class _Candidate:
    worker: Worker
    backend: CheckedBackend
    oracle: Oracle
    accumulate: str | None
    over: Event
    """Set when nobody wants to know any more."""
    declared: set[tuple[str, str]] = field(default_factory=set)
    """The operators and types, of those that were chosen, that it says it supports."""

    def judged(self, trial: Trial) -> Judgement:
        became, ours = outcome(self.worker, trial), self.backend.ours
        return judge(trial, became, strict=ours, accumulate=self.accumulate)

    def tally(self, instance: Instance, trials: Sequence[Trial]) -> _Tally:
        if self.backend.missing is not None:
            return _Tally(Counter({Verdict.NOT_INSTALLED: len(trials)}))
        if not supports(self.worker, instance):
            return _Tally(Counter({Verdict.NOT_SUPPORTED: len(trials)}))
        self.declared.add((instance.operator.name, instance.label))
        tally = _Tally()
        # What has a result comes first: only who computes anything can be said to reject the rest.
        for trial in sorted(trials, key=lambda trial: trial.violated is not None):
            if self.over.is_set():
                break
            if tally.hangs >= _MOST_HANGS or tally.crashes >= _MOST_CRASHES:
                judgement = Judgement(Verdict.NOT_JUDGED, ("not run after so many failures",))
            else:
                judgement = self.judged(trial)
                if trial.violated and judgement.verdict is Verdict.PASS and not tally.computed:
                    judgement = Judgement(Verdict.REFUSES)
            tally.add(trial, judgement)
        return tally

    def answer(self, probe: Probe) -> ProbeRow:
        if self.backend.missing is not None:
            answer = ProbeAnswer(Verdict.NOT_INSTALLED)
        elif not supports(self.worker, probe.instance):
            answer = ProbeAnswer(Verdict.NOT_SUPPORTED, "it has not the operator over the type")
        else:
            answer = probe.ask(probe, self.oracle, partial(outcome, self.worker))
        return ProbeRow(
            probe.instance.operator.name,
            probe.instance.label,
            self.worker.name,
            answer.verdict,
            answer.kind,
            answer.admissible,
            probe.name,
            probe.question,
            asdict(answer.form),
            answer.example.told(answer.kind) if answer.example else None,
        )


def fails(backend: CheckedBackend, declared: Set[tuple[str, str]], report: CheckReport) -> bool:
    """Whether it had to pass and did not.

    :param declared: the operators and types that it says it supports.
    """
    if not backend.ours and not backend.required:
        return False
    mine = [row for row in report.matrix if row.backend == backend.name]
    rows = [row.counts for row in mine if (row.operator, row.element_type) in declared]
    total = {verdict: sum(counts[verdict] for counts in rows) for verdict in Verdict}
    answers = [answer for answer in report.probes if answer.backend == backend.name]
    if backend.ours:
        # A library without a kernel for anything that was chosen has nothing to pass.
        idle = not declared and backend.missing is None and not backend.required
        only_passes = idle or 0 < total[Verdict.PASS] == sum(total.values())
        asked = {answer.verdict for answer in answers}
        return not only_passes or not asked <= {Verdict.PASS, Verdict.NOT_SUPPORTED}
    told = (*answers, *report.findings)
    departs = any(each.fails for each in told if each.backend == backend.name)
    return departs or not (total[Verdict.PASS] or total[Verdict.WITHIN_BOUND])
