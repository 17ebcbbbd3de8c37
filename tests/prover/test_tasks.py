"""The export: every goal comes out, with its own text and its own name, module, line."""

from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover import tasks
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.tasks import Exporter, GoalForm, Obligation, export

ODD = """\
(* module Commented *)
module A
  use int.Int
  goal plain: 1 + 1 = 2
  lemma primed': forall x. x + 1 > x /\\ x + 2 > x (* "module Quoted *)
  let (+!) (x y: int) : int
    requires { [@expl:DOC.R1 same sign] x >= 0 /\\ y >= 0 }
    ensures  { [@expl:DOC.C1 larger] result >= x }
  = x + y
  let ([]) (x y: int) : int ensures { result = y } = let _ = 3 +! 4 in y
  let f' (x: int) : int ensures { result > x } = x + 1
end
module B'
  use int.Int
  goal plain: 1 + 1 = 2
  function ( *! ) (x y: int) : int = x * y
end
theory Empty end
theory T
  use int.Int
  goal plain: forall x. x = 0 \\/ x <> 0
end
"""


def exported(path: Path, *load_path: Path) -> list[Obligation]:
    return export(find_why3(), path, load_path or (path.parent,), GoalForm.DESCRIBED)


def test_names_modules_explanations_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "odd names-and spaces.mlw"
    path.write_text(ODD)
    goals = exported(path)
    assert [(g.module, g.name, g.explanation, g.location.line) for g in goals] == [
        ("A", "plain", "", 4),
        ("A", "primed'", "", 5),
        ("A", "primed'", "", 5),
        ("A", "(+!)'vc", "DOC.C1 larger", 8),
        ("A", "([])'vc", "DOC.R1 same sign", 10),
        ("A", "([])'vc", "postcondition", 10),
        ("A", "f''vc", "postcondition", 11),
        ("B'", "plain", "", 15),
        ("T", "plain", "", 21),
    ]
    assert {g.location.file for g in goals} == {str(path)}


def test_the_text_is_the_goals_own(tmp_path: Path) -> None:
    path = tmp_path / "three.mlw"
    path.write_text(
        "module M use int.Int\n"
        + "".join(f"goal g{n}: forall x. x = {n} -> x < 100{n}\n" for n in range(12))
        + "end\n"
    )
    goals = exported(path)
    assert [g.name for g in goals] == [f"g{n}" for n in range(12)]
    for n, goal in enumerate(goals):
        assert f" 100{n})" in goal.task.text
        assert goal.task.text.startswith("(set-logic ALL)")
        assert "\n;" not in goal.task.text


def test_a_task_depends_on_the_meaning_not_on_the_place(tmp_path: Path) -> None:
    text = "module M use int.Int\ngoal g: 1 + 1 = 2\nend\n"
    (tmp_path / "a.mlw").write_text(text)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.mlw").write_text("(* moved *)\n\n" + text)
    (a,) = exported(tmp_path / "a.mlw")
    (b,) = exported(tmp_path / "sub" / "b.mlw")
    assert a.task == b.task
    assert a.location != b.location


def test_a_file_without_a_module(tmp_path: Path) -> None:
    path = tmp_path / "flat.mlw"
    path.write_text("use int.Int\ngoal g: 1 + 1 = 2\n")
    assert [(g.module, g.name) for g in exported(path)] == [("Top", "g")]


