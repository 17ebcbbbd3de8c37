"""Whether what is assumed is contradictory: provers are asked with few steps.

So the answer is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.question import GoalQuestion
from sonnx_formal.evidence.vacuity.contexts import Context
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Answer, Prover, answer, steps_used
from sonnx_formal.prover.tasks import Task

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.2
_GUARD_SECONDS = 5  # ends a prover whose steps are far longer than that: large powers are
_ASSERT, _END = "\n(assert", "(check-sat)"


class Consistent(StrEnum):
    """What is known about hypotheses."""

    CONTRADICTORY = "contradictory"
    CONSISTENT = "consistent"
    """A prover has a model."""
    INCONCLUSIVE = "inconclusive"
    """No prover says either within its steps: no contradiction was found, none is excluded."""
    NOT_ASKED = "not asked"


class Consistency(Part, frozen=True):
    """What came of the question, and who was asked."""

    finding: Consistent
    provers: tuple[str, ...]
    """Those that decided, or those that were asked in vain."""


@dataclass(frozen=True)
class ConsistencyQuestion(GoalQuestion[Goal | Context, Consistency]):
    """Are the hypotheses of a goal, or those of a module, contradictory?"""

    provers: Sequence[Prover]
    field = "consistent"
    subjects = "sets"
    finding = "contradictory"

    def text(self, subject: Goal | Context) -> Task:
        """What provers are asked: equal hypotheses are asked about once."""
        return without_goal(subject.task, subject.id)

    def is_finding(self, answer: Consistency) -> bool:
        """Whether the hypotheses are contradictory."""
        return answer.finding is Consistent.CONTRADICTORY

    def ask(self, subject: Goal | Context, launch: Launcher) -> Consistency:
        """Ask the first prover; about the context of a module, one of each family.

        Raises `StoppedError`, `UserError`.
        """
        families = {prover.family: prover for prover in reversed(self.provers)}
        asked = [prover for prover in self.provers if prover in families.values()]
        asked = asked if isinstance(subject, Context) else asked[:1]
        task = self.text(subject)
        answers = {prover.name: _answer(prover, task, launch) for prover in asked}
        for wanted, finding in (
            (Answer.VALID, Consistent.CONTRADICTORY),
            (Answer.SAT, Consistent.CONSISTENT),
        ):
            if deciding := tuple(name for name, said in answers.items() if said is wanted):
                return Consistency(finding, deciding)
        return Consistency(Consistent.INCONCLUSIVE, tuple(answers))


def without_goal(task: Task, name: str) -> Task:
    """The task without its last assertion, which is the negated goal.

    Raises `UserError` when it ends otherwise than Why3's do.
    """
    start = task.text.rfind(_ASSERT)
    end = task.text.rfind(_END)
    if start < 0 or not _is_command(task.text[start:end]):
        raise UserError(f"{name}: internal error: its task does not end with the negated goal")
    return Task.of(f"{task.text[:start]}\n{_END}\n")


def _is_command(text: str) -> bool:
    """Whether a text is one command; Why3 prints no string with a parenthesis in it."""
    depth = 0
    text = text.strip()
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _answer(prover: Prover, task: Task, launch: Launcher) -> Answer:
    steps = int(EFFORT_SECONDS * prover.steps_per_second)
    outcome = launch(prover.command_line(steps), task.text, _GUARD_SECONDS)
    return answer(outcome, steps, steps_used(prover, outcome))
