"""The page of the theorems: all that the sources have, and nothing else."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_formal.cli import report as command
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.certificate import read_certificate
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.refinements import (
    FILES,
    Chapter,
    RefinementReport,
    chapters,
    chapters_of,
    markdown,
    report,
)
from tests.schemas import validate

LIBRARY = find_library()
TEXT = """\
(** {1 A comparison}

    Of [two] things. *)

(** {2 Bases} *)
module Base
  clone ops.mul.definition.Mul as Sonnx with type t = int
end

(** {2 What is the same}

    More on it. *)
module Same
  use systems.other.Other as O
  clone export Base

  (** A helper. *)
  constant three : int = 3

  (** They are
      the same: [f]. *)
  lemma same: forall x.
    O.f x = Sonnx.f x

  lemma without_words: true

  (** By a program. *)
  let ghost by_program (x: int)
    requires { x > 0 }
    ensures  { O.f x
                 = x }
  = steps x; (* of the proof *)
    ()
end
"""


def of(text: str) -> Chapter:
    (only,) = chapters_of({"systems/a.mlw": text})
    return only


def test_the_page_has_each_theorem_of_the_sources() -> None:
    """What is a theorem is found here in another way: by the first words of a line."""
    shown = markdown(chapters(LIBRARY))
    count = 0
    for name in FILES:
        lines = (LIBRARY / name).read_text().splitlines()
        for number, line in enumerate(lines, start=1):
            found = re.match(
                r" +(?:lemma|goal|let (?:rec )?(?:ghost|lemma)) (?:function )?(\w+)", line
            )
            if found and line.startswith("  ") and line[2] != " ":
                count += 1
                assert f"[{found[1]}](why3/{name}#L{number})" in shown
                assert line.strip() in shown
    assert shown.count("](why3/") == count >= 39
    assert f"{count} theorems" in shown


def test_the_page_has_the_words_of_the_sources() -> None:
    shown = markdown(chapters(LIBRARY))
    for name in FILES:
        comments = re.findall(r"\(\*\*(.*?)\*\)", (LIBRARY / name).read_text(), re.DOTALL)
        assert len(comments) > 10
        for comment in comments:
            if title := re.search(r"\{2 ([^}]*)\}", comment):
                # Modules of theorems, and their instances, those of an instance included.
                assert f"### {title[1]}\n" in shown or title[1].startswith("Operators: one mult")
            words = " ".join(re.sub(r"\{[12] ([^}]*)\}", r"\1", comment).split())
            about_nothing_shown = words.startswith(("The types that carry", "Operators: one mult"))
            last = words.split(". ")[-1].rstrip(".")
            assert re.sub(r"\[([^\]]*)\]", r"`\1`", last) in shown or (
                last in " ".join(shown.split()) or about_nothing_shown
            ), last


def test_each_theorem_is_proved() -> None:
    certificate = read_certificate(LIBRARY / "proofs.json")
    assert certificate
    proved = {
        name.split(".mlw:")[1].split(".")[1].removesuffix("'vc") for name in certificate.goals
    }
    assert {each.name for each in report(chapters(LIBRARY)).theorems} <= proved


def test_a_chapter() -> None:
    found = of(TEXT)
    assert (found.title, found.text) == ("A comparison", "Of `two` things.")
    (section,) = found.sections  # a module without a theorem has none
    assert (section.title, section.text) == ("What is the same", "More on it.")
    assert {theorem.module for theorem in section.theorems} == {"Same"}
    assert section.abbreviations == {"Sonnx": "ops.mul.definition.Mul", "O": "systems.other.Other"}
    assert section.definitions == ("(** A helper. *)\nconstant three : int = 3",)
    same, without, program = section.theorems
    assert (same.name, same.text) == ("same", "They are the same: `f`.")
    assert same.statement == "lemma same: forall x.\n  O.f x = Sonnx.f x"
    assert TEXT.splitlines()[same.line - 1].strip() == "lemma same: forall x."
    assert (without.name, without.text) == ("without_words", section.title)
    assert program.statement == (
        "let ghost by_program (x: int)\n  requires { x > 0 }\n"
        "  ensures  { O.f x\n               = x }"
    )


def test_what_is_not_shown() -> None:
    """Steps of proofs, and modules without theorems."""
    shown = markdown([of(TEXT)])
    assert "steps" not in shown
    assert "Bases" not in shown
    assert "3 theorems" in shown


def test_an_instance_of_theorems_is_shown() -> None:
    instance = "(** {2 Of Add} *)\nmodule OfAdd\n  clone export Same\nend\n"
    _, section = of(TEXT + instance).sections
    assert (section.title, section.definitions) == ("Of Add", ("clone export Same",))
    assert section.theorems == ()


def test_json() -> None:
    value = json.loads(documents.encode(report(chapters(LIBRARY))))
    validate(value, RefinementReport)
    names = [each["name"] for each in value["theorems"]]
    assert len(set(names)) == len(names) >= 39
    assert report([of(TEXT)]).theorems[1].text == "What is the same"
    spoiled = json.loads(json.dumps(value))
    del spoiled["theorems"][0]["statement"]
    with pytest.raises(jsonschema.ValidationError):
        validate(spoiled, RefinementReport)


@pytest.mark.parametrize(
    ("heading", "line"), [("(** {1 A comparison}", 3), ("(** {2 What is the same}", 13)]
)
def test_a_missing_heading(heading: str, line: int) -> None:
    with pytest.raises(UserError, match=rf"^systems/a\.mlw:{line}: a heading is missing: write"):
        of(TEXT.replace(heading, "(**"))


def test_the_command(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(command.refinements_command, arguments, standalone_mode=False)
        assert done.exception is None
        assert done.return_value == 0
        return done.output

    printed = run()
    assert printed == markdown(chapters(LIBRARY))
    path, json_path = tmp_path / "page.md", tmp_path / "page.json"
    assert not run("-o", str(path), "--json", str(json_path))
    assert path.read_text() == printed
    assert documents.read(json_path, RefinementReport) == report(chapters(LIBRARY))
    failed = CliRunner().invoke(
        command.refinements_command, ["-o", str(tmp_path)], standalone_mode=False
    )
    assert isinstance(failed.exception, UserError)
    assert "is a folder: -o needs the name of a file" in str(failed.exception)
