"""Preconditions that no proof uses are found, and those that are used are not."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from sonnx_formal.cli import evidence as command
from sonnx_formal.core.documents import read_tables
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.hypotheses import (
    REASONS,
    PreconditionReasons,
    UseOfHypotheses,
    conjuncts,
    cores_question,
    stated,
)
from sonnx_formal.evidence.inquiry import select
from sonnx_formal.evidence.records import Cores, GoalRecord
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.site import Here
from sonnx_formal.prover.sources import find_library
from sonnx_formal.prover.tasks import Task
from sonnx_formal.prover.whyml import modules
from tests.schemas import validate

THEORY = """\
module M
  use int.Int

  let function half (x: int) : int
    requires { [@expl:not negative] 0 <= x }
    requires { [@expl:small] x <= 100 }
    ensures  { result >= x }
  = x + x

  let caller (y: int) : int
    requires { 0 <= y }
    requires { y <= 50 }
    ensures  { result >= 0 }
  = half (y + 1)
end
"""
REASON = """\
[[precondition]]
ids = ["m.mlw:M.half: small"]
reason = "the document asks for it"
"""


RECURSION = """
module M
  use int.Int

  let rec function down (n: int) : int
    requires { 0 <= n }
    variant  { n }
  = if n = 0 then 0 else down (n - 1)

  let rec function whole (n: int) : int
    variant { n }
  = if n <= 0 then 0 else whole (n - 1)
end
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "why3"
    (folder / "evidence").mkdir(parents=True)
    (folder / "m.mlw").write_text(THEORY)
    monkeypatch.setattr(command, "find_library", lambda: folder)
    return folder


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command.hypotheses_command, arguments, standalone_mode=False)
    if done.exception:
        raise done.exception
    return int(done.return_value), done.output


