"""Proofs that are checked: what cvc5 says, what a checker says, and what is kept of it."""

import json
import stat
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from rich.console import Console

from sonnx_formal.cli import evidence as command
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.certify import (
    SIGNATURE,
    CertifiedGoal,
    CertifiedProofs,
    CertifyQuestion,
    Checker,
    certify_question,
    exit_status,
    find_checker,
    print_certified,
)
from sonnx_formal.evidence.inquiry import select
from sonnx_formal.evidence.proof_process import as_reference
from sonnx_formal.evidence.records import Certification, CertifyOutcome, GoalRecord
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    RecordedProof,
    certificate_path,
    write_certificate,
)
from sonnx_formal.prover.cores import restricted
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.site import Here, ProgramCall
from tests.made import MADE
from tests.schemas import validate

THEORY = """\
module M
  use int.Int
  goal right: forall x y. x < y -> x + 1 <= y
  goal wrong: forall x. x * x > 0
end
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "why3"
    folder.mkdir()
    (folder / "m.mlw").write_text(THEORY)
    monkeypatch.setattr(command, "find_library", lambda: folder)
    monkeypatch.delenv(SIGNATURE, raising=False)
    return folder


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command.certify_command, arguments, standalone_mode=False)
    if done.exception:
        raise done.exception
    return int(done.return_value), done.output


def goal(library: Path, name: str) -> Goal:
    with Progress(Console(quiet=True)) as progress:
        goals = select(library, (), 1, progress).goals
    return next(each for each in goals if each.name == name)


def checker(folder: Path, script: str) -> Checker:
    """A checker that does as a shell script says."""
    path = folder / "ethos"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Checker(str(path), "ethos 1.0", str(folder / "rules"))


def result(library: Path, name: str, script: str | None = None) -> Certification:
    found = checker(library.parent, script) if script else None
    question = CertifyQuestion(certify_question(20).cvc5, found, 20)
    return question.ask(goal(library, name), Launcher(Here(1)))


def says(answer: Certification, expected: dict[str, object]) -> bool:
    """Whether the answer has these values."""
    return {name: getattr(answer, name) for name in expected} == expected


def test_what_is_proved_is_recorded_and_not_asked_again(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    # cvc5 says that the false goal is false: that is no proof, and no good sign.
    status, said = run("--json", str(path))
    assert status == 1
    value = json.loads(path.read_text())
    validate(value, CertifiedProofs)
    outcomes = {each["id"]: each["outcome"] for each in value["goals"]}
    assert outcomes == {"m.mlw:M.right.1": "proof", "m.mlw:M.wrong.1": "contradiction"}
    assert "1 proofs: not independently checked" in said
    record = library / "evidence" / "goals" / "m.jsonl"
    before = record.read_text()
    assert '"outcome":"proof"' in before
    assert value["made"]["from_record"] == 0
    assert run("--budget", "0", "--json", str(path))[0] == 1
    assert json.loads(path.read_text())["made"]["from_record"] == 2
    assert record.read_text() == before, "nothing was open, so nothing was asked"
    (library / "m.mlw").write_text(THEORY.replace("goal wrong: forall x. x * x > 0", ""))
    assert run()[0] == 0
    assert "wrong" not in record.read_text()


def test_goals_that_cvc5_proved_come_first_and_the_shortest_proofs_before(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "m.mlw").write_text(
        "module M use int.Int goal a: 0 < 1 goal b: 1 < 2 goal c: 2 < 3 goal d: 3 < 4 end"
    )
    proofs = {"a": ("z3", 1), "b": ("cvc5", 9), "c": ("cvc5", 8)}
    goals = {
        f"m.mlw:M.{name}.1": RecordedGoal("0" * 64, (RecordedProof(prover, "1", steps),))
        for name, (prover, steps) in proofs.items()
    }
    write_certificate(certificate_path(library), Certificate("1", "0" * 64, goals, {}))
    asked: list[str] = []

    def ask(self: CertifyQuestion, goal: Goal, _launch: Launcher) -> Certification:
        asked.append(goal.name)
        return Certification(outcome=CertifyOutcome.PROOF, cvc5=self.cvc5)

    monkeypatch.setattr(CertifyQuestion, "ask", ask)
    run("--jobs", "1")
    assert asked == ["c", "b", "a", "d"]


def test_what_was_not_tried_is_said(library: Path) -> None:
    status, said = run("--budget", "0")
    assert status == 1
    assert "out of time: 2 goals were not tried" in said


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("cat > /dev/null; echo correct", {"outcome": "proof", "complete": True}),
        ("cat > /dev/null; echo incomplete", {"outcome": "proof", "complete": False}),
        (
            "cat > /dev/null; echo 'Error: a wrong step' >&2; exit 1",
            {"outcome": "refused", "because": "ethos 1.0: Error: a wrong step"},
        ),
        ("cat > /dev/null; echo correct; exit 1",
         {"outcome": "refused", "because": "ethos 1.0: ended with 1"}),
        ("cat > /dev/null", {"outcome": "refused", "because": "ethos 1.0: ended with 0"}),
    ],
)  # fmt: skip
def test_what_a_checker_says(library: Path, script: str, expected: dict[str, object]) -> None:
    assert says(result(library, "right", script), expected)


def test_a_checker_is_given_rules_task_and_proof(library: Path) -> None:
    seen = library.parent / "seen"
    script = (
        f"cat > {seen}; sed -n 's/.*reference \"\\(.*\\)\".*/\\1/p' {seen} | xargs cat >> {seen}"
    )
    result(library, "right", f"{script}; echo correct")
    text = seen.read_text()
    assert text.startswith(f'(include "{library.parent / "rules"}")\n(reference "/dev/fd/')
    assert "(step " in text
    assert "(declare-" not in text.partition("(set-logic ")[0]  # its symbols are those of the task
    assert text.endswith(goal(library, "right").task.text)


def test_a_reference_is_in_the_words_of_the_checker() -> None:
    assert as_reference("(ite (is-Nil x) (is-Cons2 y) z)") == "(ite (is Nil x) (is Cons2 y) z)"


def outcome(stdout: str = "", *, timed_out: bool = False) -> ProcessEnd:
    return ProcessEnd(stdout, "", 0, 1.0, timed_out, cancelled=False)


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (outcome(timed_out=True), {"outcome": "no proof", "because": "timeout", "seconds": 5}),
        (outcome("no json"), {"outcome": "no proof", "because": "failure", "seconds": None}),
        (outcome('{"answer": "unknown"}'), {"because": "unknown", "seconds": None}),
        (outcome('{"error": "std::bad_alloc"}'), {"because": "out of memory", "seconds": 5}),
        (outcome('{"error": "proof checking failed"}'), {"outcome": "refused"}),
        (outcome('{"answer": "sat"}'), {"outcome": "contradiction"}),
        (
            outcome('{"answer": "unsat", "rules": {"TRUST": 2, "REFL": 3}}'),
            {"outcome": "proof", "steps": 5, "trusted": {"TRUST": 2}, "complete": None},
        ),
        (
            outcome('{"answer": "unsat", "rules": {"TRUST_THEORY_REWRITE": 1, "REFL": 3}}'),
            {"outcome": "proof", "steps": 4, "trusted": {"TRUST_THEORY_REWRITE": 1}},
        ),
    ],
)
def test_what_cvc5_says(
    library: Path, ended: ProcessEnd, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    launch = Launcher(Here(1))
    monkeypatch.setattr(Launcher, "__call__", lambda *_: ended)
    assert says(CertifyQuestion("1", None, 5).ask(goal(library, "right"), launch), expected)


def test_why_goals_have_no_proof() -> None:
    outcomes: list[dict[str, Any]] = [
        {"outcome": CertifyOutcome.NO_PROOF, "because": "timeout", "seconds": 20},
        {"outcome": CertifyOutcome.NOT_TRIED},
        {"outcome": CertifyOutcome.PROOF},
        {"outcome": CertifyOutcome.NO_PROOF, "because": "unknown"},
        {"outcome": CertifyOutcome.REFUSED, "because": "cvc5: no"},
        {"outcome": CertifyOutcome.NOT_TRIED},
    ]
    goals = tuple(CertifiedGoal(id="g", task_sha256="0" * 64, **each) for each in outcomes)
    certified = CertifiedProofs(MADE, None, goals, interrupted=False)
    assert [*certified.without_proof.items()] == [
        ("not tried", 2),
        ("timeout", 1),
        ("unknown", 1),
        ("refused: cvc5: no", 1),
    ]
    with StringIO() as said:
        print_certified(Console(file=said, width=200), certified)
        assert "no proof of 2 goals: not tried\nno proof of 1 goal: timeout" in said.getvalue()


@pytest.mark.parametrize(
    ("said", "again"),
    [({"answer": "unsat", "rules": {}}, False), ({"answer": "sat"}, True), ({"answer": "?"}, True)],
)
def test_a_proof_from_the_core_is_asked_for_first(
    library: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, object], *, again: bool
) -> None:
    """Another answer about the core says nothing: then all assertions are asked about."""
    right, core = goal(library, "right"), ("ffffff",)
    question = replace(certify_question(20), cores={right.task.sha256: core})
    asked: list[str] = []

    def answered(_launch: Launcher, call: ProgramCall) -> ProcessEnd:
        asked.append(call.text)
        return outcome(json.dumps(said if len(asked) == 1 else {"answer": "unsat", "rules": {}}))

    monkeypatch.setattr(Launcher, "__call__", answered)
    assert question.ask(right, Launcher(Here(1))).outcome is CertifyOutcome.PROOF
    assert asked == [restricted(right.task, core).text, *[right.task.text] * again]


@pytest.mark.parametrize(
    ("recorded", "known"),
    [
        (Certification(outcome=CertifyOutcome.PROOF, cvc5="1", checker="c"), True),
        (Certification(outcome=CertifyOutcome.PROOF, cvc5="1", checker=None), False),
        (Certification(outcome=CertifyOutcome.NO_PROOF, cvc5="1", seconds=5), True),
        (Certification(outcome=CertifyOutcome.NO_PROOF, cvc5="1", seconds=4), False),
        (Certification(outcome=CertifyOutcome.NO_PROOF, cvc5="1", seconds=None), True),
    ],
)
def test_what_need_not_be_asked_again(recorded: Certification, *, known: bool) -> None:
    assert CertifyQuestion("1", Checker("", "c", ""), 5).knows(recorded) is known


def test_what_another_cvc5_said_does_not_hold() -> None:
    answer = Certification(outcome=CertifyOutcome.PROOF, cvc5="1", checker="c")
    assert CertifyQuestion("1", None, 5).holds(answer)
    assert not CertifyQuestion("2", None, 5).holds(answer)


def test_what_another_cvc5_said_is_not_taken(library: Path) -> None:
    right = goal(library, "right")
    answer = Certification(outcome=CertifyOutcome.PROOF, cvc5="0.0", steps=1)
    GoalRecord(library).update([right], None, "certified", {right.task.sha256: answer})
    assert "2 goals were not tried" in run("--budget", "0")[1]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (CertifyOutcome.PROOF, 0),
        (CertifyOutcome.NO_PROOF, 0),
        (CertifyOutcome.REFUSED, 1),
        (CertifyOutcome.CONTRADICTION, 1),
        (CertifyOutcome.NOT_TRIED, 1),
    ],
)
def test_the_exit_status(outcome: CertifyOutcome, status: int) -> None:
    proved = CertifiedGoal(id="a", task_sha256="0" * 64, outcome=CertifyOutcome.PROOF)
    found = CertifiedGoal(id="b", task_sha256="1" * 64, outcome=outcome)
    assert exit_status(CertifiedProofs(MADE, None, (proved, found), False)) == status
    assert exit_status(CertifiedProofs(MADE, None, (proved, found), True)) == 130


def test_a_timeout_stays_until_there_is_more_time(library: Path) -> None:
    right = goal(library, "right")
    answer = Certification(
        outcome=CertifyOutcome.NO_PROOF, cvc5=certify_question(1).cvc5, because="timeout", seconds=1
    )
    record = GoalRecord(library)
    record.update([right], None, "certified", {right.task.sha256: answer})
    assert "1 goals were not tried" in run("--timeout", "20", "--budget", "0")[1]
    assert record.answers("certified")[right.task.sha256].because == "timeout"
    run("--timeout", "20")
    assert record.answers("certified")[right.task.sha256].outcome is CertifyOutcome.PROOF


def test_without_a_checker_a_checked_proof_stays() -> None:
    answer = Certification(outcome=CertifyOutcome.PROOF, cvc5="1", checker="c")
    assert CertifyQuestion("1", None, 5).knows(answer)


def test_the_checker_is_found_with_its_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checker(tmp_path, "echo This is ethos version 0.9.1.")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv(SIGNATURE, raising=False)
    assert find_checker() is None
    monkeypatch.setenv(SIGNATURE, str(tmp_path / "rules"))
    with pytest.raises(UserError, match=r"no such file: name .*Cpc\.eo"):
        find_checker()
    (tmp_path / "rules").touch()
    found = find_checker()
    assert found
    assert (found.name, found.signature) == ("ethos 0.9.1", str(tmp_path / "rules"))
    checker(tmp_path, '[ "$1" = --show-config ]')  # an ethos that knows no other option
    with pytest.raises(UserError, match=r"does not work: .* 1\. An ethos after 0\.2\.3 is"):
        find_checker()


@pytest.mark.parametrize("change", [{"goals": [{}]}, {"checker": 1}, {"other": 1}])
def test_the_schema_refuses_what_is_otherwise(change: dict[str, object]) -> None:
    value = json.loads(documents.encode(CertifiedProofs(MADE, None, (), False)))
    validate(value, CertifiedProofs)
    with pytest.raises(jsonschema.ValidationError):
        validate(value | change, CertifiedProofs)
