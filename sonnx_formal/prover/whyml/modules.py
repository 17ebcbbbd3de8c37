"""The modules of a Why3 file, their declarations, and the definitions with contract and body.

A declaration is recognised by its place: it begins where the first one of its module begins on its
line. That is how the library is laid out, and how `why3 pp` would lay it out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from sonnx_formal.prover.whyml.tokens import CLOSING, OPENING, Token, TokenKind, tokenize

_DECLARATIONS = {
    "axiom", "clone", "constant", "exception", "function", "goal", "import", "inductive",
    "coinductive", "lemma", "let", "meta", "predicate", "scope", "type", "use", "val", "end",
}  # fmt: skip
_CLAUSES = {"requires", "ensures", "returns", "raises", "variant", "reads", "writes", "diverges"}
_DEFINED = {"function", "predicate", "constant"}
_HEAD = {"let", "rec", "ghost", "val", "lemma", "goal", "axiom", "with", *_DEFINED}


@dataclass(frozen=True)
class Clause:
    """A `requires`, `ensures`, `variant`, …"""

    keyword: str
    start: int
    end: int
    inside: tuple[Token, ...]
    """What is between the braces, without attributes."""
    label: str
    """The text of its attributes: `[@expl:…]`."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of one type that are declared together: `(a b: t)`."""

    names: tuple[str, ...]
    type: str


@dataclass(frozen=True)
class Declaration:
    """A declaration that has a name, a contract or a body."""

    head: tuple[str, ...]
    """The keywords before the name."""
    name: str
    start: int
    end: int
    parameters: tuple[Parameters, ...]
    result: str
    """The type of the result as it is written; empty for a predicate."""
    clauses: tuple[Clause, ...]
    body: tuple[Token, ...]
    words: frozenset[str]
    """Every word and operator in it."""

    @property
    def is_definition(self) -> bool:
        """Whether it gives a symbol of the logic its meaning; a proof or a program does not."""
        return bool(_DEFINED & {*self.head}) and "val" not in self.head and bool(self.body)


@dataclass(frozen=True)
class Module:
    """A module of a file."""

    name: str
    declarations: tuple[Declaration, ...]
    uses: tuple[str, ...]
    """What stands after `use` and `clone`, as it is written."""
    words: frozenset[str]
    """Every word and operator in it."""
    end: int
    """Where its closing `end` stands."""


def modules(text: str) -> list[Module]:
    """The modules of a file. A text without any has none."""
    tokens = tokenize(text)
    starts = [
        place
        for place, token in enumerate(tokens)
        if token.text in {"module", "theory"} and _column(text, token) == 0
    ]
    found = []
    for start, stop in pairwise([*starts, len(tokens)]):
        ends = [k for k in range(start, stop) if tokens[k].text == "end"]
        if ends and start + 1 < stop:
            found.append(_module(text, tokens[start : ends[-1] + 1]))
    return found


def used_files(file: str, files: frozenset[str], found: Sequence[Module]) -> set[str]:
    """The files among `files` whose modules those of `file` use or clone."""
    used = set()
    for module in found:
        for name in module.uses:
            *folders, _module_name = name.split(".")
            path = f"{PurePosixPath(*folders)}.mlw"
            if folders and path in files and path != file:
                used.add(path)
    return used


def _module(text: str, tokens: Sequence[Token]) -> Module:
    body = tokens[2:-1]
    column = _column(text, next((t for t in body if _first_on_its_line(text, t)), tokens[-1]))
    starts = [
        place
        for place, token in enumerate(body)
        if token.text in _DECLARATIONS
        and _first_on_its_line(text, token)
        and _column(text, token) == column
    ]
    parts = [body[a:b] for a, b in pairwise([*starts, len(body)])]
    return Module(
        name=tokens[1].text,
        declarations=tuple(d for part in parts if (d := _declaration(part))),
        uses=tuple(_used(part) for part in parts if part[0].text in {"use", "clone"}),
        words=_words(body),
        end=tokens[-1].start,
    )


