"""The modules of Why3's files: what they declare without a definition, use and clone.

Axioms, assumptions and symbols without a definition are found whatever the layout: `prover.whyml`
finds declarations by their place, and would miss some.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile, zip_longest

from sonnx_formal.core.documents import Part
from sonnx_formal.prover.whyml import Token, TokenKind, tokenize

ASSUMED = ("axiom", "axiom of a clone", "assume", "admit", "any", "diverges", "attribute")
"""What is believed though nobody proves it, where Why3 lets one write it."""
PARAMETERS = ("val", "type", "function", "predicate", "constant")
"""What is declared without a definition."""

# Words that begin a declaration; `let` also stands in expressions, which does no harm here.
_BEGINS = {
    "use", "clone", "type", "val", "let", "constant", "function", "predicate", "inductive",
    "coinductive", "axiom", "lemma", "goal", "exception", "meta", "scope", "end",
}  # fmt: skip
_MODIFIERS = {"ghost", "partial", "rec", "constant", "function", "predicate", "lemma"}
_TRUSTED_ATTRIBUTE = re.compile(r"vc:(divergent|trusted_wf)\b")


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
        case [name, *rest]:
            inner = takewhile(lambda pair: pair[0] == ".", zip(rest[::2], rest[1::2], strict=False))
            return ".".join((name, *(part for _, part in inner)))
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
