"""The requirements of the source documents, by their ids."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.entries import (
    Kind,
    Level,
    RegistryError,
    RegistryFile,
    RequirementEntry,
    Status,
    files,
)
from sonnx_formal.spec.requirements.notation import all_expanded, expanded

FOLDER = "sonnx_formal/spec/requirements"
_ID = re.compile(r"[A-Z][A-Z0-9-]*(\.[A-Z][A-Z0-9_]*)+")
_ITEM = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*")


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
    alias: str = ""
    """The tag that the document itself gives it: `E_ADD_INT_FUNC_0010`."""


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
    """All requirements by their ids, in the order of the files."""
    everything = [each for name, file in files() for each in requirements_in(name, file)]
    return MappingProxyType(by_id(everything))


@cache
def documents() -> Mapping[str, SourceDocument]:
    """The source documents by their short names."""
    return MappingProxyType(
        {
            document.name: SourceDocument(document.title, document.text_sha256)
            for _, file in files()
            for document in file.document
        }
    )


def requirements_in(name: str, file: RegistryFile) -> list[Requirement]:
    """The requirements of a file. Raises `ValueError`, which names the file and the entry."""
    names = [document.name for document in file.document]
    try:
        return [each for entry in file.requirement for each in _requirements(names, entry)]
    except ValueError as error:
        raise RegistryError(f"{name}: {error}") from None


def by_id(everything: Iterable[Requirement]) -> dict[str, Requirement]:
    """Raises `ValueError` where two requirements have one id."""
    found: dict[str, Requirement] = {}
    for each in everything:
        if each.id in found:
            raise RegistryError(f"{each.id} is in the registry twice")
        found[each.id] = each
    return found


def _requirements(documents: list[str], entry: RequirementEntry) -> Iterator[Requirement]:
    """That of each document which the entry is about."""
    identifiers, aliases = expanded(entry.id), expanded(entry.alias or "")
    if entry.alias is None:
        aliases *= len(identifiers)
    if len(aliases) != len(identifiers):
        raise RegistryError(f"{entry.id}: {len(identifiers)} ids, and {len(aliases)} aliases")
    several = entry.id.partition(".")[0]
    for identifier, alias in zip(identifiers, aliases, strict=True):
        document, _, item = identifier.partition(".")
        if document not in documents or not _ITEM.fullmatch(item):
            raise RegistryError(f"{identifier!r} is no id of {', '.join(documents)}")
        # Goals that are named by ids of the same documents are those of the one document.
        goals = all_expanded(goal.replace(f"{several}.", f"{document}.") for goal in entry.goals)
        for goal in goals:
            if ":" not in goal and not _ID.fullmatch(goal):
                raise RegistryError(f"{identifier}: {goal!r} is neither a symbol nor an id")
        if len(set(goals)) < len(goals):
            raise RegistryError(f"{identifier}: a goal is linked twice")
        yield Requirement(
            id=identifier,
            document=document,
            kind=entry.kind,
            section=entry.section,
            text=entry.text,
            status=entry.status,
            levels=entry.levels,
            gap=entry.gap or "",
            goals=goals,
            precondition=entry.precondition,
            vectors=entry.vectors,
            no_vector=entry.no_vector or "",
            checks=entry.checks,
            alias=alias,
        )
