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
    """What a token is."""

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


def tokenize(text: str) -> list[Token]:
    """The tokens of a text. What is no lexeme of Why3 is a token of kind `OTHER`."""
    tokens = []
    position = 0
    while position < len(text):
        match = _LEXEMES.match(text, position)
        if match is None:
            tokens.append(Token(TokenKind.OTHER, text[position], position, position + 1))
            position += 1
        elif match.lastgroup == "comment":
            position = _end_of_comment(text, position)
        else:
            if match.lastgroup != "space":
                kind = TokenKind(str(match.lastgroup))
                tokens.append(Token(kind, match[0], position, match.end()))
            position = match.end()
    return tokens


def _end_of_comment(text: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGES.finditer(text, start):
        depth += 1 if edge[0] == "(*" else -1
        if depth == 0:
            return edge.end()
    return len(text)
