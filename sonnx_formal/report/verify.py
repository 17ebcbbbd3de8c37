"""A report checked against itself: every hash, and everything that follows from something else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.report.assemble import assemble
from sonnx_formal.report.bundle import DOCUMENTS, EVIDENCE, PDF, RENDERINGS, SOURCES, SUMS, files_in
from sonnx_formal.report.documents import KINDS, VECTORS, read, sha256
from sonnx_formal.report.evidence import Evidence, decoded, encoded
from sonnx_formal.report.pdf import unlike
from sonnx_formal.report.sources import read_sources
from sonnx_formal.vectors.storage import load


class Flaw(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    what: str


class VerificationReport(Document, frozen=True, tag="sonnx-formal/verify-report/1"):
    """The output of `sonnx-formal verify-report --json`."""

    command = "verify-report DIR --json PATH"

    verified: bool
    """Whether nothing was changed."""
    replayed: bool
    """Whether proofs and expected results were found out anew."""
    blocking_gaps: Count
    """What the evidence itself says."""
    flaws: tuple[Flaw, ...]


@dataclass(frozen=True)
class ReportCheck:
    """What came of checking the files of a report."""

    evidence: Evidence | None
    flaws: tuple[Flaw, ...]


def verify(folder: Path, say: Callable[[str], None]) -> ReportCheck:
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
        flaws += _derivation(folder, text, evidence)
        for name in RENDERINGS:
            say(name)
            flaws += _rendering(folder, name, evidence)
        say(PDF)
        flaws += (Flaw(PDF, what) for what in unlike(folder / PDF, evidence))
        say("test vectors")
        flaws += _vectors(folder, evidence)
    return ReportCheck(evidence, tuple(flaws))


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


def _derivation(folder: Path, text: bytes, evidence: Evidence) -> Iterator[Flaw]:
    """Whether the evidence is what the documents and the sources give."""
    documents = {}
    for kind in KINDS:
        path = folder / (kind.path if kind.name == VECTORS else f"{DOCUMENTS}/{kind.path}")
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


def _rendering(folder: Path, name: str, evidence: Evidence) -> Iterator[Flaw]:
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return  # said already, with the hashes
    if data != RENDERINGS[name](evidence).encode():
        yield Flaw(name, f"is not what {EVIDENCE} renders to")


def _vectors(folder: Path, evidence: Evidence) -> Iterator[Flaw]:
    if evidence.vectors is None:
        return
    try:
        for _ in load(folder / VECTORS):
            pass
    except UserError as error:
        yield Flaw(VECTORS, str(error).replace(f"{folder}/", ""))
