"""Draws the evidence as PDF/A-3: a program, for it takes minutes in which others can be at work.

It is given the path of `evidence.json`, the path of the PDF, and its date.
"""

import gc
import sys
import warnings
from datetime import datetime
from pathlib import Path

from sonnx_formal.core import documents
from sonnx_formal.core.documents import encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_file
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.seal import EVIDENCE
from sonnx_formal.report.views import page

FAILED = 2
"""The exit status where something is missing, which standard error says."""


def draw(evidence: Evidence, moment: datetime) -> bytes:
    """The report on paper, with the same bytes for the same arguments, WeasyPrint, Pango and fonts.

    :param moment: the date that PDF asks for of what is embedded.
    :raises UserError: when Pango is missing.
    """
    try:
        from weasyprint import HTML, Attachment  # noqa: PLC0415 (loads Pango: a second)
    except OSError as error:
        raise UserError(f"the PDF needs Pango ({error}): `make setup` installs it") from None
    text = encode(evidence)
    attachment = Attachment(
        string=text,
        name=EVIDENCE,
        description="The evidence that this report is rendered from",
        created=moment,
        modified=moment,
        relationship="Source",
    )
    with warnings.catch_warnings():
        # WeasyPrint leaves the file of its colour profile to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        data: bytes = HTML(string=page(evidence, paper=True)).write_pdf(
            pdf_variant="pdf/a-3u",
            pdf_tags=True,
            pdf_identifier=sha256(text)[:32].encode(),
            attachments=[attachment],
        )
        gc.collect()
    return data


def _main(given: Path, made: Path, moment: str) -> int:
    try:
        write_file(made, draw(documents.read(given, Evidence), datetime.fromisoformat(moment)))
    except UserError as error:
        sys.stderr.write(str(error))
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
