"""Proofs from a few assertions are found, recorded, used, and worth what they are worth."""

import json
from typing import Any

import pytest

from sonnx_formal.prover import core_search
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer, find_provers
from sonnx_formal.prover.summary import ALL_PROVED, NOT_PROVED, exit_status
from tests.prover import fakes
from tests.prover.fakes import Workshop, real_z3

THEORY = """\
module M
  use int.Int
  function f (x: int) : int
  axiom f_positive: forall x. f x > 0
  function g (x: int) : int = x + 3
  goal about_f: f 1 > 0
  goal about_g: forall x. g x > x
end
"""
ABOUT_F = "m.mlw:M.about_f.1"


@pytest.fixture
def proved(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """A library with a certificate, and a cache that knows nothing."""
    workshop.write("m.mlw", THEORY)
    workshop.prove(find_provers())
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "another"))
    return workshop


def edit(workshop: Workshop, core: list[str], *, alone: bool = False) -> None:
    """Write another core of `about_f` into the certificate, and no more proofs of it if alone."""
    path = certificate_path(workshop.library)
    stored: dict[str, Any] = json.loads(path.read_text())
    stored["unsplit"] = {}
    goal = stored["goals"][ABOUT_F]
    goal["core"] = core
    if alone:
        goal["proofs"] = [proof for proof in goal["proofs"] if "from_core" in proof]
    path.write_text(json.dumps(stored))


def test_the_certificate_has_proofs_from_some_assertions_and_from_all(proved: Workshop) -> None:
    certificate = read_certificate(certificate_path(proved.library))
    assert certificate
    for goal in certificate.goals.values():
        families = {prover.family for prover in find_provers()}
        assert sum(proof.from_core for proof in goal.proofs) == len(families)
        assert not all(proof.from_core for proof in goal.proofs)
        assert goal.proofs[0].from_core, "the cheapest comes first"
    cores = {goal.core for goal in certificate.goals.values()}
    assert len(cores) == len(certificate.goals)
    assert proved.prove(find_provers()).report.runs, "with nothing to add"
    assert read_certificate(certificate_path(proved.library)) == certificate


def test_an_old_goal_without_a_core_gets_one_where_that_is_asked_for(proved: Workshop) -> None:
    path = certificate_path(proved.library)
    complete = read_certificate(path)
    stored: dict[str, Any] = json.loads(path.read_text())
    goal = stored["goals"][ABOUT_F]
    del goal["core"]
    goal["proofs"] = [proof for proof in goal["proofs"] if "from_core" not in proof]
    path.write_text(json.dumps(stored))
    proved.prove(find_provers())
    assert json.loads(path.read_text()) == stored
    proved.prove(find_provers(), cores=True)
    assert read_certificate(path) == complete


def test_what_is_looked_for_in_vain_is_not_looked_for_again(
    proved: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = certificate_path(proved.library)
    path.unlink()
    monkeypatch.setattr(core_search, "places", lambda _output: None)
    proved.prove(find_provers())
    certificate = read_certificate(path)
    assert certificate
    assert {goal.core for goal in certificate.goals.values()} == {()}
    monkeypatch.setattr(core_search, "asking", None)
    proved.prove(find_provers(), cores=True)
    assert read_certificate(path) == certificate


def test_a_replay_gives_provers_the_core_alone(proved: Workshop) -> None:
    outcome = proved.prove(find_provers(), mode=Mode.REPLAY, families=2)
    assert exit_status(outcome.report) == ALL_PROVED
    assert all(proof.core is not None for run in outcome.report.runs for proof in run.proofs)


def test_a_core_is_found_again_in_another_task(proved: Workshop) -> None:
    proved.write("m.mlw", THEORY.replace("x + 3", "x + 4"))
    run = proved.prove(find_provers()).runs[ABOUT_F]
    assert [proof.core is None for proof in run.proofs] == [False]
    certificate = read_certificate(certificate_path(proved.library))
    assert certificate
    recorded = certificate.goals[ABOUT_F]
    assert {proof.from_core for proof in recorded.proofs} == {True, False}, "and that from all"


def test_repetitions_of_a_proof_from_another_core_are_forgotten(proved: Workshop) -> None:
    path = certificate_path(proved.library)
    edit(proved, ["ffffff"])
    stored: dict[str, Any] = json.loads(path.read_text())
    for goal in stored["goals"].values():
        by_z3 = [proof for proof in goal["proofs"] if proof["prover"] == "z3"]
        goal["proofs"] = [proof | {"failed": {}} for proof in by_z3]
    path.write_text(json.dumps(stored))
    proved.prove([real_z3()])
    certificate = read_certificate(path)
    assert certificate
    for name, goal in certificate.goals.items():
        assert goal.core != ("ffffff",)
        assert {proof.from_core for proof in goal.proofs} == {False, True}
        for proof in goal.proofs:
            assert (proof.failed is None) == (name == ABOUT_F and proof.from_core)


def test_a_part_that_can_be_met_refutes_nothing(proved: Workshop) -> None:
    edit(proved, ["ffffff"])
    outcome = proved.prove([real_z3()])
    assert exit_status(outcome.report) == ALL_PROVED
    assert outcome.runs[ABOUT_F].attempts[0].answer is Answer.UNKNOWN, "z3 says sat of the part"


def test_a_core_that_is_not_enough_proves_nothing(proved: Workshop) -> None:
    edit(proved, ["ffffff"], alone=True)
    outcome = proved.prove(find_provers(), mode=Mode.REPLAY)
    assert ABOUT_F not in outcome.proved
    assert exit_status(outcome.report) == NOT_PROVED


def test_what_was_said_of_a_part_is_not_kept_for_the_whole(proved: Workshop) -> None:
    """A prover that fails on the part is asked about all assertions, in this run and the next."""
    edit(proved, ["ffffff"], alone=True)
    assert ABOUT_F in proved.prove(find_provers()).proved
    liar = proved.fake("z3", "z3", fakes.SAT, real_z3().version)
    edit(proved, ["ffffff"], alone=True)
    assert ABOUT_F in proved.prove([liar]).proved, "by the verdict on the whole, in the cache"
