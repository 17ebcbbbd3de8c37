"""Operators by type: no cell is empty, and what is not there has a reason."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report import documents as report_documents
from sonnx_formal.report.coverage import CoverageCell, Covered, Found, coverage, proofs
from sonnx_formal.report.documents import CERTIFICATE
from sonnx_formal.report.evidence import assemble
from sonnx_formal.report.vector_pages import vector_pages
from sonnx_formal.report.views import View, page, summary
from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.operator import Instance
from tests.report.conftest import Documents, known, typed

COVERED = [each for each in instances() if each.operator.goes_by_onnx_name]


def cells(documents: Documents, operator: str, element_type: str) -> dict[str, CoverageCell]:
    (row,) = (
        row
        for row in coverage(typed(documents), operators())
        if (row.operator, row.element_type) == (operator, element_type)
    )
    return {cell.column: cell for cell in row.cells}


def test_no_cell_is_empty(whole: Documents) -> None:
    rows = coverage(typed(whole), operators())
    assert [(row.operator, row.element_type) for row in rows] == [
        (each.operator.name, each.label) for each in COVERED
    ]
    for row in rows:
        columns = ["defined", "proved", "vectors", "kernel", "reference", "other"]
        assert [cell.column for cell in row.cells] == columns
        assert all(cell.what.strip() for cell in row.cells)


def test_without_documents_they_are_the_reasons() -> None:
    for row in coverage(report_documents.Documents(), operators()):
        defined, *others = row.cells
        assert defined.covered is Covered.WHOLE
        assert {cell.what for cell in others} == {
            f"the document {name} is missing" for name in ("prove", "vectors", "kernels", "check")
        }


def test_what_there_is(whole: Documents) -> None:
    found = cells(whole, "mul", "int8")
    assert found["defined"].what == "ops.mul.definition.MulInt8"
    assert found["kernel"].what == "sonnx_mul_int8"
    assert found["reference"] == CoverageCell("reference", Covered.WHOLE, "7 pass", "7")
    assert found["other"] == CoverageCell(
        "other", Covered.PART, "7 pass, 1 diverges", "7 pass, 1 diverges"
    )
    number = len(whole["vectors"]["files"][0]["cases"])
    assert found["vectors"] == CoverageCell(
        "vectors", Covered.WHOLE, f"{number} vectors", f"{number}"
    )
    assert cells(whole, "mul", "int16")["vectors"].what == "0 vectors"
    extension = cells(whole, "add", "bfloat16")["defined"].what
    assert extension == "ops.add.floats.AddBFloat16, which no document lists"


@pytest.mark.parametrize(
    ("operator", "element_type", "why"),
    [
        ("add", "real", "real numbers: only definitions compute with them"),
        ("concat", "string", "elements of no fixed width"),
        ("leaky_relu", "float32", "open: there is no kernel"),
    ],
)
def test_why_there_is_no_kernel(
    whole: Documents, operator: str, element_type: str, why: str
) -> None:
    cell = cells(whole, operator, element_type)["kernel"]
    assert cell.covered is Covered.NONE
    assert cell.what.startswith(why)


@pytest.mark.parametrize(
    ("operator", "element_type", "counts", "why"),
    [
        ("mul", "real", {"not supported": 3}, "real numbers: only definitions compute with them"),
        ("leaky_relu", "bfloat16", {"not supported": 3}, "LeakyRelu of ONNX has not the type"),
        ("mul", "int8", {"not supported": 3}, "it says that it does not support it"),
        ("mul", "int8", {"refuses": 3}, "3 refuses: no such kernel"),
        ("mul", "int8", None, "it was not asked"),
    ],
)
def test_why_a_runtime_gives_nothing(
    documents: Documents, operator: str, element_type: str, counts: Any, why: str
) -> None:
    row = {"backend": "other", "operator": operator, "element_type": element_type}
    check = documents["check"]
    check["matrix"] = [row | {"counts": counts, "not_passed": {}}] if counts else []
    check["findings"][0].update(verdict="refuses", kind="no such kernel")
    cell = cells(documents, operator, element_type)["other"]
    assert cell == CoverageCell("other", Covered.NONE, why)


def test_who_is_not_installed_has_no_column(
    documents: Documents, sources: dict[str, bytes], vectors: Path
) -> None:
    check = documents["check"]
    about: dict[str, Any] = {"operator": "mul", "element_type": "int8", "form": {}, "example": None}
    probe = {"probe": "new", "question": "Is it?", "verdict": "pass", "kind": "", **about}
    check["probes"] = [
        {"backend": each["name"], "admissible": True, **probe} for each in check["backends"]
    ]
    evidence = assemble(typed(documents), sources, vectors)
    columns = '<th scope="col">other<', "| other |", "other: <span", "reference, other"
    for is_here in (True, False):
        ((_, cases),) = vector_pages(evidence, vectors)
        shown = page(evidence), summary(evidence), page(evidence), cases
        found = [column in text for column, text in zip(columns, shown, strict=True)]
        assert found == [is_here] * len(columns)
        assert [row.cells[-1].column == "other" for row in evidence.coverage[:1]] == [is_here]
        assert [len(answers) for answers in View(evidence).probes] == [1 + is_here]
        check["backends"][1].update(missing="no module", version=None)
        evidence = assemble(typed(documents), sources, vectors)
    assert '<a href="#gap-not-installed">not installed</a>: other.' in page(evidence)
    assert page(evidence).count("no module") == 1


@pytest.fixture(scope="module")
def goals(sources: dict[str, bytes]) -> list[GoalEntry]:
    """Those of the certificate, all proved; of each module a single one, as they are many."""
    names = (name.partition(":") for name in json.loads(sources[CERTIFICATE])["goals"])
    modules = dict.fromkeys((file, rest.partition(".")[0]) for file, _, rest in names)
    return [goal(file, module, proved=True) for file, module in modules]


def goal(file: str, module: str, *, proved: bool) -> GoalEntry:
    return cast(GoalEntry, SimpleNamespace(file=file, module=module, proved=proved))


@pytest.mark.parametrize("instance", COVERED, ids=str)
def test_each_has_goals(goals: list[GoalEntry], instance: Instance) -> None:
    """Its own and those of all types, and none of another type alone."""
    folder = f"ops/{instance.operator}/"
    here = [goal for goal in goals if goal.file.startswith(folder)]
    others = {each.module for each in instance.operator.instances()} - {instance.module}
    found = proofs(here, others)
    assert found.covered is Covered.WHOLE
    assert 0 < int(found.short) <= len(here)
    unproved = [
        goal(f"{file.replace('.', '/')}.mlw", module, proved=False)
        for file, _, module in (other.rpartition(".") for other in others)
    ]
    assert proofs([*here, *unproved], others) == found
    new = goal(f"{folder}new.mlw", "M", proved=False)
    part = f"{found.short} of {int(found.short) + 1} goals"
    assert proofs([*here, new], others) == Found(Covered.PART, part, part)
    assert proofs([new], others) == Found(Covered.NONE, "0 of 1 goal")


def test_a_cell_in_short(documents: Documents) -> None:
    found = cells(documents, "mul", "int8")
    assert [found[column].short for column in ("defined", "kernel", "reference", "vectors")] == [
        "", "", "7", found["vectors"].what.split()[0],
    ]  # fmt: skip
    row = {"backend": "other", "operator": "mul", "element_type": "int8", "not_passed": {}}
    documents["check"]["matrix"] = [row | {"counts": {"pass": 7, "within bound": 2}}]
    several = cells(documents, "mul", "int8")
    assert several["other"].short == "7 pass, 2 within bound"
    assert several["reference"].short == ""  # it was not asked


def test_an_extension_is_told_in_short(whole: Documents) -> None:
    assert cells(whole, "add", "bfloat16")["defined"].short == "which no document lists"
    assert not cells(whole, "mul", "int8")["defined"].short


def test_what_has_no_part_has_its_reason_below(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    evidence = assemble(typed(documents), sources)
    shown = page(evidence)
    cells = [cell for row in evidence.coverage for cell in row.cells]
    reasons = [*dict.fromkeys(cell.what for cell in cells if cell.covered is Covered.NONE)]
    assert len(reasons) > 1
    for number, reason in enumerate(reasons, start=1):
        assert f'<li id="uncovered-{number}">{reason}</li>' in shown
        assert f'<a href="#uncovered-{number}">{number}</a>' in shown


def test_both_tables_are_on_the_page(documents: Documents, sources: dict[str, bytes]) -> None:
    documents["check"]["known"].append(known("not as recorded", "pass"))
    evidence = assemble(typed(documents), sources)
    shown = page(evidence)
    for row in evidence.coverage:
        assert (
            f'<th scope="row">{row.operator}</th><th scope="row">{row.element_type}</th>' in shown
        )
    assert "Known divergences of runtimes" in shown
    assert '<span class="good">as recorded</span>' in shown
    assert "now: pass" in shown
