"""Test vectors in a folder: an `.npz` file for each operator and element type, and a manifest."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import TooLongError, names_in, read_file
from sonnx_formal.vectors.archive import (
    BadArchiveError,
    from_archive,
    from_member,
    to_archive,
    to_member,
)
from sonnx_formal.vectors.case import Case
from sonnx_formal.vectors.manifest import (
    NAME,
    CaseEntry,
    DamagedVectorsError,
    FileEntry,
    Manifest,
    Origin,
    file_name,
    manifest_text,
    read_manifest,
)


def load(directory: Path) -> Iterator[Case]:
    """The test vectors in a folder, after a look at every hash, name, type and shape.

    Nothing in the folder is executed, and no file can make this take more memory than its size.

    :raises UserError: when there are none, or they are not as they were generated: names the file.
    """
    manifest = read_manifest(directory)
    check_names(directory, manifest)
    for entry in manifest.files:
        path = directory / entry.name
        try:
            data = read_file(path, entry.bytes)
        except TooLongError as error:
            raise DamagedVectorsError(path, str(error).removeprefix(f"{path}: ")) from None
        if sha256(data) != entry.sha256:
            raise DamagedVectorsError(path, "its contents have changed")
        try:
            members = members_of(data, entry)
            for case in entry.cases:
                yield case_of(members, entry, case)
        except BadArchiveError as error:
            raise DamagedVectorsError(path, str(error)) from None


def check_names(directory: Path, manifest: Manifest) -> None:
    """Raises `UserError` where a file of the manifest is missing, or another is there."""
    expected = {NAME, *(entry.name for entry in manifest.files)}
    found = names_in(directory)
    for name in sorted(expected - found):
        raise DamagedVectorsError(directory / name, "it is missing")
    for name in sorted(found - expected):
        raise UserError(f"{directory / name}: the manifest does not have it: move it elsewhere")


def members_of(data: bytes, entry: FileEntry) -> dict[str, bytes]:
    """The members of a file.

    :raises BadArchiveError: when they are not those that the manifest names.
    """
    return from_archive(data, [name for case in entry.cases for name in _names(case)])


def case_of(members: Mapping[str, bytes], entry: FileEntry, case: CaseEntry) -> Case:
    """One case of a file.

    :raises BadArchiveError: when it is not as the manifest says: names it.
    """
    mine = [members[name] for name in _names(case)]
    if sha256(*mine) != case.sha256:
        raise BadArchiveError(f"{case.name}: its contents have changed")
    try:
        a, b, *expected = (
            from_member(content, entry.element_type, shape)
            for content, shape in zip(mine, case.shapes, strict=True)
        )
    except BadArchiveError as error:
        raise BadArchiveError(f"{case.name}: {error}") from None
    return Case(
        name=case.name,
        operator=entry.operator,
        element_type=entry.element_type,
        case_class=case.case_class,
        requirements=case.requirements,
        a=a,
        b=b,
        outcome=case.violated or expected[0],
        attributes=case.attributes,
    )


def write_cases(folder: Path, cases: Sequence[Case]) -> FileEntry:
    """Write the file for cases of one operator over one element type. Raises `OSError`."""
    operator, element_type = cases[0].operator, cases[0].element_type
    members: dict[str, bytes] = {}
    entries = []
    for case in cases:
        arrays = [case.a, case.b] if case.violated else [case.a, case.b, case.expected]
        mine = [to_member(one, element_type) for one in arrays]
        entry = CaseEntry(
            name=case.name,
            case_class=case.case_class,
            requirements=case.requirements,
            shapes=tuple(one.shape for one in arrays),
            sha256=sha256(*mine),
            attributes=case.attributes,
            violated=case.violated,
        )
        members.update(zip(_names(entry), mine, strict=True))
        entries.append(entry)
    data = to_archive(members)
    (folder / file_name(operator, element_type)).write_bytes(data)
    return FileEntry(operator, element_type, len(data), sha256(data), tuple(entries))


def write_manifest(folder: Path, origin: Origin, files: Iterable[FileEntry]) -> Manifest:
    """Write the manifest. Raises `OSError`."""
    manifest = Manifest(origin, tuple(files))
    (folder / NAME).write_text(manifest_text(manifest), encoding="utf-8")
    return manifest


def sha256(*parts: bytes) -> str:
    """The checksum of bytes, one after the other."""
    seal = hashlib.sha256()
    for part in parts:
        seal.update(part)
    return seal.hexdigest()


def _names(case: CaseEntry) -> list[str]:
    sides = ("a", "b") if case.violated else ("a", "b", "expected")
    return [f"{case.name}.{side}" for side in sides]
