"""Which modules take what for granted: of the library, and of Why3's files that it uses."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.evidence.trust.scan import (
    ASSUMED,
    PARAMETERS,
    GrantedItem,
    ScannedModule,
    modules,
)
from sonnx_formal.prover.sources import library_sources, read_source

IMPLICIT = ("BuiltIn", "Bool", "HighOrd", "Tuple", "Unit")
"""The theories that Why3 has built in and every module uses; no file holds them."""


class Theory(Part, frozen=True):
    """A module of Why3's standard library that the library uses, directly or not."""

    name: str
    """As one writes it after `use`: `int.Int`."""
    axioms: Count
    """Those of its own text; what it clones as axioms counts once a clone."""
    lemmas: Count
    symbols: Count
    """Without a definition."""


def granted(library: Path) -> list[GrantedItem]:
    """What the files of a library take for granted; the file is a part of each module's name.

    Raises `UserError` when a file cannot be read.
    """
    found = []
    for source in library_sources(library):
        for module in modules(_text(source.path)):
            found += [
                GrantedItem(f"{source.name}:{item.module}", item.kind, item.name, item.line)
                for item in module.items
                if item.kind != "lemma"
            ]
    return found


def theories(library: Path, standard_library: Path) -> list[Theory]:
    """The modules of Why3's standard library that a library uses, by name."""
    read = _Files(library, standard_library)
    waiting = [
        (source.path, use)
        for source in library_sources(library)
        for module in read.modules(source.path).values()
        for use in module.uses
    ]
    found: dict[str, Theory] = {}
    while waiting:
        path, use = waiting.pop()
        target = read.resolve(path, use)
        if not target.is_relative_to(standard_library):
            continue
        module = read.modules(target)[use.rpartition(".")[2]]
        name = ".".join([*target.relative_to(standard_library).with_suffix("").parts, module.name])
        if name not in found:
            found[name] = _theory(name, module)
            waiting += [(target, inner) for inner in module.uses]
    return [found[name] for name in sorted(found)]


class _Files:
    """Parsed files, each once."""

    def __init__(self, library: Path, standard_library: Path) -> None:
        self._roots = (library, standard_library)
        self._modules: dict[Path, dict[str, ScannedModule]] = {}

    def modules(self, path: Path) -> dict[str, ScannedModule]:
        if path not in self._modules:
            self._modules[path] = {module.name: module for module in modules(_text(path))}
        return self._modules[path]

    def resolve(self, path: Path, use: str) -> Path:
        """The file of a module that the file `path` uses; its own where no file is named."""
        file, _, module = use.rpartition(".")
        if not file:
            return path
        for root in self._roots:
            candidate = root.joinpath(*file.split(".")).with_suffix(".mlw")
            if candidate.is_file() and module in self.modules(candidate):
                return candidate
        # Why3 rejects such a file; `prove` says so in Why3's words.
        return path


def _theory(name: str, module: ScannedModule) -> Theory:
    kinds = Counter(item.kind for item in module.items)
    return Theory(
        name,
        axioms=sum(kinds[kind] for kind in ASSUMED),
        lemmas=kinds["lemma"],
        symbols=sum(kinds[kind] for kind in PARAMETERS),
    )


def _text(path: Path) -> str:
    return read_source(path).decode(errors="replace")


def used_names(found: list[Theory]) -> Iterator[str]:
    """The names of theories, with those that are built in."""
    yield from IMPLICIT
    for theory in found:
        yield theory.name
