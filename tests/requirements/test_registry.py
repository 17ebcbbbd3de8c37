"""The registry is whole, the library's ids are in it, and it reads its files strictly."""

import itertools
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sonnx_formal.requirements import (
    Kind,
    Requirement,
    UnknownRequirementError,
    requirement,
    requirements,
)
from sonnx_formal.requirements.registry import by_id, parse

REPOSITORY = Path(__file__).parents[2]
LIBRARY = REPOSITORY / "why3"

MATMUL = "FUNC T ACC EX1 EX2 A.C1 A.C2 A.C3 B.C1 B.C2 B.C3 Y.C1 Y.C2"
ITEMS = {
    "SONNX-MUL": "R1 R2 R3 R4 C1 FUNC T EX1 EX2 EX3",
    "SONNX-DIV": "R1 R2 R3 R4 R5 C1 C2 FUNC T EX1 EX2 EX3 EX4",
    "SONNX-MATMUL-REAL": MATMUL,
    "SONNX-MATMUL-INT": MATMUL,
    "SONNX-MATMUL-FLOAT": f"{MATMUL} EX3",
}

ONE = """
document = "NEW-OP"
[[requirement]]
id = "NEW-OP.A.C1"
kind = "constraint"
section = "Inputs"
text = "A has one axis."
"""


@pytest.mark.parametrize("document", ITEMS)
def test_every_item_of_a_document(document: str) -> None:
    found = {each.id for each in requirements().values() if each.document == document}
    assert found == {f"{document}.{item}" for item in ITEMS[document].split()}


def test_a_requirement() -> None:
    one = requirement("SONNX-MUL.R1")
    assert (one.id, one.document) == ("SONNX-MUL.R1", "SONNX-MUL")
    assert (one.kind, one.section) == (Kind.RESTRICTION, "Restrictions")
    assert one.text.startswith("A and B have one shape")


@pytest.mark.parametrize("one", requirements().values(), ids=lambda one: one.id)
def test_texts_are_sentences(one: Requirement) -> None:
    for text in (one.section, one.text):
        assert text == " ".join(text.split())
    assert one.text.endswith(".")


def test_kinds_follow_the_scheme_of_the_ids() -> None:
    kinds = {"R": Kind.RESTRICTION, "C": Kind.CONSTRAINT, "EX": Kind.EXAMPLE}
    kinds |= {"FUNC": Kind.DEFINITION, "T": Kind.TYPE, "ACC": Kind.ACCURACY}
    for one in requirements().values():
        last = one.id.rpartition(".")[2]
        assert one.kind == kinds[last.rstrip("0123456789")], one.id


# --- The formal library ---


def ids_in(text: str) -> set[str]:
    """The ids that a text of the library names: X-{A,B}.R1 stands for X-A.R1 and X-B.R1."""
    pattern = r"\b(?:S?ONNX|OV)-[A-Z0-9{},-]*[A-Z0-9}](?:\.[A-Z][A-Z0-9_]*)+"
    return {one for found in re.findall(pattern, text) for one in expanded(found)}


def expanded(notation: str) -> list[str]:
    parts = re.split(r"\{(.*?)\}", notation)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def test_notation_for_several_ids() -> None:
    text = "requires { [@expl:SONNX-MATMUL-{REAL,INT}.A.C1 two axes] } (** SONNX-DIV.EX1. *)"
    assert ids_in(text) == {"SONNX-MATMUL-REAL.A.C1", "SONNX-MATMUL-INT.A.C1", "SONNX-DIV.EX1"}


@pytest.mark.parametrize(
    "path", sorted(LIBRARY.rglob("*.mlw")), ids=lambda path: str(path.relative_to(LIBRARY))
)
def test_ids_of_the_library_are_in_the_registry(path: Path) -> None:
    for identifier in ids_in(path.read_text()):
        assert requirement(identifier).id == identifier


def test_the_library_names_contracts_by_ids() -> None:
    explanations = re.findall(r"@expl:(\S+)", (LIBRARY / "ops/mul.mlw").read_text())
    assert {"SONNX-MUL.R1", "SONNX-MUL.FUNC"} <= set(explanations)


# --- Errors ---


@pytest.mark.parametrize(
    ("identifier", "hint"),
    [
        ("SONNX-MUL.R9", "; did you mean SONNX-MUL.R"),
        ("sonnx-mul.r1", ""),
        ("", ""),
        ("SONNX-MATMUL-FLOAT.C2", "; did you mean SONNX-MATMUL-FLOAT."),
    ],
)
def test_unknown_id(identifier: str, hint: str) -> None:
    expected = re.escape(f"the registry has no requirement {identifier!r}{hint}")
    with pytest.raises(UnknownRequirementError, match=expected):
        requirement(identifier)


def test_file_of_one_requirement() -> None:
    expected = Requirement("NEW-OP.A.C1", "NEW-OP", Kind.CONSTRAINT, "Inputs", "A has one axis.")
    assert parse("new-op.toml", ONE) == [expected]


def test_an_id_twice() -> None:
    with pytest.raises(ValueError, match=r"^NEW-OP\.A\.C1 is in the registry twice$"):
        by_id(parse("a.toml", ONE) + parse("b.toml", ONE))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NEW-OP.A.C1", "OLD-OP.A.C1", "'OLD-OP.A.C1' is no id of NEW-OP"),
        ("NEW-OP.A.C1", "NEW-OP", "'NEW-OP' is no id of NEW-OP"),
        ("NEW-OP.A.C1", "NEW-OP.a", "'NEW-OP.a' is no id of NEW-OP"),
        ('"NEW-OP"', '"New"', "'New' is no short name of a document"),
        ("constraint", "wish", "'wish' is not a valid Kind"),
        ('"A has one axis."', '""', "NEW-OP.A.C1 has to have id, kind, section and text"),
        ("section", "chapter", "NEW-OP.A.C1 has to have id, kind, section and text"),
        ("kind =", "note = 'x'\nkind =", "NEW-OP.A.C1 has to have id, kind, section and text"),
        ("id =", "name =", "'id' is missing"),
        ("document =", "title =", "'document' is missing"),
        ("document =", "date = 1\ndocument =", "unknown: date"),
        ("kind =", "kind", "Expected '='"),
    ],
)
def test_malformed_file(old: str, new: str, message: str) -> None:
    assert old in ONE
    with pytest.raises(ValueError, match=re.escape(f"new-op.toml: {message}")):
        parse("new-op.toml", ONE.replace(old, new))


def test_the_registry_is_part_of_the_package(tmp_path: Path) -> None:
    """A wheel has the files, and an interpreter that knows only the wheel reads them from it."""
    subprocess.run(
        [sys.executable, "-m", "flit_core.wheel", "--outdir", tmp_path],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        timeout=60,
    )
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if name.endswith(".toml")]
        archive.extractall(tmp_path / "installed")
    assert len(files) == len(ITEMS)
    program = "from sonnx_formal.requirements import requirements; print(len(requirements()))"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "installed",
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert int(result.stdout) == len(requirements())
