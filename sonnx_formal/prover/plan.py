"""What to try for each goal, in which order: pure decisions, made before anything runs."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from sonnx_formal.core.processes import Process
from sonnx_formal.prover.certificate import Certificate, RecordedProof
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Answer, Limits, Prover, ProverVerdict
from sonnx_formal.prover.tasks import Strategy

QUICK_SECONDS = 1
REPLAY_GUARD_SECONDS = 600  # a replay ends by steps; this only ends one that never would
_STRATEGIES = {*Strategy}


class Stage(IntEnum):
    """Cheap and likely things come first, for all goals."""

    RECORDED = 0
    QUICK = 1
    FULL = 2
    RESTATED = 3


@dataclass(frozen=True)
class Unit:
    """One prover on one goal."""

    stage: Stage
    prover: Prover
    strategy: Strategy
    limits: Limits


@dataclass(eq=False)
class GoalRun:
    """What is to be tried for a goal, and what came of it so far. The schedule owns it."""

    goal: Goal
    pending: list[Unit]
    reason: str = ""
    """Why nothing can be tried, where that is so."""
    running: dict[Unit, Process | None] = field(default_factory=dict)
    verdicts: list[ProverVerdict] = field(default_factory=list)

    @property
    def proofs(self) -> list[ProverVerdict]:
        return [verdict for verdict in self.verdicts if verdict.answer is Answer.VALID]

    @property
    def attempts(self) -> list[ProverVerdict]:
        return [verdict for verdict in self.verdicts if verdict.answer is not Answer.VALID]

    @property
    def proved(self) -> bool:
        return bool(self.proofs)

    @property
    def families(self) -> set[str]:
        return {proof.family for proof in self.proofs}


def search(
    goals: Sequence[Goal], provers: Sequence[Prover], certificate: Certificate | None, timeout: int
) -> list[GoalRun]:
    """Every goal: what the certificate records, then every prover quickly, fully, restated."""
    hints = _Hints(certificate, goals)
    here = {prover.name: prover for prover in provers}
    stages = [(Stage.FULL, Strategy.SPLIT, timeout), (Stage.RESTATED, Strategy.INLINE, timeout)]
    if timeout > QUICK_SECONDS:
        stages.insert(0, (Stage.QUICK, Strategy.SPLIT, QUICK_SECONDS))
    runs = []
    for goal in goals:
        # The steps bound what is recorded. The clock only stops a hint that no longer fits.
        units = [
            _recorded(here[proof.prover], proof, 3 * timeout)
            for proof in hints.proofs(goal)
            if proof.prover in here and proof.strategy in _STRATEGIES
        ]
        order = sorted(provers, key=hints.rank(goal))
        for stage, strategy, seconds in stages:
            units += [Unit(stage, prover, strategy, Limits(seconds)) for prover in order]
        runs.append(GoalRun(goal, units))
    return runs


def replay(
    goal: Goal, provers: Sequence[Prover], certificate: Certificate, families: int
) -> GoalRun:
    """The goal's cheapest recorded proof, or one of each family; and nothing else."""
    recorded = certificate.goals.get(goal.id)
    if recorded is None:
        return GoalRun(goal, [], "not in the certificate")
    if recorded.task_sha256 != goal.task.sha256:
        return GoalRun(goal, [], "changed since the certificate was made")
    here = {(prover.name, prover.version): prover for prover in provers}
    units: dict[str, Unit] = {}
    for proof in recorded.proofs:
        prover = here.get((proof.prover, proof.version))
        if prover and proof.strategy in _STRATEGIES:
            units.setdefault(prover.family, _recorded(prover, proof, REPLAY_GUARD_SECONDS))
    wanted = ", ".join(f"{proof.prover} {proof.version}" for proof in recorded.proofs)
    reason = "" if units else f"proved by {wanted or 'nothing'}, which is not here"
    return GoalRun(goal, list(units.values())[:families], reason)


def cheapest_first(
    proofs: Sequence[RecordedProof], provers: Sequence[Prover]
) -> tuple[RecordedProof, ...]:
    """The proofs by their estimated time, which does not depend on the machine."""
    by_name = {prover.name: prover for prover in provers}

    def cost(proof: RecordedProof) -> tuple[bool, float, str, str]:
        seconds = float(proof.steps or 0)
        if prover := by_name.get(proof.prover):
            seconds = prover.start_seconds + seconds / prover.steps_per_second
        return proof.strategy != Strategy.SPLIT, seconds, proof.prover, proof.strategy

    return tuple(sorted(proofs, key=cost))


def _recorded(prover: Prover, proof: RecordedProof, seconds: int) -> Unit:
    steps = None if proof.steps is None else max(2 * proof.steps, proof.steps + 100_000)
    return Unit(Stage.RECORDED, prover, Strategy(proof.strategy), Limits(seconds, steps))


class _Hints:
    """What the certificate suggests for a goal: by its name, its task, its file, or in general."""

    def __init__(self, certificate: Certificate | None, goals: Sequence[Goal]) -> None:
        self._goals = certificate.goals if certificate else {}
        self._by_task = {recorded.task_sha256: recorded for recorded in self._goals.values()}
        self._wins: Counter[tuple[str, str]] = Counter()
        for goal in goals:
            recorded = self._goals.get(goal.id)
            if recorded and recorded.proofs:
                best = recorded.proofs[0].prover
                self._wins.update([("", best), (goal.source.name, best)])

    def proofs(self, goal: Goal) -> tuple[RecordedProof, ...]:
        recorded = self._goals.get(goal.id)
        if not recorded or recorded.task_sha256 != goal.task.sha256:
            recorded = self._by_task.get(goal.task.sha256, recorded)
        return recorded.proofs if recorded else ()

    def rank(self, goal: Goal) -> Callable[[Prover], tuple[int, int, int]]:
        names = [proof.prover for proof in self.proofs(goal)]

        def rank(prover: Prover) -> tuple[int, int, int]:
            place = names.index(prover.name) if prover.name in names else len(names)
            wins, file = self._wins, goal.source.name
            return place, -wins[file, prover.name], -wins["", prover.name]

        return rank
