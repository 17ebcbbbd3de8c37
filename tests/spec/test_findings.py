"""Findings, what was left out, and which goals have to serve a requirement."""

import re
from pathlib import Path

import pytest
from rich.console import Console

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import read_certificate
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.prove import ProofRequest, prove
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.tasks import GoalForm, export
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.requirements.entries import Finding, SketchOutcome, parse
from sonnx_formal.spec.requirements.registry import joined, registry, requirement

REPOSITORY = Path(__file__).parents[2]
LIBRARY = REPOSITORY / "why3"
EACH = pytest.mark.parametrize("finding", registry().findings, ids=lambda each: each.id)
SKETCHES = [each for each in registry().findings if each.sketch]
EACH_SKETCH = pytest.mark.parametrize("finding", SKETCHES, ids=lambda each: each.id)

ONE = """
[[finding]]
id = "FINDING-NEW-OP-1"
document = "NEW-OP"
section = "All of it"
title = "It says nothing"
readings = ["One.", "Two."]
requirements = ["NEW-OP.{R1,R2}"]
shown_by = ["ops/new.mlw:New.{f,g}'vc"]
decision = "One."
proposal = "Say one."
"""
RULE = """
folders = ["ops"]
[[scaffolding]]
files = ["*witnesses.mlw"]
reason = "Witnesses."
[[scaffolding]]
goals = ["ops/a.mlw:A.{f,g}"]
reason = "Steps."
"""


@EACH
def test_texts_are_ours_and_whole(finding: Finding) -> None:
    texts = [finding.section, finding.title, *finding.readings, finding.decision]
    for text in [*texts, finding.proposal, finding.not_shown]:
        assert text == " ".join(text.split())
    for text in (*finding.readings, finding.decision, finding.proposal):
        assert text.endswith(".")


@EACH
def test_requirements_of_a_finding(finding: Finding) -> None:
    assert finding.document in registry().documents
    assert finding.document in {requirement(each).document for each in finding.requirements}


@pytest.fixture(scope="module")
def certified() -> dict[str, bool]:
    """Of each symbol, whether all goals are proved in the certificate, which a replay re-runs."""
    certificate = read_certificate(LIBRARY / "proofs.json")
    assert certificate
    found: dict[str, bool] = {}
    for name, goal in certificate.goals.items():
        symbol = name.rpartition(".")[0]
        found[symbol] = found.get(symbol, True) and bool(goal.proofs)
    return found


@EACH
def test_goals_that_show_a_finding_are_proved(finding: Finding, certified: dict[str, bool]) -> None:
    for symbol in finding.shown_by:
        assert certified.get(symbol), symbol


def test_each_document_has_findings_in_order() -> None:
    """Parts of one text are documents of their own: one of them at least has findings."""
    numbers: dict[str, list[int]] = {}
    for entry in registry().findings:
        numbers.setdefault(entry.document, []).append(int(entry.id.rpartition("-")[2]))
    texts = {name: each.text_sha256 for name, each in registry().documents.items()}
    assert {texts[name] for name in numbers} == {*texts.values()}
    for found in numbers.values():
        assert found == list(range(1, len(found) + 1))


# --- Sketches: what Why3 makes of the flaws of the documents' own texts ---


def test_there_are_sketches_of_both_outcomes() -> None:
    assert {each.sketch.outcome for each in SKETCHES if each.sketch} == {*SketchOutcome}


def proved(path: Path) -> bool:
    """Whether all goals of a file are proved, by whatever provers there are."""
    request = ProofRequest((path,), timeout=5, jobs=1, mode=Mode.NORMAL, families=1)
    with Progress(Console(quiet=True)) as progress:
        return all(run.proved for run in prove(request, progress).runs)


@EACH_SKETCH
def test_sketch_comes_to_its_outcome(finding: Finding, tmp_path: Path) -> None:
    assert finding.sketch
    path = tmp_path / "sketch.mlw"
    path.write_text(finding.sketch.text)
    if finding.sketch.outcome is SketchOutcome.REJECTED:
        assert finding.sketch.message
        with pytest.raises(UserError, match=re.escape(finding.sketch.message)):
            export(find_why3(), path, (LIBRARY, tmp_path), GoalForm.SPLIT)
    else:
        assert "false" in finding.sketch.text
        assert proved(path)


def test_a_sketch_without_the_flaw_is_not_proved(tmp_path: Path) -> None:
    [promise] = [each.sketch for each in SKETCHES if each.sketch and not each.sketch.message]
    path = tmp_path / "sketch.mlw"
    path.write_text(promise.text.replace("ensures { y <> 0 }", "requires { y <> 0 }"))
    assert not proved(path)


# --- Files ---


