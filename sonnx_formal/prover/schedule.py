"""Reads files and proves their goals on a number of slots, each of which does a thing at a time.

Goals are proved as soon as their file is read. A goal is left alone as soon as it has proofs from
as many families as are asked for.
"""

import heapq
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.plan import GoalRun, Stage, Unit
from sonnx_formal.prover.provers import (
    CONCLUSIVE,
    LIMITED,
    Answer,
    ProverVerdict,
    answer,
    steps_used,
)
from sonnx_formal.prover.site import Site
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import Task

_SAID_SECONDS = 1
"""How often it is said how far a run is: that takes a look at each goal."""
_KEPT_OUTPUT = 2000  # characters of a prover's output that stay with its verdict


@dataclass(frozen=True)
class Disagreement:
    """Two provers of which one must be wrong."""

    goal: Goal
    task: Task
    valid: ProverVerdict
    sat: ProverVerdict


class Assignment(Protocol):
    """What a schedule is to do, and who is told what comes of it."""

    def read(self, source: Source, /) -> Sequence[GoalRun]:
        """The goals of a file, with what is to be tried. Raises `UserError`."""

    def finished(self, source: Source, runs: Sequence[GoalRun], /) -> None:
        """Called when nothing more is tried for any goal of a file."""

    def failed(self, run: GoalRun, /) -> Sequence[GoalRun]:
        """Called at once for a goal that is not proved: what to try in its place, if anything."""

    def refused(self, said: str, /) -> None:
        """Called at once, if there are others, with what Why3 says of a file that it rejects."""


