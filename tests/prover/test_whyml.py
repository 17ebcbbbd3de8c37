"""Modules and declarations, of a text of every form and of the library itself."""

import re

import pytest

from sonnx_formal.prover.library import Library, is_evidence
from sonnx_formal.prover.sources import find_library
from sonnx_formal.prover.whyml import Declaration, modules, statements

TEXT = """\
(* module NotOne end *)
module First
  use int.Int
  use export scalar.sum.Sum as S
  clone import A with type t = int, val ( * ) = Int.( * )

  (** let function not_one = 1 *)
  let rec function ( ** ) (x: int) (n m: int) : int
    requires { [@expl:DOC.R1 not negative] 0 <= n }
    ensures  { result = (let y = x in y) }
    variant  { n }
  = if n = 0 then 1 else begin x * ( ** ) x (n - 1) m end

  predicate small (x: int) = x < 10
  constant one : int = 1
  function abstract (x: int) : int
  val function given (x: int) : int
  lemma small_one: small one
  let lemma proof (x: int) requires { x = 1 } ensures { small x } = ()
  let witness () : int = one
end

module Second
  use First
  goal g: true
end
"""


def declared() -> dict[str, Declaration]:
    return {each.name: each for each in modules(TEXT)[0].declarations}


def test_modules_and_what_they_use() -> None:
    first, second = modules(TEXT)
    assert (first.name, second.name) == ("First", "Second")
    assert first.uses == ("int.Int", "scalar.sum.Sum", "A")
    assert second.uses == ("First",)
    assert (first.clones, second.clones) == (("A",), ())
    assert TEXT[second.end :] == "end\n"
    assert "not_one" not in first.words


def test_what_is_a_definition() -> None:
    assert [name for name, each in declared().items() if each.is_definition] == [
        "**",
        "small",
        "one",
    ]


def test_a_definition_in_parts() -> None:
    power = declared()["**"]
    assert power.head == ("let", "rec", "function")
    assert [(group.names, group.type) for group in power.parameters] == [
        (("x",), "int"),
        (("n", "m"), "int"),
    ]
    assert power.result == "int"
    assert [clause.keyword for clause in power.clauses] == ["requires", "ensures", "variant"]
    assert power.clauses[0].label == "[@expl:DOC.R1 not negative]"
    assert [token.text for token in power.clauses[0].inside] == ["0", "<=", "n"]
    assert [token.text for token in power.body][:4] == ["if", "n", "=", "0"]
    assert power.body[-1].text == "end"


def test_a_text_that_is_cut_off_does_no_harm() -> None:
    for length in range(len(TEXT)):
        modules(TEXT[:length])


LIBRARY = Library.read(find_library())


@pytest.mark.parametrize("file", LIBRARY.texts)
def test_nothing_of_the_library_is_overlooked(file: str) -> None:
    """Counted by the words at the beginning of lines."""
    text = re.sub(r"\(\*(?!\)).*?\*\)", "", LIBRARY.texts[file], flags=re.DOTALL)
    assert [each.name for each in LIBRARY.modules[file]] == re.findall(r"^module (\S+)", text, re.M)
    found = [d.name for each in LIBRARY.modules[file] for d in each.declarations]
    head = r"^  (?:(?:let|val|lemma|goal|predicate|function|constant)\b)"
    assert len(found) == len(re.findall(head, text, re.M))


def test_who_depends_on_whom() -> None:
    assert "ops/mul/examples.mlw" in LIBRARY.dependents("ops/mul/definition.mlw")
    assert LIBRARY.dependents("ops/mul/definition.mlw")[0] == "ops/mul/definition.mlw"
    assert "ops/mul/definition.mlw" not in LIBRARY.dependents("ops/mul/examples.mlw")
    assert "ops/matmul/floats.mlw" in LIBRARY.dependents("tensor/shape.mlw")
    assert is_evidence("ops/mul/examples.mlw")
    assert not is_evidence("ops/mul/definition.mlw")


def test_a_digest_is_of_what_is_stated_and_of_the_named_proofs() -> None:
    lemma = "let lemma l (x: int) ensures { x = x } = assert { x = 0 + x }"
    library = Library(
        {"a.mlw": f"module A\n  {lemma}\nend", "b.mlw": "module B\n  use a.A\n  goal g: true\nend"}
    )

    def digests(file: str, old: str, new: str) -> tuple[str, str]:
        """Of b.mlw with what it depends on, before and after an edit."""
        assert old in library.texts[file]
        edited = Library(library.texts | {file: library.texts[file].replace(old, new)})
        return library.digest(["b.mlw"], {}), edited.digest(["b.mlw"], {})

    before, after = digests("a.mlw", "x = x }", "0 = 0 }")
    assert before != after, "a contract of a file that it depends on"
    before, after = digests("b.mlw", "true", "false")
    assert before != after, "a statement of its own"
    before, after = digests("a.mlw", "x = 0 + x", "x = x + 0")
    assert before == after, "a proof"
    before, after = digests("a.mlw", "module A", "(** A *)\nmodule A")
    assert before == after, "a comment"
    assert library.digest(["b.mlw"], {"l": lemma}) != library.digest(["b.mlw"], {"l": lemma + " "})
    assert library.digest(["a.mlw"], {}) != library.digest(["b.mlw"], {})


@pytest.mark.parametrize(
    ("declaration", "seen"),
    [
        ("let lemma l () ensures { p } = q ()", "let lemma l ( ) ensures { p } ="),
        ("let rec ghost l () ensures { p } = q ()", "let rec ghost l ( ) ensures { p } ="),
        ("let ghost function f () = q ()", "let ghost function f ( ) = q ( )"),
        ("let f () ensures { p } = q ()", "let f ( ) ensures { p } = q ( )"),
        ("lemma l: a = b", "lemma l : a = b"),
    ],
)
def test_others_see_the_contract_of_a_proof(declaration: str, seen: str) -> None:
    assert statements(f"module M\n  {declaration}\nend") == f"module M {seen} end"
