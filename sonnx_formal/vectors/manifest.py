"""A test vector, and what `manifest.json` says about a folder of them."""

import hashlib
import os
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_file
from sonnx_formal.oracle.tables import UNLISTED
from sonnx_formal.prover.provenance import Provenance
from sonnx_formal.spec.attributes import UNSET, Attributes, AttributeValue
from sonnx_formal.spec.call import Call, check_attributes
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Input, Instance, Presence
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.spec.requirements.registry import UnknownRequirementError, requirement

NAME = "manifest.json"
EXPECTED = "expected"
"""The name of the result among those of the operands."""
_LONGEST = 64 << 20
_LONGEST_FILE = 1 << 28

Dimension = Annotated[int, Meta(ge=0, le=1 << 22)]
Dimensions = Annotated[tuple[Dimension, ...], Meta(max_length=32)]
Text = Annotated[str, Meta(max_length=200)]


@dataclass(frozen=True, eq=False)
class Case:
    """One test vector."""

    name: str
    """Unique among all cases, for example `mul-float32-tie-0007`."""
    instance: Instance
    call: Call
    case_class: CaseClass
    requirements: tuple[str, ...]
    outcome: Array | str
    """The result, computed by the oracle and by nothing else; of a rejected case, the id of the
    requirement that the oracle names."""

    @property
    def violated(self) -> str | None:
        return self.outcome if isinstance(self.outcome, str) else None

    @property
    def expected(self) -> Array:
        """The result. Raises `ValueError` if there is none."""
        if isinstance(self.outcome, str):
            raise ValueError(f"{self.name} has no result: it violates {self.outcome}")
        return self.outcome


def call_of(
    instance: Instance, operands: tuple[Array | None, ...], attributes: Attributes = UNSET
) -> Call:
    """A call over the types of an instance, be they an extension of ours."""
    reading = UNLISTED if instance.extension else None
    return Call(instance.operator, operands, attributes, reading)


def damaged(path: Path, what: str) -> UserError:
    return UserError(f"{path}: {what}; generate the vectors anew with `sonnx-formal vectors`")


class MemberEntry(Part, frozen=True):
    """One member of a file: an operand or the result, as an `.npy` file."""

    bytes: Annotated[int, Meta(ge=0, le=_LONGEST_FILE)]
    sha256: Sha256


class CaseEntry(Part, frozen=True, omit_defaults=True):
    """One case. Its members of the file are named NAME.a and so on: by operands, then expected."""

    name: Text
    case_class: CaseClass = msgspec.field(name="class")
    requirements: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=100)]
    """The ids of the requirements that the case exercises."""
    shapes: dict[Text, Dimensions]
    """Of the operands that are there, by the names of the inputs in lower case, in their order, and
    of the result, unless the case is rejected."""
    members: tuple[MemberEntry, ...]
    """Of the same, in this order."""
    attributes: dict[Text, AttributeValue] = msgspec.field(default_factory=dict)
    """NaN and infinities, which JSON lacks, by their names: `"nan"`, `"inf"`, `"-inf"`."""
    violated: Text | None = None
    """The requirement that a rejected case violates."""


class FileEntry(Part, frozen=True):
    """One file: all cases of an operator over element types.

    Of bfloat16 there are uint16 bit patterns in it, of floats of 8 bits uint8 ones; of real, ASCII
    texts (-3, 1/3, inf); of string, texts of Unicode.
    """

    file: Text
    operator: Text
    types: tuple[Text, ...]
    """One for each type parameter of the operator."""
    bytes: Annotated[int, Meta(ge=1, le=_LONGEST_FILE)]
    sha256: Sha256
    cases: Annotated[tuple[CaseEntry, ...], Meta(min_length=1)]

    @property
    def instance(self) -> Instance:
        """The operator with its types. Raises `KeyError` where no such instance is declared."""
        label = "-".join(self.types)
        for each in instances():
            if each.operator.name == self.operator and each.label == label:
                return each
        raise KeyError(f"{self.operator} is not defined over {label}")