def test_the_use_of_each_precondition(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    status, said = run("--budget", "0")
    assert (status, "out of time: 4 goals were not tried: run it again" in said) == (1, True)
    status, said = run("--json", str(path))
    assert "were not tried" not in said
    value = json.loads(path.read_text())
    validate(value, UseOfHypotheses)
    uses = {(each["function"], each["name"]): each["use"] for each in value["preconditions"]}
    assert uses == {
        ("m.mlw:M.half", "not negative"): "used",
        ("m.mlw:M.half", "small"): "unused",
        ("m.mlw:M.caller", "(<= 0 y)"): "used",
        ("m.mlw:M.caller", "(<= y 50)"): "used",
    }
    assert status == 1
    assert "unused: m.mlw:M.half: small\n" in said
    (library / "evidence" / "unused_preconditions.toml").write_text(REASON)
    status, said = run("--budget", "0", "--json", str(path))
    assert status == 0, "with its reason, and nothing is asked twice"
    assert "unused: m.mlw:M.half: small; the document asks for it\n" in said
    reasons = [each["reason"] for each in json.loads(path.read_text())["preconditions"]]
    assert reasons.count("the document asks for it") == 1


Core = tuple[int, ...] | None


@pytest.mark.parametrize(
    ("said", "use"),
    [
        ([((0, 1), (1,))], "used"),
        ([((1,), None)], "used"),
        ([((1,), (0,))], "unused"),
        ([((), None)], "unused"),
        ([(None, None)], "undetermined"),
        ([((0,), None), ((0,), (1,))], "unused"),
        ([((0,), None), ((1,), None)], "used"),
        ([((0,), None), (None, None)], "undetermined"),
    ],
)
def test_a_precondition_is_used_if_all_proofs_of_a_goal_use_it(
    library: Path, tmp_path: Path, said: list[tuple[Core, Core]], use: str
) -> None:
    """The second precondition of `half`, by the cores of its goals that two provers gave."""
    clauses = ["result >= x", "result <= 200"][: len(said)]
    ensured = " }\n    ensures  { ".join(clauses)
    (library / "m.mlw").write_text(THEORY.replace("result >= x", ensured))
    with Progress(Console(quiet=True)) as progress:
        selected = select(library, (), 1, progress).goals
    goals = [goal for goal in selected if goal.name == "half'vc"]
    names = cores_question(10).provers
    answers = {
        goal.task.sha256: Cores(
            len(goal.task.premises), dict(zip(names, cores, strict=True)), seconds=10
        )
        for goal, cores in zip(goals, said, strict=True)
    }
    GoalRecord(library).update(goals, None, "cores", answers)
    path = tmp_path / "out.json"
    run("--budget", "0", "--json", str(path))
    uses = {each["name"]: each["use"] for each in json.loads(path.read_text())["preconditions"]}
    assert uses["small"] == use


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "expected"), [(0, False, (0,)), (1, False, None), (0, True, None)]
)
def test_who_fails_after_a_core_has_proved_nothing(
    library: Path,
    exit_code: int,
    timed_out: bool,
    expected: tuple[int, ...] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Progress(Console(quiet=True)) as progress:
        goal = select(library, (), 1, progress).goals[0]
    said = f"unsat\n(assertion-{goal.task.premises[0]})"
    ended = ProcessEnd(said, "", exit_code, 1.0, timed_out, cancelled=False)
    monkeypatch.setattr(Launcher, "__call__", lambda *_: ended)
    question = cores_question(1)
    assert set(question.ask(goal, Launcher(Here(1))).cores.values()) == {expected}


def test_a_reason_that_is_obsolete(library: Path) -> None:
    table = library / "evidence" / "unused_preconditions.toml"
    table.write_text(REASON.replace("small", "not negative"))
    status, said = run()
    assert status == 1
    assert "no longer unused, or gone: m.mlw:M.half: not negative" in said


def test_what_nobody_proves_is_undetermined(library: Path, tmp_path: Path) -> None:
    (library / "m.mlw").write_text(THEORY.replace("result >= x", "result > x * x * x"))
    path = tmp_path / "out.json"
    run("--timeout", "1", "--json", str(path), str(library / "m.mlw"))
    uses = [each["use"] for each in json.loads(path.read_text())["preconditions"]]
    assert uses[:2] == ["undetermined", "undetermined"]


@pytest.mark.parametrize("text", ["[[precondition]]\nids = []", "nonsense",
                                  REASON + 'more = "x"'])  # fmt: skip
def test_a_table_that_cannot_be_read(library: Path, text: str) -> None:
    (library / "evidence" / "unused_preconditions.toml").write_text(text)
    with pytest.raises(UserError, match=r"unused_preconditions\.toml"):
        run()


TASK = Task.of(
    "(set-logic ALL)\n(declare-fun x () Int)\n(assert (<= 0 x))\n(assert\n  (forall ((y Int))\n"
    "    (<= y x)))\n(assert\n  (not (< x 5)))\n(check-sat)\n",
    (1,),
)


@pytest.mark.parametrize(
    ("clause", "count"),
    [
        ("p x", 1),
        ("0 <= x < y", 2),
        ("0 <= x < y /\\ p (a /\\ b)", 3),
        ("rank a = 2 /\\ rank b = 2 /\\ second a = first b = 0", 4),
        ("p \\/ q /\\ r", 1),
        ("p /\\ q -> r", 1),
        ("p /\\ forall i. q i /\\ r i", 2),
        ("not p /\\ x <. 0.0", 2),
        ("(x = y) /\\ a[i + 1] <> b", 2),
    ],
)
def test_clause_is_as_many_premises(clause: str, count: int) -> None:
    (module,) = modules(f"module M\n  let f (x: int)\n    requires {{ {clause} }}\n  = x\nend\n")
    (declaration,) = module.declarations
    assert [conjuncts(each) for each in declaration.clauses] == [count]


def test_branch_is_no_precondition(library: Path, tmp_path: Path) -> None:
    """Of a function with one goal, which is in a branch."""
    (library / "m.mlw").write_text(RECURSION)
    path = tmp_path / "out.json"
    run("--json", str(path))
    found = json.loads(path.read_text())["preconditions"]
    assert {(each["function"], each["name"]) for each in found} == {("m.mlw:M.down", "(<= 0 n)")}


def test_premises_are_stated_on_a_line() -> None:
    assert stated(TASK) == ["(forall ((y Int)) (<= y x))"]


def test_the_table_of_the_library_can_be_read() -> None:
    table = read_tables(find_library() / "evidence" / REASONS, PreconditionReasons)
    justified = [name for disposition in table.precondition for name in disposition.ids]
    assert len(set(justified)) == len(justified) > 0
