"""Test vectors in a folder: an `.npz` file for each operator and its types, and a manifest."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import TooLongError, names_in, read_file
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import Array, ElementType
from sonnx_formal.vectors.archive import (
    BadArchiveError,
    from_archive,
    from_member,
    to_archive,
    to_member,
)
from sonnx_formal.vectors.case import Case, call_of
from sonnx_formal.vectors.manifest import (
    EXPECTED,
    NAME,
    CaseEntry,
    DamagedVectorsError,
    FileEntry,
    Manifest,
    Origin,
    file_name,
    flaws,
    members,
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
        path = directory / entry.file
        try:
            data = read_file(path, entry.bytes)
        except TooLongError as error:
            raise DamagedVectorsError(path, str(error).removeprefix(f"{path}: ")) from None
        if sha256(data) != entry.sha256:
            raise DamagedVectorsError(path, "its contents have changed")
        try:
            contents = members_of(data, entry)
            for case in entry.cases:
                yield case_of(contents, entry, case)
        except BadArchiveError as error:
            raise DamagedVectorsError(path, str(error)) from None


def check_names(directory: Path, manifest: Manifest) -> None:
    """Raises `UserError` where a file of the manifest is missing, or another is there."""
    expected = {NAME, *(entry.file for entry in manifest.files)}
    found = names_in(directory)
    for name in sorted(expected - found):
        raise DamagedVectorsError(directory / name, "it is missing")
    for name in sorted(found - expected):
        raise UserError(f"{directory / name}: the manifest does not have it: move it elsewhere")


def members_of(data: bytes, entry: FileEntry) -> dict[str, bytes]:
    """The members of a file.

    :raises BadArchiveError: when they are not those that the manifest names.
    """
    names = [f"{case.name}.{name}" for case in entry.cases for name in case.shapes]
    return from_archive(data, names)


def case_of(contents: Mapping[str, bytes], entry: FileEntry, case: CaseEntry) -> Case:
    """One case of a file.

    :raises BadArchiveError: when it is not as the manifest says: names it.
    """
    instance = entry.instance
    mine = {name: contents[f"{case.name}.{name}"] for name in case.shapes}
    if sha256(*mine.values()) != case.sha256:
        raise BadArchiveError(f"{case.name}: its contents have changed")

    def read(name: str, type_: ElementType) -> Array:
        try:
            return from_member(mine[name], type_, case.shapes[name])
        except BadArchiveError as error:
            raise BadArchiveError(f"{case.name}: {error}") from None

    operands = tuple(
        None if input_ is None else read(name, instance.type_of(input_))
        for name, input_ in members(instance, case)
    )
    output = instance.type_of(instance.operator.output)
    return Case(
        name=case.name,
        instance=instance,
        call=call_of(instance, operands, Attributes.of(case.attributes)),
        case_class=case.case_class,
        requirements=case.requirements,
        outcome=case.violated or read(EXPECTED, output),
    )


def write_cases(folder: Path, cases: Sequence[Case]) -> FileEntry:
    """Write the file for cases of one instance. Raises `OSError`."""
    instance = cases[0].instance
    contents: dict[str, bytes] = {}
    entries = []
    for case in cases:
        arrays = {
            name.lower(): (operand, instance.type_of(input_))
            for name, input_, operand in case.call.bound()
            if operand is not None
        }
        if not case.violated:
            arrays[EXPECTED] = case.expected, instance.type_of(instance.operator.output)
        mine = {name: to_member(*each) for name, each in arrays.items()}
        contents |= {f"{case.name}.{name}": content for name, content in mine.items()}
        entries.append(
            CaseEntry(
                name=case.name,
                case_class=case.case_class,
                requirements=case.requirements,
                shapes={name: array.shape for name, (array, _) in arrays.items()},
                sha256=sha256(*mine.values()),
                attributes=case.call.attributes.as_dict(),
                violated=case.violated,
            )
        )
    data = to_archive(contents)
    types = tuple(type_.name for type_ in instance.types)
    file, operator = file_name(instance), instance.operator.name
    entry = FileEntry(file, operator, types, len(data), sha256(data), tuple(entries))
    (folder / file).write_bytes(data)
    return entry


def write_manifest(folder: Path, origin: Origin, files: Iterable[FileEntry]) -> Manifest:
    """Write the manifest, once everything can be read back.

    :raises UserError: when it cannot be: this is no fault of the user's.
    """
    manifest = Manifest(origin, tuple(files))
    for flaw in flaws(manifest):
        raise UserError(f"{folder / NAME}: what would be written could not be read: {flaw}")
    try:
        documents.write(folder / NAME, manifest)
    except msgspec.ValidationError as error:
        raise UserError(
            f"{folder / NAME}: what would be written could not be read: {error}"
        ) from None
    for _ in load(folder):
        pass
    return manifest


def sha256(*parts: bytes) -> str:
    """The checksum of bytes, one after the other."""
    seal = hashlib.sha256()
    for part in parts:
        seal.update(part)
    return seal.hexdigest()
