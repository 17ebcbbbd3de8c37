"""The text of a Why3 file: its tokens, its modules, and the definitions with contract and body.

A declaration is recognised by its place: it begins where the first one of its module begins on its
line. That is how the library is laid out, and how `why3 pp` would lay it out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

_LEXEMES = re.compile(
    r"""
    \s*+ (?:
      (?P<word>     '?[^\W\d][\w']* )
    | (?P<comment>  \(\*(?!\)) )
    | (?P<attribute>\[@[^\]]*\] )
    | (?P<bracket>  [()\[\]{},;] )
    | (?P<operator> [!$%&*+\-./:<=>?@^|~\\\#]+ )
    | (?P<number>   0[xX][\da-fA-F_.]+(?:[pP][+-]?\d+)? | \d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)? )
    | (?P<string>   "(?:[^"\\]|\\.)*" )
    | (?P<other>    \S )
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGES = re.compile(r"\(\*(?!\))|\*\)")

_of_each_file = lru_cache(maxsize=1024)
"""Keeps what is found of a text: several questions are asked of each file of the library."""

COMPARISONS = {"=", "<>", "<", "<=", ">", ">=", "<.", "<=.", ">.", ">=.", "=="}
CONJUNCTIONS = {"/\\", "&&"}
OPENING, CLOSING = {"(", "[", "{", "begin", "match", "try"}, {")", "]", "}", "end"}


class TokenKind(StrEnum):
    """What a token is: the names of the groups above."""

    STRING = "string"
    ATTRIBUTE = "attribute"
    NUMBER = "number"
    WORD = "word"
    OPERATOR = "operator"
    BRACKET = "bracket"
    OTHER = "other"


_KINDS = {kind.value: kind for kind in TokenKind}
_WORDS = frozenset({TokenKind.WORD, TokenKind.OPERATOR})


class Token(NamedTuple):
    """A token and where it stands in the text."""

    kind: TokenKind
    text: str
    start: int
    end: int
    indent: int | None
    """How far its line is indented, if it is the first on it."""


