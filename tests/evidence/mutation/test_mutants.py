"""What is edited, and what is left alone."""

import pytest
from msgspec import structs

from sonnx_formal.evidence.mutation.constructors import Constructor, algebraic_types
from sonnx_formal.evidence.mutation.mutants import Mutant, mutants
from sonnx_formal.prover.library import Library
from sonnx_formal.prover.sources import find_library
from sonnx_formal.prover.whyml import TokenKind

FILE = "ops/m.mlw"
TYPES = """\
module T
  type t (* with a comment | C *) =
    | A | B
    | C int (list M.u)
  type record = { a: int; b: t }
  type other = M.Upper
  type float = NaN | Infinity bool
  clone M with
    type t = int
end
"""


def of(declaration: str) -> list[Mutant]:
    return mutants(FILE, f"module M\n  use int.Int\n{declaration}\nend\n")


def results(declaration: str, kind: str) -> list[str]:
    """The texts of the mutants of a kind, on a line each."""
    text = f"module M\n  use int.Int\n{declaration}\nend\n"
    types = [*algebraic_types(TYPES), *algebraic_types(text)]
    found = [each.apply(text) for each in mutants(FILE, text, types) if each.kind == kind]
    return [" ".join("".join(each.splitlines()[2:-1]).split()) for each in found]


@pytest.mark.parametrize(
    ("declaration", "kind", "expected"),
    [
        ("function f (x: int) : int = x + 1", "operator", "function f (x: int) : int = x - 1"),
        ("function f (x: int) : int = x + 1", "constant", "function f (x: int) : int = x + 2"),
        ("function f (x: int) : int = x + 1", "constant", "function f (x: int) : int = x + 0"),
        ("function f (x: int) : int = x + 0", "constant", "function f (x: int) : int = x + (-1)"),
        ("function f (x: int) : int = - x", "sign", "function f (x: int) : int = x"),
        ("function f (x: int) : int = g (- x)", "sign", "function f (x: int) : int = g (x)"),
        ("predicate p = not q", "sign", "predicate p = q"),
        ("predicate p (x: int) = x < 1", "operator", "predicate p (x: int) = x <= 1"),
        ("predicate p = q /\\ r", "operator", "predicate p = q \\/ r"),
        ("predicate p = q -> r", "operator", "predicate p = q <-> r"),
        ("predicate p = q && (r || s)", "dropped conjunct", "predicate p = q"),
        ("predicate p = q && (r || s)", "dropped conjunct", "predicate p = (r || s)"),
        ("predicate p = forall x. q x /\\ r", "dropped conjunct", "predicate p = forall x. r"),
        ("predicate p = 0 <= k < n", "dropped conjunct", "predicate p = 0 <= k"),
        ("predicate p = 0 <= k < n", "dropped conjunct", "predicate p = k < n"),
        ("predicate p = q x -> r", "dropped hypothesis", "predicate p = r"),
        ("constant c : t = a (f i k) (g j)", "transposition", "constant c : t = a (g j) (f i k)"),
        ("constant c : t = a (f i k) (g j)", "transposition", "constant c : t = a (f k i) (g j)"),
        ("constant c : t = a b.f c", "transposition", "constant c : t = a c b.f"),
        ("constant c : t = first s", "transposition", "constant c : t = second s"),
        ("function f (a b: t) : t = g a", "parameter", "function f (a b: t) : t = g b"),
        (
            "constant c : t = if p x then y else z",
            "branch",
            "constant c : t = if not (p x) then y else z",
        ),
        (
            "constant c : t = if (if a then b else c) then y else z",
            "branch",
            "constant c : t = if not ((if a then b else c)) then y else z",
        ),
        (
            "predicate p (x: t) = match x with | A | B -> true | _ -> false end",
            "branch",
            "predicate p (x: t) = match x with | A -> true | _ -> false end",
        ),
        ("predicate p (x: t) = q x", "constant result", "predicate p (x: t) = true"),
        ("function f (x: int) : int = g x", "constant result", "function f (x: int) : int = 0"),
        ("function f (x: t) : t = g x", "constant result", "function f (x: t) : t = x"),
    ],
)
def test_a_slip_of_each_kind(declaration: str, kind: str, expected: str) -> None:
    assert expected in results(f"  {declaration}", kind)


def test_a_minus_between_operands_is_no_sign() -> None:
    assert results("  function f (x y: int) : int = x - y", "sign") == []
    assert results("  function f (x y: int) : int = (g x) - y", "sign") == []


