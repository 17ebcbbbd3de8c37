"""What the hashes of a report tell by themselves: no file was changed after it was made.

Nothing else is imported here, so that the answer is there before all that the rest needs is loaded.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_file

EVIDENCE = "evidence.json"
SUMS = "SHA256SUMS"
SOURCES = "sources"


class Flaw(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    what: str


class Seal(NamedTuple):
    """What the hashes tell."""

    files: int
    """How many were looked at."""
    flaws: list[Flaw]


class _HashedDocument(Struct, frozen=True):
    name: str
    sha256: str | None


class _HashedSource(Struct, frozen=True):
    path: str
    sha256: str


class _HashedEvidence(Struct, frozen=True):
    """What of the evidence has hashes; all else in it is passed over."""

    documents: tuple[_HashedDocument, ...]
    sources: tuple[_HashedSource, ...]


def files_in(folder: Path) -> list[str]:
    """The files of a report but for `SHA256SUMS`, as paths within it: all that is no folder."""
    paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in paths if path != folder / SUMS)


def sums(folder: Path) -> str:
    """What `sha256sum` prints for the files of a folder."""
    return "".join(f"{_sha256(folder / name)}  {name}\n" for name in files_in(folder))


def check_hashes(folder: Path) -> Seal:
    """Compare the files with `SHA256SUMS`, and with the hashes that the evidence has of them.

    :raises UserError: when there is no report.
    """
    if not (folder / SUMS).is_file():
        raise UserError(f"{folder / SUMS}: no such file: is {folder} the folder of a report?")
    present = {name: _regular_sha256(folder / name) for name in files_in(folder)}
    flaws = [*_unlike_sums(folder, present), *_unlike_evidence(folder, present)]
    return Seal(len(present), flaws)


def _unlike_sums(folder: Path, present: dict[str, str | None]) -> Iterator[Flaw]:
    listed: dict[str, str] = {}
    try:
        lines = read_file(folder / SUMS).decode().splitlines()
    except (UserError, ValueError):
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
    for name in sorted(set(listed) - set(present)):
        yield Flaw(name, "is missing")
    for name, found in present.items():
        if name not in listed:
            yield Flaw(name, f"{SUMS} does not have it: it was added")
        elif found is None:
            yield Flaw(name, "is a link, or no regular file")
        elif found != listed[name]:
            yield Flaw(name, f"was changed: its hash is not the one in {SUMS}")


def _unlike_evidence(folder: Path, present: dict[str, str | None]) -> Iterator[Flaw]:
    """Whoever makes `SHA256SUMS` fit has to make the evidence fit, too."""
    try:
        data = read_file(folder / EVIDENCE)
        evidence = msgspec.json.decode(data, type=_HashedEvidence)
    except (UserError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return  # which is said when the evidence is read as a whole
    for source in evidence.sources:
        name = f"{SOURCES}/{source.path}"
        if name in present and present[name] != source.sha256:
            yield Flaw(name, f"its hash is not the one that {EVIDENCE} has of it")
    hashes = {*present.values()}
    for document in evidence.documents:
        if document.sha256 and document.sha256 not in hashes:
            yield Flaw(EVIDENCE, f"no file has the hash of the document {document.name}")


def _regular_sha256(path: Path) -> str | None:
    return None if path.is_symlink() or not path.is_file() else _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
