"""What a Why3 text takes for granted."""

import pytest

from sonnx_formal.evidence.trust.granted import modules


def granted(text: str) -> list[tuple[str, str]]:
    """What the one module of a text takes for granted: kind and name."""
    (module,) = modules(f"module M\n{text}\nend\n")
    return [(item.kind, item.name) for item in module.items if item.kind != "lemma"]


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
    assert granted(text) == expected


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
    assert granted(text) == []


def test_lines_modules_and_uses() -> None:
    text = """\
(* a line
   and another *)
module M
  use export int.Int
  clone import a.b.C with type t = int
  use N
end
theory N
  axiom a: true
end
"""
    m, n = modules(text)
    assert (m.name, m.uses) == ("M", ("int.Int", "a.b.C", "N"))
    assert (n.name, [(item.name, item.line) for item in n.items]) == ("N", [("a", 9)])


def test_outside_of_a_module() -> None:
    (top,) = modules("axiom a: false")
    assert (top.name, [item.name for item in top.items]) == ("Top", ["a"])