def test_types_are_found_where_they_are_declared() -> None:
    assert [*algebraic_types(TYPES)] == [
        (Constructor("A", 0), Constructor("B", 0), Constructor("C", 2)),
        (Constructor("NaN", 0), Constructor("Infinity", 1)),
    ]


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("{ storage = A; size = n }", "constructor", ["{ storage = B; size = n }"]),
        ("f B x", "constructor", ["f A x"]),
        ("C (x + 1) y", "constructor", ["A"]),
        ("f (C x y) z", "constructor", ["f (A) z"]),
        ("if p then Infinity s else NaN", "constructor", ["if p then NaN else NaN"]),
        ("C x", "constructor", []),
        ("A.f x", "constructor", []),
        ("match x with A -> x | C _ _ -> y | B -> z end", "constructor", []),
        (
            "match x with NaN -> y | _ -> x end",
            "constructor",
            ["match x with Infinity _ -> NaN | NaN -> y | _ -> x end"],
        ),
        (
            "match x with B -> true | _ -> false end",
            "type list",
            [
                "match x with A -> true | B -> true | _ -> false end",
                "match x with C _ _ -> true | B -> true | _ -> false end",
            ],
        ),
        (
            "match f x with | C _ (g _) -> false | _ -> true end",
            "type list",
            [
                "match f x with | A -> false | C _ (g _) -> false | _ -> true end",
                "match f x with | B -> false | C _ (g _) -> false | _ -> true end",
            ],
        ),
        ("match x with A | B -> true | _ -> false end", "type list", []),
        ("match x with A, B -> true | _ -> false end", "type list", []),
        ("match x with Nil -> true | _ -> false end", "type list", []),
    ],
)
def test_slips_of_constructors(body: str, kind: str, expected: list[str]) -> None:
    found = results(f"  constant c : t = {body}", kind)
    assert found == [f"constant c : t = {each}" for each in expected]


LITERAL = """\
  let function f (x y: int) : int
    requires { [@expl:less] x < y }
    ensures  { result.sum = x + y }
  = { sum = x + y; one = 1 }
  let lemma l (x y: int)
    requires { x <  y }
    ensures  { (f x y).sum = x + y /\\ 0 = x + y * 2 }
  = ()
  lemma k: forall x y. x < y -> x < y + 1"""


@pytest.mark.parametrize(
    ("edited", "kept"),
    [
        (("{ [@expl:less] x <= y }", "requires { x <= y }", "y. x <= y -> x < y + 1"), "x + y;"),
        (("result.sum = x - y", "{ sum = x - y;", "(f x y).sum = x - y"), "0 = x + y * 2"),
        (("result.sum = y + y", "{ sum = y + y;", "(f x y).sum = y + y"), "x < y }"),
    ],
)
def test_what_stands_again_in_the_file_is_edited_alike(edited: tuple[str], kept: str) -> None:
    found = results(LITERAL, "consistent")
    assert any(kept in each and all(part in each for part in edited) for each in found)


def test_what_a_body_begins_with_stands_again() -> None:
    text = "  predicate p (x y: int) = x + y = 1 -> q\n  lemma l: forall x y. x + y = 1 -> r"
    assert any(found.count("x - y = 1") == 2 for found in results(text, "consistent"))


def test_a_name_stands_again_everywhere() -> None:
    text = "  function f (x: int) : int = - x\n  lemma l: forall x. - x = f x"
    assert results(text, "consistent") == []


def test_a_change_of_several_places_is_cut_where_a_part_ends() -> None:
    text = "aa bb aa bb"
    mutant = structs.replace(
        of("  constant c : int = 1")[0], start=0, end=2, replacement="long", copies=((6, 8),)
    )
    assert mutant.apply(text) == "long bb long bb"
    assert mutant.apply(text, 0, 6) == "long bb "
    assert mutant.apply(text, 3) == "bb long bb"


CONTRACT = """\
  let function f (x: int) : int
    requires { [@expl:DOC.R1 x + y] 0 <= x }
    ensures  { 0 <= result }
    variant  { x }
  = x"""


def test_clauses_are_dropped_whole() -> None:
    (dropped,) = results(CONTRACT, "dropped requires")
    assert "DOC.R1" not in dropped
    assert "ensures { 0 <= result }" in dropped
    (dropped,) = results(CONTRACT, "dropped ensures")
    assert "requires" in dropped
    assert "ensures" not in dropped
    assert {each.part for each in of(CONTRACT)} == {"requires 1", "ensures 1", "body"}


