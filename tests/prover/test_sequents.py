"""Goals for people: premises, conclusion, and numbers for which they are false."""

import re
from pathlib import Path

import pytest

from sonnx_formal.prover import sequents
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sequents import counterexample, sequent
from sonnx_formal.prover.sources import Source
from tests.prover.fakes import real_z3

WRONG = """\
module T
  use int.Int
  let f (x y: int) : int
    requires { [@expl:DOC.R1] x > 0 }
    requires { y >= 0 }
    ensures { result > 0 }
    ensures { [@expl:DOC.C1] result > x + y }
  = let z = x + 1 in if y > 3 then z + y else z
end
"""


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("infix_gt x 0", "x > 0"),
        ("not infix_lseq x (infix_pl a.value 1)", "not (x <= (a.value + 1))"),
        ("infix_pldt (f x) 1.0", "(f x) +. 1.0"),
        ("infix_odd x y", "infix_odd x y"),
        ("every infix_gt a", "every infix_gt a"),
        ("f (infix_mn x y)", "f (x - y)"),
        ("infix_mn (x", "infix_mn (x"),
    ],
)
def test_operators_stand_between(formula: str, written: str) -> None:
    assert sequents._with_operators(formula) == written


def test_what_is_to_be_shown_and_for_which_numbers_it_is_false(tmp_path: Path) -> None:
    path = tmp_path / "t.mlw"
    path.write_text(WRONG)
    source = Source(path, "t.mlw", (tmp_path,))
    goals = Goals(find_why3(), tmp_path, None).of(source)
    refuted = next(goal for goal in goals if goal.explanation == "DOC.C1")
    said = sequent(find_why3(), refuted)
    lines = said.splitlines()
    assert {"x: int", "y: int", "z: int = (x + 1)"} <= set(lines)
    assert any(line.endswith(": x > 0") for line in lines)
    assert lines[-1] == "to show: result > (x + y)"

    values = counterexample(real_z3(), refuted, said)
    found = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", values)}
    assert found["x"] > 0
    assert found["result"] == found["x"] + 1 <= found["x"] + found["y"]
    proved = next(goal for goal in goals if goal is not refuted)
    assert not counterexample(real_z3(), proved, sequent(find_why3(), proved))
