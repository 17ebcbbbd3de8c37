"""What Why3's files ask one to believe.

Sources take for granted axioms, assumptions, and symbols that have no definition, whatever the
layout: `prover.whyml` finds declarations by their place, and would miss some. Drivers say how
symbols are printed, and which axioms are left out as built in.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile, zip_longest
from pathlib import Path

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.sources import library_sources, read_source
from sonnx_formal.prover.whyml import Token, TokenKind, tokenize

ASSUMED = ("axiom", "axiom of a clone", "assume", "admit", "any", "diverges", "attribute")
"""What is believed though nobody proves it, where Why3 lets one write it."""
PARAMETERS = ("val", "type", "function", "predicate", "constant")
"""What is declared without a definition."""
IMPLICIT = ("BuiltIn", "Bool", "HighOrd", "Tuple", "Unit")
"""The theories that Why3 has built in and every module uses; no file holds them."""

# Words that begin a declaration; `let` also stands in expressions, which does no harm here.
_BEGINS = {
    "use", "clone", "type", "val", "let", "constant", "function", "predicate", "inductive",
    "coinductive", "axiom", "lemma", "goal", "exception", "meta", "scope", "end",
}  # fmt: skip
_MODIFIERS = {"ghost", "partial", "rec", "constant", "function", "predicate", "lemma"}
_TRUSTED_ATTRIBUTE = re.compile(r"vc:(divergent|trusted_wf)\b")


class Trusted(Part, frozen=True, kw_only=True):
    """What is found on a machine, and what the ledger says of it; None: nothing."""

    name: str
    trusted_for: str | None = None
    detected_by: str | None = None


class GrantedItem(Part, frozen=True):
    """Something that a module takes for granted."""

    module: str
    kind: str
    """Of `ASSUMED`, of `PARAMETERS`, or `lemma`."""
    name: str
    line: int
    assumed: bool = False
    """Whether it is believed as it is; else it is a parameter, in whose place a clone puts a
    definition."""
    reason: str | None = None
    """As the ledger gives it; None: nobody says why."""
    detected_by: str | None = None
    """What would show that the assumption is wrong, by the ledger."""


class Theory(Trusted, frozen=True, kw_only=True):
    """A module of Why3's standard library that the library uses; by its name after `use`."""

    axioms: Count
    """Those of its own text; what it clones as axioms counts once a clone."""
    lemmas: Count
    symbols: Count
    """Without a definition."""


@dataclass(frozen=True)
class ModuleClone:
    """A clone of a module."""

    module: str
    """As it is written."""
    scope: str
    """What the names of its symbols begin with here: `Scalar.`, or nothing where it is exported."""
    replaced: frozenset[str]
    """The symbols that a definition takes the place of."""
    line: int


@dataclass(frozen=True)
class ScannedModule:
    """A module or theory of a file."""

    name: str
    items: tuple[GrantedItem, ...]
    uses: tuple[str, ...]
    """The modules that it uses, as they are written: `int.Int`, `Tensor`."""
    clones: tuple[ModuleClone, ...]

    def needs(self) -> Iterator[str]:
        """The modules that it uses or clones."""
        yield from self.uses
        yield from (clone.module for clone in self.clones)


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
        """Where the module is that the file `path` uses; there itself where no file is named."""
        *folders, module = use.split(".")
        roots = self._roots if folders else ()
        named = (root.joinpath(*folders).with_suffix(".mlw") for root in roots)
        # Why3 rejects a file that uses what is nowhere; `prove` says so in Why3's words.
        files = (file for file in named if file.is_file() and module in self.of(file))
        return next(files, path), module

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


def modules(text: str) -> list[ScannedModule]:
    """The modules of a file; what stands outside of one is in a module `Top`."""
    tokens = [token for token in tokenize(text) if token.kind is not TokenKind.STRING]
    starts = [n for n, token in enumerate(tokens[:-1]) if token.text in {"module", "theory"}]
    parts = [("Top", tokens[: min(starts, default=len(tokens))])]
    parts += [
        (tokens[start + 1].text, tokens[start + 2 : end])
        for start, end in pairwise([*starts, len(tokens)])
    ]
    return [
        ScannedModule(
            name, tuple(_items(name, part, text)), tuple(_uses(part)), tuple(_clones(part, text))
        )
        for name, part in parts
        if part
    ]


def _items(module: str, tokens: Sequence[Token], text: str) -> Iterator[GrantedItem]:
    def item(kind: str, name: str, token: Token) -> GrantedItem:
        return GrantedItem(module, kind, name, text.count("\n", 0, token.start) + 1)

    about = ""  # `clone` or `meta`, as long as words that begin declarations may be a part of it
    declared = ""
    for place, token in enumerate(tokens):
        before = tokens[place - 1].text if place else ""
        word = token.text
        if word in {"assume", "admit", "any", "diverges"}:
            yield item(word, declared, token)
        elif token.kind is TokenKind.ATTRIBUTE and _TRUSTED_ATTRIBUTE.search(word):
            yield item("attribute", f"{declared} {word}", token)
        elif word in _BEGINS:
            rest = tokens[place + 1 :]
            if about and before in {"with", ",", "meta"}:
                if word == "axiom":
                    yield item("axiom of a clone", _name(rest), token)
                continue
            if before in {"let", "val", "rec", *_MODIFIERS}:
                continue
            about = word if word in {"clone", "meta"} else ""
            declared = _name(rest)
            undefined = word in PARAMETERS and not _is_defined(rest)
            if undefined or word in {"axiom", "lemma", "val"}:
                yield item(word, declared, token)


