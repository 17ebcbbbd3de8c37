"""Whole runs over small libraries, mostly with fake provers."""

import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from sonnx_formal.core.documents import tag
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    RecordedProof,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.cores import digests
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer, find_provers
from sonnx_formal.prover.schedule import Schedule
from sonnx_formal.prover.site import Here
from sonnx_formal.prover.sources import library_sha256, library_sources, named_source
from sonnx_formal.prover.summary import ALL_PROVED, DISAGREEMENT, NOT_PROVED, exit_status
from sonnx_formal.prover.tasks import GoalForm
from sonnx_formal.prover.unsplit import UnsplitSearch
from tests.prover import fakes
from tests.prover.fakes import Workshop, real_z3

TRUE_AND_FALSE = """\
module M
  use int.Int
  goal right: forall x. x * x >= 0
  goal wrong: forall x. x * x > 0
end
"""
THREE = """\
module M
  use int.Int
  function f (x: int) : int = x * x
  function g (x: int) : int = x + 3
  goal about_f: forall x. f x * f x >= 0
  goal about_g: forall x. g x > x
  goal about_both: forall x. f x + g x >= g x
end
"""
RIGHT, WRONG = "m.mlw:M.right.1", "m.mlw:M.wrong.1"


def test_a_false_goal_is_not_proved(workshop: Workshop) -> None:
    workshop.write("m.mlw", TRUE_AND_FALSE)
    outcome = workshop.prove(find_provers(), families=2)
    assert outcome.proved == {RIGHT}
    assert exit_status(outcome.report) == NOT_PROVED
    assert outcome.runs[RIGHT].families == {"z3", "cvc"}
    again = workshop.prove(find_provers(), families=2)
    assert again.proved == {RIGHT}, "not by way of the cache or the certificate either"


@pytest.mark.parametrize(
    "script",
    [
        fakes.UNKNOWN,
        fakes.SPIN,
        fakes.CRASH,
        fakes.FLOOD,
        fakes.UNSAT_THEN_ERROR,
        fakes.UNSAT_THEN_SIGNAL,
        fakes.SILENT,
        "exit 127",
    ],
)
def test_nothing_but_a_proof_is_one(workshop: Workshop, script: str) -> None:
    workshop.write("m.mlw", TRUE_AND_FALSE)
    outcome = workshop.prove([workshop.fake("odd", "odd", script)])
    assert outcome.proved == set()
    assert exit_status(outcome.report) == NOT_PROVED
    assert not certificate_path(workshop.library).read_text().count('"odd"')


def test_a_lying_prover_is_caught_by_an_honest_one(workshop: Workshop) -> None:
    workshop.write("m.mlw", TRUE_AND_FALSE)
    liar = workshop.fake("liar", "liar", fakes.UNSAT)
    assert workshop.prove([liar]).proved, "nobody contradicts"
    certificate_path(workshop.library).unlink()
    outcome = workshop.prove([liar, real_z3()], families=2)
    found = outcome.report.disagreement
    assert found
    assert found.goal.id == WRONG
    assert (found.valid.prover, found.sat.prover) == ("liar", "z3")
    assert found.sat.output.startswith("sat\n")
    assert exit_status(outcome.report) == DISAGREEMENT
    assert not certificate_path(workshop.library).exists()
    # The liar's verdict is in the cache now. So is the honest one's, and both are looked at.
    again = workshop.prove([liar, real_z3()])
    assert exit_status(again.report) == DISAGREEMENT


def test_a_lie_that_nobody_contradicts_is_a_proof_by_one_family_only(workshop: Workshop) -> None:
    """What --families 2 is for: the goal is listed, because the honest prover ran out of time."""
    workshop.write("m.mlw", TRUE_AND_FALSE)
    liar = workshop.fake("liar", "liar", fakes.UNSAT)
    honest = workshop.fake("slow", "honest", fakes.OUT_OF_TIME)
    outcome = workshop.prove([liar, honest], families=2)
    assert outcome.runs[WRONG].families == {"liar"}
    assert exit_status(outcome.report) == ALL_PROVED


