"""A report that was changed is caught, and what was changed is named."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.annotations import Rectangle

from sonnx_formal.core.documents import decode, encode, read
from sonnx_formal.core.errors import UserError
from sonnx_formal.report.bundle import PDF, RENDERINGS, verify
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.pdf import date_of_sources
from sonnx_formal.report.seal import EVIDENCE, SUMS, check_hashes, sums
from tests.report.conftest import drawn, quiet

Tampering = Callable[[Path], object]


@pytest.fixture
def report(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "report"))


def replaced(name: str, old: str, new: str) -> Tampering:
    """One edit in a file."""

    def tamper(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return tamper


def flipped(name: str) -> Tampering:
    """One bit in the middle of a file."""

    def tamper(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)

    return tamper


def removed(name: str) -> Tampering:
    return lambda folder: (folder / name).unlink()


def added(name: str) -> Tampering:
    return lambda folder: (folder / name).touch()


def without_gap(folder: Path) -> None:
    """The evidence less its first gap, and everything rendered from that, as a forger would."""
    evidence = read(folder / EVIDENCE, Evidence)
    text = encode(evidence).decode().replace(f'"{evidence.gaps[0].id}"', '"nothing"', 1)
    forged = decode(text.encode(), Evidence, EVIDENCE)
    (folder / EVIDENCE).write_bytes(encode(forged))
    for name, render in RENDERINGS.items():
        (folder / name).write_bytes(render(forged).encode())


def other_pdf(folder: Path) -> None:
    """Its pages are right, and what is embedded is not."""
    writer = PdfWriter(clone_from=folder / PDF)
    attachments = writer.attachment_list
    next(iter(attachments)).delete()
    writer.add_attachment(EVIDENCE, b"{}")
    writer.write(folder / PDF)


def forged_page(folder: Path) -> None:
    """A PDF of other pages, in which the evidence of this report is embedded."""
    evidence = read(folder / EVIDENCE, Evidence)
    data = encode(evidence).replace(b"have `one` shape", b"have any shape")
    forged = decode(data, Evidence, EVIDENCE)
    writer = PdfWriter(clone_from=io.BytesIO(drawn(forged, date_of_sources())))
    (attachment,) = writer.attachment_list
    attachment.content = (folder / EVIDENCE).read_bytes()
    writer.write(folder / PDF)


def more_embedded(folder: Path) -> None:
    writer = PdfWriter(clone_from=folder / PDF)
    writer.add_attachment("more.json", b"{}")
    writer.write(folder / PDF)


def covered_page(folder: Path) -> None:
    """Each word is there, and something is drawn over it."""
    writer = PdfWriter(clone_from=folder / PDF)
    writer.add_annotation(0, Rectangle(rect=(0, 0, 400, 800), interior_color="ffffff"))
    writer.write(folder / PDF)


def shorter_sums(folder: Path) -> None:
    lines = (folder / SUMS).read_text().splitlines(keepends=True)
    (folder / SUMS).write_text("".join(lines[1:]))


LIBRARY = "sources/why3"
TAMPERINGS: dict[str, tuple[Tampering, str]] = {
    "a verdict in the evidence": (
        replaced(EVIDENCE, '"verdict": "proved"', '"verdict": "unproved"'),
        EVIDENCE,
    ),
    "evidence that is no JSON": (replaced(EVIDENCE, "{", ""), EVIDENCE),
    "a gap left out, everything rendered anew": (without_gap, EVIDENCE),
    "a definition": (
        replaced(f"{LIBRARY}/ops/mul/definition.mlw", "a.value i *", "a.value i +"),
        EVIDENCE,
    ),
    "the certificate": (replaced(f"{LIBRARY}/proofs.json", '"steps": ', '"steps": 1'), EVIDENCE),
    "a requirement": (
        replaced("sources/sonnx_formal/spec/requirements/sonnx-mul.toml", "shape", "size"),
        EVIDENCE,
    ),
    "the verdict of a run": (
        replaced("documents/prove.json", '"family": "z3"', '"family": "other"'),
        EVIDENCE,
    ),
    "the commit": (replaced(EVIDENCE, '"changed": ', '"changed": true, "changed": '), EVIDENCE),
    "the result of a target": (
        replaced("documents/targets.json", '"other_differing": 0', '"other_differing": 1'),
        EVIDENCE,
    ),
    "a document that was given gone": (removed("documents/kernel-speed.json"), EVIDENCE),
    "a document gone": (removed("documents/trace.json"), EVIDENCE),
    "a document of another kind": (
        replaced("documents/check.json", "formal/check/", "formal/other/"),
        "documents",
    ),
    "a test vector": (flipped("vectors/mul-int8.npz"), "vectors"),
    "a page of test vectors": (
        replaced("cases/mul-int8.html", "bits</span> <code>[0x", "bits</span> <code>[1x"),
        "cases/mul-int8.html",
    ),
    "a page of test vectors gone": (removed("cases/mul-int8.html"), "cases/mul-int8.html"),
    "the manifest of the vectors": (
        replaced("vectors/manifest.json", '"seed": 0', '"seed": 1'),
        EVIDENCE,
    ),
    "the page": (replaced("report.html", "Nothing is signed", "All is signed"), "report.html"),
    "the summary": (replaced("report.md", "Nothing is signed", "All is signed"), "report.md"),
    "the drawing": (replaced("assurance.svg", "not developed here", "supported"), "assurance.svg"),
    "JUnit": (replaced("junit.xml", 'errors="', 'errors="1'), "junit.xml"),
    "SARIF": (replaced("report.sarif", '"level": "note"', '"level": "none"'), "report.sarif"),
    "the table": (replaced("trace.csv", "formalised", "planned"), "trace.csv"),
    "the bill of materials": (replaced("sbom.cdx.json", "numpy", "numpi"), "sbom.cdx.json"),
    "the embedded evidence": (other_pdf, PDF),
    "a PDF that is none": (lambda folder: (folder / PDF).write_text("%PDF"), PDF),
}


def flaws(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for flaw in verify(folder, quiet)[1]:
        found[flaw.file] = "; ".join(filter(None, (found.get(flaw.file), flaw.what)))
    return found


@pytest.mark.long
def test_nothing_was_changed(report: Path) -> None:
    assert flaws(report) == {}


@pytest.mark.parametrize("name", TAMPERINGS)
@pytest.mark.long
def test_change_is_caught_though_all_hashes_are_made_anew(report: Path, name: str) -> None:
    tamper, named = TAMPERINGS[name]
    tamper(report)
    (report / SUMS).write_text(sums(report), encoding="utf-8")
    assert named in flaws(report)


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (forged_page, "the first difference is on page 1, "),
        (covered_page, "each word is the same"),
        (more_embedded, "and nothing else"),
    ],
)
@pytest.mark.long
def test_what_a_reader_of_the_pdf_would_see_is_said(
    report: Path, tamper: Tampering, said: str
) -> None:
    tamper(report)
    (report / SUMS).write_text(sums(report), encoding="utf-8")
    assert said in flaws(report)[PDF]


@pytest.mark.long
def test_the_day_of_the_check_does_not_matter(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = read(report / EVIDENCE, Evidence)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (report / PDF).write_bytes(drawn(evidence, date_of_sources()))
    (report / SUMS).write_text(sums(report), encoding="utf-8")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    assert flaws(report) == {}


@pytest.mark.parametrize(
    ("tamper", "named"),
    [
        (flipped(PDF), PDF),
        (flipped("sources/why3/ops/div/definition.mlw"), "sources/why3/ops/div/definition.mlw"),
        (added("documents/note.txt"), "documents/note.txt"),
        (removed("trace.csv"), "trace.csv"),
        (shorter_sums, "assurance.svg"),
        (lambda folder: (folder / SUMS).write_text("nothing\n"), SUMS),
    ],
)
@pytest.mark.long
def test_change_is_caught_by_the_hashes(report: Path, tamper: Tampering, named: str) -> None:
    tamper(report)
    assert named in {flaw.file for flaw in check_hashes(report).flaws}


@pytest.mark.long
def test_every_change_of_a_byte_is_caught(report: Path) -> None:
    for name in (EVIDENCE, "report.html", "documents/prove.json", "vectors/manifest.json"):
        flipped(name)(report)
        found = {flaw.file: flaw.what for flaw in check_hashes(report).flaws}
        assert "was changed" in found[name]
        flipped(name)(report)


@pytest.mark.long
def test_link_to_elsewhere_is_no_file(report: Path, tmp_path: Path) -> None:
    kept = (report / "report.md").rename(tmp_path / "report.md")
    (report / "report.md").symlink_to(kept)
    assert "is a link" in flaws(report)["report.md"]


def test_folder_without_a_report(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is .* the folder of a report"):
        verify(tmp_path, quiet)
