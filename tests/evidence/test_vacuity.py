"""Whole runs over small libraries."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence import vacuity
from sonnx_formal.evidence.inquiry import Effort
from sonnx_formal.evidence.records import Consistent
from sonnx_formal.evidence.vacuity import (
    ConsistencyQuestion,
    Vacuity,
    exit_status,
    find_vacuity,
    print_vacuity,
    without_goal,
)
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.library import Library
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.tasks import Task
from tests.prover import fakes
from tests.prover.fakes import Workshop
from tests.schemas import validate

SOUND = "module M\n  use int.Int\n  goal g: forall x. x > 0 -> x >= 0\nend\n"
EMPTY = "module M\n  use int.Int\n  goal g: forall x. x > 0 -> x < 0 -> x = 7\nend\n"
GOAL, CONTEXT = "m.mlw:M.g.1", "m.mlw:M"


def run_look(
    workshop: Workshop,
    *,
    provers: Sequence[Prover] | None = None,
    budget: float | None = None,
    fresh: bool = False,
) -> Vacuity:
    """What comes of it; its JSON is as the schema says."""
    effort = Effort(2, budget, fresh)
    with Progress(Console(file=io.StringIO())) as progress:
        report = find_vacuity(workshop.library, (), effort, progress, provers=provers)
    validate(as_json(report), Vacuity)
    return report


def as_json(report: Vacuity) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(documents.encode(report))
    return value


def findings(report: Vacuity) -> dict[str, Consistent]:
    return {entry.of: entry.finding for entry in report.hypotheses}


def printed(report: Vacuity) -> str:
    output = io.StringIO()
    print_vacuity(Console(file=output, width=200), report)
    return output.getvalue()


def test_operators_come_first(workshop: Workshop) -> None:
    workshop.write("m.mlw", SOUND)
    workshop.write("ops/n.mlw", SOUND)
    entries = run_look(workshop, budget=0).hypotheses
    files = dict.fromkeys(entry.of.partition(":")[0] for entry in entries)
    assert [*files] == ["ops/n.mlw", "m.mlw"]


def test_hypotheses_that_contradict_each_other_are_found(workshop: Workshop) -> None:
    workshop.write("m.mlw", EMPTY)
    assert workshop.prove(find_provers()).proved == {GOAL}, "of nothing"
    report = run_look(workshop)
    assert findings(report)[GOAL] == Consistent.CONTRADICTORY
    assert findings(report)[CONTEXT] != Consistent.CONTRADICTORY
    assert exit_status(report) == 1
    assert f"contradictory: {GOAL}" in printed(report)
    assert report.summary.unaccounted == (GOAL,)
    workshop.write("m.mlw", SOUND)
    report = run_look(workshop)
    assert findings(report)[GOAL] != Consistent.CONTRADICTORY
    assert exit_status(report) == 0


def test_a_contradiction_may_have_its_reason_and_a_reason_needs_one(workshop: Workshop) -> None:
    workshop.write("m.mlw", EMPTY)
    text = '[[contradictory]]\nids = ["m.mlw:M.g.*"]\nreason = "it cannot happen"\n'
    path = workshop.write("evidence/vacuity.toml", text)
    report = run_look(workshop)
    assert exit_status(report) == 0
    assert "it cannot happen" in printed(report)
    workshop.write("m.mlw", SOUND)
    report = run_look(workshop)
    assert report.summary.stale_dispositions == ("m.mlw:M.g.*",)
    assert exit_status(report) == 1
    path.write_text(text.replace("reason", "cause"))
    with pytest.raises(UserError, match=r"unknown field `cause` - at `\$\.contradictory\[0\]`"):
        run_look(workshop)


def test_no_reason_makes_a_contradictory_module_right(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  axiom a: forall x. x > x\n  goal g: 1 = 2\nend\n"
    workshop.write("m.mlw", text)
    reasons = '[[contradictory]]\nids = ["m.mlw:*"]\nreason = "made up"\n'
    workshop.write("evidence/vacuity.toml", reasons)
    report = run_look(workshop)
    assert findings(report) == {CONTEXT: Consistent.CONTRADICTORY, GOAL: Consistent.CONTRADICTORY}
    assert report.summary.unaccounted == (CONTEXT,)
    assert exit_status(report) == 1


def test_a_module_that_clones_a_contradictory_one_is_no_better(workshop: Workshop) -> None:
    text = "module A\n  use int.Int\n  type t\n  goal a: 1 = 1\nend\n"
    text += "module B\n  use int.Int\n  clone export A with type t = int\n  goal b: 1 = 1\nend\n"
    workshop.write("m.mlw", text)
    assert Consistent.CONTRADICTORY not in findings(run_look(workshop)).values()
    wrong = text.replace("  type t\n", "  type t\n  axiom a1: 1 = 2\n")
    workshop.write("m.mlw", wrong.replace("= int\n", "= int, axiom .\n"))
    found = findings(run_look(workshop))
    assert (found["m.mlw:A"], found["m.mlw:B"]) == (
        Consistent.CONTRADICTORY,
        Consistent.CONTRADICTORY,
    )


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        (fakes.UNSAT, Consistent.CONTRADICTORY),
        (fakes.SAT, Consistent.CONSISTENT),
        (fakes.UNKNOWN, Consistent.INCONCLUSIVE),
        (fakes.CRASH, Consistent.INCONCLUSIVE),
        (fakes.UNSAT_THEN_ERROR, Consistent.INCONCLUSIVE),
        ("exit 1", Consistent.INCONCLUSIVE),
    ],
)
def test_nothing_but_an_answer_is_one(workshop: Workshop, script: str, finding: Consistent) -> None:
    workshop.write("m.mlw", SOUND)
    report = run_look(workshop, provers=[workshop.fake("odd", "odd", script)])
    assert findings(report) == {CONTEXT: finding, GOAL: finding}


def test_one_family_that_finds_a_contradiction_is_enough(workshop: Workshop) -> None:
    workshop.write("m.mlw", SOUND)
    provers = [workshop.fake("a", "a", fakes.SAT), workshop.fake("b", "b", fakes.UNSAT)]
    report = run_look(workshop, provers=provers)
    assert findings(report) == {CONTEXT: Consistent.CONTRADICTORY, GOAL: Consistent.CONSISTENT}


def test_equal_hypotheses_are_asked_once_and_the_record_is_taken(workshop: Workshop) -> None:
    both = SOUND.replace("x >= 0", "x >= 0 /\\ x + 1 > 0")
    workshop.write("m.mlw", both)
    odd = workshop.fake("odd", "odd", fakes.UNKNOWN)
    report = run_look(workshop, provers=[odd])
    assert len(report.hypotheses) == 3, "a module and two goals"
    assert (workshop.launches(), report.made.from_record) == (2, 0)
    record = workshop.library / "evidence" / "goals" / "m.jsonl"
    before = record.read_text()
    again = run_look(workshop, provers=[odd])
    assert (workshop.launches(), again.made.from_record) == (0, 3)
    run_look(workshop, provers=[odd], fresh=True)
    assert workshop.launches() == 2
    assert record.read_text() == before
    workshop.write("m.mlw", both.replace("x > 0", "x > 1"))
    report = run_look(workshop, provers=[odd], budget=0)
    assert findings(report)[GOAL] is Consistent.NOT_ASKED
    assert exit_status(report) == 1


def test_another_version_of_a_prover_is_asked_again(workshop: Workshop) -> None:
    workshop.write("m.mlw", SOUND)
    odd = workshop.fake("odd", "odd", fakes.SAT)
    newer = replace(workshop.fake("odd", "odd", fakes.UNKNOWN), version="2")
    run_look(workshop, provers=[odd])
    assert workshop.launches() == 2
    unknown = run_look(workshop, provers=[newer], budget=0)
    assert {*findings(unknown).values()} == {Consistent.NOT_ASKED}
    found = run_look(workshop, provers=[newer])
    assert (workshop.launches(), found.made.from_record) == (2, 0)
    assert {*findings(found).values()} == {Consistent.INCONCLUSIVE}


def test_a_precondition_needs_a_witness(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  let function f (x: int) : int\n    requires { x > 1 }\n"
    text += "    requires { x < 9 }\n  = x\n  goal g: 1 = 1\nend\n"
    workshop.write("m.mlw", text)
    assert run_look(workshop).preconditions == (), "it is neither of an operator nor cited"
    workshop.write("ops/m.mlw", text)
    report = run_look(workshop)
    (found,) = report.preconditions
    assert (found.name, found.preconditions, found.witnesses) == ("ops/m.mlw:M.f", 2, ())
    assert exit_status(report) == 1
    assert "  without: ops/m.mlw:M.f" in printed(report)
    witness = "module W\n  use int.Int\n  use ops.m.M\n  let witness_f () : int = f 2\nend\n"
    workshop.write("witnesses.mlw", witness)
    report = run_look(workshop)
    assert [symbol.witnesses for symbol in report.preconditions] == [("witnesses.mlw:W.witness_f",)]
    assert exit_status(report) == 0


def test_a_symbol_without_a_body_needs_a_definition_somewhere(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  val function f (x: int) : int\n    ensures { result > x }\n"
    text += "  goal g: 1 = 1\nend\n"
    text += "module N\n  use int.Int\n  val function h (x: int) : int\n    ensures { result > x }\n"
    text += "  clone M with val f = h\nend\n"
    workshop.write("m.mlw", text)
    report = run_look(workshop)
    found = [(symbol.name, symbol.preconditions, symbol.witnesses) for symbol in report.parameters]
    both = [("m.mlw:M.f", 1, ()), ("m.mlw:N.h", 1, ())]
    assert found == both, "another parameter in its place is no definition"
    assert exit_status(report) == 1
    assert "  without: m.mlw:M.f" in printed(report)
    instance = "module I\n  use int.Int\n  let function next (x: int) : int = x + 1\n"
    workshop.write("i.mlw", instance + "  clone m.N with val h = next\nend\n")
    report = run_look(workshop)
    assert [symbol.witnesses for symbol in report.parameters] == [("i.mlw:I",), ("i.mlw:I",)]
    assert exit_status(report) == 0


def test_what_is_believed_is_no_parameter(workshop: Workshop) -> None:
    text = "module M\n  use int.Int\n  val function f (x: int) : int\n  goal g: 1 = 1\nend\n"
    text += "module U\n  use M\n  goal u: f 1 = f 1\nend\n"
    workshop.write("m.mlw", text)
    assert run_look(workshop).parameters == (), "the trusted base has it"


def test_a_task_that_does_not_end_with_its_goal_is_not_guessed_at() -> None:
    hypotheses = without_goal(Task.of("(a)\n(assert\n  (not g))\n\n(check-sat)\n"), "g")
    assert hypotheses.text == "(a)\n(check-sat)\n"
    for text in ("(a)\n(check-sat)\n", "(a)\n(assert b)\n(declare c)\n(check-sat)\n"):
        with pytest.raises(UserError, match="internal error"):
            without_goal(Task.of(text), "g")


def test_a_module_is_read_again_when_its_sources_change(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def texts(why3: Why3, library: Library, file: str) -> list[str]:
        read.append(file)
        return contexts_of(why3, library, file)

    contexts_of = vacuity._texts
    monkeypatch.setattr(vacuity, "_texts", texts)
    monkeypatch.setattr(Cache, "read", lambda *_: None)
    workshop.write("m.mlw", SOUND)
    workshop.write("n.mlw", SOUND)
    first = run_look(workshop)
    assert sorted(read) == ["m.mlw", "n.mlw"]
    read.clear()
    again = run_look(workshop)
    assert (again.hypotheses, read) == (first.hypotheses, [])
    workshop.write("m.mlw", SOUND.replace("goal", "axiom a: 1 = 2 goal"))
    changed = findings(run_look(workshop))
    assert (changed[CONTEXT], read) == (Consistent.CONTRADICTORY, ["m.mlw"])
    read.clear()
    run_look(workshop, fresh=True)
    assert sorted(read) == ["m.mlw", "n.mlw"], "who asks again believes no record"


def test_an_interrupt_keeps_what_is_finished(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.write("m.mlw", EMPTY)
    asked: list[object] = []

    def interrupted(*_: object) -> object:
        asked.append(0)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ConsistencyQuestion, "ask", interrupted)
        assert exit_status(run_look(workshop)) == 130
    assert asked
    assert findings(run_look(workshop, budget=0))[GOAL] is Consistent.NOT_ASKED


@pytest.mark.parametrize(
    "change", [{"schema": "other"}, {"hypotheses": [{}]}, {"extra": 1}, {"summary": {}}]
)
def test_the_schema_refuses_what_is_otherwise(
    workshop: Workshop, change: dict[str, object]
) -> None:
    workshop.write("m.mlw", SOUND)
    value = as_json(run_look(workshop, budget=0))
    with pytest.raises(jsonschema.ValidationError):
        validate(value | change, Vacuity)
