"""The requirements: one TOML file a source document, beside this module."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.files import read, texts_of_documents
from sonnx_formal.spec.requirements.notation import all_expanded

SCHEMA = "document.schema.json"
FOLDER = "sonnx_formal/spec/requirements"
_ID = re.compile(r"[A-Z][A-Z0-9-]*(\.[A-Z][A-Z0-9_]*)+")
_ITEM = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*")


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


@dataclass(frozen=True)
class Requirement:
    """One requirement of one source document, and what is linked to it."""

    id: str
    """The document and the item: SONNX-MUL.R1."""
    document: str
    """The short name of the source document: SONNX-MUL."""
    kind: Kind
    section: str
    """Where in the document it stands."""
    text: str
    """What it asks for, in our own words."""
    status: Status
    levels: tuple[Level, ...]
    """Of which numbers it is claimed, or is going to be. Empty where it is not about numbers."""
    gap: str = ""
    """If it is planned: what is missing."""
    goals: tuple[str, ...] = ()
    """Of the formal library: `file.mlw:Module.goal`, for all pieces of that goal; or the id itself,
    for the goals that Why3 explains with it; or that of another requirement which is the same."""
    precondition: bool = False
    """Whether it is stated as a precondition, which operands have to meet."""
    vectors: tuple[str, ...] = ()
    """Classes of test vectors that exercise it."""
    no_vector: str = ""
    """Why no vector can, if none can."""
    checks: tuple[str, ...] = ()
    """Tests of the implementation: `tests/file.py::test_name`."""


@dataclass(frozen=True)
class SourceDocument:
    """A document that requirements are taken from."""

    title: str
    text_sha256: str
    """Of its text, which says which edition it was: the documents have no numbers for that."""


class UnknownRequirementError(UserError):
    """An id that is not in the registry: a declaration and the registry do not fit."""


def requirement(identifier: str) -> Requirement:
    """The requirement of this id. Raises `UnknownRequirementError` where there is none."""
    known = requirements()
    if identifier not in known:
        near = difflib.get_close_matches(identifier, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownRequirementError(
            f"the registry has no requirement {identifier!r}{hint} "
            f"(it is in {FOLDER}, a file a source document)"
        )
    return known[identifier]


@cache
def requirements() -> Mapping[str, Requirement]:
    """All requirements by their ids, in the order of the documents."""
    everything = [each for name, text in texts_of_documents() for each in parse(name, text)]
    return MappingProxyType(by_id(everything))


@cache
def documents() -> Mapping[str, SourceDocument]:
    """The source documents by their short names."""
    tables = [read(name, text, SCHEMA) for name, text in texts_of_documents()]
    return MappingProxyType(
        {one["document"]: SourceDocument(one["title"], one["text_sha256"]) for one in tables}
    )


def parse(name: str, text: str) -> list[Requirement]:
    """The requirements in one file. Raises `ValueError`, which names the file and the entry."""
    table = read(name, text, SCHEMA)
    try:
        return [_requirement(table["document"], entry) for entry in table["requirement"]]
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def by_id(everything: Iterable[Requirement]) -> dict[str, Requirement]:
    """Raises `ValueError` where two requirements have one id."""
    found: dict[str, Requirement] = {}
    for one in everything:
        if one.id in found:
            raise ValueError(f"{one.id} is in the registry twice")
        found[one.id] = one
    return found


def _requirement(document: str, entry: dict[str, Any]) -> Requirement:
    identifier = entry["id"]
    start, _, item = identifier.partition(".")
    if start != document or not _ITEM.fullmatch(item):
        raise ValueError(f"{identifier!r} is no id of {document}")
    goals = all_expanded(entry.get("goals", ()))
    for one in goals:
        if ":" not in one and not _ID.fullmatch(one):
            raise ValueError(f"{identifier}: {one!r} is neither a symbol nor an id")
    if len(set(goals)) < len(goals):
        raise ValueError(f"{identifier}: a goal is linked twice")
    return Requirement(
        id=identifier,
        document=document,
        kind=Kind(entry["kind"]),
        section=entry["section"],
        text=entry["text"],
        status=Status(entry["status"]),
        levels=tuple(map(Level, entry["levels"])),
        gap=entry.get("gap", ""),
        goals=goals,
        precondition="precondition" in entry,
        vectors=tuple(entry.get("vectors", ())),
        no_vector=entry.get("no_vector", ""),
        checks=tuple(entry.get("checks", ())),
    )