def _name(tokens: Sequence[Token]) -> str:
    """What is declared after a keyword; an operator without its parentheses."""
    following = (token for token in tokens if token.kind is not TokenKind.ATTRIBUTE)
    match [token.text for token in islice(following, 10) if token.text not in _MODIFIERS]:
        case ["(", *operator]:
            return "".join(takewhile(lambda part: part != ")", operator))
        case [scope, ".", name, *_]:
            return f"{scope}.{name}"
        case [name, *_]:
            return name
    return ""


def _is_defined(tokens: Sequence[Token]) -> bool:
    """Whether what is declared has a definition, and that of a type is not hidden."""
    depth = 0
    for token, following in zip_longest(tokens, tokens[1:]):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token.text, 0)
        if depth == 0 and token.text == "=":
            return following is None or following.text not in {"private", "abstract"}
        if depth == 0 and token is not tokens[0] and token.text in _BEGINS:
            return False
    return False


def _uses(tokens: Sequence[Token]) -> Iterator[str]:
    """`a.B` and `c.D` of `use import a.B as X, c.D`."""
    for place, token in enumerate(tokens):
        if token.text == "use":
            said = takewhile(lambda word: word not in _BEGINS, _words(tokens[place + 1 :]))
            for module in " ".join(said).replace(" . ", ".").split(","):
                yield from [name for name in module.split() if name not in {"import", "export"}][:1]


def _clones(tokens: Sequence[Token], text: str) -> Iterator[ModuleClone]:
    """`a.B`, the scope `X.` and `t` of `clone a.B as X with type t = int`."""
    for place, token in enumerate(tokens):
        if token.text != "clone":
            continue
        said = takewhile(lambda word: word not in {"with", *_BEGINS}, _words(tokens[place + 1 :]))
        match " ".join(said).replace(" . ", ".").split():
            case [*way, module, "as", scope]:
                pass
            case [*way, module]:
                scope = module.rpartition(".")[2]
            case _:
                continue
        replaced = frozenset(_replaced(tokens[place + 1 :]))
        line = text.count("\n", 0, token.start) + 1
        yield ModuleClone(module, "" if "export" in way else f"{scope}.", replaced, line)


def _replaced(tokens: Sequence[Token]) -> Iterator[str]:
    """The symbols of a module that its clone, of which the tokens are the rest, has others for."""
    for place, token in enumerate(tokens):
        before = tokens[place - 1].text if place else ""
        if token.text in _BEGINS:
            if before in _MODIFIERS | {"val"}:
                continue
            if before not in {"with", ","}:
                return
            yield _name(tokens[place + 1 :])


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    return (token.text for token in tokens)


class DriverLine(Part, frozen=True):
    """One line of a driver."""

    theory: str
    """Empty for what holds for the whole driver."""
    line: int
    kind: str
    """`syntax`, `remove`, `meta`, `prelude`, `transformation`, `printer`, …"""
    text: str


class Driver(Trusted, frozen=True, kw_only=True):
    """A driver file: how Why3 writes for a prover or a language."""

    sha256: str
    ours: bool
    """Whether it comes with this project and not with Why3."""
    mappings: tuple[DriverLine, ...]

    def theories(self) -> list[str]:
        """The theories whose symbols or axioms it maps, each once."""
        return list(dict.fromkeys(line.theory for line in self.mappings if line.theory))


def read_drivers(start: Path, folder: Path) -> list[Driver]:
    """A driver and those that it imports; Why3's own are in `folder`. Raises `UserError`."""
    found: dict[Path, Driver] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        data = read_source(path)
        mappings = tuple(_mappings(path, data.decode(errors="replace")))
        found[path] = Driver(
            name=path.name,
            sha256=hashlib.sha256(data).hexdigest(),
            ours=not path.is_relative_to(folder),
            mappings=mappings,
        )
        imports = [mapping.text.strip('"') for mapping in mappings if mapping.kind == "import"]
        waiting += [path.parent / name.replace("@DRIVERS@", str(folder)) for name in imports]
    return list(found.values())


_COMMENT = re.compile(r'\(\*(?!\))(?:.|\n)*?\*\)|"(?:[^"\\]|\\.|\\\n)*"')
_STATEMENT = re.compile(
    r"""(?P<open>\b(?:theory|module)\s+(?P<theory>[\w.']+))
    | (?P<close>\bend\b)
    | (?P<kind>\b[a-z]\w*)\s+(?P<text>(?:"(?:[^"\\]|\\.|\\\n)*"|[^"\n])*)""",
    re.VERBOSE,
)


def _mappings(path: Path, text: str) -> Iterator[DriverLine]:
    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    text = _COMMENT.sub(blank, text)
    theory = ""
    for match in _STATEMENT.finditer(text):
        if match["open"]:
            theory = match["theory"]
        elif match["close"]:
            theory = ""
        else:
            line = text.count("\n", 0, match.start()) + 1
            said = re.sub(r"\\\n\s*", "", match["text"]).strip()
            yield DriverLine(theory, line, match["kind"], said)
    if theory:
        raise UserError(f"{path}: theory {theory} has no end: reinstall why3")
