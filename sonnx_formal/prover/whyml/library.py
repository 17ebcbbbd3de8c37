"""The files of a formal library: their texts, their modules, and who uses whom."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sonnx_formal.prover.sources import library_sources, read_source
from sonnx_formal.prover.whyml.modules import Module, modules

_EVIDENCE = ("witnesses", "examples", "literal")


@dataclass(frozen=True)
class Library:
    """What was in the files when they were read, by name relative to the library."""

    texts: dict[str, str]

    @staticmethod
    def read(folder: Path) -> "Library":
        """Raises `UserError` when a file cannot be read."""
        sources = library_sources(folder)
        return Library({s.name: read_source(s.path).decode(errors="replace") for s in sources})

    @cached_property
    def modules(self) -> dict[str, list[Module]]:
        """The modules of each file."""
        return {name: modules(text) for name, text in self.texts.items()}

    @cached_property
    def _needed(self) -> dict[str, set[str]]:
        """Each file with all that it depends on, itself among them."""
        files = self.texts.keys()
        direct = {
            name: {_place(name, used)[0] for module in found for used in module.uses} & files
            for name, found in self.modules.items()
        }
        needed = {}
        for name in self.texts:
            needed[name] = {name}
            while more := set[str]().union(*(direct[file] for file in needed[name])) - needed[name]:
                needed[name] |= more
        return needed

    def dependents(self, file: str) -> list[str]:
        """The files that depend on a file: itself first, then what is proved of examples."""
        found = [name for name, needed in self._needed.items() if file in needed]
        return sorted(found, key=lambda name: (name != file, not is_evidence(name), name))

    def users(self, file: str, module: str) -> dict[tuple[str, str], Module]:
        """A module and those that use or clone it, through others, too; by file and name."""
        everything = {
            (name, found.name): found
            for name in self.dependents(file)
            for found in self.modules[name]
        }
        users = {(file, module)}
        while more := {
            (name, own)
            for (name, own), found in everything.items()
            if (name, own) not in users and users & {_place(name, used) for used in found.uses}
        }:
            users |= more
        return {place: found for place, found in everything.items() if place in users}

    def digest(self, files: Iterable[str]) -> str:
        """SHA-256 of the texts of some files and of all that they depend on; of those here."""
        seal = hashlib.sha256()
        for name in sorted(set().union(*(self._needed.get(file, {file}) for file in files))):
            text = self.texts.get(name, "")
            seal.update(f"{name}\0{hashlib.sha256(text.encode()).hexdigest()}\0".encode())
        return seal.hexdigest()


def _place(file: str, used: str) -> tuple[str, str]:
    """`a.b.C` is module C of a/b.mlw; C is a module of the same file."""
    *folders, module = used.split(".")
    return ("/".join(folders) + ".mlw" if folders else file), module


def is_evidence(file: str) -> bool:
    """Whether a file holds concrete arguments and what is proved of them, not definitions."""
    return Path(file).stem.endswith(_EVIDENCE)
