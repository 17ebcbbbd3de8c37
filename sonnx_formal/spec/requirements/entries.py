"""The TOML files of the registry, and what may stand in them."""

import re
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from sonnx_formal.core.errors import UserError

Text = Annotated[str, Meta(pattern=r"\S")]
DocumentName = Annotated[str, Meta(pattern="^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$")]
Symbol = Annotated[str, Meta(pattern=r"^[a-z0-9_/{},]+\.mlw:\S+\.\S+$")]
"""Goals of the formal library: `file.mlw:Module.goal`; {a,b} stands for both."""
Test = Annotated[str, Meta(pattern=r"^tests/[a-z0-9_/]+\.py::test_[a-z0-9_]+$")]
VectorClass = Literal[
    "nominal", "example", "boundary", "special", "tie", "subnormal", "overflow", "wrap",
    "zero-size", "rank-0", "hazard", "random", "exact-sum", "cancellation", "growth",
    "order-dependent", "broadcast", "axis", "rejected",
]  # fmt: skip
_ENTRY = re.compile(r"\$\.(?P<kind>\w+)\[(?P<number>\d+)\]\.?(?P<field>.*)")


class RegistryError(UserError, ValueError):
    """A file of the registry is not as it has to be: the message names the file and the entry."""


class Kind(StrEnum):
    """What a requirement is about."""

    RESTRICTION = "restriction"
    CONSTRAINT = "constraint"
    DEFINITION = "definition"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    SHAPE = "shape"
    EXAMPLE = "example"
    ACCURACY = "accuracy"


class Level(StrEnum):
    """What the numbers are of which a requirement is claimed."""

    REAL = "real"
    INT = "int"
    MACHINE_INTEGER = "machine integer"
    IEEE_754 = "IEEE 754"
    C = "C"


class Status(StrEnum):
    """Whether the formal library states a requirement yet."""

    FORMALISED = "formalised"
    PLANNED = "planned"


class SketchOutcome(StrEnum):
    """What becomes of a sketch in Why3."""

    REJECTED = "rejected"
    """Why3 does not accept it."""
    PROVED = "proved"
    """All its goals are proved; they are what should not be provable."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that stands in a file of the registry."""


class SourceEntry(Entry, frozen=True):
    """A source document, by its short name."""

    name: DocumentName
    title: Text
    text_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class RequirementEntry(Entry, frozen=True):
    """A requirement, or the same requirement of several documents: `X-{A,B}.R1`."""

    id: Text
    kind: Kind
    section: Text
    text: Text
    status: Status
    levels: tuple[Level, ...]
    alias: Text | None = None
    gap: Text | None = None
    goals: tuple[Text, ...] = ()
    precondition: bool = False
    vectors: tuple[VectorClass, ...] = ()
    no_vector: Text | None = None
    checks: tuple[Test, ...] = ()

    def __post_init__(self) -> None:
        match self.status:
            case Status.PLANNED:
                if self.gap is None:
                    raise RegistryError("what is planned needs a gap, which says what is missing")
                if self.goals or self.vectors or self.no_vector or self.checks or self.precondition:
                    raise RegistryError("what is planned has no goals, vectors or checks yet")
            case Status.FORMALISED:
                if self.gap is not None or not self.goals:
                    raise RegistryError("what is formalised has goals, and no gap")
                if bool(self.vectors) == bool(self.no_vector):
                    raise RegistryError("either vectors, or no_vector with the reason")
                if self.no_vector and not self.checks:
                    raise RegistryError("what no vector exercises needs checks")
        _require_distinct(levels=self.levels, vectors=self.vectors, checks=self.checks)


class Sketch(Entry, frozen=True):
    """The least text, of our own, that has the same flaw as the Why3 text of a document."""

    outcome: SketchOutcome
    text: Text
    message: str | None = None
    """In what Why3 says about a rejected one."""

    def __post_init__(self) -> None:
        if (self.outcome is SketchOutcome.REJECTED) != bool(self.message):
            raise RegistryError("a message of Why3 is given exactly where it rejects the sketch")


class FindingEntry(Entry, frozen=True):
    """A finding on a document."""

    id: Text
    document: DocumentName
    section: Text
    title: Text
    readings: tuple[Text, Text]
    requirements: Annotated[tuple[Text, ...], Meta(min_length=1)]
    decision: Text
    proposal: Text
    shown_by: tuple[Symbol, ...] = ()
    sketch: Sketch | None = None
    not_shown: Text | None = None

    def __post_init__(self) -> None:
        if bool(self.shown_by or self.sketch) == bool(self.not_shown):
            raise RegistryError("either shown_by or a sketch, or not_shown with the reason")
        _require_distinct(readings=self.readings, shown_by=self.shown_by)


class LeftOut(Entry, frozen=True):
    """A statement of source documents that is no requirement here."""

    documents: Annotated[tuple[DocumentName, ...], Meta(min_length=1)]
    """Short names."""
    section: Text
    what: Text
    """In our own words."""
    reason: Text


class ScaffoldingEntry(Entry, frozen=True):
    """Goals in the folders of the operators that need not serve a requirement."""

    reason: Text
    files: tuple[Text, ...] = ()
    goals: tuple[Symbol, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.files) == bool(self.goals):
            raise RegistryError("either files or goals")


class RegistryFile(Entry, frozen=True):
    """A file: all that there is to say of an operator may be in one."""

    document: tuple[SourceEntry, ...] = ()
    requirement: tuple[RequirementEntry, ...] = ()
    finding: tuple[FindingEntry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    folders: tuple[Text, ...] = ()
    """Of the formal library, whose goals have to serve a requirement."""
    scaffolding: tuple[ScaffoldingEntry, ...] = ()


@cache
def files() -> tuple[tuple[str, RegistryFile], ...]:
    """The name and the contents of each file, by name."""
    paths = {path.name: path for path in resources.files(__package__).iterdir()}
    return tuple(
        (name, parse(name, paths[name].read_text(encoding="utf-8")))
        for name in sorted(paths)
        if name.endswith(".toml")
    )


def parse(name: str, text: str) -> RegistryFile:
    """What is in a file. Raises `ValueError`, which names the file, the entry and the field."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"{name}: {error}") from None
    try:
        return msgspec.convert(table, RegistryFile)
    except msgspec.ValidationError as error:
        message, _, path = str(error).rpartition(" - at `")
        if not (place := _ENTRY.match(path.rstrip("`"))):
            raise RegistryError(f"{name}: {error}") from None
        number = int(place["number"])
        identifier = table[place["kind"]][number].get("id", f"{place['kind']} {number + 1}")
        where = ": ".join(filter(None, [name, identifier, place["field"]]))
        raise RegistryError(f"{where}: {message}") from None


def _require_distinct(**lists: Iterable[str]) -> None:
    for name, values in lists.items():
        if len(set(values)) < len(list(values)):
            raise RegistryError(f"{name}: something is there twice")
