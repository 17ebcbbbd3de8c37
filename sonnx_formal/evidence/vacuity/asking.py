"""Asks provers whether hypotheses are contradictory, with few steps: the same on every machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.evidence.records.each import Launcher
from sonnx_formal.evidence.vacuity.hypotheses import Hypotheses, Scope
from sonnx_formal.prover.provers import Prover, answer, steps_used
from sonnx_formal.prover.verdicts import Answer

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.2
_GUARD_SECONDS = 5  # ends a prover whose steps are far longer than that: large powers are


class Finding(StrEnum):
    """What is known about hypotheses."""

    CONTRADICTORY = "contradictory"
    CONSISTENT = "consistent"
    """A prover has a model."""
    INCONCLUSIVE = "inconclusive"
    """No prover says either within its steps: no contradiction was found, none is excluded."""


@dataclass(frozen=True)
class Asked:
    """What came of the question, and who was asked."""

    finding: Finding
    provers: tuple[str, ...]
    """Those that decided, or those that were asked in vain."""


def ask(hypotheses: Hypotheses, provers: Sequence[Prover], launch: Launcher) -> Asked:
    """Ask the first prover; about the context of a module, one of each family.

    Raises `StoppedError`, `UserError`.
    """
    families = {prover.family: prover for prover in reversed(provers)}
    asked = [prover for prover in provers if prover in families.values()]
    asked = asked if hypotheses.scope is Scope.CONTEXT else asked[:1]
    answers = {prover.name: _answer(prover, hypotheses, launch) for prover in asked}
    for wanted, finding in (
        (Answer.VALID, Finding.CONTRADICTORY),
        (Answer.SAT, Finding.CONSISTENT),
    ):
        if deciding := tuple(name for name, said in answers.items() if said is wanted):
            return Asked(finding, deciding)
    return Asked(Finding.INCONCLUSIVE, tuple(answers))


def _answer(prover: Prover, hypotheses: Hypotheses, launch: Launcher) -> Answer:
    steps = int(EFFORT_SECONDS * prover.steps_per_second)
    outcome = launch(prover.command_line(steps), hypotheses.task.text, _GUARD_SECONDS)
    return answer(outcome, steps, steps_used(prover, outcome))
