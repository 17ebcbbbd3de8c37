"""Whole runs over small libraries, with the provers of this machine."""

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.inquiry import Effort
from sonnx_formal.evidence.mutation import sampling, trial
from sonnx_formal.evidence.mutation.mutate import (
    THRESHOLD,
    MutantEntry,
    Mutation,
    exit_status,
    mutate,
    print_mutation,
    record_path,
)
from sonnx_formal.evidence.mutation.trial import MutantQuestion
from sonnx_formal.evidence.records import MutantOutcome
from sonnx_formal.prover.certificate import RecordedGoal
from sonnx_formal.prover.provers import find_provers
from tests.prover.fakes import Workshop
from tests.schemas import validate

STRONG = """\
module M
  use int.Int
  let function double (x: int) : int
    ensures { result = 2 * x }
  = x + x
end
"""
WEAK = STRONG.replace("result = 2 * x", "result >= x \\/ result < x")
EXAMPLE = """\
module E
  use int.Int
  use ops.m.M
  goal three: double 3 = 6
end
"""


def run_mutate(
    workshop: Workshop, *files: Path, budget: float | None = None, fresh: bool = False
) -> Mutation:
    """What comes of it; its JSON is as the schema says."""
    with Progress(Console(file=io.StringIO())) as progress:
        report = mutate(workshop.library, files, Effort(2, budget, fresh), progress)
    validate(as_json(report), Mutation)
    return report


def as_json(report: Mutation) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(documents.encode(report))
    return value


def prepared(workshop: Workshop, text: str, **others: str) -> None:
    """The library with this as its operator, proved."""
    workshop.write("ops/m.mlw", text)
    for name, other in others.items():
        workshop.write(f"ops/{name}.mlw", other)
    outcome = workshop.prove(find_provers())
    assert outcome.proved == set(outcome.runs)


def outcomes(report: Mutation) -> dict[str, MutantOutcome]:
    """Of the mutants that were tried."""
    found = {entry.id: entry.outcome for entry in report.mutants}
    return {name: o for name, o in found.items() if o is not MutantOutcome.UNTRIED}


def survivors(report: Mutation) -> set[str]:
    return {name for name, o in outcomes(report).items() if o is MutantOutcome.SURVIVED}


def entry(report: Mutation, name: str) -> MutantEntry:
    return next(mutant for mutant in report.mutants if mutant.id == name)


def looked_at(workshop: Workshop, name: str) -> int:
    """How many goals were, for a mutant of the record."""
    lines = map(json.loads, record_path(workshop.library).read_text().splitlines())
    return next(int(line["tried"]) for line in lines if line["mutant"] == name)


def printed(report: Mutation) -> str:
    output = io.StringIO()
    print_mutation(Console(file=output, width=200), report)
    return output.getvalue()


def test_a_strong_contract_lets_nothing_survive(workshop: Workshop) -> None:
    prepared(workshop, STRONG)
    report = run_mutate(workshop)
    found = outcomes(report)
    assert found["ops/m.mlw:M.double body: = x [+] x => -"] is MutantOutcome.KILLED
    assert found["ops/m.mlw:M.double ensures 1: result = [2] * x => 3"] is MutantOutcome.KILLED
    assert survivors(report) == set()
    assert report.files[0].score == 1
    assert exit_status(report) == 0


def test_a_weak_contract_lets_a_mutant_survive_until_an_example_notices(workshop: Workshop) -> None:
    prepared(workshop, WEAK)
    report = run_mutate(workshop)
    minus = "ops/m.mlw:M.double body: = x [+] x => -"
    assert minus in survivors(report)
    assert exit_status(report) == 1
    assert f"survived: ops/m.mlw:5 {minus}" in printed(report)
    prepared(workshop, WEAK, m_examples=EXAMPLE)
    report = run_mutate(workshop)
    assert minus not in survivors(report)
    result = entry(report, minus)
    assert (result.outcome, result.by) == (MutantOutcome.KILLED, "ops/m_examples.mlw:E.three.1")


