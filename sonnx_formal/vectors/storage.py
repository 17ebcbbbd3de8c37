"""Test vectors in a folder: an `.npz` file for each operator and its types, and a manifest."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in, read_file
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Input, Instance, Output
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


class Difference(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    case: str | None
    """null where the file as a whole is meant."""
    what: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.case, self.what) if part)


def load(directory: Path) -> Iterator[Case]:
    """The test vectors in a folder, after a look at every hash, name, type and shape.

    Nothing in the folder is executed, and no file can make this take more memory than its size.

    :raises UserError: when there are none, or they are not as they were generated: names the file.
    """
    manifest = read_manifest(directory)
    expected, found = {NAME, *(entry.file for entry in manifest.files)}, names_in(directory)
    for name in sorted(expected - found):
        raise DamagedVectorsError(directory / name, "it is missing")
    for name in sorted(found - expected):
        raise UserError(f"{directory / name}: the manifest does not have it: move it elsewhere")
    for entry in manifest.files:
        path = directory / entry.file
        for case in read_cases(path, entry):
            if isinstance(case, Difference):
                what = ": ".join(part for part in (case.case, case.what) if part)
                raise DamagedVectorsError(path, what)
            yield case


def read_cases(path: Path, entry: FileEntry) -> Iterator[Case | Difference]:
    """The cases of a file; in place of one, and of the file as a whole, what is wrong with it."""
    changed = "its contents have changed"
    names = [f"{case.name}.{name}" for case in entry.cases for name in case.shapes]
    try:
        data = read_file(path, entry.bytes)
        if sha256(data) != entry.sha256:
            yield Difference(path.name, None, changed)
        contents = from_archive(data, names)
    except (UserError, BadArchiveError) as error:
        yield Difference(path.name, None, str(error).removeprefix(f"{path}: "))
        return
    instance = entry.instance
    for case in entry.cases:
        mine = {name: contents[f"{case.name}.{name}"] for name in case.shapes}
        try:
            if sha256(*mine.values()) != case.sha256:
                raise BadArchiveError(changed)
            yield _case(instance, case, mine)
        except BadArchiveError as error:
            yield Difference(path.name, case.name, str(error))


def _case(instance: Instance, case: CaseEntry, contents: Mapping[str, bytes]) -> Case:
    """Raises `BadArchiveError` when the case is not as the manifest says."""

    def read(name: str, port: Input | Output) -> Array:
        return from_member(contents[name], instance.type_of(port), case.shapes[name])

    named = members(instance, case)
    operands = tuple(read(name, input_) if input_ else None for name, input_ in named)
    return Case(
        name=case.name,
        instance=instance,
        call=call_of(instance, operands, Attributes.of(case.attributes)),
        case_class=case.case_class,
        requirements=case.requirements,
        outcome=case.violated or read(EXPECTED, instance.operator.output),
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
    path = folder / NAME
    try:
        for flaw in flaws(manifest):
            raise msgspec.ValidationError(flaw)
        documents.write(path, manifest)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: what would be written could not be read: {error}") from None
    for _ in load(folder):
        pass
    return manifest


def sha256(*parts: bytes) -> str:
    """The checksum of bytes, one after the other."""
    return hashlib.sha256(b"".join(parts)).hexdigest()
