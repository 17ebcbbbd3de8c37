"""A report checked against itself: every hash, and everything that follows from something else."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from pypdf import PdfReader
from pypdf.errors import PyPdfError

from sonnx_formal.core.errors import UserError
from sonnx_formal.report.assemble import assemble
from sonnx_formal.report.bundle import (
    DOCUMENTS,
    EVIDENCE,
    PDF,
    RENDERINGS,
    SOURCES,
    SUMS,
    VECTORS,
    files_in,
)
from sonnx_formal.report.documents import KINDS, Kind, read, sha256
from sonnx_formal.report.evidence import Evidence, decoded, encoded, validator
from sonnx_formal.report.pdf import EMBEDDED, pdf
from sonnx_formal.report.sources import read_sources
from sonnx_formal.vectors.storage import load

# What pypdf thinks of a broken file would stand between the flaws, without its name.
logging.getLogger("pypdf").addHandler(logging.NullHandler())


class Flaw(Struct, frozen=True):
    """Something that is not as it should be."""

    file: str
    what: str


class Verification(Struct, frozen=True):
    """What was found."""

    evidence: Evidence | None
    flaws: tuple[Flaw, ...]


def verify(folder: Path, say: Callable[[str], None]) -> Verification:
    """Check a report with nothing but the files in its folder. No prover is run.

    :param say: is told what comes next.
    :raises UserError: when there is no report.
    """
    if not (folder / SUMS).is_file():
        raise UserError(f"{folder / SUMS}: no such file: is {folder} the folder of a report?")
    flaws: list[Flaw] = []
    say("hashes")
    flaws += _hashes(folder)
    say("evidence")
    evidence = None
    try:
        text = (folder / EVIDENCE).read_bytes()
        evidence = decoded(text)
    except OSError as error:
        flaws.append(Flaw(EVIDENCE, f"{error.strerror}"))
    except UserError as error:
        flaws.append(Flaw(EVIDENCE, str(error).removeprefix(f"{EVIDENCE}: ")))
    if evidence is not None:
        flaws += _schema(text)
        flaws += _derivation(folder, text, evidence)
        for name in RENDERINGS:
            say(name)
            flaws += _rendering(folder, name, evidence)
        say(PDF)
        flaws += _pdf(folder, text, evidence)
        say("test vectors")
        flaws += _vectors(folder, evidence)
    return Verification(evidence, tuple(flaws))


def _hashes(folder: Path) -> Iterator[Flaw]:
    listed: dict[str, str] = {}
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        yield Flaw(SUMS, "cannot be read")
        return
    for number, line in enumerate(lines, start=1):
        seal, separator, name = line.partition("  ")
        if not separator or name in listed:
            yield Flaw(
                SUMS, f"line {number} is not as `sha256sum` writes it, or a file is there twice"
            )
            continue
        listed[name] = seal
    present = files_in(folder)
    for name in sorted(set(listed) - set(present)):
        yield Flaw(name, "is missing")
    for name in present:
        if name not in listed:
            yield Flaw(name, f"{SUMS} does not have it: it was added")
        elif (folder / name).is_symlink():
            yield Flaw(name, "is a link")
        elif sha256((folder / name).read_bytes()) != listed[name]:
            yield Flaw(name, f"was changed: its hash is not the one in {SUMS}")


def _schema(text: bytes) -> Iterator[Flaw]:
    for error in list(validator().iter_errors(json.loads(text)))[:1]:
        yield Flaw(EVIDENCE, f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")


def _derivation(folder: Path, text: bytes, evidence: Evidence) -> Iterator[Flaw]:
    """Whether the evidence is what the documents and the sources give."""
    documents = {}
    for kind in KINDS:
        path = _document(kind, folder)
        try:
            if (found := read(kind, path)) is not None:
                documents[kind.name] = found
        except UserError as error:
            yield Flaw(path.relative_to(folder).as_posix(), str(error).removeprefix(f"{path}: "))
            return
    try:
        derived = assemble(documents, read_sources(folder / SOURCES))
    except UserError as error:
        yield Flaw(DOCUMENTS, str(error))
        return
    if encoded(derived).encode() != text:
        fields = [
            name
            for name in Evidence.__struct_fields__
            if getattr(derived, name) != getattr(evidence, name)
        ]
        where = ", ".join(fields) or "the layout of the file"
        yield Flaw(EVIDENCE, f"does not follow from {DOCUMENTS}/ and {SOURCES}/: {where}")


def _document(kind: Kind, folder: Path) -> Path:
    if kind.name == VECTORS:
        return folder / VECTORS / "manifest.json"
    return folder / DOCUMENTS / f"{kind.name}.json"


def _rendering(folder: Path, name: str, evidence: Evidence) -> Iterator[Flaw]:
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return  # said already, with the hashes
    if data != RENDERINGS[name](evidence).encode():
        yield Flaw(name, f"is not what {EVIDENCE} renders to")


def _pdf(folder: Path, text: bytes, evidence: Evidence) -> Iterator[Flaw]:
    """Whether the PDF embeds this evidence, and is what that is drawn as, byte for byte."""
    try:
        data = (folder / PDF).read_bytes()
    except OSError:
        return
    try:
        embedded = PdfReader(io.BytesIO(data)).attachment_list
        found = [(one.name, one.content, one.creation_date) for one in embedded]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield Flaw(PDF, f"cannot be read: {error}")
        return
    match found:
        case [(name, content, datetime() as moment)] if (name, content) == (EMBEDDED, text):
            try:
                drawn = pdf(evidence, moment)
            except UserError as error:
                yield Flaw(PDF, f"cannot be compared: {error}")
                return
            if drawn != data:
                yield Flaw(PDF, f"is not what {EVIDENCE} is drawn as here: {_unlike(data, drawn)}")
        case _:
            yield Flaw(PDF, f"does not embed this {EVIDENCE}, and nothing else")


def _unlike(data: bytes, drawn: bytes) -> str:
    """What a reader would see of the difference between two PDFs."""
    try:
        said, meant = _pages(data), _pages(drawn)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"its pages cannot be read: {error}"
    for number, (one, other) in enumerate(zip(said, meant, strict=False), start=1):
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            around = slice(max(0, at - 3), at + 5)
            here = f"{' '.join(one[around])!r} for {' '.join(other[around])!r}"
            return f"the first difference is on page {number}, {here}"
    if len(said) != len(meant):
        return f"it has {len(said)} pages for {len(meant)}"
    return (
        "each word is the same, so it was drawn with other fonts or another Pango, or something"
        " else than text was changed: read report.html, which does not depend on them"
    )


def _pages(data: bytes) -> list[list[str]]:
    """The words of each page."""
    return [page.extract_text().split() for page in PdfReader(io.BytesIO(data)).pages]


def _vectors(folder: Path, evidence: Evidence) -> Iterator[Flaw]:
    if evidence.vectors is None:
        return
    try:
        for _ in load(folder / VECTORS):
            pass
    except UserError as error:
        yield Flaw(VECTORS, str(error).replace(f"{folder}/", ""))