@pytest.mark.long
def test_what_was_enough_before_the_edit_is_tried(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(workshop, WEAK)
    monkeypatch.setattr(RecordedGoal, "whole", ())
    monkeypatch.setattr(trial._Trial, "_attempts", lambda *_: [])
    minus = "ops/m.mlw:M.double body: = x [+] x => -"
    assert minus in survivors(run_mutate(workshop)), "its goal is proved from the core alone"
    monkeypatch.setattr(trial._Trial, "_is_proved_from_core", lambda *_: False)
    assert minus not in survivors(run_mutate(workshop, fresh=True))


@pytest.mark.long
def test_the_record_is_taken_as_long_as_the_sources_are_the_same(workshop: Workshop) -> None:
    prepared(workshop, WEAK, m_examples=EXAMPLE)
    report = run_mutate(workshop)
    tried = len(outcomes(report))
    assert (report.made.from_record, tried > 5) == (0, True)
    assert f"\n{tried} mutants tried now, 0 from the record" in printed(report)
    path = record_path(workshop.library)
    before = path.read_text()
    again = run_mutate(workshop)
    assert again.made.from_record == tried
    assert f"\n0 mutants tried now, {tried} from the record" in printed(again)
    assert path.read_text() == before
    assert run_mutate(workshop, fresh=True).made.from_record == 0
    assert path.read_text() == before
    prepared(workshop, WEAK, m_examples=EXAMPLE.replace("double 3 = 6", "double 3 >= 6"))
    stale = run_mutate(workshop, budget=0)
    assert stale.files[0].untried > 0
    assert exit_status(stale) == 1
    untried = {m.id for m in stale.mutants if m.outcome is MutantOutcome.UNTRIED}
    killed = {name for name, o in outcomes(report).items() if o is MutantOutcome.KILLED}
    assert untried >= {name for name in killed if " body: " in name}


@pytest.mark.long
def test_what_killed_a_mutant_before_is_tried_first(workshop: Workshop) -> None:
    minus = "ops/m.mlw:M.double body: = x [+] x => -"
    prepared(workshop, WEAK, m_examples=EXAMPLE)
    first = entry(run_mutate(workshop), minus)
    prepared(workshop, WEAK, m_examples=EXAMPLE.replace("goal", "constant c: int\n  goal"))
    assert entry(run_mutate(workshop, budget=0), minus).outcome is MutantOutcome.UNTRIED
    assert looked_at(workshop, minus) > 1
    assert entry(run_mutate(workshop), minus).by == first.by
    assert looked_at(workshop, minus) == 1
    run_mutate(workshop, fresh=True)
    assert looked_at(workshop, minus) > 1, "nothing is known"
    prepared(workshop, WEAK, m_examples=EXAMPLE.replace("double 3 = 6", "double 3 >= 0"))
    assert minus in survivors(run_mutate(workshop)), "that goal is there, and does so no more"
    prepared(workshop, WEAK, m_examples="")
    assert minus in survivors(run_mutate(workshop)), "that goal is not there any more"


@pytest.mark.long
def test_another_proof_asks_again_about_survivors_alone(workshop: Workshop) -> None:
    lemma = "  let lemma l () ensures { 1 = 1 } = assert { 2 = 2 }\nend\n"
    text = WEAK.removesuffix("end\n") + lemma
    prepared(workshop, text)
    report = run_mutate(workshop)
    survived = survivors(report)
    assert 0 < len(survived) < len(outcomes(report))
    prepared(workshop, text.replace("assert { 2 = 2 }", "()"))
    after = run_mutate(workshop, budget=0)
    untried = {m.id for m in after.mutants if m.outcome is MutantOutcome.UNTRIED}
    assert untried == survived


@pytest.mark.long
def test_a_survivor_needs_a_reason_and_a_reason_a_survivor(workshop: Workshop) -> None:
    prepared(workshop, WEAK)
    text = '[[survivor]]\nids = ["ops/m.mlw:M.double *"]\nreason = "made up"\n'
    path = workshop.write("evidence/mutation.toml", text)
    report = run_mutate(workshop)
    assert report.summary.unexplained == ()
    assert report.files[0].score is not None
    assert report.files[0].score < THRESHOLD
    assert exit_status(report) == 1, "an operator below the threshold"
    prepared(workshop, STRONG)
    report = run_mutate(workshop)
    assert report.summary.stale_dispositions == ("ops/m.mlw:M.double *",)
    assert exit_status(report) == 1
    path.write_text(text.replace("made up", " "))
    with pytest.raises(UserError, match=r"matching regex .* at `\$\.survivor\[0\]\.reason`"):
        run_mutate(workshop)


@pytest.mark.long
def test_each_folder_has_a_score_and_a_threshold(workshop: Workshop) -> None:
    prepared(workshop, STRONG)
    workshop.write("scalar/n.mlw", WEAK)
    workshop.prove(find_provers())
    text = '[[survivor]]\nids = ["scalar/n.mlw:M.double *"]\nreason = "made up"\n'
    workshop.write("evidence/mutation.toml", text)
    report = run_mutate(workshop)
    strong, weak = report.folders
    assert (strong.folder, strong.score, strong.good) == ("ops", 1, True)
    assert (weak.folder, weak.good) == ("scalar", False)
    assert weak.score == round(weak.killed / (weak.killed + weak.survived), 4) < THRESHOLD
    assert strong.interval is weak.interval is None, "all were tried"
    assert exit_status(report) == 1
    assert report.summary.unexplained == ()
    assert "scalar: below 95%: state more goals about it" in printed(report)
    assert exit_status(run_mutate(workshop, workshop.library / "ops/m.mlw")) == 0


@pytest.mark.long
def test_of_a_folder_with_many_mutants_a_sample_is_tried(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SIZE", 5)
    prepared(workshop, STRONG)
    file = workshop.write("scalar/n.mlw", WEAK)
    workshop.prove(find_provers())
    text = '[[survivor]]\nids = ["scalar/n.mlw:M.double *"]\nreason = "made up"\n'
    workshop.write("evidence/mutation.toml", text)
    report = run_mutate(workshop)
    for each in report.folders:
        assert (each.mutants, each.untried) == (5, 0)
        assert each.all > 5
        assert each.interval is not None
    assert len(outcomes(report)) == 10
    drawn = report.folders[1]
    assert f"scalar: {drawn.all} mutants, 5 sampled, 5 tried" in printed(report)
    assert report.summary.stale_dispositions == (), "others of the file may survive"
    report = run_mutate(workshop, file)
    assert report.made.from_record == 5
    assert len(outcomes(report)) == report.folders[0].mutants == drawn.all
    assert run_mutate(workshop).made.from_record == 10
    everything = run_mutate(workshop, file)
    assert everything.made.from_record == drawn.all, "the record keeps what is not drawn"


def test_a_short_run_has_mutants_of_each_folder(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(workshop, STRONG)
    workshop.write("scalar/n.mlw", WEAK)
    workshop.prove(find_provers())
    asked: list[str] = []
    genuine = MutantQuestion.ask

    def interrupted(self: MutantQuestion, mutant: Any, launch: Any) -> Any:
        asked.append(mutant.file)
        if len(asked) > 4:
            raise KeyboardInterrupt
        return genuine(self, mutant, launch)

    with monkeypatch.context() as patched:
        patched.setattr(MutantQuestion, "ask", interrupted)
        run_mutate(workshop)
    assert sorted(asked[:4]) == ["ops/m.mlw", "ops/m.mlw", "scalar/n.mlw", "scalar/n.mlw"]
    telling = [each for each in run_mutate(workshop, budget=0).folders if each.score is not None]
    assert telling
    assert all(each.interval for each in telling)
    assert not any(each.good for each in telling)


@pytest.mark.long
def test_what_stands_again_elsewhere_is_edited_and_asked_about(workshop: Workshop) -> None:
    text = """\
module M
  use int.Int
  let function double (x: int) : int
    ensures { result = x + x }
  = x + x
end
module N
  use int.Int
  use M
  let lemma twice (x: int) ensures { double x = x + x } = ()
end
"""
    other = "module O\n  use int.Int\n  lemma k: forall x: int. x + x = 2 * x\nend\n"
    minus = "ops/m.mlw:M.double body and its copies: = x [+] x => -"
    prepared(workshop, text)
    report = run_mutate(workshop)
    assert len(entry(report, minus).copies) == 2
    assert minus in survivors(report)
    prepared(workshop, text, m_examples=EXAMPLE)
    assert entry(run_mutate(workshop), minus).by == "ops/m_examples.mlw:E.three.1"
    prepared(workshop, text + other, m_examples="")
    assert entry(run_mutate(workshop), minus).by == "ops/m.mlw:O.k.1"


def test_what_rests_on_a_parameter_rests_on_what_stands_in_its_place(workshop: Workshop) -> None:
    text = """\
module Law
  use int.Int
  val predicate defined (x: int)
  predicate total = forall x. defined x
end
module M
  use int.Int
  let predicate defined (_x: int) = true
end
module N
  use M as Numbers
  clone export Law with val defined = Numbers.defined
end
module O
  use N
  lemma l: total
end
"""
    prepared(workshop, text)
    found = entry(run_mutate(workshop), "ops/m.mlw:M.defined body: int) = [true] => false")
    assert (found.outcome, found.by) == ("killed", "ops/m.mlw:O.l.1")


@pytest.mark.long
def test_copies_are_the_same_only_if_they_are_so_whatever_is_assumed(workshop: Workshop) -> None:
    text = """\
module M
  use int.Int
  let function double (x: int) : int
    requires { x = 0 }
    ensures  { result = result + 0 * x }
  = x + x
  lemma l: forall x: int. x + x = 2 * x
  let ghost g (x: int) : int
    ensures { result = result + 0 * x }
  = x
end
"""
    prepared(workshop, text)
    found = outcomes(run_mutate(workshop))
    name = "ops/m.mlw:M.double body{}: = x [+] x => -"
    assert found[name.format("")] is MutantOutcome.EQUIVALENT
    assert found[name.format(" and its copies")] is MutantOutcome.KILLED
    name = "ops/m.mlw:M.double ensures 1 and its copies: = result [+] 0 * => -"
    assert found[name] is MutantOutcome.IMPLIED


@pytest.mark.long
def test_copies_in_the_contract_are_read_where_the_precondition_holds(workshop: Workshop) -> None:
    text = """\
module M
  use int.Int
  let function keep (x y: int) : int
    requires { 0 + x = y }
    ensures  { result = x + 0 + 0 }
  = x + 0 + 0
end
"""
    prepared(workshop, text)
    name = "ops/m.mlw:M.keep body and its copies: = [x] + 0 => y"
    assert outcomes(run_mutate(workshop))[name] is MutantOutcome.EQUIVALENT
    lemma = "module N\n  use int.Int\n  lemma l: forall x: int. x + 0 + 0 = x\nend\n"
    prepared(workshop, text + lemma)
    assert outcomes(run_mutate(workshop))[name] is not MutantOutcome.EQUIVALENT


@pytest.mark.long
def test_a_precondition_that_nothing_needs_survives(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  let function f (x: int) : int\n    requires { 0 < x }\n"
    prepared(workshop, text + "    ensures { result = x }\n  = x\nend\n")
    dropped = "ops/m.mlw:M.f requires 1: requires { 0 < x } => nothing"
    assert outcomes(run_mutate(workshop))[dropped] is MutantOutcome.SURVIVED
    prepared(workshop, text + "    ensures { result > 0 }\n  = x\nend\n")
    assert outcomes(run_mutate(workshop))[dropped] is MutantOutcome.KILLED


@pytest.mark.long
def test_what_means_the_same_is_no_mutant(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  predicate p (x y: int) = x = y\n  goal g: p 1 1\nend\n"
    prepared(workshop, text)
    found = outcomes(run_mutate(workshop))
    assert found["ops/m.mlw:M.p body: = x [=] y => <>"] is MutantOutcome.KILLED
    assert found["ops/m.mlw:M.p body: int) = [x = y] => true"] is MutantOutcome.SURVIVED
    text = text.replace("x = y\n", "x + y = y + x\n")
    prepared(workshop, text)
    found = outcomes(run_mutate(workshop))
    assert found["ops/m.mlw:M.p body: x + y = y + x => true"] is MutantOutcome.EQUIVALENT


@pytest.mark.long
def test_a_weaker_clause_about_the_same_definition_is_implied(workshop: Workshop) -> None:
    prepared(workshop, STRONG)
    found = outcomes(run_mutate(workshop))
    dropped = "ops/m.mlw:M.double ensures 1: ensures { result = 2 * x } => nothing"
    assert found[dropped] is MutantOutcome.IMPLIED


def test_a_document_names_the_files_that_were_asked_for(workshop: Workshop) -> None:
    prepared(workshop, STRONG)
    asked = run_mutate(workshop, workshop.library / "ops/m.mlw", budget=0)
    assert asked.made.files == ("ops/m.mlw",)
    assert run_mutate(workshop, budget=0).made.files == ()


@pytest.mark.long
def test_what_cannot_be_stated_to_mean_the_same_is_a_mutant(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(workshop, STRONG)
    monkeypatch.setattr(trial, "with_equivalence", lambda *_: "module M goal equivalent: end")
    dropped = "ops/m.mlw:M.double ensures 1: ensures { result = 2 * x } => nothing"
    assert outcomes(run_mutate(workshop))[dropped] is MutantOutcome.SURVIVED


def test_what_has_a_wrong_type_does_not_count(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  function f (x: int) : bool -> int = fun y -> g y x\n"
    text = text.replace("  function f", "  function g (y: bool) (x: int) : int = x\n  function f")
    prepared(workshop, text + "  goal g1: f 1 true = f 1 true\nend\n")
    (swapped,) = (name for name in outcomes(run_mutate(workshop)) if "=> x y" in name)
    report = run_mutate(workshop)
    assert outcomes(report)[swapped] is MutantOutcome.INVALID
    assert "type" in entry(report, swapped).by
    found = report.summary
    assert (found.killed, found.survived, found.invalid, found.score) == (0, 1, 1, 0)


def test_a_library_that_is_not_proved_shows_nothing(workshop: Workshop) -> None:
    workshop.write("ops/m.mlw", STRONG)
    with pytest.raises(UserError, match="no certificate"):
        run_mutate(workshop)
    prepared(workshop, STRONG)
    workshop.write("ops/m.mlw", STRONG.replace("end\n", "  goal wrong: double 1 = 3\nend\n"))
    with pytest.raises(UserError, match=r"not in the certificate, ops/m\.mlw:M\.wrong\.1"):
        run_mutate(workshop)


@pytest.mark.long
def test_a_definition_is_seen_through_others(workshop: Workshop) -> None:
    user = """\
module U
  use int.Int
  use ops.m.M
  function quadruple (x: int) : int = double (double x)
end
"""
    example = "module E\n  use int.Int\n  use ops.u.U\n  goal g: quadruple 1 = 4\nend\n"
    prepared(workshop, WEAK, u=user, u_examples=example)
    result = entry(run_mutate(workshop), "ops/m.mlw:M.double body: = x [+] x => -")
    assert (result.outcome, result.by) == (MutantOutcome.KILLED, "ops/u_examples.mlw:E.g.1")


def test_an_interrupt_keeps_what_is_finished(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(workshop, WEAK)
    tried: list[Any] = []
    genuine = MutantQuestion.ask

    def interrupted(*arguments: Any) -> Any:
        tried.append(arguments)
        if len(tried) > 3:
            raise KeyboardInterrupt
        return genuine(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(MutantQuestion, "ask", interrupted)
        report = run_mutate(workshop)
    assert exit_status(report) == 130
    done = len(outcomes(report))
    assert 1 <= done <= 3
    assert run_mutate(workshop, budget=0).files[0].untried == len(report.mutants) - done


def test_a_damaged_record_is_said_to_be_one(workshop: Workshop) -> None:
    prepared(workshop, STRONG)
    workshop.write("evidence/mutants.jsonl", "{}\n")
    with pytest.raises(
        UserError, match=r"mutants\.jsonl:1 .* restore the file from version control"
    ):
        run_mutate(workshop)


@pytest.mark.parametrize(
    "change", [{"schema": "other"}, {"mutants": [{}]}, {"files": 1}, {"extra": 1}, {"summary": {}}]
)
def test_the_schema_refuses_what_is_otherwise(
    workshop: Workshop, change: dict[str, object]
) -> None:
    prepared(workshop, STRONG)
    value = as_json(run_mutate(workshop, budget=0))
    with pytest.raises(jsonschema.ValidationError):
        validate(value | change, Mutation)