@_of_each_file
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text. What is no lexeme of Why3 is a token of kind `OTHER`."""
    tokens = []
    end = 0
    line: int | None = 0  # where the line begins, if there is nothing on it yet
    while match := _LEXEMES.match(text, end):
        name = str(match.lastgroup)
        before, (start, end) = end, match.span(name)
        if (newline := text.rfind("\n", before, start)) >= 0:
            line = newline + 1
        if name == "comment":
            end = _end_of_comment(text, start)
        else:
            indent = None if line is None else start - line
            tokens.append(Token(_KINDS[name], text[start:end], start, end, indent))
        line = None
    return tuple(tokens)


def _end_of_comment(text: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGES.finditer(text, start):
        depth += 1 if edge[0] == "(*" else -1
        if depth == 0:
            return edge.end()
    return len(text)


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

    @property
    def is_parameter(self) -> bool:
        """Whether who uses the module says what it is: no body, and no claim either."""
        return bool({"val", *_DEFINED} & {*self.head}) and not self.body

    @property
    def is_program(self) -> bool:
        """Whether it is executed and no symbol of the logic: a kernel, or a part of one."""
        head = {*self.head}
        return "let" in head and not head & {"lemma", "ghost", *_DEFINED} and bool(self.body)

    @property
    def is_proof(self) -> bool:
        """Whether it is a `let lemma` or a `let ghost`: whoever uses it sees its contract alone."""
        head = {*self.head}
        return "let" in head and bool(head & {"lemma", "ghost"}) and not head & _DEFINED


@dataclass(frozen=True)
class Module:
    """A module of a file."""

    name: str
    declarations: tuple[Declaration, ...]
    uses: tuple[str, ...]
    """What stands after `use` and `clone`, as it is written."""
    clones: tuple[str, ...]
    """What stands after `clone`."""
    words: frozenset[str]
    """Every word and operator in it."""
    start: int
    end: int
    """Where its closing `end` stands."""


@_of_each_file
def modules(text: str) -> tuple[Module, ...]:
    """The modules of a file. A text without any has none."""
    tokens = tokenize(text)
    found = []
    for part in _parts(tokens, {"module", "theory"}, 0):
        ends = [place for place, token in enumerate(part) if token.text == "end"]
        if ends and len(part) > 1:
            found.append(_module(part[: ends[-1] + 1]))
    return tuple(found)


def statements(text: str) -> str:
    """A text without comments and without the bodies of proofs: what its users see of it."""
    proofs = [d.body for module in modules(text) for d in module.declarations if d.is_proof]
    hidden = {token.start for body in proofs for token in body}
    return _text([token for token in tokenize(text) if token.start not in hidden])


def _parts(
    tokens: Sequence[Token], keywords: set[str], indent: int | None
) -> list[Sequence[Token]]:
    """What begins with one of these keywords, first on a line that is indented like this."""
    starts = [k for k, t in enumerate(tokens) if t.text in keywords and t.indent == indent]
    return [tokens[start:end] for start, end in pairwise([*starts, len(tokens)])]


def _module(tokens: Sequence[Token]) -> Module:
    body = tokens[2:-1]
    indents = (token.indent for token in tokens[2:] if token.indent is not None)
    parts = _parts(body, _DECLARATIONS, next(indents, 0))
    return Module(
        name=tokens[1].text,
        declarations=tuple(d for part in parts if (d := _declaration(part))),
        uses=tuple(_used(part) for part in parts if part[0].text in {"use", "clone"}),
        clones=tuple(_used(part) for part in parts if part[0].text == "clone"),
        words=_words(body),
        start=tokens[0].start,
        end=tokens[-1].start,
    )


def _used(tokens: Sequence[Token]) -> str:
    """`a.b.C` of `use export a.b.C as D`."""
    words = [token.text for token in tokens[1:] if token.text not in {"import", "export"}]
    dots = takewhile(lambda word: word == ".", words[1::2])
    return ".".join(words[: 2 * len(list(dots)) + 1 : 2])


def _declaration(tokens: Sequence[Token]) -> Declaration | None:
    head = tuple(takewhile(_HEAD.__contains__, (token.text for token in tokens)))
    if len(head) in {0, len(tokens)}:
        return None
    place, name = len(head), tokens[len(head)].text
    if name == "(":  # an operator
        place = closing(tokens, place)
        name = "".join(token.text for token in tokens[len(head) + 1 : place])
    header_end = _find(tokens, place + 1, _CLAUSES | {"="})
    header = [t for t in tokens[place + 1 : header_end] if t.kind is not TokenKind.ATTRIBUTE]
    body = header_end
    while body < len(tokens) and tokens[body].text != "=":
        body = closing(tokens, body) + 1 if tokens[body].text == "{" else body + 1
    return Declaration(
        head=head,
        name=name,
        start=tokens[0].start,
        end=tokens[-1].end,
        parameters=tuple(_parameters(header)),
        result=_text(header[_find(header, 0, {":"}) + 1 :]),
        clauses=tuple(_clauses(tokens[header_end:body])),
        body=tuple(tokens[body + 1 :]),
        words=_words(tokens),
    )


def _clauses(tokens: Sequence[Token]) -> Iterator[Clause]:
    place = 1
    while place < len(tokens):
        if tokens[place].text == "{":
            keyword, start = tokens[place - 1], place
            place = closing(tokens, place)
            inside = tokens[start + 1 : place]
            yield Clause(
                keyword.text,
                keyword.start,
                tokens[min(place, len(tokens) - 1)].end,
                tuple(t for t in inside if t.kind is not TokenKind.ATTRIBUTE),
                _text([t for t in inside if t.kind is TokenKind.ATTRIBUTE]),
            )
        place += 1


def _parameters(header: Sequence[Token]) -> Iterator[Parameters]:
    place = 0
    while place < len(header) and header[place].text != ":":
        if header[place].text == "(":
            start, place = place + 1, closing(header, place)
            colon = _find(header, start, {":"})
            names = tuple(t.text for t in header[start : min(colon, place)] if t.text != "ghost")
            yield Parameters(names, _text(header[colon + 1 : place]))
        place += 1


def _find(tokens: Sequence[Token], place: int, wanted: set[str]) -> int:
    """Where one of these stands outside brackets; the end if nowhere."""
    while place < len(tokens) and tokens[place].text not in wanted:
        place = closing(tokens, place) + 1 if tokens[place].text in {"(", "[", "{"} else place + 1
    return place


def closing(tokens: Sequence[Token], place: int) -> int:
    """Where the bracket is closed that is opened at a place; the end if it is not."""
    depth = 0
    for k in range(place, len(tokens)):
        depth += (tokens[k].text in OPENING) - (tokens[k].text in CLOSING)
        if depth == 0:
            return k
    return len(tokens)


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(t.text for t in tokens if t.kind in _WORDS)


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)
