"""What is tried of a goal, and how far."""

import pytest

from sonnx_formal.prover.certificate import RecordedGoal, RecordedProof
from sonnx_formal.prover.plan import GoalRun, recorded_unit
from sonnx_formal.prover.provers import find_provers
from tests.prover.test_summary import goal, verdict


@pytest.mark.parametrize(
    ("recorded", "allowed"),
    [(None, None), (1, 100_001), (100_000, 200_000), (1_000_000, 2_000_000)],
)
def test_a_recorded_proof_has_twice_its_steps(recorded: int | None, allowed: int | None) -> None:
    prover = find_provers()[0]
    proof = RecordedProof(prover.name, prover.version, recorded)
    unit = recorded_unit(prover, RecordedGoal("", (proof,)), proof, 5)
    assert (unit.prover, unit.limits.seconds, unit.limits.steps) == (prover, 5, allowed)


def test_what_proves_a_goal_proves_its_pieces_in_a_share_of_its_time() -> None:
    pieces = (goal(1), goal(2))
    whole = GoalRun(goal(0), [], verdicts=[verdict(seconds=3)], pieces=pieces)
    parts = whole.by_piece()
    assert [part.goal for part in parts] == [*pieces]
    for part in parts:
        assert [(each.unsplit, each.seconds) for each in part.proofs] == [(True, 1.5)]
    assert parts[0].by_piece() == [parts[0]]