@dataclass(eq=False)
class Schedule:
    """A run over the goals of files."""

    sources: Sequence[Source]
    assignment: Assignment
    site: Site
    """Where the provers run."""
    cache: Cache | None
    families: int
    stop_at_first_failure: bool = False
    in_vain: str = "not proved"
    """What is said of goals that were tried in every way."""
    runs: list[GoalRun] = field(default_factory=list)
    replaced: set[GoalRun] = field(default_factory=set)
    """Those that failed, and in whose place others are."""
    rejected: dict[Source, str] = field(default_factory=dict)
    """What Why3 says of the files that it does not accept."""
    disagreement: Disagreement | None = None

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._stopped = False
        # Long files first, so that none of them is left over at the end.
        self._unread = deque(sorted(self.sources, key=Source.size, reverse=True))
        self._reading: set[Source] = set()
        self._unfinished: set[GoalRun] = set()
        self._left: Counter[Source] = Counter()
        """How many goals of each file are not finished."""
        self._said: deque[Callable[[], None]] = deque()
        """What is to be told of goals and files that are finished."""
        self._proved: set[GoalRun] = set()
        self._running: dict[int, GoalRun] = {}
        # Goals that nobody works on, by what comes next for them, then as in the file.
        self._idle: list[tuple[Stage, int]] = []
        # What each prover concluded about each task: goals with one text are proved once.
        self._conclusive: dict[str, dict[str, ProverVerdict]] = {}

    def run(self, readers: int, progress: Progress) -> bool:
        """Read and prove everything; False when the user interrupted it.

        What is finished by then stays, and no prover is left. Raises `UserError`.

        :param readers: how many files are read at a time, on this machine.
        """
        self._readers = readers
        width = self.site.width
        with ThreadPoolExecutor(width) as pool:
            try:
                slots = [pool.submit(self._slot) for _ in range(width)]
                unfinished = {*slots}
                while unfinished:
                    done, unfinished = wait(slots, _SAID_SECONDS, FIRST_EXCEPTION)
                    for slot in done:
                        slot.result()
                    self._say(progress)
                return True
            except KeyboardInterrupt:
                self._said.clear()
                return False
            finally:
                self._stop()
                self._say(progress)

    def _say(self, progress: Progress) -> None:
        with self._changed:
            open_ = _size(self._unfinished - self._proved)
            busy = [f"reading {source.name}" for source in self._reading]
            busy += [run.goal.id for run in self._running.values()]
            goals = _size({*self.runs} - self.replaced)
            said = how_far(goals, _size(self._proved), open_, self.in_vain)
            if unread := len(self._unread) + len(self._reading):
                said += f", {unread} files to read"
        progress(said, ", ".join(busy))

    def _over(self) -> bool:
        return self._stopped or not (self._unread or self._reading or self._unfinished)

    def _stop(self) -> None:
        with self._changed:
            self._stopped = True
            for run in self._running.values():
                for process in run.running.values():
                    if process:
                        process.kill()
            self._changed.notify_all()

    def _take_cached(self, run: GoalRun) -> None:
        """Conclusive answers about the goal as it stands, whichever prover gave them."""
        task = run.goal.task
        provers = {unit.prover.name: unit.prover for unit in run.pending}
        for prover in provers.values():
            if self.cache and (known := self.cache.verdict(prover, task, None)):
                self._learn(run, known)

    def _slot(self) -> None:
        while work := self._next():
            work()

    def _next(self) -> Callable[[], None] | None:
        """The most useful thing to do now; waits for one. None when there is nothing more."""
        with self._changed:
            while self._said or not self._over():
                if self._said:
                    return self._said.popleft()
                if not self._idle and self._unread and len(self._reading) < self._readers:
                    source = self._unread.popleft()
                    self._reading.add(source)
                    return partial(self._read, source)
                if work := self._work():
                    place, unit = work
                    run = self._running[place] = self.runs[place]
                    run.pending.remove(unit)
                    run.running[unit] = None
                    return partial(self._try, place, unit)
                self._changed.wait()
            return None

    def _read(self, source: Source) -> None:
        runs: Sequence[GoalRun] = ()
        rejected = ""
        try:
            runs = self.assignment.read(source)
        except UserError as error:
            rejected = str(error)
        with self._changed:
            self._reading.discard(source)
            self._changed.notify_all()
            if self._stopped:  # Why3 may have been interrupted like this program
                return
            if rejected:
                # A file that others use is rejected with each of them, in the same words.
                if len(self.sources) > 1 and rejected not in self.rejected.values():
                    self._said.append(partial(self.assignment.refused, rejected))
                self.rejected[source] = rejected
            elif not runs:
                self._said.append(partial(self.assignment.finished, source, runs))
            self._add(source, runs)

    def _add(self, source: Source, runs: Sequence[GoalRun]) -> None:
        self._left[source] += len(runs)
        self._unfinished.update(runs)
        for place, run in enumerate(runs, len(self.runs)):
            self.runs.append(run)
            if run.proved:
                self._proved.add(run)
            self._take_cached(run)
            self._settle(place, run)

    def _try(self, place: int, unit: Unit) -> None:
        run = self.runs[place]
        known = self._prove(run, unit)
        with self._changed:
            del run.running[unit]
            if known:
                self._learn(run, known)
            elif self._stopped:
                run.pending.insert(0, unit)
            self._settle(place, run)

    def _work(self) -> tuple[int, Unit] | None:
        """A goal that nobody works on, else what another prover can do, the least stage first."""
        if self._idle:
            _, place = heapq.heappop(self._idle)
            return place, self.runs[place].pending[0]
        found: list[tuple[int, Unit]] = []
        for place, run in self._running.items():
            # What is recorded will most likely prove it: no second prover helps it to.
            expected = {unit.prover.family for unit in run.running if unit.stage is Stage.RECORDED}
            if len(run.families | expected) < self.families:
                busy = {unit.prover.name for unit in run.running}
                found += [(place, unit) for unit in run.pending if unit.prover.name not in busy][:1]
        return min(found, key=lambda work: (work[1].stage, work[0]), default=None)

    def _settle(self, place: int, run: GoalRun) -> None:
        """Drop and kill what is no longer of use to a goal, and keep the accounts."""
        run.pending = [unit for unit in run.pending if self._wanted(run, unit)]
        for unit, process in run.running.items():
            if process and not self._wanted(run, unit):
                process.kill()
        if not run.running:
            self._running.pop(place, None)
            if run.pending:
                heapq.heappush(self._idle, (run.pending[0].stage, place))
            elif run in self._unfinished:
                self._unfinished.discard(run)
                self._finish(run)
        self._changed.notify_all()

    def _finish(self, run: GoalRun) -> None:
        """Nothing more is tried for a goal."""
        if run.proved:
            self._close(run)
        else:
            self._said.append(partial(self._failed, run))
            if self.stop_at_first_failure and run.pieces is None:
                self._stop()

    def _failed(self, run: GoalRun) -> None:
        instead = self.assignment.failed(run)
        with self._changed:
            if instead:
                self.replaced.add(run)
                self._add(run.goal.source, instead)
            elif self.stop_at_first_failure:
                self._stop()
            self._close(run)

    def _close(self, run: GoalRun) -> None:
        source = run.goal.source
        self._left[source] -= 1
        if not self._left[source]:
            mine = [r for r in self.runs if r.goal.source == source and r not in self.replaced]
            self._said.append(partial(self.assignment.finished, source, mine))
            self._changed.notify_all()

    def _prove(self, run: GoalRun, unit: Unit) -> ProverVerdict | None:
        """Run one unit, or take its verdict from the cache. None when it was cancelled."""
        task = run.goal.task
        with self._changed:
            known = self._conclusive.get(task.sha256, {}).get(unit.prover.name)
        if self.cache:
            for limits in (None, *([unit.limits] if unit.core is None else [])):
                known = known or self.cache.verdict(unit.prover, task, limits)
        verdict = known or self._run_prover(run, unit, task)
        if verdict and self.cache and not known:
            self.cache.keep_verdict(task, verdict)
        return verdict

    def _run_prover(self, run: GoalRun, unit: Unit, task: Task) -> ProverVerdict | None:
        prover = unit.prover
        process = self.site.start(prover.call(unit.given(task).text, unit.limits))
        with self._changed:
            run.running[unit] = process
            if self._stopped or not self._wanted(run, unit):
                process.kill()
        outcome = process.wait()
        if outcome.cancelled:
            return None
        steps = steps_used(prover, outcome)
        said = answer(outcome, unit.limits.steps, steps)
        if said is Answer.SAT and unit.core is not None:
            said = Answer.UNKNOWN  # of a part of the assertions: it says nothing about all of them
        return ProverVerdict(
            prover=prover.name,
            version=prover.version,
            family=prover.family,
            limits=unit.limits,
            answer=said,
            seconds=round(outcome.cpu_seconds, 3),
            worker=outcome.worker or None,
            steps=steps,
            core=unit.core,
            output=(outcome.stdout + outcome.stderr)[:_KEPT_OUTPUT],
        )

    def _learn(self, run: GoalRun, verdict: ProverVerdict) -> None:
        task = run.goal.task
        run.verdicts.append(verdict)
        if verdict.answer is Answer.VALID:
            self._proved.add(run)
        if verdict.answer in CONCLUSIVE:
            said = self._conclusive.setdefault(task.sha256, {})
            said[verdict.prover] = verdict
            answers = {verdict.answer: verdict for verdict in said.values()}
            if len(answers) > 1 and self.disagreement is None:
                valid, sat = answers[Answer.VALID], answers[Answer.SAT]
                self.disagreement = Disagreement(run.goal, task, valid, sat)
                self._stop()

    def _wanted(self, run: GoalRun, unit: Unit) -> bool:
        if len(run.families) >= self.families or unit.prover.family in run.families:
            return False
        # More time changes nothing for a prover that answered without reaching a limit.
        return not any(
            (verdict.prover, verdict.core) == (unit.prover.name, unit.core)
            and verdict.answer not in LIMITED | {Answer.FAILURE}
            for verdict in run.verdicts
        )


def _size(runs: Iterable[GoalRun]) -> int:
    return sum(run.size for run in runs)


def how_far(goals: int, proved: int, open_: int, in_vain: str) -> str:
    """How far a run is. What is neither proved nor open was tried in every way, in vain."""
    unproved = goals - proved - open_
    return f"{goals - open_}/{goals} goals" + (f", {unproved} {in_vain}" if unproved else "")
