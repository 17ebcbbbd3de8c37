"""Slips about the constructors of algebraic types, as the library declares these."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sonnx_formal.evidence.mutation.operators import Change, atom_ends, is_operand
from sonnx_formal.prover import whyml
from sonnx_formal.prover.whyml import Token, TokenKind, tokenize

_OTHER_RESULT = {"true": "false", "false": "true"}


@dataclass(frozen=True)
class Constructor:
    """One alternative of an algebraic type."""

    name: str
    arity: int
    """Of what is no single constructor, -1."""

    @staticmethod
    def of(tokens: Sequence[Token]) -> "Constructor":
        """What a pattern begins with, or an alternative of a type."""
        ends = atom_ends(tokens, 1)
        return Constructor(tokens[0].text, len(ends) - 1 if ends[-1] == len(tokens) else -1)

    @property
    def pattern(self) -> str:
        return self.name + " _" * self.arity


AlgebraicType = tuple[Constructor, ...]


@dataclass(frozen=True)
class _Row:
    """A pattern of a match, one of those with one result, and the result."""

    pattern: Sequence[Token]
    result: Sequence[Token]

    @property
    def catches_all(self) -> bool:
        return len(self.pattern) == 1 and not _is_constructor(self.pattern[0])


@dataclass(frozen=True)
class _Match:
    subject: Sequence[Token]
    rows: Sequence[_Row]

    def left_over(self, type_: AlgebraicType) -> list[Constructor]:
        """The constructors of a type that the last row catches; none if it is another type."""
        heads = {Constructor.of(row.pattern) for row in self.rows if not row.catches_all}
        fits = heads and heads <= {*type_} and self.rows[-1].catches_all
        return [each for each in type_ if each not in heads] if fits else []


def algebraic_types(text: str) -> Iterator[AlgebraicType]:
    """The types that a text declares as `type t = A | B int`."""
    tokens = tokenize(text)
    for place, token in enumerate(tokens):
        if token.text == "type" and token.indent is not None:
            parts = _split(_indented(tokens, place), "=")
            alternatives = [part for part in _split(parts[-1], "|") if part]
            if len(parts) > 1 and all(map(_declares_constructor, alternatives)):
                yield tuple(map(Constructor.of, alternatives))


def constructor_slips(tokens: Sequence[Token], types: Iterable[AlgebraicType]) -> Iterator[Change]:
    """With another constructor of its type in the place of one; with another result for one."""
    types, matches = list(types), list(_matches(tokens))
    in_patterns = {t.start for match in matches for row in match.rows for t in row.pattern}
    for place, token in enumerate(tokens):
        is_module = [t.text for t in tokens[place + 1 : place + 2]] == ["."]
        if _is_constructor(token) and not is_module and token.start not in in_patterns:
            yield from _other_constructors(tokens, place, types)
    for match in matches:
        for type_ in types:
            yield from _other_results(match, type_)


def _other_constructors(
    tokens: Sequence[Token], place: int, types: Iterable[AlgebraicType]
) -> Iterator[Change]:
    is_argument = place > 0 and is_operand(tokens[place - 1])
    ends = [place + 1] if is_argument else atom_ends(tokens, place + 1)
    own = Constructor(tokens[place].text, len(ends) - 1)
    for type_ in types:
        if own in type_ and (other := _other(own, type_)):
            yield Change("constructor", tokens[place].start, tokens[ends[-1] - 1].end, other)


def _other(own: Constructor, type_: AlgebraicType) -> str | None:
    """The next constructor without arguments."""
    place = type_.index(own)
    later = (*type_[place + 1 :], *type_[:place])
    return next((each.name for each in later if not each.arity), None)


def _other_results(match: _Match, type_: AlgebraicType) -> Iterator[Change]:
    """With a row of its own for what the last row catches: with the other truth value, or, where
    the result is what is matched, with another constructor."""
    left_over = match.left_over(type_)
    result = [token.text for token in match.rows[-1].result]
    for constructor in left_over:
        other = None
        if result == [token.text for token in match.subject]:
            kind, other = "constructor", _other(constructor, type_)
        elif len(result) == 1 and len(left_over) > 1:  # one alone is the slip of a constant
            kind, other = "type list", _OTHER_RESULT.get(result[0])
        if other:
            first = match.rows[0].pattern[0].start
            yield Change(kind, first, first, f"{constructor.pattern} -> {other} | ")


def _matches(tokens: Sequence[Token]) -> Iterator[_Match]:
    for place, token in enumerate(tokens):
        if token.text == "match":
            inside = _inside(tokens, place)
            subject, *after = _split(inside, "with", 1)
            if rows := list(_rows(after[0] if after else ())):
                yield _Match(subject, rows)


def _rows(tokens: Sequence[Token]) -> Iterator[_Row]:
    waiting = []
    for part in _split(tokens, "|"):
        pattern, *result = _split(part, "->", 1)
        waiting += [pattern] if pattern else []
        if result:
            yield from (_Row(each, result[0]) for each in waiting)
            waiting = []


def _inside(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """What is between a `match` and its `end`."""
    depth = 0
    for k in range(place, len(tokens)):
        depth += (tokens[k].text in whyml.OPENING) - (tokens[k].text in whyml.CLOSING)
        if not depth:
            return tokens[place + 1 : k]
    return tokens[place + 1 :]


def _split(tokens: Sequence[Token], by: str, times: int = -1) -> list[Sequence[Token]]:
    """The parts before, between and after tokens that stand in no brackets."""
    parts: list[Sequence[Token]] = []
    start = depth = 0
    for place, token in enumerate(tokens):
        depth += (token.text in whyml.OPENING) - (token.text in whyml.CLOSING)
        if token.text == by and not depth and len(parts) != times:
            parts.append(tokens[start:place])
            start = place + 1
    return [*parts, tokens[start:]]


def _indented(tokens: Sequence[Token], place: int) -> list[Token]:
    """What follows on the line of a declaration, and on those that are indented more."""
    least = tokens[place].indent or 0
    return list(takewhile(lambda t: t.indent is None or t.indent > least, tokens[place + 1 :]))


def _is_constructor(token: Token) -> bool:
    return token.kind is TokenKind.WORD and token.text[0].isupper()


def _declares_constructor(tokens: Sequence[Token]) -> bool:
    """A constructor, not a type of another module."""
    return _is_constructor(tokens[0]) and [token.text for token in tokens[1:2]] != ["."]
