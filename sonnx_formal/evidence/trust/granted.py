"""What Why3's files ask one to believe: axioms, assumptions, symbols that have no definition."""

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
from sonnx_formal.prover.library import Place
from sonnx_formal.prover.sources import library_sources, read_source

IMPLICIT = ("BuiltIn", "Bool", "HighOrd", "Tuple", "Unit")
"""The theories that Why3 has built in and every module uses; no file holds them."""


class Trusted(Part, frozen=True, kw_only=True):
    """What is found on a machine, and what the ledger says of it; None: nothing."""

    name: str
    trusted_for: str | None = None
    detected_by: str | None = None


class Theory(Trusted, frozen=True, kw_only=True):
    """A module of Why3's standard library that the library uses; by its name after `use`."""

    axioms: Count
    """Those of its own text; what it clones as axioms counts once a clone."""
    lemmas: Count
    symbols: Count
    """Without a definition."""


class _Modules:
    """The modules of a library, and of the folders that it finds others in."""

    def __init__(self, *roots: Path) -> None:
        self._roots = roots
        self._read: dict[Path, dict[str, ScannedModule]] = {}

    def of(self, path: Path) -> dict[str, ScannedModule]:
        """Those of a file, by name."""
        if path not in self._read:
            text = read_source(path).decode(errors="replace")
            self._read[path] = {module.name: module for module in modules(text)}
        return self._read[path]

    def find(self, path: Path, use: str) -> tuple[Path, str]:
        """Where the module is that the file `path` uses; there itself where no file is named.

        A module that is in none of the folders keeps its whole name, which no module of a file has.
        """
        *folders, module = use.split(".")
        roots = self._roots if folders else ()
        named = (root.joinpath(*folders).with_suffix(".mlw") for root in roots)
        # Why3 rejects a file that uses what is nowhere; `prove` says so in Why3's words.
        files = (file for file in named if file.is_file() and module in self.of(file))
        found = next(files, None)
        return (path, use) if folders and found is None else (found or path, module)

    def parameters(self, path: Path, name: str) -> Iterator[GrantedItem]:
        """What a module leaves without a definition, by itself or by what it clones."""
        module = self.of(path).get(name)
        if module is None:  # of the standard library, which states its axioms itself
            return
        yield from (item for item in module.items if item.kind in PARAMETERS)
        for clone in module.clones:
            for item in self.parameters(*self.find(path, clone.module)):
                if item.name not in clone.replaced:
                    yield GrantedItem(name, item.kind, clone.scope + item.name, clone.line)


def granted(library: Path) -> list[GrantedItem]:
    """What the files of a library take for granted, modules named with them. Raises `UserError`.

    A symbol without a definition is an assumption where its module is used as it is: no clone puts
    a definition in its place. Then those that the module leaves open by a clone are, too.
    """
    found = _Modules(library)
    files = {source.path: source.name for source in library_sources(library)}
    used = {
        found.find(path, use)
        for path in files
        for module in found.of(path).values()
        for use in module.uses
    }
    return [
        GrantedItem(
            f"{name}:{item.module}",
            item.kind,
            item.name,
            item.line,
            item.kind in ASSUMED or (path, module.name) in used,
        )
        for path, name in files.items()
        for module in found.of(path).values()
        for item in _granted(found, path, module, as_it_is=(path, module.name) in used)
    ]


def complete(library: Path) -> list[Place]:
    """The modules that leave nothing without a definition, in the order of the library.

    Raises `UserError` when a file cannot be read.
    """
    found = _Modules(library)
    return [
        (source.name, name)
        for source in library_sources(library)
        for name in found.of(source.path)
        if not any(found.parameters(source.path, name))
    ]


def _granted(
    found: _Modules, path: Path, module: ScannedModule, *, as_it_is: bool
) -> Iterator[GrantedItem]:
    yield from (item for item in module.items if item.kind != "lemma")
    if as_it_is:
        own = {item.name for item in module.items}
        cloned = found.parameters(path, module.name)
        yield from (item for item in cloned if item.name not in own)


def theories(library: Path, standard_library: Path) -> list[Theory]:
    """The modules of Why3's standard library that a library uses, by name."""
    read = _Modules(library, standard_library)
    waiting = [
        (source.path, use)
        for source in library_sources(library)
        for module in read.of(source.path).values()
        for use in module.needs()
    ]
    found: dict[str, Theory] = {}
    while waiting:
        path, use = waiting.pop()
        target, short = read.find(path, use)
        if not target.is_relative_to(standard_library):
            continue
        module = read.of(target)[short]
        name = ".".join([*target.relative_to(standard_library).with_suffix("").parts, module.name])
        if name not in found:
            kinds = Counter(item.kind for item in module.items)
            found[name] = Theory(
                name=name,
                axioms=sum(kinds[kind] for kind in ASSUMED),
                lemmas=kinds["lemma"],
                symbols=sum(kinds[kind] for kind in PARAMETERS),
            )
            waiting += [(target, inner) for inner in module.needs()]
    return [found[name] for name in sorted(found)]