class Origin(Part, frozen=True):
    """What the vectors were generated from and with."""

    seed: Count
    formal_sources_sha256: Sha256
    """Of the names and texts of all files of the formal library."""
    oracle_sha256: Sha256
    """Of all that the oracle program is made from: formal sources, sources of its own, versions of
    tools, processor."""
    tools: dict[Text, Text]
    """Versions by name."""


class Manifest(Document, frozen=True, tag="sonnx-formal/vectors/4"):
    """All test vectors in a folder."""

    command: ClassVar[str] = "vectors"
    origin: Origin
    files: tuple[FileEntry, ...]

    @property
    def made(self) -> Provenance:
        """How the vectors were made, as other documents say it."""
        return Provenance(
            version=self.origin.tools.get("sonnx-formal", "of unknown version"),
            library_sha256=self.origin.formal_sources_sha256,
        )

    @property
    def count(self) -> int:
        return sum(len(file.cases) for file in self.files)


def file_name(instance: Instance) -> str:
    return f"{instance.name}.npz"


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a folder. Raises `UserError` where there is none, or another version's."""
    path = directory / NAME
    if not directory.exists() or (directory.is_dir() and not os.path.lexists(path)):
        place = "DIR" if directory.exists() else shlex.quote(str(directory))
        raise UserError(
            f"{path}: No such file or directory: make test vectors with"
            f" `sonnx-formal vectors -o {place}`, or name the folder that they are in"
        )
    manifest = documents.decode(read_file(path, _LONGEST), Manifest, path)
    for flaw in flaws(manifest):
        raise damaged(path, flaw)
    return manifest


def manifest_sha256(directory: Path) -> str:
    """The hash of a folder's manifest: it stands for all vectors. Raises `UserError`."""
    return hashlib.sha256(read_file(directory / NAME, _LONGEST)).hexdigest()


def flaws(manifest: Manifest) -> Iterator[str]:
    """What is wrong with a manifest whose fields are of the right types."""
    names = Counter(file.file for file in manifest.files)
    names.update(case.name for file in manifest.files for case in file.cases)
    yield from (f"{name} is there twice" for name, count in names.items() if count > 1)
    for file in manifest.files:
        try:
            instance = file.instance
        except KeyError as error:
            yield error.args[0]
            continue
        if file.file != file_name(instance):
            yield f"{file.file!r} is in the place of {file_name(instance)}"
        for case in file.cases:
            yield from (f"{case.name}: {flaw}" for flaw in _flaws_of_case(instance, case))


def _flaws_of_case(instance: Instance, case: CaseEntry) -> Iterator[str]:
    stem = f"{instance.name}-{case.case_class}-"
    if not case.name.startswith(stem) or not case.name.removeprefix(stem).isdecimal():
        yield f"it is in the place of {stem}…"
    if len(set(case.requirements)) < len(case.requirements):
        yield "a requirement is there twice"
    for identifier in filter(None, (*case.requirements, case.violated)):
        try:
            requirement(identifier)
        except UnknownRequirementError as error:
            yield str(error)
    if (case.case_class is CaseClass.REJECTED) != (case.violated is not None):
        yield f"its class is {case.case_class}, and it violates {case.violated or 'nothing'}"
    try:
        declared = instance.operator.attributes
        check_attributes(instance.operator, Attributes.of_json(declared, case.attributes))
    except UserError as error:
        yield str(error)
    names = [name for name, input_ in members(instance, case) if input_]
    names += [] if case.violated else [EXPECTED]
    if [*case.shapes] != names:
        yield f"there are shapes of {', '.join(case.shapes)}, not of {', '.join(names)}"
    elif len(case.members) != len(names):
        yield f"there are {len(case.members)} members and {len(names)} shapes"


def members(instance: Instance, case: CaseEntry) -> Iterator[tuple[str, Input | None]]:
    """The names of the operands of a case, with their inputs; None where one is left out."""
    operator = instance.operator
    for port, input_ in operator.ports(len(operator.inputs) + len(case.shapes)):
        name, there = port.lower(), port.lower() in case.shapes
        if input_.presence is Presence.VARIADIC and not there:
            return
        yield name, None if input_.presence is Presence.OPTIONAL and not there else input_
