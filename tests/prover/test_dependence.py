"""What is proved from what is not proved does not count."""

from pathlib import Path

import pytest

from sonnx_formal.prover.dependence import StatedGoal, conditional
from sonnx_formal.prover.library import Library
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.summary import NOT_PROVED, exit_status
from tests.prover.fakes import Workshop
from tests.prover.test_cli import Command, command, validated, written

__all__ = ["command"]

WRONG_WAY_ROUND = """\
module Sub
  use int.Int
  let function sub (a b: int) : int
    ensures { result = a - b }
  = b - a
end
module Commutes
  use int.Int
  use Sub
  lemma commutes: forall a b. sub a b = sub b a
end
"""
BASE = """\
module B
  use int.Int
  goal before: 1 + 1 = 2
  lemma false_lemma: forall x. x > 0
  goal after: 1 = 2
  let program (x: int) : int ensures { result > x } = x
  let caller (x: int) : int ensures { result > x } = program x
  let other (x: int) : int ensures { result >= x } = x
end
"""
TOP = """\
module Alone
  use int.Int
  goal alone: 1 + 1 = 2
end
module User
  use base.B
  goal user: 1 = 2
end
module Through
  use export User
  lemma through: 1 = 3
end
module Cloned
  clone base.B as K
  goal cloned: 1 = 4
end
"""


def stated(text: str, unproved: set[str], file: str = "base.mlw") -> list[StatedGoal]:
    """The goals of `module.name` or `module.name.piece`, one a line."""
    goals = []
    for line in text.split():
        module, name, *_piece = line.split(".")
        goals.append(StatedGoal(line, file, module, name, line not in unproved))
    return goals


def below(goals: list[StatedGoal], **texts: str) -> dict[str, str]:
    return conditional(goals, Library({f"{name}.mlw": text for name, text in texts.items()}))


GOALS = "B.before B.false_lemma B.after B.program'vc B.caller'vc B.other'vc"
ABOVE = "Alone.alone User.user Through.through Cloned.cloned"


def test_a_lemma_is_a_hypothesis_of_what_comes_later() -> None:
    goals = stated(GOALS, {"B.false_lemma"}) + stated(ABOVE, set(), "top.mlw")
    found = below(goals, base=BASE, top=TOP)
    assert set(found.values()) == {"B.false_lemma"}
    assert [*found] == [
        *("B.after", "B.program'vc", "B.caller'vc", "B.other'vc"),
        *("User.user", "Through.through", "Cloned.cloned"),
    ]


def test_a_contract_is_one_where_its_program_is_named() -> None:
    goals = stated(GOALS, {"B.program'vc"}) + stated(ABOVE, set(), "top.mlw")
    assert below(goals, base=BASE, top=TOP) == {"B.caller'vc": "B.program'vc"}


def test_a_goal_is_a_hypothesis_of_nothing() -> None:
    goals = stated(GOALS, {"B.before"}) + stated(ABOVE, set(), "top.mlw")
    assert below(goals, base=BASE, top=TOP) == {}


def test_what_rests_on_what_is_not_proved_is_no_better_itself() -> None:
    text = """\
module B
  let rec program (x: int) : int = x
  let lemma step (x: int) ensures { x = x } = ignore (program x)
  goal last: 1 = 1
end
"""
    goals = stated("B.program'vc B.step'vc B.last", {"B.program'vc"})
    assert below(goals, base=text) == {"B.step'vc": "B.program'vc", "B.last": "B.program'vc"}


@pytest.mark.parametrize(
    ("head", "found"), [("let", ["B.f'vc.3"]), ("let rec", ["B.f'vc.1", "B.f'vc.3"])]
)
def test_pieces_may_assume_those_before_them(head: str, found: list[str]) -> None:
    text = f"module B\n  {head} f (x: int) : int = x\nend\n"
    goals = stated("B.f'vc.1 B.f'vc.2 B.f'vc.3", {"B.f'vc.2"})
    assert below(goals, base=text) == dict.fromkeys(found, "B.f'vc.2")


def test_a_goal_of_unknown_origin_is_a_hypothesis_of_everything_in_its_module() -> None:
    text = "module B\n  goal first: 1 = 1\n  clone x.X with val f = g\nend\n"
    goals = stated("B.first B.f'refn'vc", {"B.f'refn'vc"})
    assert below(goals, base=text) == {"B.first": "B.f'refn'vc"}


def test_a_false_lemma_from_a_false_contract(workshop: Workshop) -> None:
    workshop.write("m.mlw", WRONG_WAY_ROUND)
    outcome = workshop.prove(find_provers(), timeout=2)
    lemma = "m.mlw:Commutes.commutes.1"
    assert outcome.runs[lemma].proved, "a prover proves it of the contract"
    assert outcome.report.conditional == {lemma: "m.mlw:Sub.sub'vc.1"}
    assert exit_status(outcome.report) == NOT_PROVED


def test_the_three_are_told_apart(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "m.mlw", WRONG_WAY_ROUND)
    done = command("prove", path, "--timeout", "2", "--json", tmp_path / "out.json")
    assert done.returncode == 1
    assert "0 of 2 goals proved" in done.stdout
    assert "1 goals are proved, but rest on what is not:" in done.stdout
    assert f"  {path}:Commutes.commutes.1 rests on {path}:Sub.sub'vc.1\n" in done.stdout
    header, row = (
        line.split() for line in done.stdout.splitlines() if line[:4] in {"file", "all "}
    )
    cells = dict(zip(header[1:], row[1:], strict=True))
    assert (cells["proved"], cells["conditional"], cells["unproved"]) == ("0", "1", "1")
    value = validated(tmp_path / "out.json")
    contract, lemma = value["goals"]
    assert (contract["verdict"], contract["rests_on"]) == ("unproved", None)
    assert (lemma["verdict"], lemma["rests_on"]) == ("conditional", contract["id"])
    assert (value["summary"]["proved"], value["summary"]["conditional"]) == (0, 1)


def test_a_lemma_of_another_file_of_the_run(command: Command, tmp_path: Path) -> None:
    sub, _, commutes = WRONG_WAY_ROUND.partition("module Commutes")
    base = written(tmp_path / "base.mlw", sub)
    top = written(tmp_path / "top.mlw", "module Commutes" + commutes.replace("use S", "use base.S"))
    done = command("prove", top, base, "--timeout", "2")
    assert f"{top}:Commutes.commutes.1 rests on {base}:Sub.sub'vc.1" in done.stdout
    assert done.returncode == 1
    alone = command("prove", top, "--timeout", "2")
    assert alone.returncode == 0, "nothing is known of the other file, and that is said"
    assert "rests on 1 files: 0 proved, 1 not checked" in alone.stdout
