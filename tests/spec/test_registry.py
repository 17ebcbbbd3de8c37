"""The registry is whole, the library's ids are in it, and it reads its files strictly."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Operator, Rule
from sonnx_formal.spec.requirements.entries import (
    CaseClass,
    Kind,
    Level,
    Requirement,
    Status,
    expanded,
    ids_in,
    parse,
)
from sonnx_formal.spec.requirements.registry import (
    UnknownRequirementError,
    joined,
    registry,
    requirement,
    requirements,
)

REPOSITORY = Path(__file__).parents[2]
LIBRARY = REPOSITORY / "why3"

MATMUL = "FUNC T ACC EX1 EX2 A.C1 A.C2 A.C3 B.C1 B.C2 B.C3 Y.C1 Y.C2"
LEGACY = "FUNC SHAPE T B.C1 B.C2 B.C3 ATTR.AXIS ATTR.BROADCAST EX1 EX2 EX3 EX4 EX5 EX6"
ITEMS = {
    "SONNX-MUL": "R1 R2 R3 R4 C1 FUNC T EX1 EX2 EX3",
    "SONNX-DIV": "R1 R2 R3 R4 R5 C1 C2 FUNC T EX1 EX2 EX3 EX4",
    "SONNX-MATMUL-REAL": MATMUL,
    "SONNX-MATMUL-INT": MATMUL,
    "SONNX-MATMUL-FLOAT": f"{MATMUL} EX3",
    "ONNX-MUL-14": "FUNC SHAPE T EX1",
    "ONNX-MUL-13": "FUNC SHAPE T",
    "ONNX-MUL-7": "FUNC SHAPE T",
    "ONNX-MUL-6": LEGACY,
    "ONNX-MUL-1": f"{LEGACY} ATTR.CONSUMED_INPUTS",
    "OV-MULTIPLY-1": "FUNC SHAPE T ATTR.AUTO_BROADCAST EX1 EX2",
}

ONE = """
[[document]]
name = "NEW-OP"
title = "New"
text_sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
[[requirement]]
id = "NEW-OP.A.C1"
kind = "constraint"
section = "Inputs"
text = "A has one axis."
status = "formalised"
levels = ["real", "C"]
goals = ["NEW-OP.A.C1", "ops/new.mlw:New.{f,g}'vc"]
vectors = ["nominal"]
checks = ["tests/reference/test_new.py::test_one_axis"]
"""
SEVERAL = """
[[document]]
name = "NEW-INT"
title = "New"
text_sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
[[document]]
name = "NEW-REAL"
title = "New"
text_sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
[[requirement]]
id = "NEW-{INT,REAL}.FUNC"
alias = "E_NEW_{INT,REAL}_FUNC_0010"
kind = "definition"
section = "Function"
text = "C is A."
status = "formalised"
levels = []
goals = ["NEW-{INT,REAL}.FUNC", "ops/new.mlw:New.{f,g}'vc"]
vectors = ["nominal"]
"""
PLANNED = ONE[: ONE.index("status")] + 'status = "planned"\nlevels = []\ngap = "All of it."\n'


@pytest.mark.parametrize("document", ITEMS)
def test_every_item_of_a_document(document: str) -> None:
    found = {each.id for each in requirements().values() if each.document == document}
    assert found == {f"{document}.{item}" for item in ITEMS[document].split()}


@pytest.mark.parametrize("operator", operators(), ids=str)
def test_what_a_declaration_names_is_in_the_registry(operator: Operator) -> None:
    """An item is one of each document, unless it is an example or about types of one document; or
    it is the id of a requirement that holds for all operators."""
    definition = operator.definition
    items = {*operator.always, *operator.computed, operator.states.get(Rule.LISTED, "T")}
    items |= {restriction.item for restriction in definition.restrictions}
    items |= {definition.domain.item} if definition.domain else set()
    for document in set(operator.documents.values()):
        assert document in registry().documents
        for item in operator.always:
            assert f"{document}.{item}" in requirements()
    for item in items - set(requirements()):
        assert any(f"{each}.{item}" in requirements() for each in operator.documents.values())
    for example in operator.examples:
        for family in example.families & set(operator.documents):
            each = requirement(f"{operator.documents[family]}.{example.item}")
            assert each.kind is Kind.EXAMPLE


def test_a_requirement() -> None:
    entry = requirement("SONNX-MUL.R1")
    assert (entry.id, entry.document) == ("SONNX-MUL.R1", "SONNX-MUL")
    assert (entry.kind, entry.section) == (Kind.RESTRICTION, "Restrictions")
    assert entry.text.startswith("A and B have one shape")


@pytest.mark.parametrize("entry", requirements().values(), ids=lambda entry: entry.id)
def test_texts_are_sentences(entry: Requirement) -> None:
    for text in (entry.section, entry.text):
        assert text == " ".join(text.split())
    assert entry.text.endswith(".")


def test_the_documents_have_titles() -> None:
    assert set(ITEMS) <= set(registry().documents)
    assert registry().documents["ONNX-MUL-7"].title == "ONNX Mul since version 7"


def test_kinds_follow_the_scheme_of_the_ids() -> None:
    kinds = {
        "R": Kind.RESTRICTION,
        "GR": Kind.RESTRICTION,
        "C": Kind.CONSTRAINT,
        "EX": Kind.EXAMPLE,
    }
    kinds |= dict.fromkeys(("T", "V"), Kind.TYPE)
    kinds |= {"FUNC": Kind.DEFINITION, "ACC": Kind.ACCURACY, "SHAPE": Kind.SHAPE}
    for each in requirements().values():
        *_, before, last = each.id.split(".")
        kind = Kind.ATTRIBUTE if before == "ATTR" else kinds[last.rstrip("0123456789")]
        assert each.kind == kind, each.id


def test_findings_say_where_definitions_depart_from_the_text() -> None:
    departing = {name for name, each in requirements().items() if each.departs}
    assert departing == {"SONNX-DIV.R5"}
    assert departing <= {name for finding in registry().findings for name in finding.requirements}


def test_what_is_planned() -> None:
    planned = {each.id for each in requirements().values() if each.status is Status.PLANNED}
    assert planned == set()


# --- The formal library ---


def test_notation_for_several_ids() -> None:
    text = "requires { [@expl:SONNX-MATMUL-{REAL,INT}.A.C1 two axes] } (** SONNX-DIV.EX1. *)"
    assert ids_in(text) == {"SONNX-MATMUL-REAL.A.C1", "SONNX-MATMUL-INT.A.C1", "SONNX-DIV.EX1"}


def test_a_finding_is_no_requirement() -> None:
    assert ids_in("FINDING-SONNX-MUL-1.X and SONNX-MUL.R1") == {"SONNX-MUL.R1"}


def test_notation_for_several_symbols() -> None:
    assert expanded("a.mlw:{A,B}.{f,g}'vc") == (
        "a.mlw:A.f'vc",
        "a.mlw:A.g'vc",
        "a.mlw:B.f'vc",
        "a.mlw:B.g'vc",
    )


@pytest.mark.parametrize(
    "path", sorted(LIBRARY.rglob("*.mlw")), ids=lambda path: str(path.relative_to(LIBRARY))
)
def test_ids_of_the_library_are_in_the_registry(path: Path) -> None:
    for identifier in ids_in(path.read_text()):
        assert requirement(identifier).id == identifier


def test_the_library_names_contracts_by_ids() -> None:
    explanations = re.findall(r"@expl:(\S+)", (LIBRARY / "ops/mul/definition.mlw").read_text())
    assert {"SONNX-MUL.R1", "SONNX-MUL.FUNC"} <= set(explanations)


def test_preconditions_are_those_of_the_library() -> None:
    """What is named at a `requires` and nowhere at an `ensures`; or is the same as another."""
    at: dict[str, set[str]] = {"requires": set(), "ensures": set()}
    for path in (*LIBRARY.glob("ops/**/*.mlw"), *LIBRARY.glob("systems/*.mlw")):
        clauses = r"(requires|ensures) *{ \[@expl:(\S+)[^]]*\]\s*(\S+)"
        for word, named, said in re.findall(clauses, path.read_text()):
            # That all of them hold together is no promise about the result; and that the result
            # is dense, too, leaves it to the caller that the operands are.
            if word == "requires" or said not in {"admissible", "result.storage", "dense"}:
                at[word] |= ids_in(named)
    stated = {entry.id for entry in requirements().values() if entry.precondition}
    same = {each.id for each in requirements().values() if each.id not in each.goals}
    assert stated - same == at["requires"] - at["ensures"]


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


def read(text: str) -> tuple[Requirement, ...]:
    return parse("new-op.toml", text).requirement


def test_file_of_several_documents() -> None:
    integer, real = read(SEVERAL)
    assert (integer.id, real.id) == ("NEW-INT.FUNC", "NEW-REAL.FUNC")
    assert (integer.document, real.document) == ("NEW-INT", "NEW-REAL")
    assert (integer.alias, real.alias) == ("E_NEW_INT_FUNC_0010", "E_NEW_REAL_FUNC_0010")
    assert real.goals == ("NEW-REAL.FUNC", "ops/new.mlw:New.f'vc", "ops/new.mlw:New.g'vc")


def test_an_alias_for_each_id() -> None:
    with pytest.raises(ValueError, match=r"^new-op\.toml: NEW-\{INT,REAL\}\.FUNC: 2 ids, and 1 "):
        read(SEVERAL.replace("E_NEW_{INT,REAL}_", "E_NEW_"))


def test_file_of_one_requirement() -> None:
    expected = Requirement(
        "NEW-OP.A.C1",
        Kind.CONSTRAINT,
        "Inputs",
        "A has one axis.",
        Status.FORMALISED,
        (Level.REAL, Level.C),
        goals=("NEW-OP.A.C1", "ops/new.mlw:New.f'vc", "ops/new.mlw:New.g'vc"),
        vectors=(CaseClass.NOMINAL,),
        checks=("tests/reference/test_new.py::test_one_axis",),
    )
    assert read(ONE) == (expected,)


def test_file_of_one_planned_requirement() -> None:
    [entry] = read(PLANNED)
    assert (entry.status, entry.gap, entry.goals) == (Status.PLANNED, "All of it.", ())


def test_an_id_twice() -> None:
    with pytest.raises(ValueError, match=r"^NEW-OP\.A\.C1 is in the registry twice$"):
        joined([parse("one.toml", ONE), parse("two.toml", ONE)])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NEW-OP.A.C1", "OLD-OP.A.C1", "'OLD-OP.A.C1' is no id of NEW-OP"),
        ('id = "NEW-OP.A.C1"', 'id = "NEW-OP"', "'NEW-OP' is no id of NEW-OP"),
        ('id = "NEW-OP.A.C1"', 'id = "NEW-OP.a"', "'NEW-OP.a' is no id of NEW-OP"),
        ('"NEW-OP"', '"New"', "document 1: name: Expected `str` matching regex"),
        ("constraint", "wish", "NEW-OP.A.C1: kind: Invalid enum value 'wish'"),
        ('"A has one axis."', '" "', "NEW-OP.A.C1: text: Expected `str` matching regex '\\\\S'"),
        ("section", "chapter", "NEW-OP.A.C1: Object contains unknown field `chapter`"),
        ("kind =", "note = 'x'\nkind =", "NEW-OP.A.C1: Object contains unknown field `note`"),
        ("id =", "name =", "requirement 1: Object contains unknown field `name`"),
        ("name =", "title =", "Cannot overwrite a value"),
        ("name =", "names =", "document 1: Object contains unknown field `names`"),
        ("name =", "date = 1\nname =", "document 1: Object contains unknown field `date`"),
        ('title = "New"\n', "", "document 1: Object missing required field `title`"),
        ("kind =", "kind", "Expected '='"),
        ('"C"]', '"D"]', "NEW-OP.A.C1: levels[1]: Invalid enum value 'D'"),
        ('"C"]', '"real"]', "NEW-OP.A.C1: levels: something is there twice"),
        ("formalised", "done", "NEW-OP.A.C1: status: Invalid enum value 'done'"),
        ("formalised", "planned", "NEW-OP.A.C1: what is planned needs a gap"),
        ('vectors = ["nominal"]\n', "", "NEW-OP.A.C1: either vectors, or no_vector"),
        (
            'vectors = ["nominal"]',
            'no_vector = "No."\nvectors = ["nominal"]',
            "NEW-OP.A.C1: either vectors, or no_vector",
        ),
        ('"nominal"', '"normal"', "NEW-OP.A.C1: vectors[0]: Invalid enum value 'normal'"),
        (
            "tests/reference/test_new.py::",
            "",
            "NEW-OP.A.C1: checks[0]: Expected `str` matching regex",
        ),
        ("ops/new.mlw:", "", 'NEW-OP.A.C1: "New.f\'vc" is neither a symbol nor an id'),
        ("{f,g}", "{f,f}", "NEW-OP.A.C1: a goal is linked twice"),
    ],
)
def test_malformed_file(old: str, new: str, message: str) -> None:
    assert old in ONE
    with pytest.raises(ValueError, match=re.escape(f"new-op.toml: {message}")):
        read(ONE.replace(old, new))


@pytest.mark.parametrize("more", ["goals = ['NEW-OP.A.C1']", "vectors = ['nominal']"])
def test_what_is_planned_has_no_links(more: str) -> None:
    with pytest.raises(ValueError, match=r"^new-op\.toml: NEW-OP\.A\.C1: "):
        read(PLANNED + more)


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
        files = [each for each in archive.namelist() if re.search(r"/requirements/.*\.toml$", each)]
        archive.extractall(tmp_path / "installed")
    assert len(files) == len(list((REPOSITORY / "sonnx_formal/spec").rglob("*.toml")))
    program = (
        "from sonnx_formal.spec.requirements.registry import "
        "requirements; print(len(requirements()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "installed",
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert int(result.stdout) == len(requirements())
