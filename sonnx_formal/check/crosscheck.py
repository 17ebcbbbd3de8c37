"""The cross-check: every implementation on every trial, and the smallest input of each failure."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Event

from msgspec import structs

from sonnx_formal.backends.catalogue import prepare
from sonnx_formal.backends.process import CALL_SECONDS, Worker
from sonnx_formal.check.asking import asked
from sonnx_formal.check.candidate import Candidate, TrialRows
from sonnx_formal.check.document import (
    CheckedBackend,
    CheckReport,
    ExhaustiveRun,
    ProbeRow,
    Verdict,
)
from sonnx_formal.check.known import examined, recorded
from sonnx_formal.check.probes import probes
from sonnx_formal.check.trials import exhaustive, inadmissible, of_case
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

_AHEAD = 8
"""So many operators and types are begun before all implementations are through with the first."""


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


def crosscheck(request: CheckRequest, cases: Cases, oracle: Oracle, say: Say) -> CheckReport:
    """Run every implementation on every trial. Raises `UserError`, too, when the oracle fails."""
    made = BegunRun.of(LIBRARY)
    rows: list[TrialRows] = []
    runs: list[ExhaustiveRun] = []
    answers: list[ProbeRow] = []
    over = Event()
    prepare(request.backends, say)
    with ExitStack() as stack:
        # Each has a thread, and goes on while others compile a model. A worker dies with the thread
        # that started it, so the threads are there until all is done.
        threads = [stack.enter_context(ThreadPoolExecutor(1)) for _ in request.backends]
        workers = (
            Worker(name, seconds=request.seconds, environment=request.environment)
            for name in request.backends
        )
        candidates = [
            Candidate(worker, asked(worker, request.required), oracle, request.accumulate, over)
            for worker in map(stack.enter_context, workers)
        ]
        stack.callback(over.set)
        if all(each.backend.missing is not None for each in candidates):
            why = "; ".join(f"{each.worker.name}: {each.backend.missing}" for each in candidates)
            raise UserError(f"there is nothing to check, for nothing is installed: {why}")
        begun: deque[tuple[Instance, list[Future[TrialRows]]]] = deque()
        for instance in request.instances:
            if len(begun) == _AHEAD:
                rows += [each.result() for each in begun.popleft()[1]]
            say(f"{instance}: expected results")
            trials = [of_case(case, oracle) for case in cases(oracle, instance)]
            run = exhaustive(oracle, instance)
            about = instance.operator.name, instance.label
            runs.append(ExhaustiveRun(*about, run.combinations, run.why_not))
            trials += run.trials
            trials += inadmissible(oracle, instance, list(trials))
            say(f"{instance}: {len(trials)} cases")
            futures = [
                thread.submit(candidate.examine, instance, trials)
                for thread, candidate in zip(threads, candidates, strict=True)
            ]
            begun.append((instance, futures))
        for instance, futures in begun:
            say(f"{instance}: the last answers")
            rows += [each.result() for each in futures]
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
        tuple(each.verdicts for each in rows),
        tuple(runs),
        request.accumulate,
        tuple(error for each in rows for error in each.errors),
        tuple(finding for each in rows for finding in each.findings),
        tuple(answers),
        known,
    )
    verdicts = (
        structs.replace(each.backend, failed=fails(each.backend, each.declared, report))
        for each in candidates
    )
    return structs.replace(report, backends=tuple(verdicts))


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
