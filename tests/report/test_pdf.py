"""A PDF against what it is drawn from, where the drawing is made up."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
import weasyprint
from pypdf import PdfWriter

from sonnx_formal.core.documents import encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.report import pdf
from sonnx_formal.report.documents import Documents
from sonnx_formal.report.draw_pdf import draw
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.seal import EVIDENCE
from sonnx_formal.report.views import page

MOMENT = datetime(2000, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def evidence(sources: dict[str, bytes]) -> Evidence:
    return assemble(Documents(), sources)


def drawn(evidence: Evidence, moment: datetime, pages: int = 1) -> bytes:
    """Empty pages with the evidence embedded."""
    writer, data = PdfWriter(), io.BytesIO()
    for _ in range(pages):
        writer.add_blank_page(100, 100)
    attachment = writer.add_attachment(EVIDENCE, encode(evidence))
    attachment.creation_date = moment
    writer.write(data)
    return data.getvalue()


@pytest.fixture
def path(tmp_path: Path, evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pdf, "pdf", drawn)
    path = tmp_path / "report.pdf"
    path.write_bytes(drawn(evidence, MOMENT))
    return path


def test_the_page_is_the_one_for_paper(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    class Undrawn:
        def __init__(self, *, string: str) -> None:
            self._text = string

        def write_pdf(self, **_: object) -> bytes:
            return self._text.encode()

    monkeypatch.setattr(weasyprint, "HTML", Undrawn)
    assert draw(evidence, MOMENT).decode() == page(evidence, paper=True) != page(evidence)


def test_what_is_drawn_alike(path: Path, evidence: Evidence) -> None:
    assert [*pdf.unlike(path, evidence)] == []


def test_what_has_more_pages(path: Path, evidence: Evidence) -> None:
    path.write_bytes(drawn(evidence, MOMENT, pages=2))
    (said,) = pdf.unlike(path, evidence)
    assert said == "is not what evidence.json is drawn as here: it has 2 pages for 1"


def test_what_cannot_be_drawn(
    path: Path, evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_pango(*_: object) -> bytes:
        raise UserError("the PDF needs Pango")

    monkeypatch.setattr(pdf, "pdf", without_pango)
    assert [*pdf.unlike(path, evidence)] == ["cannot be compared: the PDF needs Pango"]
