"""The files of a formal library: their texts, their modules, who uses whom; and an edit of one."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.site import Export, Exported
from sonnx_formal.prover.sources import Source, library_sources, read_source, source_at
from sonnx_formal.prover.tasks import Task
from sonnx_formal.prover.whyml import Module, modules, statements

Place = tuple[str, str]
"""A module: its file, as Why3 finds it on its load path, and its name."""
_EVIDENCE = ("witnesses", "examples", "literal")


@dataclass(frozen=True)
class Library:
    """What was in the files when they were read, by name relative to the library."""

    texts: dict[str, str]

    @staticmethod
    def read(folder: Path) -> "Library":
        """All files of a folder. Raises `UserError` when a file cannot be read."""
        return Library.of(library_sources(folder))

    @staticmethod
    def of(sources: Iterable[Source]) -> "Library":
        """Some files. Raises `UserError` when one cannot be read."""
        return Library(
            {relative(each): read_source(each.path).decode(errors="replace") for each in sources}
        )

    @cached_property
    def modules(self) -> dict[str, tuple[Module, ...]]:
        """The modules of each file."""
        return {name: modules(text) for name, text in self.texts.items()}

    @cached_property
    def by_place(self) -> dict[Place, Module]:
        """All modules, by file and name."""
        return {(name, each.name): each for name, here in self.modules.items() for each in here}

    @cached_property
    def uses(self) -> dict[Place, frozenset[Place]]:
        """What each module uses or clones itself; of other libraries, too."""
        return {
            (file, name): frozenset(_place(file, used) for used in found.uses)
            for (file, name), found in self.by_place.items()
        }

    @cached_property
    def needed(self) -> dict[str, set[str]]:
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
        """The files that depend on a file: itself first, then those that need the least besides."""
        found = [name for name, needed in self.needed.items() if file in needed]
        return sorted(found, key=lambda name: (name != file, len(self.needed[name]), name))

    def users(self, file: str, module: str) -> dict[Place, Module]:
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

    def cloned(self, places: Iterable[Place]) -> dict[Place, Module]:
        """What modules clone, through others, too; of this library."""
        found: dict[Place, Module] = {}
        waiting = [*places]
        while waiting:
            file, name = waiting.pop()
            clones = {_place(file, cloned) for cloned in self.by_place[file, name].clones}
            new = (clones & self.by_place.keys()) - found.keys()
            found |= {place: self.by_place[place] for place in new}
            waiting += new
        return found

    @cached_property
    def _statements(self) -> dict[str, str]:
        return {name: _sha256(statements(text)) for name, text in self.texts.items()}

    def digest(self, files: Iterable[str], proofs: Mapping[str, str]) -> str:
        """SHA-256 of what some files state, with all that they depend on, and of some proofs.

        :param proofs: the text of a proof, or of more, by its name.
        """
        needed = set[str]().union(*(self.needed.get(file, {file}) for file in files))
        parts = {name: self._statements.get(name, "") for name in needed}
        parts |= {f"proof {name}": _sha256(text) for name, text in proofs.items()}
        return _sha256("\0".join(f"{name}\0{part}" for name, part in sorted(parts.items())))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rests_on(library: Path, sources: Sequence[Source]) -> list[Source]:
    """The other files that files use, through others too: of the library, or beside them.

    Raises `UserError` when a file cannot be read.
    """
    # Whoever lies beside is read only if it is used.
    beside = {path for source in sources for path in source.path.parent.glob("[!.]*.mlw")}
    found = {source.path: source for source in library_sources(library)}
    found |= {path: source_at(library, path) for path in beside - found.keys()}
    names = {relative(source): source for source in found.values()}
    waiting, used = list(sources), {*sources}
    while waiting:
        source = waiting.pop()
        text = read_source(source.path).decode(errors="replace")
        places = {_place(relative(source), use)[0] for each in modules(text) for use in each.uses}
        more = {names[place] for place in places & names.keys()} - used
        used |= more
        waiting += more
    return sorted(used - {*sources}, key=lambda source: source.name)


def relative(source: Source) -> str:
    """How Why3 finds a file: from the folder of its load path that it is in."""
    return source.path.relative_to(source.load_path[-1]).as_posix()


def _place(file: str, used: str) -> Place:
    """`a.b.C` is module C of a/b.mlw; C is a module of the same file."""
    *folders, module = used.split(".")
    return ("/".join(folders) + ".mlw" if folders else file), module


def is_evidence(file: str) -> bool:
    """Whether a file holds concrete arguments and what is proved of them, not definitions."""
    return Path(file).stem.endswith(_EVIDENCE)


class RejectedError(Exception):
    """Why3 does not accept the edited file: a syntax or type error."""


@dataclass(frozen=True)
class EditedGoal:
    """A goal of the edited library, or a piece of one."""

    id: str
    file: str
    module: str
    name: str
    task: Task


class Workshop:
    """A library of which a file is edited: in memory, for Why3 to read."""

    def __init__(self, why3: Why3, library: Library, export: Callable[[Export], Exported]) -> None:
        self._why3 = why3
        self._library = library
        self._export = export
        self._edited: dict[str, str] = {}

    def edit(self, file: str, text: str) -> None:
        """Give a file another text; the file that was edited before is as it was."""
        self._edited = {file: text}

    def goals(
        self, file: str, modules: Sequence[str], names: Sequence[str] = (), *, split: bool = True
    ) -> list[EditedGoal]:
        """The goals of some modules of a file; where names are given, one of each module.

        :param split: whether these are to be the pieces of the goals.

        Raises `RejectedError`.
        """
        chosen = tuple(zip_longest(modules, names, fillvalue=""))
        texts = self._library.texts | self._edited
        needed = {name: texts[name] for name in sorted(self._library.needed[file])}
        found = self._export(Export(self._why3, file, needed, chosen, split))
        if found.rejected:
            raise RejectedError(found.rejected)
        pieces: Counter[str] = Counter()
        goals = []
        for module, name, task in found.tasks:
            identity = f"{file}:{module}.{name}"
            if split:
                pieces[identity] += 1
                identity += f".{pieces[identity]}"
            goals.append(EditedGoal(identity, file, module, name, task))
        return goals
