"""From each requirement to each test vector, without opening an `.npz`."""

from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from sonnx_formal.core.documents import read
from sonnx_formal.oracle.notation import nested
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.seal import EVIDENCE
from sonnx_formal.report.vector_pages import vector_pages
from sonnx_formal.spec.catalogue import selected
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case, call_of, read_manifest
from sonnx_formal.vectors.storage import load
from tests.report.conftest import Documents, typed
from tests.report.test_renderings import HOSTILE, Page


def lists(text: str) -> str:
    """Nested lists as the pages have them."""
    return text.replace(",", "").replace("'", "")


def test_every_vector_has_its_operands_and_its_result(made: Path, vectors: Path) -> None:
    (page,) = (made / "cases").iterdir()
    assert page.name == "mul-int8.html"
    text = page.read_text(encoding="utf-8")
    count = 0
    for case in load(vectors):
        _, found, rest = text.partition(f'<h3 id="{case.name}">')
        assert found
        entry = rest.partition("<h3")[0]
        for array in (*case.call.arrays, case.expected):
            bits = nested(array.view(np.uint8).tolist(), lambda number: f"0x{number:02x}")
            assert f"<code>{lists(str(array.tolist()))}</code>" in entry
            assert f"<code>{lists(str(bits))}</code>" in entry
        count += 1
    assert count == text.count("<h3")


def test_from_each_requirement_to_each_of_its_vectors(made: Path) -> None:
    report = Page((made / "report.html").read_text(encoding="utf-8"))
    pages = {
        name: Page((made / name).read_text(encoding="utf-8"))
        for name in {href.partition("#")[0] for href in report.values("href")} - {""}
    }
    trace = read(made / EVIDENCE, Evidence).trace
    assert trace
    asked = {line.id for line in trace.requirements}
    reached = set()
    for href in report.values("href"):
        name, _, target = unquote(href).partition("#")
        if name:
            assert target in pages[name].values("id")
            reached.add(target)
    files = read_manifest(made / "vectors").files
    exercised = {name for file in files for case in file.cases for name in case.requirements}
    assert exercised & asked
    assert exercised & asked <= reached
    for name, page in pages.items():
        ids = page.values("id")
        assert len(ids) == len(set(ids))
        for href in page.values("href"):
            place, _, target = unquote(href).partition("#")
            assert place in {"", "../report.html"}, name
            assert not target or target in (report.values("id") if place else ids)


def test_of_a_great_tensor_all_elements_are_there(
    whole: Documents, sources: dict[str, bytes], vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (instance,) = selected(["mul"], ["int8"])
    operand = np.arange(100, dtype=np.int8).reshape(10, 10)
    call, product = call_of(instance, (operand, operand)), operand * operand
    case = Case("great", instance, call, CaseClass.NOMINAL, ("SONNX-MUL.R1",), product)
    monkeypatch.setattr("sonnx_formal.report.vector_pages.load", lambda _folder: [case])
    ((_, text),) = vector_pages(assemble(typed(whole), sources, vectors), vectors)
    assert text.count("<summary>100 elements of int8, shape [10 10]</summary>") == 3
    for array in (operand, product):
        assert f"<code>{lists(str(array.tolist()))}</code>" in text
    bits = [[f"0x{element % 256:02x}" for element in row] for row in product.tolist()]
    assert f"<code>{lists(str(bits))}</code>" in text


def test_verdicts_are_with_each_vector(
    documents: Documents, sources: dict[str, bytes], vectors: Path
) -> None:
    first = documents["vectors"]["files"][0]["cases"][0]["name"]
    documents["check"]["matrix"][1]["not_passed"] = {first: "crashes"}
    ((_, text),) = vector_pages(assemble(typed(documents), sources, vectors), vectors)
    entries = text.split("<h3 ")[1:]
    crashed = [entry for entry in entries if "crashes: other" in entry]
    assert [f'id="{first}"' in entry for entry in crashed] == [True]
    assert sum("pass: reference, other" in entry for entry in entries) == len(entries) - 1


def test_a_page_runs_nothing_and_is_for_readers_without_eyes(
    documents: Documents, sources: dict[str, bytes], vectors: Path
) -> None:
    documents["check"]["backends"][1]["name"] = HOSTILE
    documents["check"]["matrix"][1]["backend"] = HOSTILE
    ((_, text),) = vector_pages(assemble(typed(documents), sources, vectors), vectors)
    assert "<script" not in text
    assert "&lt;script" in text
    found = Page(text)
    tags = [tag for tag, _ in found.elements]
    assert not {"script", "link", "img", "iframe"} & {*tags}
    assert tags.count("h1") == tags.count("main") == 1
    (policy,) = (each["content"] for _, each in found.elements if "http-equiv" in each)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
