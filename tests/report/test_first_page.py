"""What an assessor asks first: which item, what verdict, of what, and one requirement in full."""

import io
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from pypdf import PdfReader

from sonnx_formal.core.documents import read
from sonnx_formal.core.errors import UserError
from sonnx_formal.report.bundle import DOCUMENTS, PDF
from sonnx_formal.report.documents import ITEM, ConfigurationItem
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.item import configuration_item, unidentified
from sonnx_formal.report.seal import EVIDENCE
from sonnx_formal.report.views import page
from sonnx_formal.vectors.storage import load
from tests.report.conftest import Documents, typed

ITEM_OF_A_DAY = ConfigurationItem("1.2", "c0ffee" * 6 + "abcd", False, "2026-01-02T03:04:05Z")


@pytest.fixture
def evidence(documents: Documents, sources: dict[str, bytes], vectors: Path) -> Evidence:
    return assemble(replace(typed(documents), item=ITEM_OF_A_DAY), sources, vectors)


def head(evidence: Evidence) -> str:
    return page(evidence).partition('id="gaps"')[0]


def test_the_item_comes_first(evidence: Evidence) -> None:
    shown = head(evidence)
    assert ITEM_OF_A_DAY.commit
    for fact in (ITEM_OF_A_DAY.commit, ITEM_OF_A_DAY.date, evidence.library_sha256):
        assert str(fact) in shown
    assert evidence.library_sha256 == evidence.vectors.formal_sources_sha256  # type: ignore[union-attr]
    for non_claim in evidence.non_claims:
        assert f'id="{non_claim.id}"' in shown


def test_what_no_commit_has_is_said(evidence: Evidence) -> None:
    changed = replace(evidence, item=replace(ITEM_OF_A_DAY, changed=True))
    assert "with changes that no commit has" in head(changed)
    assert "with changes that no commit has" not in head(evidence)
    nobody = head(replace(evidence, item=None))
    assert "not known" in nobody
    assert "SOURCE_DATE_EPOCH was not set" in nobody


def test_item_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", tmp_path, *author, *arguments], check=True)

    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    item = configuration_item(tmp_path)
    assert (item.commit, item.changed, item.date) == (None, False, None)
    assert len([*unidentified(item)]) == 2
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    (tmp_path / "a").touch()
    git("init", "--quiet")
    git("add", "a")
    git("commit", "--quiet", "--message", "a")
    item = configuration_item(tmp_path)
    assert re.fullmatch("[0-9a-f]{40}", item.commit or "")
    assert (item.changed, item.date) == (False, "1970-01-02T00:00:00Z")
    assert [*unidentified(item)] == []
    (tmp_path / "a").write_text("b")
    assert configuration_item(tmp_path).changed
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(UserError, match="SOURCE_DATE_EPOCH is 'today'"):
        configuration_item(tmp_path)


def test_the_item_is_a_document_of_the_report(made: Path) -> None:
    item = read(made / DOCUMENTS / ITEM, ConfigurationItem)
    assert item == read(made / EVIDENCE, Evidence).item


def test_a_requirement_down_to_the_bits(evidence: Evidence, vectors: Path) -> None:
    worked = evidence.worked
    assert worked
    assert worked.id == "SONNX-MUL.R1"
    assert worked.formula
    assert worked.formula.file == "ops/mul/definition.mlw"
    assert "[@expl:SONNX-MUL.R1 same shape]" in worked.formula.text
    assert worked.vector
    (case,) = (each for each in load(vectors) if each.name == worked.vector.name)
    assert worked.id in case.requirements
    element = case.expected[worked.vector.index]
    assert worked.vector.expected.decimal == str(element)
    assert worked.vector.expected.bits == f"0x{int(element.view(np.uint8)):02x}"
    assert [each.name for each in worked.vector.operands] == ["A", "B"]
    shown = head(evidence)
    for said in (
        worked.vector.name,
        worked.vector.expected.bits,
        f"{int(element.view(np.uint8)):08b}",
        evidence.goals[0].task_sha256,
    ):
        assert str(said) in shown


def test_verdicts_on_the_vector_are_those_of_the_cross_check(
    documents: Documents, sources: dict[str, bytes], vectors: Path
) -> None:
    def verdicts() -> dict[str, str]:
        worked = assemble(typed(documents), sources, vectors).worked
        assert worked
        assert worked.vector
        name = worked.vector.name
        assert all(each == name for row in matrix for each in row["not_passed"])
        return {each.implementation: each.verdict for each in worked.vector.verdicts}

    matrix: list[dict[str, Any]] = documents["check"]["matrix"]
    assert verdicts() == {"reference": "pass", "other": "pass"}
    worked = assemble(typed(documents), sources, vectors).worked
    assert worked
    assert worked.vector
    matrix[1]["not_passed"] = {worked.vector.name: "diverges"}
    assert verdicts() == {"reference": "pass", "other": "diverges"}
    matrix[1].update(counts=dict.fromkeys(matrix[1]["counts"], 0), not_passed={})
    matrix[1]["counts"]["not supported"] = 8
    assert verdicts() == {"reference": "pass", "other": "not supported"}


def test_a_definition_over_floats_is_preferred(
    documents: Documents, sources: dict[str, bytes], vectors: Path
) -> None:
    lines = documents["trace"]["requirements"]
    goals = lines[0]["goals"]
    lines.append(lines[0] | {"id": "SONNX-MUL.C1", "kind": "definition", "levels": ["real"]})
    lines.append(lines[0] | {"id": "SONNX-MUL.FUNC", "kind": "definition", "goals": goals})
    lines.append(lines[2] | {"id": "SONNX-MUL.T", "kind": "type"})
    worked = assemble(typed(documents), sources, vectors).worked
    assert worked
    assert worked.id == "SONNX-MUL.FUNC"
    lines[3]["proof"] = "unproved"
    worked = assemble(typed(documents), sources, vectors).worked
    assert worked
    assert worked.id == "SONNX-MUL.C1"


@pytest.mark.parametrize("missing", ["trace", "vectors", "check"])
def test_what_is_missing_for_the_example(
    documents: Documents, sources: dict[str, bytes], vectors: Path, missing: str
) -> None:
    del documents[missing]
    evidence = assemble(typed(documents), sources, vectors if "vectors" in documents else None)
    shown = head(evidence)
    assert (evidence.worked is None) == (missing == "trace")
    said = {
        "trace": "The document <code>trace</code> was not there",
        "vectors": "or the vectors were not there",
        "check": "No implementation was asked",
    }
    assert said[missing] in shown


@pytest.mark.long
def test_on_paper_all_of_that_is_the_first_page(made: Path) -> None:
    """And the tables of the standards are not at the end."""
    evidence = read(made / EVIDENCE, Evidence)
    pages = [each.extract_text() for each in PdfReader(io.BytesIO((made / PDF).read_bytes())).pages]
    assert evidence.item
    assert evidence.worked
    assert evidence.worked.vector
    for said in (
        evidence.item.commit,
        "What is not claimed",
        evidence.worked.vector.name,
        evidence.worked.vector.expected.bits,
        "reference: pass",
    ):
        assert str(said) in pages[0]
    assert "Honest gaps" not in pages[0]
    for title in ("DO-333 / ED-216", "ISO 26262-8:2018"):
        assert next(place for place, text in enumerate(pages, 1) if title in text) < 10
