"""Reads the registry: one TOML file a source document, beside this module."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

_DOCUMENT = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)+")
_ITEM = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*")


class Kind(StrEnum):
    """What a requirement is about."""

    RESTRICTION = "restriction"
    CONSTRAINT = "constraint"
    DEFINITION = "definition"
    TYPE = "type"
    EXAMPLE = "example"
    ACCURACY = "accuracy"


@dataclass(frozen=True)
class Requirement:
    """One requirement of one source document."""

    id: str
    """The document and the item: SONNX-MUL.R1."""
    document: str
    """The short name of the source document: SONNX-MUL."""
    kind: Kind
    section: str
    """Where in the document it stands."""
    text: str
    """What it asks for, in our own words."""


class UnknownRequirementError(LookupError):
    """An id that is not in the registry."""


def requirement(identifier: str) -> Requirement:
    """The requirement of this id. Raises `UnknownRequirementError` where there is none."""
    known = requirements()
    if identifier not in known:
        near = difflib.get_close_matches(identifier, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownRequirementError(f"the registry has no requirement {identifier!r}{hint}")
    return known[identifier]


@cache
def requirements() -> Mapping[str, Requirement]:
    """All requirements by their ids, in the order of the documents."""
    files = (one for one in resources.files(__package__).iterdir() if one.name.endswith(".toml"))
    texts = {one.name: one.read_text(encoding="utf-8") for one in files}
    everything = [each for name in sorted(texts) for each in parse(name, texts[name])]
    return MappingProxyType(by_id(everything))


def parse(name: str, text: str) -> list[Requirement]:
    """The requirements in one file. Raises `ValueError`, which names the file and the entry."""
    try:
        table = tomllib.loads(text)
        document, entries = table.pop("document"), table.pop("requirement")
        if table:
            raise ValueError(f"unknown: {', '.join(table)}")
        if not _DOCUMENT.fullmatch(document):
            raise ValueError(f"{document!r} is no short name of a document")
        return [_requirement(document, entry) for entry in entries]
    except KeyError as error:
        raise ValueError(f"{name}: {error} is missing") from None
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


def _requirement(document: str, entry: dict[str, str]) -> Requirement:
    identifier = entry["id"]
    start, _, item = identifier.partition(".")
    if start != document or not _ITEM.fullmatch(item):
        raise ValueError(f"{identifier!r} is no id of {document}")
    if set(entry) != {"id", "kind", "section", "text"} or not all(entry.values()):
        raise ValueError(f"{identifier} has to have id, kind, section and text, and nothing else")
    return Requirement(identifier, document, Kind(entry["kind"]), entry["section"], entry["text"])