def _used(tokens: Sequence[Token]) -> str:
    """`a.b.C` of `use export a.b.C as D`."""
    rest = [token for token in tokens[1:] if token.text not in {"import", "export"}]
    name = ""
    for place, token in enumerate(rest):
        if token.text != "." and place % 2 == 1:
            break
        name += token.text
    return name


def _declaration(tokens: Sequence[Token]) -> Declaration | None:
    place = 0
    while place < len(tokens) and tokens[place].text in _HEAD:
        place += 1
    if place in {0, len(tokens)}:
        return None
    head = tuple(token.text for token in tokens[:place])
    name, place = _name(tokens, place)
    header_end = _find(tokens, place, _CLAUSES | {"="})
    header = [t for t in tokens[place:header_end] if t.kind is not TokenKind.ATTRIBUTE]
    clauses, body_start = _clauses(tokens, header_end)
    return Declaration(
        head=head,
        name=name,
        start=tokens[0].start,
        end=tokens[-1].end,
        parameters=tuple(_parameters(header)),
        result=_result(header),
        clauses=tuple(clauses),
        body=tuple(tokens[body_start:]),
        words=_words(tokens),
    )


def _name(tokens: Sequence[Token], place: int) -> tuple[str, int]:
    """A name, or an operator in parentheses, without them."""
    if tokens[place].text != "(":
        return tokens[place].text, place + 1
    end = _closing(tokens, place)
    return "".join(token.text for token in tokens[place + 1 : end]), end + 1


def _clauses(tokens: Sequence[Token], place: int) -> tuple[list[Clause], int]:
    """The clauses from a place on, and where the body begins."""
    found = []
    while place < len(tokens) and tokens[place].text != "=":
        keyword = tokens[place]
        if place + 1 < len(tokens) and tokens[place + 1].text == "{":
            end = _closing(tokens, place + 1)
            inside = tokens[place + 2 : end]
            found.append(
                Clause(
                    keyword.text,
                    keyword.start,
                    tokens[min(end, len(tokens) - 1)].end,
                    tuple(t for t in inside if t.kind is not TokenKind.ATTRIBUTE),
                    " ".join(t.text for t in inside if t.kind is TokenKind.ATTRIBUTE),
                )
            )
            place = end
        place += 1
    return found, place + 1


def _parameters(header: Sequence[Token]) -> Iterator[Parameters]:
    place = 0
    while place < len(header):
        if header[place].text == ":":
            return
        if header[place].text == "(":
            end = _closing(header, place)
            inside = header[place + 1 : end]
            colon = _find(inside, 0, {":"})
            names = tuple(t.text for t in inside[:colon] if t.text != "ghost")
            yield Parameters(names, _text(inside[colon + 1 :]))
            place = end
        place += 1


def _result(header: Sequence[Token]) -> str:
    return _text(header[_find(header, 0, {":"}) + 1 :])


def _find(tokens: Sequence[Token], place: int, wanted: set[str]) -> int:
    """Where one of these stands outside brackets; the end if nowhere."""
    while place < len(tokens) and tokens[place].text not in wanted:
        place = _closing(tokens, place) + 1 if tokens[place].text in {"(", "[", "{"} else place + 1
    return place


def _closing(tokens: Sequence[Token], place: int) -> int:
    """Where the bracket is closed that is opened at a place; the end if it is not."""
    depth = 0
    for k in range(place, len(tokens)):
        depth += (tokens[k].text in OPENING) - (tokens[k].text in CLOSING)
        if depth == 0:
            return k
    return len(tokens)


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(t.text for t in tokens if t.kind in {TokenKind.WORD, TokenKind.OPERATOR})


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)


def _first_on_its_line(text: str, token: Token) -> bool:
    return not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()


def _column(text: str, token: Token) -> int:
    return token.start - (text.rfind("\n", 0, token.start) + 1)
