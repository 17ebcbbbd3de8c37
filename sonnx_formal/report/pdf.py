"""The evidence as PDF/A-3 with `evidence.json` embedded, for archives."""

import gc
import os
import warnings
from datetime import UTC, datetime

from sonnx_formal.core.errors import UserError
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence, encoded
from sonnx_formal.report.html import page

VARIANT = "pdf/a-3u"
EMBEDDED = "evidence.json"


def pdf(evidence: Evidence, moment: datetime) -> bytes:
    """The report on paper, with the same bytes for the same arguments, WeasyPrint, Pango and fonts.

    :param moment: the date that PDF asks for of what is embedded.
    :raises UserError: when Pango is missing.
    """
    try:
        from weasyprint import HTML, Attachment  # noqa: PLC0415 (loads Pango: a second)
    except OSError as error:
        raise UserError(f"the PDF needs Pango ({error}): `make setup` installs it") from None
    text = encoded(evidence)
    attachment = Attachment(
        string=text.encode(),
        name=EMBEDDED,
        description="The evidence that this report is rendered from",
        created=moment,
        modified=moment,
        relationship="Source",
    )
    with warnings.catch_warnings():
        # WeasyPrint leaves the file of its colour profile to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        data: bytes = HTML(string=page(evidence, paper=True)).write_pdf(
            pdf_variant=VARIANT,
            pdf_tags=True,
            pdf_identifier=sha256(text)[:32].encode(),
            attachments=[attachment],
        )
        gc.collect()
    return data


def date_of_sources() -> datetime:
    """SOURCE_DATE_EPOCH, else the beginning of 1980.

    :raises UserError: when SOURCE_DATE_EPOCH is no number of seconds since 1970.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "315532800")
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise UserError(
            f"SOURCE_DATE_EPOCH is {epoch!r}, no number of seconds since 1970"
        ) from None
