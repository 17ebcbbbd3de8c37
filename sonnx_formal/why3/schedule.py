"""Runs the plans of all goals on a number of slots, each of which runs one prover at a time.

A goal is left alone as soon as it has proofs from as many families as are asked for.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sonnx_formal.why3.cache import Cache
from sonnx_formal.why3.errors import UserError
from sonnx_formal.why3.goals import Goal
from sonnx_formal.why3.plan import Plan, Stage, Unit
from sonnx_formal.why3.process import Process
from sonnx_formal.why3.provers import answer, steps_used
from sonnx_formal.why3.tasks import SPLIT, Strategy, Task
from sonnx_formal.why3.verdicts import CONCLUSIVE, LIMITED, Answer, Verdict

_KEPT_OUTPUT = 2000  # characters of a prover's output that stay with its verdict

Restate = Callable[[Goal, Strategy], Task | None]


@dataclass
class GoalRun:
    """What is known about a goal so far. Owned by the schedule while it runs."""

    goal: Goal
    reason: str
    pending: list[Unit]
    running: dict[Unit, Process | None] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def proofs(self) -> list[Verdict]:
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
    valid: Verdict
    sat: Verdict


@dataclass(frozen=True)
class Snapshot:
    """How far a run is."""

    total: int
    proved: int
    unproved: int
    """Tried in every way, in vain."""
    current: tuple[str, ...]
    """The ids of the goals at work."""


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
        self._conclusive: dict[str, dict[Answer, Verdict]] = {}
        self._slots = [threading.Thread(target=self._slot, daemon=True) for _ in range(jobs)]

    def start(self) -> None:
        """Take what the cache knows, then begin to prove."""
        with self._changed:
            for run in self.runs:
                self._take_cached(run)
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
                proved=sum(run.proved for run in self.runs),
                unproved=sum(run.finished and not run.proved for run in self.runs),
                current=tuple(run.goal.id for run in self.runs if run.running),
            )

    def _over(self) -> bool:
        return self._stopped or all(run.finished for run in self.runs)

    def _stop(self) -> None:
        self._stopped = True
        for run in self.runs:
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
                run, unit = work
                known = self._prove(run, unit)
                with self._changed:
                    del run.running[unit]
                    if known:
                        self._learn(run, *known)
                    self._prune(run)
        except BaseException as error:  # `wait` raises it again
            with self._changed:
                self._error = error
                self._stop()

    def _next(self) -> tuple[GoalRun, Unit] | None:
        """The most useful thing to run now; waits for one. None when there is nothing more."""
        with self._changed:
            while not self._over():
                best: tuple[tuple[bool, Stage], GoalRun, Unit] | None = None
                for run in self.runs:
                    busy = {unit.prover.name for unit in run.running}
                    unit = next((u for u in run.pending if u.prover.name not in busy), None)
                    # A goal that nobody works on comes before a second prover on the same goal.
                    if unit and (best is None or (bool(busy), unit.stage) < best[0]):
                        best = ((bool(busy), unit.stage), run, unit)
                if best:
                    _, run, unit = best
                    run.pending.remove(unit)
                    run.running[unit] = None
                    return run, unit
                self._changed.wait()
            return None

    def _prove(self, run: GoalRun, unit: Unit) -> tuple[Task, Verdict] | None:
        """Run one unit, or take its verdict from the cache. None when there is nothing to learn."""
        task = self._restate(run.goal, unit.strategy)
        if task is None or (unit.stage is Stage.RESTATED and task == run.goal.task):
            return None
        if self._cache:
            for limits in (None, unit.limits):
                known = self._cache.verdict(unit.prover, task, unit.strategy.name, limits)
                if known:
                    return task, known
        verdict = self._run_prover(run, unit, task)
        if verdict and self._cache:
            self._cache.keep_verdict(task, verdict)
        return (task, verdict) if verdict else None

    def _run_prover(self, run: GoalRun, unit: Unit, task: Task) -> Verdict | None:
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
        return Verdict(
            prover=prover.name,
            version=prover.version,
            family=prover.family,
            strategy=unit.strategy.name,
            task_sha256=task.sha256,
            limits=unit.limits,
            answer=answer(outcome, unit.limits.steps, steps),
            seconds=round(outcome.cpu_seconds, 3),
            steps=steps,
            output=(outcome.stdout + outcome.stderr)[:_KEPT_OUTPUT],
        )

    def _learn(self, run: GoalRun, task: Task, verdict: Verdict) -> None:
        run.verdicts.append(verdict)
        if verdict.answer in CONCLUSIVE:
            said = self._conclusive.setdefault(task.sha256, {})
            said[verdict.answer] = verdict
            if len(said) > 1 and self.disagreement is None:
                self.disagreement = Disagreement(
                    run.goal, task, said[Answer.VALID], said[Answer.SAT]
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
            return not any(_same_proof(proof, unit) for proof in run.proofs)
        if len(run.families) >= self._families or unit.prover.family in run.families:
            return False
        return not any(_gave_up(verdict, unit) for verdict in run.verdicts)


def _same_proof(proof: Verdict, unit: Unit) -> bool:
    return (proof.prover, proof.strategy) == (unit.prover.name, unit.strategy.name)


def _gave_up(verdict: Verdict, unit: Unit) -> bool:
    """The prover answered without reaching a limit, so more time changes nothing."""
    same = (verdict.prover, verdict.strategy) == (unit.prover.name, unit.strategy.name)
    return same and verdict.answer not in LIMITED | {Answer.FAILURE}
