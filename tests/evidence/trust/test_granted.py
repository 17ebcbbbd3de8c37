"""What a Why3 text takes for granted."""

from pathlib import Path

import pytest

from sonnx_formal.evidence.trust.granted import granted
from sonnx_formal.evidence.trust.scan import modules


def of_a_module(text: str) -> list[tuple[str, str]]:
    """What the one module of a text takes for granted: kind and name."""
    (module,) = modules(f"module M\n{text}\nend\n")
    return [(item.kind, item.name) for item in module.items if item.kind != "lemma"]


def assumed(library: Path) -> list[str]:
    """What is no parameter, in a library."""
    items = [item for item in granted(library) if item.assumed]
    return [f"{item.module} {item.kind} {item.name}, line {item.line}" for item in items]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("axiom a: 0 = 1", [("axiom", "a")]),
        ("val f (x: int) : int", [("val", "f")]),
        ("val ghost function f (x: int) : int ensures { result = x }", [("val", "f")]),
        ("val function ( * ) (x y: int) : int", [("val", "*")]),
        ("val (=) (x y: int) : bool", [("val", "=")]),
        ("type t", [("type", "t")]),
        ("type t 'a\ntype u = int", [("type", "t")]),
        ("type t = private { x: int }", [("type", "t")]),
        ("function f (x: int) : int\nconstant c : int", [("function", "f"), ("constant", "c")]),
        ("predicate p (x: int)\npredicate q = true", [("predicate", "p")]),
        ("let f () = assume { false }", [("assume", "f")]),
        ("let f () = assume{false}", [("assume", "f")]),
        ("let f () : int = any int ensures { result = 1 }", [("any", "f")]),
        ("let f () = admit", [("admit", "f")]),
        ("let rec f () : int diverges = f ()", [("diverges", "f")]),
        ("let rec f [@vc:divergent] () : int = f ()", [("attribute", "f [@vc:divergent]")]),
        ("clone N with val x = y, axiom a, axiom .", [("axiom of a clone", "a"),
                                                      ("axiom of a clone", ".")]),
    ],
)  # fmt: skip
def test_what_is_granted(text: str, expected: list[tuple[str, str]]) -> None:
    assert of_a_module(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(* axiom a: 0 = 1 (* nested *) val f : int *)",
        'let constant s : string = "axiom a: false"',
        "lemma a: 1 = 1\ngoal b: 2 = 2",
        "type t = A | B\ntype u = { x: int }",
        "clone N with type t = int, val x = y, predicate p = q, function f = g, constant c = d",
        "let function f (x: int) : int requires { x = 1 } = x",
        "let rec function f (x: int) : int = x with function g (x: int) : int = x",
        "let predicate p (x: int) = x = 1\nlet lemma l () ensures { true } = ()",
        "function f (x: int) : int = x\npredicate p (x: int) = x = 1",
        "inductive even int = | zero: even 0",
        "let axioms = 1 let anything = 2 let assumed = 3",
        'meta "a" function f, predicate p',
    ],
)
def test_what_has_a_definition_or_a_proof_is_not_granted(text: str) -> None:
    assert of_a_module(text) == []


def test_lines_modules_and_uses() -> None:
    text = """\
(* a line
   and another *)
module M
  use export int.Int
  clone import a.b.C with type t = int
  clone D as X with val function ( + ) = f, val g = h, constant c = 1
  clone export E
  use N
end
theory N
  axiom a: true
end
"""
    m, n = modules(text)
    assert (m.name, m.uses) == ("M", ("int.Int", "N"))
    assert [(clone.module, clone.scope, clone.replaced) for clone in m.clones] == [
        ("a.b.C", "C.", {"t"}),
        ("D", "X.", {"+", "g", "c"}),
        ("E", "", frozenset()),
    ]
    assert (n.name, [(item.name, item.line) for item in n.items]) == ("N", [("a", 11)])


def test_outside_of_a_module() -> None:
    (top,) = modules("axiom a: false")
    assert (top.name, [item.name for item in top.items]) == ("Top", ["a"])


GENERIC = "module G\n  type t\n  val f (x: t) : t\nend\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module M\n  clone G with type t = int, val f = g\nend\n", []),
        ("module M\n  clone export G with type t = int\nend\n", []),
        ("module M\n  use G\nend\n", ["m.mlw:G type t, line 2", "m.mlw:G val f, line 3"]),
        ("module M\n  use m.G as X\nend\n", ["m.mlw:G type t, line 2", "m.mlw:G val f, line 3"]),
        (
            "module M\n  clone export G with type t = int\nend\nmodule N\n  use M\nend\n",
            ["m.mlw:M val f, line 6"],
        ),
        (
            "module M\n  clone G as X with type t = int\nend\nmodule L\n  clone M as Y\nend\n"
            "module N\n  clone export L with val Y.X.f = g\nend\nmodule O\n  use N\nend\n",
            [],
        ),
        (
            "module M\n  clone G as X with type t = int\nend\n"
            "module N\n  clone export M with val X.f = g\nend\nmodule O\n  use N\nend\n",
            [],
        ),
        (
            "module M\n  clone G as X with type t = int\nend\n"
            "module N\n  clone export M with val f = g\nend\nmodule O\n  use N\nend\n",
            ["m.mlw:N val X.f, line 9"],
        ),
        ("module M\n  axiom a: false\nend\n", ["m.mlw:M axiom a, line 6"]),
    ],
)
def test_a_symbol_that_no_clone_defines_is_assumed_where_it_is_used(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    (tmp_path / "m.mlw").write_text(GENERIC + text)
    assert assumed(tmp_path) == expected


def test_a_module_of_the_standard_library_is_none_of_the_file(tmp_path: Path) -> None:
    """`int.Abs` is not the module of that name that stands in the file itself."""
    text = "module Abs\n  type t\nend\nmodule M\n  use int.Abs\nend\n"
    (tmp_path / "m.mlw").write_text(text)
    assert assumed(tmp_path) == []
    (tmp_path / "m.mlw").write_text(text.replace("int.Abs", "Abs"))
    assert assumed(tmp_path) == ["m.mlw:Abs type t, line 2"]