def read(text: str) -> tuple[Finding, ...]:
    return parse("findings.toml", text).finding


def test_a_finding_is_read() -> None:
    [finding] = read(ONE)
    assert finding.requirements == ("NEW-OP.R1", "NEW-OP.R2")
    assert finding.shown_by == ("ops/new.mlw:New.f'vc", "ops/new.mlw:New.g'vc")
    assert (finding.readings, finding.sketch, finding.not_shown) == (("One.", "Two."), None, "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("FINDING-NEW-OP-1", "FINDING-OLD-OP-1", "FINDING-OLD-OP-1: no id of a finding on NEW-OP"),
        ("FINDING-NEW-OP-1", "FINDING-NEW-OP-0", "FINDING-NEW-OP-0: no id of a finding on NEW-OP"),
        ('["One.", "Two."]', '["One."]', "FINDING-NEW-OP-1: readings: Expected `array`"),
        ('["One.", "Two."]', '["One.", "One."]', "FINDING-NEW-OP-1: readings: something"),
        ('shown_by = ["ops/new.mlw:New.{f,g}\'vc"]\n', "", "FINDING-NEW-OP-1: either shown_by"),
        (
            "shown_by",
            "not_shown = 'No.'\nshown_by",
            "FINDING-NEW-OP-1: either shown_by or a sketch",
        ),
        ("ops/new.mlw:", "", "FINDING-NEW-OP-1: shown_by[0]: Expected `str` matching regex"),
        ("decision =", "choice =", "FINDING-NEW-OP-1: Object contains unknown field `choice`"),
        ("[[finding]]", "[[findings]]", "Object contains unknown field `findings`"),
    ],
)
def test_malformed_findings(old: str, new: str, message: str) -> None:
    assert old in ONE
    with pytest.raises(ValueError, match=re.escape(f"findings.toml: {message}")):
        read(ONE.replace(old, new))


def test_a_finding_twice() -> None:
    with pytest.raises(ValueError, match=r"findings\.toml: FINDING-NEW-OP-1 is there twice"):
        read(ONE + ONE)


def test_what_was_left_out() -> None:
    for each in registry().left_out:
        assert set(each.documents) <= set(registry().documents)
        assert each.what.endswith(".")
        assert each.reason.endswith(".")
        for named in re.findall(r"FINDING-[A-Z0-9-]+", each.reason):
            assert named in {finding.id for finding in registry().findings}


def test_a_reason_is_needed_to_leave_something_out() -> None:
    text = '[[left_out]]\ndocuments = ["NEW-OP"]\nsection = "All"\nwhat = "It."\n'
    with pytest.raises(ValueError, match=r"left_out 1: Object missing required field `reason`"):
        parse("left_out.toml", text)


def test_laws_are_of_operators_that_there_are() -> None:
    names = {each.name for each in operators()}
    assert {law.operator for law in registry().laws} <= names
    statements = [law.name for law in registry().laws]
    assert len({*statements}) == len(statements)


def test_a_law_holds_or_fails_over_each_kind_of_numbers() -> None:
    over = '[[law.over]]\nlevels = ["real"]\nholds = {}\nshown_by = ["ops/a.mlw:A.g"]\n'
    text = '[[law]]\noperator = "new"\nstatement = "It is."\n' + over.format("true")
    (law,) = parse("new.toml", text).law
    assert law.over[0].shown_by == ("ops/a.mlw:A.g",)
    with pytest.raises(ValueError, match=r"new\.toml: law 1: levels: something is there twice"):
        parse("new.toml", text + over.format("false"))


def test_operator_level_goals() -> None:
    rule = joined([parse("operator_goals.toml", RULE)])
    assert rule.includes("ops/a.mlw:A.h")
    assert not rule.includes("ops/a.mlw:A.g")
    assert not rule.includes("ops/a_witnesses.mlw:A.h")
    assert not rule.includes("scalar/a.mlw:A.h")
    assert not rule.includes("opsy/a.mlw:A.h")


def test_the_operators_are_operator_level() -> None:
    for symbol in (
        "ops/mul/definition.mlw:Mul.mul'vc",
        "ops/div/examples.mlw:DivRealExamples.ex3'vc",
    ):
        assert registry().includes(symbol)
    assert not registry().includes("ops/mul/witnesses.mlw:MulWitnesses.witness_mul'vc")


@pytest.mark.parametrize(
    ("old", "new"),
    [("reason", "because"), ("goals =", "files = ['x']\ngoals ="), ("goals =", "gaols =")],
)
def test_malformed_rule(old: str, new: str) -> None:
    assert old in RULE
    with pytest.raises(ValueError, match=r"^operator_goals\.toml: "):
        parse("operator_goals.toml", RULE.replace(old, new))
