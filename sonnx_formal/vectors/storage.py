"""Test vectors in a folder: an `.npz` file for each operator and its types, and a manifest.

The same arrays give the same bytes, without pickle. What is read is held against the names, types
and shapes that the manifest says before memory is taken for it: a file itself decides nothing, and
nothing in it is evaluated.
"""

import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import prod
from pathlib import Path

import msgspec
import numpy as np
from numpy.lib import format as npy

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in, read_file
from sonnx_formal.oracle.tensors import INFINITY
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import BOOLEAN, NARROW_FLOATS, Array, ElementType, Family
from sonnx_formal.spec.operator import Input, Instance, Output
from sonnx_formal.vectors.archive import BadArchiveError, from_archive, sha256, to_archive
from sonnx_formal.vectors.damage import damage
from sonnx_formal.vectors.elements import Shape, array
from sonnx_formal.vectors.manifest import (
    EXPECTED,
    NAME,
    Case,
    CaseEntry,
    FileEntry,
    Manifest,
    MemberEntry,
    Origin,
    call_of,
    damaged,
    file_name,
    flaws,
    members,
    read_manifest,
)

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<type>[<|][a-zA-Z][0-9]{1,9})', "
    rb"'fortran_order': False, 'shape': (?P<shape>\([0-9, ]*\)), \} *\n",
    re.DOTALL,
)
_FRACTION = re.compile(rb"-?[0-9]+(/[0-9]+)?")


class Difference(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    case: str | None
    """null where the file as a whole is meant."""
    what: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.file, self.case, self.what)))


def load(directory: Path) -> Iterator[Case]:
    """The test vectors in a folder, after a look at every hash, name, type and shape.

    Nothing in the folder is executed, and no file can make this take more memory than its size.

    :raises UserError: when there are none, or they are not as they were generated: names the file.
    """
    manifest = read_manifest(directory)
    expected, found = {NAME, *(entry.file for entry in manifest.files)}, names_in(directory)
    for name in sorted(expected - found):
        raise damaged(directory / name, "it is missing")
    for name in sorted(found - expected):
        raise UserError(f"{directory / name}: the manifest does not have it: move it elsewhere")
    for entry in manifest.files:
        path = directory / entry.file
        for case in read_cases(path, entry):
            if isinstance(case, Difference):
                raise damaged(path, ": ".join(filter(None, (case.case, case.what))))
            yield case


def read_cases(path: Path, entry: FileEntry) -> Iterator[Case | Difference]:
    """The cases of a file; in place of one, and of the file as a whole, what is wrong with it."""
    names = [f"{case.name}.{name}" for case in entry.cases for name in case.shapes]
    try:
        data = read_file(path, entry.bytes)
        sound = sha256(data) == entry.sha256
        contents, changes = (from_archive(data, names), {}) if sound else damage(data, entry)
    except (UserError, BadArchiveError) as error:
        yield Difference(path.name, None, str(error).removeprefix(f"{path}: "))
        return
    instance = entry.instance
    for name, found in changes.items():
        yield from (Difference(path.name, name, what) for what in found)
    for case in entry.cases if contents else ():
        if case.name in changes:
            continue
        mine = {name: contents[f"{case.name}.{name}"] for name in case.shapes}
        try:
            for (name, content), member in zip(mine.items(), case.members, strict=True):
                if sha256(content) != member.sha256:
                    raise BadArchiveError(f"its member {name} has changed")
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
        call=call_of(
            instance, operands, Attributes.of_json(instance.operator.attributes, case.attributes)
        ),
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
                members=tuple(MemberEntry(len(x), sha256(x)) for x in mine.values()),
                attributes=case.call.attributes.as_json(),
                violated=case.violated,
            )
        )
    data = to_archive(contents)
    types = tuple(type_.name for type_ in instance.types)
    file, operator = file_name(instance), instance.operator.name
    (folder / file).write_bytes(data)
    return FileEntry(file, operator, types, len(data), sha256(data), tuple(entries))


def write_manifest(folder: Path, origin: Origin, files: Iterable[FileEntry]) -> Manifest:
    """Write the manifest once all can be read back. Raises `UserError`: no fault of the user's."""
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


def to_member(elements: Array, type_: ElementType) -> bytes:
    """An array as an `.npy` file: of bfloat16 and floats of 8 bits, bit patterns; of real, ASCII
    texts; of string, texts of Unicode, four bytes a character."""
    file = io.BytesIO()
    npy.write_array(file, _stored(elements, type_), (1, 0), allow_pickle=False)
    return file.getvalue()


def from_member(content: bytes, type_: ElementType, shape: Shape) -> Array:
    """The array in an `.npy` file. Raises `BadArchiveError`: another type or another shape."""
    header = _HEADER.match(content)
    if header is None:
        raise BadArchiveError("not an .npy file of plain elements, version 1.0, in C order")
    if header["shape"].decode() != repr(shape):
        raise BadArchiveError(f"its shape is {header['shape'].decode()}, not {shape}")
    found, wanted = header["type"].decode(), _stored(array(type_, [], (0,)), type_).dtype.str
    kind = {Family.REAL: "|S", Family.TEXT: "<U"}.get(type_.family)
    texts = kind is not None and found.startswith(kind) and found != f"{kind}0"
    if found != wanted and not texts:
        raise BadArchiveError(f"the type of its elements is {found}, not {wanted}")
    elements = memoryview(content)[header.end() :]
    size = np.dtype(found).itemsize
    if len(elements) != size * prod(shape):
        raise BadArchiveError(f"{len(elements)} bytes of elements, not {size} times {prod(shape)}")
    if type_.family is Family.REAL:
        return array(type_, [*map(_fraction, np.frombuffer(elements, found).tolist())], shape)
    if type_.family is Family.TEXT:
        return array(type_, _unicode(elements, found), shape)
    patterns = np.frombuffer(elements, type_.pattern.newbyteorder("<")).astype(type_.pattern)
    if type_ is BOOLEAN and np.any(patterns > 1):
        raise BadArchiveError("an element is neither true nor false")
    return patterns.view(type_.dtype).reshape(shape)


def _stored(elements: Array, type_: ElementType) -> Array:
    if type_.family is Family.REAL:
        texts = [str(element).encode() for element in elements.ravel()]
        return np.array(texts, f"S{max(map(len, texts), default=1)}").reshape(elements.shape)
    if type_.family is Family.TEXT:
        longest = max(map(len, elements.ravel().tolist()), default=0)
        return elements.astype(f"<U{max(longest, 1)}")
    patterns = elements.view(type_.pattern).astype(type_.pattern.newbyteorder("<"))
    if type_.name == "bfloat16" or type_ in NARROW_FLOATS:  # NumPy alone does not know them
        return patterns
    return patterns.view(type_.dtype.newbyteorder("<"))


def _unicode(elements: memoryview, dtype: str) -> list[str]:
    if np.any(np.frombuffer(elements, "<u4") > sys.maxunicode):
        raise BadArchiveError("an element is no text of Unicode")
    try:
        found: list[str] = np.frombuffer(elements, dtype).tolist()
        "".join(found).encode()
    except ValueError:
        raise BadArchiveError("an element is no text of Unicode") from None
    return found


def _fraction(text: bytes) -> Fraction | float:
    if text == b"inf":
        return INFINITY
    if _FRACTION.fullmatch(text):
        with suppress(ValueError, ZeroDivisionError):
            fraction = Fraction(text.decode())
            if str(fraction).encode() == text:
                return fraction
    raise BadArchiveError(f"{text[:40]!r} is not a fraction in lowest terms")
