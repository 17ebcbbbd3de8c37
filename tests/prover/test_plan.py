"""What is tried of a goal, and how far."""

import pytest

from sonnx_formal.prover.certificate import RecordedProof
from sonnx_formal.prover.plan import recorded_unit
from sonnx_formal.prover.provers import find_provers


@pytest.mark.parametrize(
    ("recorded", "allowed"),
    [(None, None), (1, 100_001), (100_000, 200_000), (1_000_000, 2_000_000)],
)
def test_a_recorded_proof_has_twice_its_steps(recorded: int | None, allowed: int | None) -> None:
    prover = find_provers()[0]
    unit = recorded_unit(prover, RecordedProof(prover.name, prover.version, recorded), 5)
    assert (unit.prover, unit.limits.seconds, unit.limits.steps) == (prover, 5, allowed)
