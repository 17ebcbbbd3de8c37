"""The risk that hypotheses contradict each other unnoticed, and what stands against it."""

from collections.abc import Sequence

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.records import Consistent, MutantOutcome
from sonnx_formal.evidence.vacuity import STEPS, Hypotheses, Vacuity
from sonnx_formal.prover.document import GoalEntry

_OPEN = {Consistent.INCONCLUSIVE, Consistent.NOT_ASKED}


class OpenHypotheses(Part, frozen=True):
    """Goals of whose hypotheses no prover says whether they can be met."""

    goals: Count
    noticed: Count
    """Those that failed under a wrong edit: behind a contradiction they would not have."""
    searched: Count
    """Those that a prover proves in fewer steps than it then had for a contradiction, in vain."""
    neither: Count


def open_hypotheses(
    vacuity: Vacuity, mutation: Mutation | None, goals: Sequence[GoalEntry]
) -> OpenHypotheses:
    """How many there are, and of how many what stands against a contradiction."""
    proved = {goal.id: goal for goal in goals}
    failed = {
        mutant.by
        for mutant in (mutation.mutants if mutation else ())
        if mutant.outcome is MutantOutcome.KILLED
    }
    open_ = [each for each in vacuity.hypotheses if each.scope == "goal" and each.finding in _OPEN]
    noticed = {each.of for each in open_ if each.of in failed}
    searched = {each.of for each in open_ if each.of in proved and _searched(each, proved[each.of])}
    return OpenHypotheses(
        len(open_), len(noticed), len(searched), len(open_) - len(noticed | searched)
    )


def _searched(hypotheses: Hypotheses, goal: GoalEntry) -> bool:
    """Whether a prover that proves the goal was asked for a contradiction with more steps."""
    return hypotheses.finding is Consistent.INCONCLUSIVE and any(
        proof.steps is not None and proof.steps < STEPS.get(proof.prover, 0)
        for proof in goal.proofs
        if proof.prover in hypotheses.provers
    )
