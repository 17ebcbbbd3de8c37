"""A Why3 text as tokens: comments are left out, strings and attributes are one token each."""

import re
from dataclasses import dataclass
from enum import StrEnum

_LEXEMES = re.compile(
    r"""
      (?P<space>    \s+ )
    | (?P<comment>  \(\*(?!\)) )
    | (?P<string>   "(?:[^"\\]|\\.)*" )
    | (?P<attribute>\[@[^\]]*\] )
    | (?P<number>   0[xX][\da-fA-F_.]+(?:[pP][+-]?\d+)? | \d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)? )
    | (?P<word>     '?[^\W\d][\w']* )
    | (?P<operator> [!$%&*+\-./:<=>?@^|~\\\#]+ )
    | (?P<bracket>  [()\[\]{},;] )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGES = re.compile(r"\(\*(?!\))|\*\)")

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


@dataclass(frozen=True)
class Token:
    """A token and where it stands in the text."""

    kind: TokenKind
    text: str
    start: int
    end: int
    indent: int | None
    """How far its line is indented, if it is the first on it."""


def tokenize(text: str) -> list[Token]:
    """The tokens of a text. What is no lexeme of Why3 is a token of kind `OTHER`."""
    tokens = []
    end = 0
    while end < len(text):
        match = _LEXEMES.match(text, start := end)
        end = match.end() if match else start + 1
        name = str(match.lastgroup) if match else TokenKind.OTHER
        if name == "comment":
            end = _end_of_comment(text, start)
        elif name != "space":
            before = text[text.rfind("\n", 0, start) + 1 : start]
            indent = None if before.strip() else len(before)
            tokens.append(Token(TokenKind(name), text[start:end], start, end, indent))
    return tokens


def _end_of_comment(text: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGES.finditer(text, start):
        depth += 1 if edge[0] == "(*" else -1
        if depth == 0:
            return edge.end()
    return len(text)
