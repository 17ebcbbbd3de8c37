"""The evidence as PDF/A-3 with `evidence.json` embedded, for archives."""

import io
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from sonnx_formal.core.documents import encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_given
from sonnx_formal.core.processes import run
from sonnx_formal.core.texts import counted
from sonnx_formal.report import draw_pdf
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.item import source_date
from sonnx_formal.report.seal import EVIDENCE

_BROKEN = (PyPdfError, ValueError, KeyError, TypeError, AttributeError)

# What pypdf thinks of a broken file would stand between the flaws, without its name.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


def pdf(evidence: Evidence, moment: datetime) -> bytes:
    """The report on paper, as `draw_pdf.draw` has it: by a process of its own, which takes minutes.

    :raises UserError: when Pango is missing.
    :raises KeyboardInterrupt: when a signal ended it.
    """
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        given, made = Path(folder) / EVIDENCE, Path(folder) / "report.pdf"
        given.write_bytes(encode(evidence))
        done = run(
            [sys.executable, "-m", draw_pdf.__name__, str(given), str(made), moment.isoformat()]
        )
        if done.returncode == draw_pdf.FAILED:
            raise UserError(done.stderr)
        if done.returncode:
            raise RuntimeError(f"the PDF was not drawn: {done.stderr}")
        return made.read_bytes()


def date_of_sources() -> datetime:
    """SOURCE_DATE_EPOCH, else the beginning of 1980. Raises `UserError` when it is no number."""
    return source_date() or datetime(1980, 1, 1, tzinfo=UTC)


def unlike(path: Path, evidence: Evidence) -> Iterator[str]:
    """How a PDF differs, byte for byte, from what this evidence is drawn as; none without one."""
    if not path.is_file():
        return
    data = read_given(path)
    try:
        embedded = PdfReader(io.BytesIO(data)).attachment_list
        found = [(each.name, each.content, each.creation_date) for each in embedded]
    except _BROKEN as error:
        yield f"cannot be read: {error}"
        return
    moment = found[0][2] if found else None
    if moment is None or found != [(EVIDENCE, encode(evidence), moment)]:
        yield f"does not embed this {EVIDENCE}, and nothing else"
        return
    try:
        drawn = pdf(evidence, moment)
    except UserError as error:
        yield f"cannot be compared: {error}"
        return
    if drawn != data:
        yield f"is not what {EVIDENCE} is drawn as here: {_first_difference(data, drawn)}"


def _first_difference(data: bytes, drawn: bytes) -> str:
    try:
        said, meant = (PdfReader(io.BytesIO(each)).pages for each in (data, drawn))
        for number, pages in enumerate(zip(said, meant, strict=False), start=1):
            words, wanted = (page.extract_text().split() for page in pages)
            if words != wanted:
                pairs = enumerate(zip(words, wanted, strict=False))
                at = next((place for place, (a, b) in pairs if a != b), 0)
                around = slice(max(0, at - 3), at + 5)
                here = f"{' '.join(words[around])!r} for {' '.join(wanted[around])!r}"
                return f"the first difference is on page {number}, {here}"
        if len(said) != len(meant):
            return f"it has {counted(len(said), 'page')} for {len(meant)}"
    except _BROKEN as error:
        return f"its pages cannot be read: {error}"
    return (
        "each word is the same, so it was drawn with other fonts or another Pango, or something"
        " else than text was changed: read report.html, which does not depend on them"
    )
