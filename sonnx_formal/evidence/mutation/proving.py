"""Whether a goal of an edited library is proved: by what proved it before, else by everyone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.prover.certificate import Certificate
from sonnx_formal.prover.provers import Answer, Prover, answer, steps_used
from sonnx_formal.prover.tasks import Strategy, Task
from sonnx_formal.prover.whyml.workshop import EditedGoal

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.25
_GUARD_SECONDS = 60  # only ends a prover that does not count its steps


@dataclass(frozen=True)
class Proving:
    """The provers, and what the certificate says of the library as it stands."""

    provers: Sequence[Prover]
    certificate: Certificate

    def is_known(self, task: Task) -> bool:
        """Whether the edit left the task as it was when it was proved."""
        return task.sha256 in self._proved

    def proves(self, goal: EditedGoal, launch: Launcher) -> bool:
        """Whether some prover proves the goal. Raises `StoppedError`, `UserError`."""
        return self.is_known(goal.task) or any(
            _proves(prover, goal.task, steps, launch) for prover, steps in self._attempts(goal.id)
        )

    def cost(self, goal: EditedGoal) -> int:
        """What the cheapest proof of the goal took in steps, before the edit; 0 if unknown."""
        recorded = self.certificate.goals.get(goal.id)
        return min((proof.steps or 0 for proof in recorded.proofs), default=0) if recorded else 0

    def _attempts(self, goal: str) -> list[tuple[Prover, int]]:
        """Each prover once: first those that proved the goal, with the steps that they took."""
        recorded = self.certificate.goals.get(goal)
        steps = {
            proof.prover: proof.steps + max(proof.steps // 2, 100_000)
            for proof in (recorded.proofs if recorded else ())
            if proof.strategy == Strategy.SPLIT and proof.steps is not None
        }
        families = {prover.family: prover for prover in reversed(self.provers)}
        attempts = []
        for prover in sorted(self.provers, key=lambda prover: prover.name not in steps):
            usual = int(EFFORT_SECONDS * prover.steps_per_second)
            if prover.name in steps or prover in families.values():
                attempts.append((prover, max(usual, steps.get(prover.name, 0))))
        return attempts

    @cached_property
    def _proved(self) -> set[str]:
        return {goal.task_sha256 for goal in self.certificate.goals.values() if goal.proofs}


def _proves(prover: Prover, task: Task, steps: int, launch: Launcher) -> bool:
    outcome = launch(prover.command_line(steps), task.text, _GUARD_SECONDS)
    return answer(outcome, steps, steps_used(prover, outcome)) is Answer.VALID