@pytest.mark.parametrize(
    "declaration",
    [
        "  lemma l: forall x: int. x + 1 > x",
        "  goal g: 1 + 1 = 2",
        "  let lemma l (x: int) requires { x > 0 } ensures { x >= 0 } = assert { x > 0 }",
        "  let ghost p (x: int) : int = x + 1",
        "  val function f (x: int) : int ensures { result > 0 }",
        "  (* function f : int = 1 + 1 *)",
        "  use a.B",
    ],
)
def test_proofs_and_comments_are_left_alone(declaration: str) -> None:
    assert of(declaration) == []


def test_an_assertion_in_a_body_is_left_alone() -> None:
    found = of("  let function f (x: int) : int = let y = x + 1 in assert { y - 1 = x }; y")
    assert {each.replacement for each in found if each.kind == "operator"} == {"-"}
    assert len([each for each in found if each.kind == "operator"]) == 1


PROGRAM = """\
  let f (a: input int) (ghost t: tensor int) : int
    requires { a.length > 1 }
  = ghost (g (1 + 2));
    let ghost before = pure { t + 1 } in
    let ref i = 0 in
    while i < h (pure { t + 3 }) do
      invariant { 0 <= i <= 9 }
      variant   { 9 - i }
      assert { i + 1 = 1 + i };
      i <- i + 5
    done;
    i
"""


def test_what_a_program_executes_is_edited() -> None:
    found = of(PROGRAM)
    assert {mutant.part for mutant in found} == {"program"}
    text = f"module M\n  use int.Int\n{PROGRAM}\nend\n"
    edits = [(text[mutant.start : mutant.end], mutant.replacement) for mutant in found]
    assert edits == [("0", "1"), ("0", "(-1)"), ("<", "<="), ("+", "-"), ("5", "6"), ("5", "4")]


def test_ids_are_different_and_know_no_lines() -> None:
    text = "  predicate p (x: int) = x < 1 /\\ (x < 1 \\/ x < 1)"
    names = [each.id for each in of(text)]
    assert len(names) == len(set(names))
    assert [each.id for each in of("\n\n" + text)] == names
    assert [each.line for each in of("\n\n" + text)] == [each.line + 2 for each in of(text)]
    assert all(name.startswith("ops/m.mlw:M.p body: ") for name in names)


def test_a_definition_without_named_parameters() -> None:
    found = {each.kind for each in of("  let function f () (_: t) : int = g 1")}
    assert found == {"constant", "constant result"}


def test_a_record_and_a_local_name_are_no_comparison() -> None:
    assert results("  constant c : t = { a = 1; b = (let x = y in x) }", "operator") == []
    assert (
        results("  constant c : t = fun i -> match i with | A -> x | B -> y end", "operator") == []
    )


LIBRARY = Library.read(find_library())


@pytest.mark.parametrize(
    ("file", "kind", "replacement"),
    [
        ("ops/div/definition.mlw", "constructor", "Sparse"),
        ("ops/div/definition.mlw", "consistent", "Sparse"),
        ("ops/matmul/definition.mlw", "type list", "Boolean -> true | "),
        ("systems/openvino_multiply.mlw", "constructor", "None"),
        ("accuracy/wide_accumulation.mlw", "constructor", "Infinity _ -> NaN | "),
    ],
)
def test_mistakes_that_the_library_might_have(file: str, kind: str, replacement: str) -> None:
    types = [each for text in LIBRARY.texts.values() for each in algebraic_types(text)]
    found = mutants(file, LIBRARY.texts[file], types)
    assert (kind, replacement) in {(entry.kind, entry.replacement) for entry in found}


@pytest.mark.parametrize("file", LIBRARY.texts)
def test_every_file_of_the_library_has_mutants_of_its_definitions(file: str) -> None:
    found = mutants(file, LIBRARY.texts[file])
    edited = {(each.module, each.definition) for each in found}
    defined = {
        (module.name, each.name)
        for module in LIBRARY.modules[file]
        for each in module.declarations
        if each.is_definition and each.parameters
    }
    assert {place for place in defined - edited if not _is_a_name(*place, file)} == set()


def _is_a_name(module: str, definition: str, file: str) -> bool:
    """Whether the body is another name for something: no slip in it has the same type."""
    (found,) = (
        each
        for it in LIBRARY.modules[file]
        if it.name == module
        for each in it.declarations
        if each.name == definition
    )
    return not {token.kind for token in found.body} - {
        TokenKind.WORD,
        TokenKind.OPERATOR,
        TokenKind.BRACKET,
    }