def test_no_goals(tmp_path: Path) -> None:
    path = tmp_path / "none.mlw"
    path.write_text("module M type t end\n")
    assert exported(path) == []


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("module M\nuse int.Int\ngoal g: 1 +\nend\n", 4, "syntax error"),
        ("module M\nuse int.Int\ngoal g: 1 + true = 2\nend\n", 3, "type bool"),
        ("module M\nuse absent.There\nend\n", 2, "not found"),
    ],
)
def test_errors_in_the_words_of_why3(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "wrong.mlw"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        exported(path)
    assert f'"{path}", line {line},' in str(caught.value)
    assert words in str(caught.value)
    assert str(caught.value).count(str(path)) == 1


def test_modules_are_told_apart_by_their_order(tmp_path: Path) -> None:
    """The same names in each module, another number of pieces: only the order tells."""
    path = tmp_path / "order.mlw"
    path.write_text(
        "module Zed use int.Int goal g1: 1 + 1 = 2 goal g2: 1 + 1 = 2 end\n"
        "module Amid use int.Int goal g1: 1 + 1 = 2 /\\ 2 + 1 = 3 end\n"
        "module Bar use int.Int goal g2: 1 + 1 = 2 goal g1: 1 + 1 = 2 end\n"
    )
    assert [(g.module, g.name, g.location.line) for g in exported(path)] == [
        ("Zed", "g1", 1),
        ("Zed", "g2", 1),
        ("Amid", "g1", 2),
        ("Amid", "g1", 2),
        ("Bar", "g2", 3),
        ("Bar", "g1", 3),
    ]


def test_a_goal_without_a_place_is_placed_in_its_file() -> None:
    """Seen on the bounds of a loop in a lemma over several modules: line 0 of no file."""
    path = Path("/a/b.mlw")
    for nowhere in (None, {"filename": "", "line": 0, "start-char": 0, "end-char": 0}):
        assert tasks._location(path, nowhere) == tasks.Location("/a/b.mlw", 1, 0)


def test_goals_without_what_why3_says_of_them(tmp_path: Path) -> None:
    """The same goals with the same names and tasks, in the order of their names."""
    path = tmp_path / "odd.mlw"
    path.write_text(ODD)
    why3 = find_why3()
    described = exported(path)
    bare = export(why3, path, (tmp_path,), GoalForm.SPLIT)

    assert {each.explanation for each in described} != {""}
    assert {(each.explanation, each.location.line) for each in bare} == {("", 1)}
    assert len(bare) == len(described)
    for name in {(each.module, each.name) for each in described}:  # piece by piece
        pieces = [
            [each.task for each in goals if (each.module, each.name) == name]
            for goals in (described, bare)
        ]
        assert pieces[0] == pieces[1]


def test_unsplit_goals_and_the_pieces_of_some(tmp_path: Path) -> None:
    path = tmp_path / "odd.mlw"
    path.write_text(ODD)
    why3 = find_why3()
    unsplit = export(why3, path, (tmp_path,), GoalForm.UNSPLIT)
    pieces = export(why3, path, (tmp_path,), GoalForm.SPLIT)
    names = [(goal.module, goal.name) for goal in unsplit]
    assert len(set(names)) == len(names) < len(pieces)
    for name in names:
        chosen = export(why3, path, (tmp_path,), GoalForm.SPLIT, [name])
        assert chosen == [piece for piece in pieces if (piece.module, piece.name) == name]


def test_goals_of_a_clone_in_a_scope_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "m.mlw"
    path.write_text(
        "module A use int.Int val (+!) (x y: int) : int ensures { result >= x + y } end\n"
        "module B' use int.Int let (+!) (x y: int) : int ensures { result = x + y } = x + y\n"
        "  clone A as Scope with val (+!) goal g: 1 + 1 = 2 end\n"
    )
    pieces = export(find_why3(), path, (tmp_path,), GoalForm.SPLIT)
    refinement = next(piece for piece in pieces if "refn" in piece.name)
    chosen = [(refinement.module, refinement.name)]
    assert export(find_why3(), path, (tmp_path,), GoalForm.SPLIT, chosen) == [refinement]


def test_a_why3_that_takes_too_long_is_ended_by_its_own_time(tmp_path: Path) -> None:
    """Not by that of the clock, which other programs spend."""
    (endless := tmp_path / "why3").write_text("#!/bin/sh\nwhile :; do :; done\n")
    endless.chmod(0o755)
    exporter = Exporter(Why3(str(endless), "1.5.1", tmp_path), tmp_path, [tmp_path])
    with pytest.raises(UserError, match=r"odd\.mlw: Why3 took more than 1 s of the processor"):
        list(exporter.tasks(tmp_path / "odd.mlw", cpu_seconds=1))
