"""What the TOML files beside this module say together."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.entries import (
    Divergence,
    Finding,
    Law,
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
class Registry:
    """What the source documents ask for, and which goals have to serve a requirement."""

    requirements: Mapping[str, Requirement]
    """By their ids, in the order of the files."""
    findings: tuple[Finding, ...] = ()
    laws: tuple[Law, ...] = ()
    """What one might expect of operators, and over which numbers it is so."""
    folders: tuple[str, ...] = ()
    """Of the formal library: every goal there that is no scaffolding has to serve a requirement."""
    scaffolding: tuple[Scaffolding, ...] = ()
    documents: Mapping[str, SourceDocument] = field(default_factory=dict)
    """By their short names."""
    left_out: tuple[LeftOut, ...] = ()
    """What the source documents say and no requirement does, on purpose."""
    divergences: tuple[Divergence, ...] = ()
    """What runtimes are known to do wrong."""

    def includes(self, symbol: str) -> bool:
        """Whether a goal has to serve a requirement."""
        return self.is_of_operators(symbol) and not any(x.covers(symbol) for x in self.scaffolding)

    def is_of_operators(self, name: str) -> bool:
        return any(name.startswith(f"{folder}/") for folder in self.folders)

    def has_goals_in(self, file: str) -> bool:
        """Whether a trace speaks of goals in a file: linked ones, or goals of operators."""
        return self.is_of_operators(file) or any(x.startswith(f"{file}:") for x in self.cited)

    @cached_property
    def cited(self) -> frozenset[str]:
        """What requirements, findings and laws rest on: `file.mlw:Module.name` of each goal."""
        goals = [goal for each in self.requirements.values() for goal in each.goals]
        goals += [goal for each in self.findings for goal in each.shown_by]
        goals += [goal for law in self.laws for each in law.over for goal in each.shown_by]
        return frozenset(goal.partition("'")[0] for goal in goals if ".mlw:" in goal)


def joined(files: Iterable[RegistryFile]) -> Registry:
    """What files say together. Raises `ValueError` where two requirements have one id."""
    everything = tuple(files)
    requirements: dict[str, Requirement] = {}
    for each in (each for file in everything for each in file.requirement):
        if requirements.setdefault(each.id, each) is not each:
            raise RegistryError(f"{each.id} is in the registry twice")
    return Registry(
        requirements,
        findings=tuple(finding for file in everything for finding in file.finding),
        laws=tuple(law for file in everything for law in file.law),
        folders=tuple(folder for file in everything for folder in file.folders),
        scaffolding=tuple(each for file in everything for each in file.scaffolding),
        documents={each.name: each for file in everything for each in file.document},
        left_out=tuple(each for file in everything for each in file.left_out),
        divergences=tuple(each for file in everything for each in file.divergence),
    )


@cache
def files() -> Mapping[str, RegistryFile]:
    folder = resources.files(__package__)
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".toml"))
    return {name: parse(name, (folder / name).read_text(encoding="utf-8")) for name in names}


@cache
def registry() -> Registry:
    return joined(files().values())


def requirements() -> Mapping[str, Requirement]:
    return registry().requirements


def requirement(identifier: str) -> Requirement:
    """The requirement of this id. Raises `UnknownRequirementError` where there is none."""
    known = requirements()
    if identifier not in known:
        near = difflib.get_close_matches(identifier, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        what = f"the registry has no requirement {identifier!r}{hint}"
        raise UnknownRequirementError(f"{what} (it is in {FOLDER}, a file a source document)")
    return known[identifier]


def stated(document: str, items: Iterable[str]) -> str:
    """The id of the first item that a document states, or that is an id itself, of any document.

    :raises UnknownRequirementError: when the registry has none of them.
    """
    found = [item if item in requirements() else f"{document}.{item}" for item in items]
    return next((each for each in found if each in requirements()), "") or requirement(found[0]).id
