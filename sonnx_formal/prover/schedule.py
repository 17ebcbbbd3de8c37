"""Runs the plans of all goals on a number of slots, each of which runs one prover at a time.

A goal is left alone as soon as it has proofs from as many families as are asked for.
"""

import heapq
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.plan import Plan, Stage, Unit
from sonnx_formal.prover.provers import answer, steps_used
from sonnx_formal.prover.tasks import SPLIT, Strategy, Task
from sonnx_formal.prover.verdicts import CONCLUSIVE, LIMITED, Answer, ProverVerdict

_KEPT_OUTPUT = 2000  # characters of a prover's output that stay with its verdict

Restate = Callable[[Goal, Strategy], Task | None]


@dataclass(eq=False)
class GoalRun:
    """What is known about a goal so far. Owned by the schedule while it runs."""

    goal: Goal
    reason: str
    pending: list[Unit]
    running: dict[Unit, Process | None] = field(default_factory=dict)
    verdicts: list[ProverVerdict] = field(default_factory=list)

    @property
    def proofs(self) -> list[ProverVerdict]:
        return [verdict for verdict in self.verdicts if verdict.answer is Answer.VALID]

    @property
    def proved(self) -> bool:
        return bool(self.proofs)

    @property
    def families(self) -> set[str]:
        return {proof.family for proof in self.proofs}

    @property
    def finished(self) -> bool:
        return not self.pending and not self.running


@dataclass(frozen=True)
class Disagreement:
    """Two provers of which one must be wrong."""

    goal: Goal
    task: Task
    valid: ProverVerdict
    sat: ProverVerdict


@dataclass(frozen=True)
class Snapshot:
    """How far a run is."""

    total: int
    proved: int
    unproved: int
    """Tried in every way, in vain."""
    current: tuple[str, ...]
    """The ids of the goals at work."""

    @property
    def said(self) -> tuple[str, str]:
        """How far it is and what is going on, in words."""
        unproved = f", {self.unproved} not proved" if self.unproved else ""
        done = f"{self.proved + self.unproved}/{self.total} goals{unproved}"
        return done, ", ".join(self.current)