def test_two_provers_of_one_family_are_one_family(workshop: Workshop) -> None:
    workshop.write("m.mlw", TRUE_AND_FALSE)
    twins = [workshop.fake(name, "same", fakes.UNSAT) for name in ("a", "b")]
    outcome = workshop.prove(twins, families=2, jobs=1)  # no slot is idle for a try in vain
    assert all(len(run.families) == 1 for run in outcome.report.runs)
    assert workshop.launches() == 4, "the second of a family is not even tried, split or unsplit"


def test_only_the_goals_whose_task_changed_are_proved_again(workshop: Workshop) -> None:
    path = workshop.write("m.mlw", THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    assert len(workshop.prove([yes]).proved) == 3
    assert workshop.launches() == 6, "each, and each before it is split"
    assert len(workshop.prove([yes]).proved) == 3
    assert workshop.launches() == 0
    path.write_text("(* a line more *)\n" + THREE)
    workshop.prove([yes])
    assert workshop.launches() == 0
    path.write_text(THREE.replace("x + 3", "x + 4"))
    workshop.prove([yes])
    assert workshop.launches() == 4, "about_g and about_both"
    path.write_text(THREE.replace("x + 3", "x + 4").replace("g x > x", "g x >= x"))
    workshop.prove([yes])
    assert workshop.launches() == 2


def test_a_change_in_a_used_file_is_seen(workshop: Workshop) -> None:
    workshop.write("deep/base.mlw", "module Base use int.Int function c : int = 1 end")
    workshop.write("deep/middle.mlw", "module Middle use export deep.base.Base end")
    top = workshop.write("top.mlw", "module T use int.Int use deep.middle.Middle goal g: c = 1 end")
    assert workshop.prove([real_z3()], top).proved
    workshop.write("deep/base.mlw", "module Base use int.Int function c : int = 2 end")
    assert not workshop.prove([real_z3()], top).proved


def test_fresh_believes_nothing_and_keeps_what_it_finds(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    workshop.prove([yes])
    workshop.launches()
    outcome = workshop.prove([yes], mode=Mode.FRESH)
    assert workshop.launches() == 3
    assert not any(proof.cached for run in outcome.report.runs for proof in run.proofs)
    workshop.prove([yes])
    assert workshop.launches() == 0


def test_a_negative_answer_holds_for_its_limits_only(workshop: Workshop) -> None:
    workshop.write("m.mlw", "module M use int.Int goal g: 1 + 1 = 2 end")
    slow = workshop.fake("slow", "slow", fakes.OUT_OF_TIME)
    workshop.prove([slow], timeout=1)
    assert workshop.launches() == 1
    workshop.prove([slow], timeout=1)
    assert workshop.launches() == 0
    workshop.prove([slow], timeout=2)
    assert workshop.launches() == 1


def test_what_the_certificate_records_is_run_before_it_is_believed(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.write("m.mlw", THREE)
    a = workshop.fake("a", "a", f"sleep 0.3; {fakes.UNSAT}")
    b = workshop.fake("b", "b", f"sleep 0.3; {fakes.UNSAT}")
    workshop.prove([a, b], families=2, jobs=1)
    assert workshop.launches() == 9, "each by both, and each by one before it is split"
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "another"))
    workshop.prove([a, b], jobs=6)  # free slots do not race with what is expected to prove a goal
    assert workshop.launches() == 3, "each goal is checked once"
    kept = read_certificate(certificate_path(workshop.library))
    assert kept
    assert all(len(goal.proofs) == 2 for goal in kept.goals.values()), "the other stays recorded"
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "third"))
    no = workshop.fake("a", "a", fakes.UNKNOWN)
    outcome = workshop.prove([no, b])
    assert all(run.families == {"b"} for run in outcome.report.runs)
    assert '"a"' not in certificate_path(workshop.library).read_text()


