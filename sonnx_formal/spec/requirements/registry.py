"""What the TOML files beside this module say together."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.entries import (
    Finding,
    LeftOut,
    RegistryError,
    RegistryFile,
    Requirement,
    Scaffolding,
    SourceDocument,
    parse,
)

FOLDER = "sonnx_formal/spec/requirements"


class UnknownRequirementError(UserError):
    """An id that is not in the registry: a declaration and the registry do not fit."""


@dataclass(frozen=True)
class OperatorGoals:
    """The rule: every goal in these folders that is no scaffolding has to serve a requirement."""

    folders: tuple[str, ...]
    scaffolding: tuple[Scaffolding, ...]

    def includes(self, symbol: str) -> bool:
        """Whether a goal is operator-level."""
        return self.is_of_operators(symbol) and not any(
            each.covers(symbol) for each in self.scaffolding
        )

    def is_of_operators(self, name: str) -> bool:
        """Whether a file, or a goal by its symbol, is in one of the folders."""
        return any(name.startswith(f"{folder}/") for folder in self.folders)


@cache
def files() -> Mapping[str, RegistryFile]:
    """The contents of each file by its name, in the order of names."""
    folder = resources.files(__package__)
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".toml"))
    return {name: parse(name, (folder / name).read_text(encoding="utf-8")) for name in names}


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


def stated(document: str, items: Iterable[str]) -> str:
    """The id of the first item that a document states.

    An item may be the id of a requirement of another document, which holds for all operators.

    :raises UnknownRequirementError: when the registry has none of them.
    """
    found = [item if item in requirements() else f"{document}.{item}" for item in items]
    return next((each for each in found if each in requirements()), "") or requirement(found[0]).id


@cache
def requirements() -> Mapping[str, Requirement]:
    """All requirements by their ids, in the order of the files."""
    everything = (each for file in files().values() for each in file.requirement)
    return MappingProxyType(by_id(everything))


def by_id(everything: Iterable[Requirement]) -> dict[str, Requirement]:
    """Raises `ValueError` where two requirements have one id."""
    found: dict[str, Requirement] = {}
    for each in everything:
        if found.setdefault(each.id, each) is not each:
            raise RegistryError(f"{each.id} is in the registry twice")
    return found


@cache
def documents() -> Mapping[str, SourceDocument]:
    """The source documents by their short names."""
    return {document.name: document for file in files().values() for document in file.document}


@cache
def findings() -> tuple[Finding, ...]:
    """All findings, in the order of the files."""
    return tuple(finding for file in files().values() for finding in file.finding)


@cache
def results() -> frozenset[str]:
    """What requirements and findings rest on by name: `file.mlw:Module.name` of each goal."""
    cited = [goal for each in requirements().values() for goal in each.goals]
    cited += [goal for each in findings() for goal in each.shown_by]
    return frozenset(goal.partition("'")[0] for goal in cited if ".mlw:" in goal)


@cache
def left_out() -> tuple[LeftOut, ...]:
    """What the source documents say and the registry leaves out on purpose."""
    return tuple(each for file in files().values() for each in file.left_out)


@cache
def operator_goals() -> OperatorGoals:
    """The rule that the files state."""
    return rule_in(files().values())


def rule_in(registry: Iterable[RegistryFile]) -> OperatorGoals:
    """The rule that files state together."""
    everything = tuple(registry)
    return OperatorGoals(
        folders=tuple(folder for file in everything for folder in file.folders),
        scaffolding=tuple(each for file in everything for each in file.scaffolding),
    )