class Schedule:
    """A run over goals. Start it, wait for it, read its `runs`."""

    def __init__(
        self,
        plans: Sequence[Plan],
        *,
        restate: Restate,
        cache: Cache | None,
        families: int,
        jobs: int,
    ) -> None:
        self.runs = [GoalRun(plan.goal, plan.reason, list(plan.units)) for plan in plans]
        self.disagreement: Disagreement | None = None
        self._restate = restate
        self._cache = cache
        self._families = families
        self._changed = threading.Condition()
        self._stopped = False
        self._error: BaseException | None = None
        self._unfinished = {run for run in self.runs if not run.finished}
        self._proved: set[GoalRun] = set()
        self._running: dict[int, GoalRun] = {}
        # Goals that nobody works on, by what comes next for them, then as in the file.
        self._idle: list[tuple[Stage, int]] = []
        # What each prover concluded about each task: goals with one text are proved once.
        self._conclusive: dict[str, dict[tuple[str, str], ProverVerdict]] = {}
        self._slots = [threading.Thread(target=self._slot, daemon=True) for _ in range(jobs)]

    def start(self) -> None:
        """Take what the cache knows, then begin to prove."""
        with self._changed:
            for place, run in enumerate(self.runs):
                self._take_cached(run)
                self._settle(place, run)
        for slot in self._slots:
            slot.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the run, at most so long; True when it is over.

        Raises what a slot raised: `UserError`, or a defect of this program.
        """
        with self._changed:
            over = self._changed.wait_for(self._over, seconds)
            if self._error:
                raise self._error
            return over

    def stop(self) -> None:
        """Kill every prover and end the run; what is finished stays."""
        with self._changed:
            self._stop()
        for slot in self._slots:
            if slot.ident is not None:
                slot.join()

    def snapshot(self) -> Snapshot:
        """How far the run is now."""
        with self._changed:
            return Snapshot(
                total=len(self.runs),
                proved=len(self._proved),
                unproved=len(self.runs) - len(self._proved | self._unfinished),
                current=tuple(run.goal.id for run in self._running.values()),
            )

    def _over(self) -> bool:
        return self._stopped or not self._unfinished

    def _stop(self) -> None:
        self._stopped = True
        for run in self._running.values():
            for process in run.running.values():
                if process:
                    process.kill()
        self._changed.notify_all()

    def _take_cached(self, run: GoalRun) -> None:
        """Conclusive answers about the goal as it stands, whichever prover gave them."""
        if self._cache is None:
            return
        provers = {unit.prover.name: unit.prover for unit in run.pending}
        for prover in provers.values():
            verdict = self._cache.verdict(prover, run.goal.task, SPLIT.name, None)
            if verdict:
                self._learn(run, run.goal.task, verdict)
        self._prune(run)

    def _slot(self) -> None:
        try:
            while work := self._next():
                place, unit = work
                run = self.runs[place]
                known = self._prove(run, unit)
                with self._changed:
                    del run.running[unit]
                    if known:
                        self._learn(run, *known)
                    self._prune(run)
                    self._settle(place, run)
        except BaseException as error:  # `wait` raises it again
            with self._changed:
                self._error = error
                self._stop()

    def _next(self) -> tuple[int, Unit] | None:
        """The most useful thing to run now; waits for one. None when there is nothing more."""
        with self._changed:
            while not self._over():
                if work := self._from_idle() or self._from_running():
                    place, unit = work
                    run = self.runs[place]
                    run.pending.remove(unit)
                    run.running[unit] = None
                    self._running[place] = run
                    return work
                self._changed.wait()
            return None

    def _from_idle(self) -> tuple[int, Unit] | None:
        """A goal that nobody works on comes before a second prover on the same goal."""
        if not self._idle:
            return None
        _, place = heapq.heappop(self._idle)
        return place, self.runs[place].pending[0]

    def _from_running(self) -> tuple[int, Unit] | None:
        """What another prover can do for the goals at work, the least stage first."""
        found: list[tuple[Stage, int, Unit]] = []
        for place, run in self._running.items():
            busy = {unit.prover.name for unit in run.running}
            found += [
                (unit.stage, place, unit) for unit in run.pending if unit.prover.name not in busy
            ][:1]
        _, place, unit = min(found, key=lambda choice: choice[:2], default=(None, 0, None))
        return (place, unit) if unit else None

    def _settle(self, place: int, run: GoalRun) -> None:
        """Keep the accounts of a goal that has changed."""
        if run.running:
            return
        self._running.pop(place, None)
        if run.pending:
            heapq.heappush(self._idle, (run.pending[0].stage, place))
        else:
            self._unfinished.discard(run)
        self._changed.notify_all()

    def _prove(self, run: GoalRun, unit: Unit) -> tuple[Task, ProverVerdict] | None:
        """Run one unit, or take its verdict from the cache. None when there is nothing to learn."""
        task = self._restate(run.goal, unit.strategy)
        if task is None or (unit.stage is Stage.RESTATED and task == run.goal.task):
            return None
        with self._changed:
            known = self._conclusive.get(task.sha256, {}).get(_method(unit))
        if known:
            return task, known
        if self._cache:
            for limits in (None, unit.limits):
                known = self._cache.verdict(unit.prover, task, unit.strategy.name, limits)
                if known:
                    return task, known
        verdict = self._run_prover(run, unit, task)
        if verdict and self._cache:
            self._cache.keep_verdict(task, verdict)
        return (task, verdict) if verdict else None

    def _run_prover(self, run: GoalRun, unit: Unit, task: Task) -> ProverVerdict | None:
        prover = unit.prover
        command = prover.command_line(unit.limits.steps)
        try:
            process = Process(command, task.text, unit.limits.seconds)
        except OSError as error:
            raise UserError(f"{prover.name} could not be started: {error}") from None
        with self._changed:
            run.running[unit] = process
            if self._stopped or not self._wanted(run, unit):
                process.kill()
        outcome = process.wait()
        if outcome.cancelled:
            return None
        steps = steps_used(prover, outcome)
        return ProverVerdict(
            prover=prover.name,
            version=prover.version,
            family=prover.family,
            strategy=unit.strategy.name,
            limits=unit.limits,
            answer=answer(outcome, unit.limits.steps, steps),
            seconds=round(outcome.cpu_seconds, 3),
            steps=steps,
            output=(outcome.stdout + outcome.stderr)[:_KEPT_OUTPUT],
        )

    def _learn(self, run: GoalRun, task: Task, verdict: ProverVerdict) -> None:
        run.verdicts.append(verdict)
        if verdict.answer is Answer.VALID:
            self._proved.add(run)
        if verdict.answer in CONCLUSIVE:
            said = self._conclusive.setdefault(task.sha256, {})
            said[verdict.prover, verdict.strategy] = verdict
            answers = {verdict.answer: verdict for verdict in said.values()}
            if len(answers) > 1 and self.disagreement is None:
                self.disagreement = Disagreement(
                    run.goal, task, answers[Answer.VALID], answers[Answer.SAT]
                )
                self._stop()

    def _prune(self, run: GoalRun) -> None:
        """Drop and kill what is no longer of use to the goal."""
        run.pending = [unit for unit in run.pending if self._wanted(run, unit)]
        for unit, process in run.running.items():
            if process and not self._wanted(run, unit):
                process.kill()
        self._changed.notify_all()

    def _wanted(self, run: GoalRun, unit: Unit) -> bool:
        if unit.stage is Stage.RECORDED:
            # All that the certificate records is run, unless the cache knows it.
            return _method(unit) not in {(proof.prover, proof.strategy) for proof in run.proofs}
        if len(run.families) >= self._families or unit.prover.family in run.families:
            return False
        return not any(_gave_up(verdict, unit) for verdict in run.verdicts)


def _method(unit: Unit) -> tuple[str, str]:
    return unit.prover.name, unit.strategy.name


def _gave_up(verdict: ProverVerdict, unit: Unit) -> bool:
    """The prover answered without reaching a limit, so more time changes nothing."""
    same = (verdict.prover, verdict.strategy) == _method(unit)
    return same and verdict.answer not in LIMITED | {Answer.FAILURE}
