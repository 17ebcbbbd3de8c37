"""What to try for each goal, in which order: pure decisions, made before anything runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from msgspec.structs import replace

from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.certificate import UNRECORDED, Certificate, RecordedGoal, RecordedProof
from sonnx_formal.prover.cores import Core, restricted
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Answer, Limits, Prover, ProverVerdict
from sonnx_formal.prover.site import Running
from sonnx_formal.prover.tasks import Task

QUICK_SECONDS = 1
REPLAY_GUARD_SECONDS = 600  # a replay ends by steps; this only ends one that never would


class Stage(IntEnum):
    """Cheap and likely things come first, for all goals."""

    RECORDED = 0
    QUICK = 1
    FULL = 2


@dataclass(frozen=True)
class Unit:
    """One prover on one goal."""

    stage: Stage
    prover: Prover
    limits: Limits
    core: Core | None = None
    """The assertions of the task that the prover is given; None: all of them."""

    def given(self, task: Task) -> Task:
        """What the prover is given of a task."""
        return task if self.core is None else restricted(task, self.core)


@dataclass(eq=False)
class GoalRun:
    """What is to be tried for a goal, and what came of it so far. The schedule owns it."""

    goal: Goal
    pending: list[Unit]
    reason: str = ""
    """Why nothing can be tried, where that is so."""
    running: dict[Unit, Running[ProcessEnd] | None] = field(default_factory=dict)
    verdicts: list[ProverVerdict] = field(default_factory=list)
    pieces: tuple[Goal, ...] | None = None
    """Those of an unsplit goal."""

    @property
    def size(self) -> int:
        """How many goals it is."""
        return 1 if self.pieces is None else len(self.pieces)

    def by_piece(self) -> list["GoalRun"]:
        """The same about each piece, as far as it goes: what proves a goal proves its pieces."""
        if self.pieces is None:
            return [self]
        verdicts = [
            replace(verdict, unsplit=True, seconds=verdict.seconds / max(1, self.size))
            for verdict in self.verdicts
        ]
        return [
            GoalRun(piece, [*self.pending], self.reason, {**self.running}, [*verdicts])
            for piece in self.pieces
        ]

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
    def open(self) -> bool:
        """Whether the run ended before everything was tried."""
        return bool(self.pending or self.running) and not self.proved

    @property
    def families(self) -> set[str]:
        return {proof.family for proof in self.proofs}


class ProofSearch:
    """Every goal: what the certificate records, then every prover, quickly and fully."""

    def __init__(
        self, provers: Sequence[Prover], certificate: Certificate | None, timeout: int
    ) -> None:
        self._provers = {prover.name: prover for prover in provers}
        self._goals = certificate.goals if certificate else {}
        self._by_task = {recorded.task_sha256: recorded for recorded in self._goals.values()}
        self._wins: Counter[tuple[str, str]] = Counter()
        for name, recorded in self._goals.items():
            best = recorded.proofs[0].prover
            self._wins.update([("", best), (name.partition(":")[0], best)])
        self._guard = 3 * timeout
        self._stages = {Stage.QUICK: QUICK_SECONDS} if timeout > QUICK_SECONDS else {}
        self._stages[Stage.FULL] = timeout

    def __call__(self, goal: Goal) -> GoalRun:
        recorded = self._goals.get(goal.id, UNRECORDED)
        if recorded.task_sha256 != goal.task.sha256:
            recorded = self._by_task.get(goal.task.sha256, recorded)
        # The steps bound what is recorded. The clock only stops a hint that no longer fits.
        units = [
            recorded_unit(self._provers[proof.prover], recorded, proof, self._guard)
            for proof in recorded.proofs
            if proof.prover in self._provers
        ]
        names = [proof.prover for proof in recorded.proofs]

        def rank(prover: Prover) -> tuple[int, int, int]:
            """What proved it, then what proves most of its file, then what proves most."""
            name, file = prover.name, goal.source.name
            place = names.index(name) if name in names else len(names)
            return place, -self._wins[file, name], -self._wins["", name]

        order = sorted(self._provers.values(), key=rank)
        for stage, seconds in self._stages.items():
            units += [Unit(stage, prover, Limits(seconds)) for prover in order]
        return GoalRun(goal, units)


def replay(
    goal: Goal, provers: Sequence[Prover], certificate: Certificate, families: int
) -> GoalRun:
    """The goal's cheapest recorded proof, or one of each family; and nothing else."""
    recorded = certificate.goals.get(goal.id)
    if recorded is None:
        return GoalRun(goal, [], "not in the certificate")
    if recorded.task_sha256 != goal.task.sha256:
        return GoalRun(goal, [], "changed since the certificate was made")
    units = recorded_units(recorded, provers)
    wanted = ", ".join(f"{proof.prover} {proof.version}" for proof in recorded.proofs)
    reason = "" if units else f"proved by {wanted or 'nothing'}, which is not here"
    return GoalRun(goal, units[:families], reason)


def recorded_units(recorded: RecordedGoal, provers: Sequence[Prover]) -> list[Unit]:
    """The cheapest recorded proof by each family of provers that is here, the cheapest first."""
    here = {(prover.name, prover.version): prover for prover in provers}
    units: dict[str, Unit] = {}
    for proof in recorded.proofs:
        if prover := here.get((proof.prover, proof.version)):
            unit = recorded_unit(prover, recorded, proof, REPLAY_GUARD_SECONDS)
            units.setdefault(prover.family, unit)
    return list(units.values())


def recorded_unit(prover: Prover, goal: RecordedGoal, proof: RecordedProof, seconds: int) -> Unit:
    """A recorded proof again. The steps bound it; the seconds only end what never would."""
    steps = None if proof.steps is None else max(2 * proof.steps, proof.steps + 100_000)
    return Unit(Stage.RECORDED, prover, Limits(seconds, steps), goal.given(proof))