def test_the_certificate_follows_the_library(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    other = workshop.write("n.mlw", "module N use int.Int goal g: 1 + 1 = 2 end")
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    assert "4 goals new" in workshop.prove([yes]).said
    path = certificate_path(workshop.library)
    before = path.read_text()
    assert "certificate" not in workshop.prove([yes]).said
    assert path.read_text() == before
    other.unlink()
    assert "1 gone" in workshop.prove([yes]).said
    certificate = read_certificate(path)
    assert certificate
    assert {name.partition(":")[0] for name in certificate.goals} == {"m.mlw"}
    workshop.write("n.mlw", "module N use int.Int goal g: 1 + 1 = 3 end")
    workshop.prove([yes], workshop.library / "n.mlw")
    assert read_certificate(path) == certificate, "a run over some files leaves it alone"


def repeated(certificate: Certificate | None) -> Certificate:
    """The certificate when repetitions of all proofs in `m.mlw` have failed."""
    assert certificate

    def tried(goals: Mapping[str, RecordedGoal]) -> dict[str, RecordedGoal]:
        failed = {"seed 1": Answer.UNKNOWN}
        return {
            name: replace(goal, proofs=tuple(replace(p, failed=failed) for p in goal.proofs))
            if name.startswith("m.mlw:")
            else goal
            for name, goal in goals.items()
        }

    return replace(certificate, goals=tried(certificate.goals), unsplit=tried(certificate.unsplit))


def names_repeated(path: Path) -> set[str]:
    """The goals, split or not, a proof of which was repeated."""
    certificate = read_certificate(path)
    assert certificate
    goals = {**certificate.goals, **certificate.unsplit}
    return {name for name, goal in goals.items() if any(p.failed for p in goal.proofs)}


def test_what_came_of_repetitions_stays_as_long_as_the_proof(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    workshop.prove([yes])
    path = certificate_path(workshop.library)
    write_certificate(path, repeated(read_certificate(path)))
    before = path.read_text()
    assert "certificate" not in workshop.prove([yes]).said
    assert path.read_text() == before
    assert len(names_repeated(path)) == 6
    workshop.write("m.mlw", THREE.replace("x + 3", "x + 4"))
    workshop.prove([yes])
    assert names_repeated(path) == {"m.mlw:M.about_f", "m.mlw:M.about_f.1"}, "not of other tasks"
    longer = fakes.UNSAT.replace("100", "300")
    workshop.prove([workshop.fake("yes", "yes", longer, version="2.0")])
    assert "m.mlw:M.about_f.1" not in names_repeated(path), "not of another proof"


def test_repetitions_recorded_during_a_run_are_kept(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("m.mlw", "n.mlw"):
        workshop.write(name, THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    workshop.prove([yes])
    path = certificate_path(workshop.library)
    search = UnsplitSearch.found

    def slow(*given: Any) -> Any:
        write_certificate(path, repeated(read_certificate(path)))
        return search(*given)

    monkeypatch.setattr(UnsplitSearch, "found", slow)
    workshop.write("m.mlw", THREE.replace("x + 3", "x + 4"))
    assert "2 goals new" in workshop.prove([yes]).said
    assert "m.mlw:M.about_f.1" in names_repeated(path)
    assert "m.mlw:M.about_g.1" not in names_repeated(path)
    assert "n.mlw:M.about_f.1" in names_repeated(path), "it is about the same task"


def test_another_why3s_certificate_is_a_hint_and_left_alone(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    workshop.prove([yes])
    path = certificate_path(workshop.library)
    stored = json.loads(path.read_text()) | {"why3": "0.0.1"}
    path.write_text(json.dumps(stored))
    outcome = workshop.prove([yes], mode=Mode.NORMAL)
    assert "made with Why3 0.0.1" in outcome.said
    assert json.loads(path.read_text()) == stored
    assert len(outcome.proved) == 3


def test_an_unknown_prover_in_the_certificate_is_said(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    workshop.prove([workshop.fake("gone", "gone", fakes.UNSAT)])
    outcome = workshop.prove([workshop.fake("yes", "yes", fakes.UNSAT)])
    assert "gone: not found here" in outcome.said
    assert len(outcome.proved) == 3


class TestReplay:
    def test_proves_anew_what_another_why3_recorded(self, workshop: Workshop) -> None:
        workshop.write("m.mlw", THREE)
        yes = workshop.fake("yes", "yes", fakes.UNSAT)
        workshop.prove([yes])
        path = certificate_path(workshop.library)
        stored = json.loads(path.read_text()) | {"why3": "0.0.1"}
        for goal in [*stored["goals"].values(), *stored["unsplit"].values()]:
            goal["task_sha256"] = "0" * 64
        path.write_text(json.dumps(stored))
        workshop.launches()
        outcome = workshop.prove([yes], mode=Mode.REPLAY)
        assert "made with Why3 0.0.1" in outcome.said
        assert len(outcome.proved) == workshop.launches() == 3
        stored["why3"] = outcome.report.why3.version
        path.write_text(json.dumps(stored))
        unproved = workshop.prove([yes], mode=Mode.REPLAY)
        assert unproved.proved == set()
        # What fails is described, though nothing was while it ran.
        assert min(run.goal.location.line for run in unproved.report.runs) > 1

    def test_runs_one_recorded_proof_a_goal(self, workshop: Workshop) -> None:
        workshop.write("m.mlw", THREE)
        provers = [workshop.fake(name, name, fakes.UNSAT) for name in ("a", "b")]
        workshop.prove(provers, families=2)
        workshop.launches()
        before = certificate_path(workshop.library).read_text()
        assert len(workshop.prove(provers, mode=Mode.REPLAY).proved) == 3
        assert workshop.launches() == 3
        both = workshop.prove(provers, mode=Mode.REPLAY, families=2)
        assert workshop.launches() == 6
        assert all(len(run.families) == 2 for run in both.report.runs)
        assert certificate_path(workshop.library).read_text() == before

    def test_keeps_what_why3_says_and_no_verdict(
        self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workshop.write("m.mlw", THREE)
        prover = workshop.fake("a", "a", fakes.UNSAT)
        workshop.prove([prover])
        folder = workshop.root / "another"
        monkeypatch.setenv("SONNX_FORMAL_CACHE", str(folder))
        workshop.prove([prover], mode=Mode.REPLAY)
        assert [path.name for path in folder.iterdir()] == ["exports"]

    def test_limits_steps(self, workshop: Workshop) -> None:
        workshop.write("m.mlw", "module M use int.Int goal g: 1 + 1 = 2 end")
        reports_limit = f'echo "limit $1" >> "{workshop.root}/limits"; {fakes.UNSAT}'
        prover = workshop.fake("a", "a", reports_limit)
        workshop.prove([prover])
        workshop.prove([prover], mode=Mode.REPLAY)
        assert (workshop.root / "limits").read_text() == "limit \nlimit 100100\n"

    def test_searches_nothing(self, workshop: Workshop) -> None:
        workshop.write("m.mlw", THREE)
        workshop.prove([workshop.fake("a", "a", fakes.UNSAT)])
        a = workshop.fake("a", "a", fakes.UNKNOWN)
        b = workshop.fake("b", "b", fakes.UNSAT)
        workshop.launches()
        assert workshop.prove([a, b], mode=Mode.REPLAY).proved == set()
        assert workshop.launches() == 3

    def test_says_why_a_goal_has_no_proof(self, workshop: Workshop) -> None:
        path = workshop.write("m.mlw", THREE)
        a = workshop.fake("a", "a", fakes.UNSAT)
        workshop.prove([a])
        path.write_text(
            THREE.replace("goal about_both", "goal new: 1 + 1 = 2\ngoal about_both").replace(
                "g x > x", "g x >= x"
            )
        )
        outcome = workshop.prove([a], mode=Mode.REPLAY)
        reasons = {name.split(".")[2]: run.reason for name, run in outcome.runs.items()}
        assert reasons == {
            "about_f": "",
            "about_g": "changed since the certificate was made",
            "new": "not in the certificate",
            "about_both": "",
        }
        assert exit_status(outcome.report) == NOT_PROVED
        newer = workshop.fake("a", "a", fakes.UNSAT, version="2.0")
        outcome = workshop.prove([newer], mode=Mode.REPLAY)
        assert outcome.runs["m.mlw:M.about_f.1"].reason == "proved by a 1.0, which is not here"

    def test_needs_a_certificate(self, workshop: Workshop) -> None:
        workshop.write("m.mlw", THREE)
        with pytest.raises(UserError, match="no certificate"):
            workshop.prove([workshop.fake("a", "a", fakes.UNSAT)], mode=Mode.REPLAY)


PIECES = """\
module M
  use int.Int
  let f (x: int) : int
    requires { [@expl:R1] x > 0 }
    ensures { result > 1 }
    ensures { result > x }
  = x + 1
  goal g: 1 + 1 = 2
end
"""
F_1, F_2, G = "m.mlw:M.f'vc.1", "m.mlw:M.f'vc.2", "m.mlw:M.g.1"


class TestUnsplit:
    """A proof of a goal before it is split, in place of one for each piece."""

    @pytest.fixture(autouse=True)
    def recorded(self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
        workshop.write("m.mlw", PIECES)
        provers = [workshop.fake(name, name, fakes.UNSAT) for name in ("a", "b")]
        workshop.prove(provers, families=2, jobs=1)
        assert workshop.launches() == 7, (
            "three goals by both; of two unsplit goals, one is another text"
        )
        monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "another"))

    @pytest.mark.parametrize("mode", [Mode.NORMAL, Mode.REPLAY])
    def test_one_proof_is_run_for_all_pieces(self, workshop: Workshop, mode: Mode) -> None:
        before = certificate_path(workshop.library).read_text()
        outcome = workshop.prove([workshop.fake("a", "a", fakes.UNSAT)], mode=mode)
        assert outcome.proved == {F_1, F_2, G}
        assert workshop.launches() == 2
        assert "m.mlw: 3 of 3 goals proved" in outcome.said
        assert certificate_path(workshop.library).read_text() == before

    def test_it_is_run_before_it_is_believed(self, workshop: Workshop) -> None:
        """What does not hold here is tried piece by piece; a replay tries nothing else."""
        no, yes = workshop.fake("a", "a", fakes.UNKNOWN), workshop.fake("b", "b", fakes.UNSAT)
        replayed = workshop.prove([no, yes], mode=Mode.REPLAY)
        assert replayed.proved == set()
        assert replayed.runs[F_2].goal.location.line == 6, "what fails is described"
        assert replayed.runs[F_2].goal.task.text
        assert workshop.launches() == 2
        outcome = workshop.prove([no, yes])
        assert outcome.proved == {F_1, F_2, G}
        assert "not proved" not in outcome.said
        assert not any(proof.unsplit for run in outcome.report.runs for proof in run.proofs)

    def test_who_refutes_it_contradicts_who_proves_the_pieces(self, workshop: Workshop) -> None:
        certificate_path(workshop.library).unlink()
        count = f'test $(wc -l < "{workshop.root}/launches") -gt 3'
        turncoat = workshop.fake("a", "a", f"if {count}; then {fakes.SAT}; else {fakes.UNSAT}; fi")
        outcome = workshop.prove([turncoat], families=2, jobs=1)
        assert outcome.report.disagreement
        assert outcome.report.disagreement.goal.id == "m.mlw:M.f'vc"
        assert exit_status(outcome.report) == DISAGREEMENT
        assert not certificate_path(workshop.library).exists()

    @pytest.mark.parametrize("described", [False, True])
    def test_so_it_is_for_who_asks_for_two_families(
        self, workshop: Workshop, *, described: bool
    ) -> None:
        path = certificate_path(workshop.library)
        kept = read_certificate(path)
        assert kept
        ((name, whole),) = kept.unsplit.items()
        both = tuple(replace(whole.proofs[0], prover=prover) for prover in ("a", "b"))
        write_certificate(path, replace(kept, unsplit={name: replace(whole, proofs=both)}))
        provers = [workshop.fake(name, name, fakes.UNSAT) for name in ("a", "b")]
        found = workshop.prove(provers, mode=Mode.REPLAY, families=2, described=described)
        assert workshop.launches() == 4
        assert found.runs.keys() == {F_1, F_2, G}
        assert all(run.families == {"a", "b"} for run in found.runs.values())
        if described:
            lines = [run.goal.location.line for run in found.runs.values()]
            assert lines == [5, 6, 8], "in the order of the file"

    def test_where_one_family_proves_it_each_piece_is_proved(self, workshop: Workshop) -> None:
        provers = [workshop.fake(name, name, fakes.UNSAT) for name in ("a", "b")]
        found = workshop.prove(provers, mode=Mode.REPLAY, families=2)
        assert not any(proof.unsplit for name in (F_1, F_2) for proof in found.runs[name].proofs)
        assert workshop.launches() == 6

    def test_what_fails_is_tried_by_piece_where_all_are_described(self, workshop: Workshop) -> None:
        no, yes = workshop.fake("a", "a", fakes.UNKNOWN), workshop.fake("b", "b", fakes.UNSAT)
        found = workshop.prove([no, yes], described=True)
        assert found.proved == {F_1, F_2, G}
        assert [*found.runs] == [F_1, F_2, G]
        assert not any(proof.unsplit for run in found.report.runs for proof in run.proofs)

    def test_only_what_is_recorded_of_this_text_is_used(self, workshop: Workshop) -> None:
        a = workshop.fake("a", "a", fakes.UNSAT)
        workshop.write("m.mlw", PIECES.replace("x + 1", "x + 2"))
        assert workshop.prove([a], mode=Mode.REPLAY).proved == {G}
        workshop.launches()
        workshop.prove([a])
        assert workshop.launches() == 4, "three pieces, and what changed unsplit"
        kept = read_certificate(certificate_path(workshop.library))
        assert kept
        assert kept.unsplit.keys() == {"m.mlw:M.f'vc"}, "that of g is its piece, word by word"
        assert kept.library_sha256 == library_sha256(workshop.library)

    def test_without_pieces_it_counts_for_nothing(self, workshop: Workshop) -> None:
        """Else nobody would miss it: a replay reports pieces."""
        path = certificate_path(workshop.library)
        kept = read_certificate(path)
        assert kept
        write_certificate(path, replace(kept, goals={G: kept.goals[G]}))
        no = workshop.fake("a", "a", fakes.UNKNOWN)
        replayed = workshop.prove([no], mode=Mode.REPLAY)
        assert replayed.runs.keys() == {F_1, F_2, G}
        assert replayed.proved == set()

    @pytest.mark.parametrize(("count", "launches"), [(10, 12), (11, 3)])
    def test_a_file_is_read_twice_where_that_spares_ten_tasks(
        self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch, count: int, launches: int
    ) -> None:
        def function(name: str, clauses: int, more: int) -> str:
            ensured = "".join(f"    ensures {{ result > x - {k} }}\n" for k in range(clauses))
            return f"  let {name} (x: int) : int\n{ensured}  = x + {more}\n"

        text = f"module M\n  use int.Int\n{function('f', count, 1)}{function('h', 2, 2)}end\n"
        workshop.write("m.mlw", text)
        yes = workshop.fake("a", "a", fakes.UNSAT)
        assert len(workshop.prove([yes]).proved) == count + 2
        path = certificate_path(workshop.library)
        kept = read_certificate(path)
        assert kept
        proofs = {"m.mlw:M.f'vc": kept.goals["m.mlw:M.f'vc.1"].proofs, "m.mlw:M.h'vc": ()}
        unsplit = {name: replace(kept.unsplit[name], proofs=proofs[name]) for name in proofs}
        write_certificate(path, replace(kept, unsplit=unsplit))
        monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "third"))
        workshop.launches()
        assert len(workshop.prove([yes], mode=Mode.REPLAY).proved) == count + 2
        assert workshop.launches() == launches

    def test_what_proves_the_pieces_is_tried_before_all_assertions(
        self, workshop: Workshop
    ) -> None:
        """Of a goal that nobody proved from all of them, and that was not tried otherwise."""
        path = certificate_path(workshop.library)
        kept = read_certificate(path)
        assert kept
        ((name, whole),) = kept.unsplit.items()
        source, *_ = library_sources(workshop.library)
        goals = Goals(find_why3(), workshop.library, None)
        goal, _ = goals.of(source, GoalForm.UNSPLIT)
        core = (digests(goal.task)[0],)
        from_core = (RecordedProof("a", "1.0", 100, from_core=True),)
        pieces = {
            piece: replace(kept.goals[piece], proofs=from_core, core=core) for piece in (F_1, F_2)
        }
        untried = replace(whole, proofs=(), core=None)
        changed = replace(kept, goals={**kept.goals, **pieces}, unsplit={name: untried})
        write_certificate(path, changed)
        few = 'test $(grep -c "^(assert" "$0.task") -le 2'
        yes = workshop.fake("a", "a", f'cat > "$0.task"; if {few}; then {fakes.UNSAT}; fi')
        workshop.prove([yes])
        found = read_certificate(path)
        assert found
        assert found.unsplit[name].core == core
        assert [proof.from_core for proof in found.unsplit[name].proofs] == [True]

    def test_an_interrupted_search_keeps_what_is_recorded(
        self, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = read_certificate(certificate_path(workshop.library))
        assert kept
        provers = [workshop.fake("a", "a", fakes.UNSAT)]
        search = UnsplitSearch(kept, Goals(find_why3(), workshop.library, None), provers)
        monkeypatch.setattr(Schedule, "run", lambda self, *_: False)
        with Progress(Console(file=io.StringIO())) as progress:
            sources = library_sources(workshop.library)
            found, ended = search.found(sources, Here(1), None, 1, progress)
        assert (found, ended) == (kept.unsplit, False)

    def test_what_was_edited_has_its_pieces_looked_at(self, workshop: Workshop) -> None:
        """Unsplit, both goals are simplified to true; their pieces differ."""
        positive = (
            "module M use int.Int let f (x: int) : int requires { x > 0 } ensures { %s } = x end"
        )
        workshop.write("m.mlw", positive % "result = x")
        workshop.prove([real_z3()])
        before = read_certificate(certificate_path(workshop.library))
        workshop.write("m.mlw", positive % "result > 0")
        workshop.prove([real_z3()])
        after = read_certificate(certificate_path(workshop.library))
        assert before
        assert after
        assert after.unsplit == before.unsplit
        assert after.goals != before.goals


def test_a_goal_that_is_recorded_and_gone_is_missed_by_a_replay(workshop: Workshop) -> None:
    workshop.write("m.mlw", THREE)
    yes = workshop.fake("yes", "yes", fakes.UNSAT)
    workshop.prove([yes])
    workshop.write("m.mlw", re.sub(r"goal about_both.*", "", THREE))
    with pytest.raises(UserError, match=r"records 1 goals .* m\.mlw:\w+\.about_both\.1 first"):
        workshop.prove([yes], mode=Mode.REPLAY)


TWINS = """\
module P
  use int.Int
  val function f (x: int) : int ensures { result > x }
end
module M
  use int.Int
  let function g (x: int) : int ensures { result > x } = x + 1
  let function h (x: int) : int ensures { result > x } = x + 2
  clone P as A with val f = g
  clone P as B with val f = h
end
"""


def test_a_proof_before_splitting_is_of_no_other_goal_of_that_name(workshop: Workshop) -> None:
    """Two clones in a module give goals of one name, and pieces that are numbered on."""
    workshop.write("m.mlw", TWINS)
    provers = [workshop.fake(name, name, fakes.UNSAT) for name in ("a", "b")]
    path = certificate_path(workshop.library)
    outcome = workshop.prove(provers, families=2)
    twins = {"m.mlw:M.f'refn'vc.1", "m.mlw:M.f'refn'vc.2"}
    assert outcome.proved == {"m.mlw:M.g'vc.1", "m.mlw:M.h'vc.1"} | twins
    kept = read_certificate(path)
    assert kept
    assert kept.unsplit.keys() == {"m.mlw:M.g'vc", "m.mlw:M.h'vc"}
    (source,) = library_sources(workshop.library)
    for goal in Goals(find_why3(), workshop.library, None).of(source, GoalForm.UNSPLIT):
        recorded = RecordedGoal(goal.task.sha256, (RecordedProof("a", "1.0", 1),))
        write_certificate(path, replace(kept, unsplit={"m.mlw:M.f'refn'vc": recorded}))
        replayed = workshop.prove(provers, mode=Mode.REPLAY)
        assert replayed.proved == outcome.proved
        assert not any(proof.unsplit for run in replayed.report.runs for proof in run.proofs)


@pytest.mark.long
@pytest.mark.parametrize("file", ["ops/div/floats.mlw", "scalar/clamp.mlw"])
def test_all_goals_of_one_name_are_exported(file: str) -> None:
    """By a name that two goals have in one scope, Why3 finds one of them."""
    library = Path(__file__).parents[2] / "why3"
    source = named_source(library, library / file)
    goals = Goals(find_why3(), library, None)
    found = goals.of(source, GoalForm.UNSPLIT)
    names = Counter(goal.id for goal in found)
    unsplit = [goal for goal in found if names[goal.id] > 1]
    (twins,) = {goal.id for goal in unsplit}
    pieces = {goal.id: goal.task for goal in goals.of(source, GoalForm.SPLIT)}
    chosen = {goal.id: goal.task for goal in goals.of(source, GoalForm.SPLIT, unsplit)}
    assert chosen == {name: pieces[name] for name in pieces if name.rpartition(".")[0] == twins}
    assert len(chosen) == 2
    beside = {goal.id: goal.task for goal in goals.of(source, GoalForm.SPLIT, found)}
    assert beside == pieces  # others of the module are exported once


CERTIFICATE = json.dumps(
    {"schema": tag(Certificate), "why3": "1", "library_sha256": "0" * 64, "unsplit": {}}
).removesuffix("}")


@pytest.mark.parametrize(
    "damage",
    ["not json", "{}", '{"schema": "other"}', json.dumps({"schema": tag(Certificate), "why3": "1"}),
     CERTIFICATE + ', "goals": {"x": {"task_sha256": "0"}}}', CERTIFICATE + ', "goals": []}', "[]"],
)  # fmt: skip
def test_a_damaged_certificate_is_one_clear_line(workshop: Workshop, damage: str) -> None:
    workshop.write("m.mlw", THREE)
    certificate_path(workshop.library).write_text(damage)
    with pytest.raises(UserError, match=r"not a readable certificate .*: restore it"):
        workshop.prove([workshop.fake("a", "a", fakes.UNSAT)])


def test_a_file_outside_the_library_uses_it(workshop: Workshop) -> None:
    workshop.write("part/base.mlw", "module Base use int.Int function c : int = 1 end")
    path = workshop.root / "some where" / "my file.mlw"
    path.parent.mkdir()
    path.write_text("module Mine use int.Int use part.base.Base use near.N goal g: c = n end")
    (path.parent / "near.mlw").write_text("module N use int.Int function n : int = 1 end")
    outcome = workshop.prove([real_z3()], path)
    assert len(outcome.proved) == 1
    assert re.search(r"my file\.mlw:Mine\.g\.1$", next(iter(outcome.proved)))


def test_zero_goals_are_an_error(workshop: Workshop) -> None:
    path = workshop.write("m.mlw", "module M type t end")
    with pytest.raises(UserError, match=r"no goal was found in m\.mlw"):
        workshop.prove([real_z3()], path)
    with pytest.raises(UserError, match="no goal was found"):
        workshop.prove([real_z3()])


def test_ids_are_unique_and_name_the_piece(workshop: Workshop) -> None:
    workshop.write(
        "m.mlw", "module M use int.Int goal g: (1 + 1 = 2 /\\ 2 + 2 = 4) goal h: 1 + 1 = 2 end"
    )
    outcome = workshop.prove([real_z3()])
    assert list(outcome.runs) == ["m.mlw:M.g.1", "m.mlw:M.g.2", "m.mlw:M.h.1"]


@pytest.mark.parametrize(
    "before",
    [
        "val constant c : int ensures { result > 0 }",
        "type t = A | B int let function g (h: int -> int) : int = h 0 "
        "let function f (x: t) : int = match x with A -> g (fun k -> k + 1) | B n -> n end",
    ],
)
def test_a_goal_of_which_nothing_is_left(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """Why3 has a goal for what a constant promises, or for cases of a type, and no piece of it."""
    workshop.write("m.mlw", f"module M use int.Int {before} goal g: 1 + 1 > 1 end")
    assert workshop.prove([real_z3()]).proved == {"m.mlw:M.g.1"}
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(workshop.root / "another"))
    assert workshop.prove([real_z3()]).proved == {"m.mlw:M.g.1"}
