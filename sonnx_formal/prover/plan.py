"""What to try for each goal, in which order: pure decisions, made before anything runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from sonnx_formal.prover.certificate import Certificate, RecordedGoal, RecordedProof
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Prover
from sonnx_formal.prover.tasks import INLINE, SPLIT, STRATEGIES, Strategy
from sonnx_formal.prover.verdicts import Limits

QUICK_SECONDS = 1
REPLAY_GUARD_SECONDS = 600  # a replay ends by steps; this only ends one that never would


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


@dataclass(frozen=True)
class Plan:
    """The units for one goal."""

    goal: Goal
    units: tuple[Unit, ...]
    reason: str = ""
    """Why nothing can be tried, where that is so."""


def search_plans(
    goals: Sequence[Goal], provers: Sequence[Prover], certificate: Certificate | None, timeout: int
) -> list[Plan]:
    """Every goal: what the certificate records, then every prover quickly, fully, restated."""
    hints = _Hints(certificate, goals)
    here = {prover.name: prover for prover in provers}
    plans = []
    for goal in goals:
        recorded = hints.recorded(goal)
        order = hints.order(goal, provers)
        units = [
            Unit(
                Stage.RECORDED,
                here[proof.prover],
                STRATEGIES[proof.strategy],
                # The steps bound it. The clock only stops a hint that no longer fits.
                Limits(3 * timeout, _step_limit(proof)),
            )
            for proof in (recorded.proofs if recorded else ())
            if proof.prover in here and proof.strategy in STRATEGIES
        ]
        for stage, strategy, seconds in (
            (Stage.QUICK, SPLIT, QUICK_SECONDS),
            (Stage.FULL, SPLIT, timeout),
            (Stage.RESTATED, INLINE, timeout),
        ):
            if stage is not Stage.QUICK or timeout > QUICK_SECONDS:
                units += [Unit(stage, prover, strategy, Limits(seconds)) for prover in order]
        plans.append(Plan(goal, tuple(units)))
    return plans


def replay_plans(
    goals: Sequence[Goal], provers: Sequence[Prover], certificate: Certificate, families: int
) -> list[Plan]:
    """Every goal: its cheapest recorded proof, or one of each family; and nothing else."""
    return [_replay_plan(goal, provers, certificate, families) for goal in goals]


def cheapest_first(
    proofs: Sequence[RecordedProof], provers: Sequence[Prover]
) -> tuple[RecordedProof, ...]:
    """The proofs by their estimated time, which does not depend on the machine."""
    by_name = {prover.name: prover for prover in provers}

    def cost(proof: RecordedProof) -> tuple[bool, float, str, str]:
        seconds = float(proof.steps or 0)
        if prover := by_name.get(proof.prover):
            seconds = prover.start_seconds + seconds / prover.steps_per_second
        return (proof.strategy != SPLIT.name, seconds, *_name(proof))

    return tuple(sorted(proofs, key=cost))


def _replay_plan(
    goal: Goal, provers: Sequence[Prover], certificate: Certificate, families: int
) -> Plan:
    recorded = certificate.goals.get(goal.id)
    if recorded is None:
        return Plan(goal, (), "not in the certificate")
    if recorded.task_sha256 != goal.task.sha256:
        return Plan(goal, (), "changed since the certificate was made")
    here = {(prover.name, prover.version): prover for prover in provers}
    units: dict[str, Unit] = {}
    for proof in recorded.proofs:
        prover = here.get((proof.prover, proof.version))
        if prover and proof.strategy in STRATEGIES and prover.family not in units:
            limits = Limits(REPLAY_GUARD_SECONDS, _step_limit(proof))
            units[prover.family] = Unit(Stage.RECORDED, prover, STRATEGIES[proof.strategy], limits)
    if not units:
        wanted = ", ".join(f"{proof.prover} {proof.version}" for proof in recorded.proofs)
        return Plan(goal, (), f"proved by {wanted or 'nothing'}, which is not here")
    return Plan(goal, tuple(units.values())[:families])


def _step_limit(proof: RecordedProof) -> int | None:
    return None if proof.steps is None else max(2 * proof.steps, proof.steps + 100_000)


def _name(proof: RecordedProof) -> tuple[str, str]:
    return proof.prover, proof.strategy


class _Hints:
    """What the certificate suggests for a goal: by its name, its task, its file, or in general."""

    def __init__(self, certificate: Certificate | None, goals: Sequence[Goal]) -> None:
        self._goals = certificate.goals if certificate else {}
        self._by_task = {recorded.task_sha256: recorded for recorded in self._goals.values()}
        self._wins: Counter[str] = Counter()
        self._wins_of_file: Counter[tuple[str, str]] = Counter()
        for goal in goals:
            recorded = self._goals.get(goal.id)
            if recorded and recorded.proofs:
                best = recorded.proofs[0].prover
                self._wins[best] += 1
                self._wins_of_file[goal.source.name, best] += 1

    def recorded(self, goal: Goal) -> RecordedGoal | None:
        named = self._goals.get(goal.id)
        if named and named.task_sha256 == goal.task.sha256:
            return named
        return self._by_task.get(goal.task.sha256, named)

    def order(self, goal: Goal, provers: Sequence[Prover]) -> list[Prover]:
        recorded = self.recorded(goal)
        names = [proof.prover for proof in recorded.proofs] if recorded else []

        def rank(prover: Prover) -> tuple[int, int, int]:
            position = names.index(prover.name) if prover.name in names else len(names)
            file = goal.source.name
            return position, -self._wins_of_file[file, prover.name], -self._wins[prover.name]

        return sorted(provers, key=rank)
