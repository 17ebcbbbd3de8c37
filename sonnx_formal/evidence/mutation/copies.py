"""Where a definition says what a lemma, or another clause of its file, literally says again."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_formal.evidence.mutation.operators import LOOSER, Change
from sonnx_formal.prover import whyml
from sonnx_formal.prover.whyml import Declaration, Module, Token, TokenKind, tokenize

_LEAST = 3  # tokens: what is shorter stands again everywhere, and says nothing
_SEPARATORS = {"{", "}", ";", "let", "in", "if", "then", "else", "match", "with", "|", "->", "end"}
# What stands before and after a whole expression.
_AROUND = LOOSER | whyml.CONJUNCTIONS | whyml.OPENING | whyml.CLOSING | {"=", ".", ":", "let"}
Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Copied:
    """A piece of a definition, and what is token for token the same elsewhere."""

    piece: Sequence[Token]
    copies: Sequence[Sequence[Token]]

    def places(self, change: Change) -> Places:
        """What the change replaces in each copy; nothing where it is not inside the piece."""
        found = []
        for copy in self.copies:
            pairs = list(zip(self.piece, copy, strict=True))
            at = {p.end: c.end for p, c in pairs} | {p.start: c.start for p, c in pairs}
            if change.start in at and change.end in at:
                found.append((at[change.start], at[change.end]))
        return tuple(found)


class Copies:
    """The clauses of a file, and its lemmas, proofs and programs."""

    def __init__(self, text: str, modules: Sequence[Module]) -> None:
        self._tokens = [t for t in tokenize(text) if t.kind is not TokenKind.ATTRIBUTE]
        self._places: dict[str, list[tuple[Sequence[Token], int]]] = defaultdict(list)
        for module in modules:
            for declaration in module.declarations:
                for statement in self._statements(declaration):
                    for place, token in enumerate(statement):
                        self._places[token.text].append((statement, place))

    def _statements(self, declaration: Declaration) -> Iterator[Sequence[Token]]:
        if declaration.is_definition:
            yield from (c.inside for c in declaration.clauses if c.keyword != "variant")
        else:
            span = range(declaration.start, declaration.end)
            yield [token for token in self._tokens if token.start in span]

    def of(self, piece: Sequence[Token]) -> Copied:
        """The whole expressions that are the same as a piece of a definition."""
        wanted = [token.text for token in piece]
        places = self._places.get(wanted[0], []) if len(piece) >= _LEAST else []
        found = []
        for statement, place in places:
            end = place + len(piece)
            copy = statement[place:end]
            if copy[0].start != piece[0].start and wanted == [t.text for t in copy]:
                around = (*statement[max(place - 1, 0) : place], *statement[end : end + 1])
                if all(token.text in _AROUND for token in around):
                    found.append(copy)
        return Copied(piece, found)


def expressions(body: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """A body, and what stands in it as a field, a branch or a condition and is no mere pattern."""
    yield body
    ends = [place for place, token in enumerate(body) if token.text in _SEPARATORS]
    for start, end in zip([-1, *ends], [*ends, len(body)], strict=True):
        part = body[start + 1 : end]
        if len(part) < len(body) and any(token.kind is TokenKind.OPERATOR for token in part):
            yield part
