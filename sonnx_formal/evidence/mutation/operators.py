"""The mutation operators: what can be wrong by one slip.

Each takes the tokens of a formula or a body and gives the edits; many do not type-check, which
Why3 is asked about later.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.prover.whyml import (
    CLOSING,
    COMPARISONS,
    CONJUNCTIONS,
    OPENING,
    Declaration,
    Parameters,
    Token,
    TokenKind,
)


class Change(Part, frozen=True):
    """What is replaced in a text, characters from 0, and by what."""

    kind: str
    start: Count
    end: Count
    replacement: str


_SWAPS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "+.": "-.", "-.": "+.", "*.": "+.", "/.": "*.",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "<.": "<=.", "<=.": "<.", ">.": ">=.", ">=.": ">.",
    "&&": "||", "||": "&&", "/\\": "\\/", "\\/": "/\\", "->": "<->", "<->": "->",
    "=": "<>", "<>": "=", "div": "mod", "mod": "div",
}  # fmt: skip
_CONSTANTS = {"true": "false", "false": "true", "0.0": "1.0", "1.0": "2.0"}
_PROJECTIONS = {"first": "second", "second": "first"}
_KEYWORDS = {
    "if", "then", "else", "let", "in", "match", "with", "end", "fun", "forall", "exists", "not",
    "begin", "ghost", "pure", "by", "so", "function", "predicate", "rec", "assert", "check",
    "true", "false", "old", "at",
}  # fmt: skip
# What ends an operand of a conjunction.
_LOOSER = {"\\/", "||", "->", "<->", "so", "by", ",", ";", "then", "else", "in", "with", "|", "if"}
_PROOFS = {"assert", "check", "assume", "variant", "invariant", "lemma"}


def without_proofs(tokens: Sequence[Token]) -> list[Token]:
    """The tokens up to the first proof step in a body."""
    return list(takewhile(lambda token: token.text not in _PROOFS, tokens))


def swapped_operators(tokens: Sequence[Token]) -> Iterator[Change]:
    """Another operator of the same type in its place."""
    for place, token in enumerate(tokens):
        if (
            token.text not in _SWAPS
            or _is_sign(tokens, place)
            or (token.text == "=" and _binds(tokens, place))
            or (token.text == "->" and not _is_implication(tokens, place))
        ):
            continue
        yield Change("operator", token.start, token.end, _SWAPS[token.text])


def other_constants(tokens: Sequence[Token]) -> Iterator[Change]:
    """One more, one less, the other truth value."""
    for token in tokens:
        if token.text in _CONSTANTS:
            yield Change("constant", token.start, token.end, _CONSTANTS[token.text])
        elif token.kind is TokenKind.NUMBER and token.text.isdecimal():
            number = int(token.text)
            yield Change("constant", token.start, token.end, str(number + 1))
            less = str(number - 1) if number else "(-1)"
            yield Change("constant", token.start, token.end, less)


def dropped_conjuncts(tokens: Sequence[Token]) -> Iterator[Change]:
    """Without one side of a conjunction, or one end of a chain of comparisons."""
    for place, token in enumerate(tokens):
        is_link = token.text in CONJUNCTIONS
        if not is_link and (token.text not in COMPARISONS or _binds(tokens, place)):
            continue
        stops = CONJUNCTIONS | _LOOSER if is_link else CONJUNCTIONS | _LOOSER | COMPARISONS
        left, right = _left(tokens, place, stops), _right(tokens, place, stops)
        before = left > 0 and tokens[left - 1].text in COMPARISONS
        after = right + 1 < len(tokens) and tokens[right + 1].text in COMPARISONS
        if is_link or (before and not after):
            yield Change("dropped conjunct", token.start, tokens[right].end, "")
        if is_link or (after and not before):
            yield Change("dropped conjunct", tokens[left].start, tokens[place + 1].start, "")


def dropped_hypotheses(tokens: Sequence[Token]) -> Iterator[Change]:
    """Without what is left of an implication."""
    for place, token in enumerate(tokens):
        if token.text == "->" and _is_implication(tokens, place):
            left = _left(tokens, place, _LOOSER)
            yield Change("dropped hypothesis", tokens[left].start, tokens[place + 1].start, "")


def dropped_signs(tokens: Sequence[Token]) -> Iterator[Change]:
    """Without a minus sign, or without a `not`."""
    for place, token in enumerate(tokens[:-1]):
        if _is_sign(tokens, place) or token.text == "not":
            yield Change("sign", token.start, tokens[place + 1].start, "")


def transposed_arguments(tokens: Sequence[Token]) -> Iterator[Change]:
    """Two neighbouring arguments exchanged; rows for columns."""
    place, brackets = 0, []
    while place < len(tokens):
        atoms = _atoms(tokens, place)
        if atoms and tokens[place].text in {"(", "{"}:
            brackets.append(place)
        bound = place > 0 and tokens[place - 1].text in {"fun", "forall", "exists", "let", "|"}
        if not bound:
            for (start, middle), (_middle, end) in pairwise(atoms[1:]):
                first, second = tokens[start:middle], tokens[middle:end]
                swapped = f"{_spaced(second)} {_spaced(first)}"
                yield Change("transposition", first[0].start, second[-1].end, swapped)
        if tokens[place].text in _PROJECTIONS:
            token = tokens[place]
            yield Change("transposition", token.start, token.end, _PROJECTIONS[token.text])
        place = atoms[0][1] if atoms else place + 1
    for start in brackets:
        yield from transposed_arguments(tokens[start + 1 : _right(tokens, start, set()) + 1])


def other_parameters(tokens: Sequence[Token], parameters: Sequence[Parameters]) -> Iterator[Change]:
    """Another parameter of the same declaration in the place of one."""
    for group in parameters:
        following = dict(zip(group.names, [*group.names[1:], *group.names[:1]], strict=True))
        for place, token in enumerate(tokens):
            field = place > 0 and tokens[place - 1].text == "."
            if len(following) > 1 and token.text in following and not field:
                yield Change("parameter", token.start, token.end, following[token.text])


def changed_branches(tokens: Sequence[Token]) -> Iterator[Change]:
    """A condition negated; a pattern less where several share a result."""
    for place, token in enumerate(tokens):
        if token.text == "if":
            then = _matching_then(tokens, place)
            if then:
                condition = _spaced(tokens[place + 1 : then])
                start, end = tokens[place + 1].start, tokens[then - 1].end
                yield Change("branch", start, end, f"not ({condition})")
        if token.text == "|":
            edges = ("|", "->", "end")
            stop = next((k for k in range(place + 1, len(tokens)) if tokens[k].text in edges), 0)
            earlier = (t.text for t in reversed(tokens[:place]) if t.text in {"|", "->", "with"})
            shares_result = next(earlier, "") == "|"
            if stop and (tokens[stop].text == "|" or (tokens[stop].text == "->" and shares_result)):
                yield Change("branch", token.start, tokens[stop - 1].end, "")


def constant_results(definition: Declaration) -> Iterator[Change]:
    """A result that does not depend on the operands, or is one of them."""
    body = definition.body
    if not body or definition.parameters == ():
        return
    results = []
    if "predicate" in definition.head or definition.result == "bool":
        results = ["true", "false"]
    elif definition.result == "int":
        results = ["0"]
    same = [
        n for group in definition.parameters if group.type == definition.result for n in group.names
    ]
    for result in [*results, *same[:1]]:
        yield Change("constant result", body[0].start, body[-1].end, result)


def _is_sign(tokens: Sequence[Token], place: int) -> bool:
    """Whether a minus stands before its only operand."""
    if tokens[place].text not in {"-", "-."}:
        return False
    if place == 0:
        return True
    before = tokens[place - 1]
    operand = before.kind in {TokenKind.WORD, TokenKind.NUMBER} and before.text not in _KEYWORDS
    return not operand and before.text not in {")", "]", "}"}


def _binds(tokens: Sequence[Token], place: int) -> bool:
    """Whether an equals sign gives a field or a local name its value."""
    if tokens[place].text != "=":
        return False
    back = place - 1
    while back >= 0 and tokens[back].text in {"."} | {tokens[place - 1].text}:
        back -= 1
    return back >= 0 and tokens[back].text in {"{", ";", "let", "ghost", "function", "with"}


def _is_implication(tokens: Sequence[Token], place: int) -> bool:
    """Whether an arrow is neither that of `fun` nor that of a pattern."""
    depth = 0
    for token in reversed(tokens[:place]):
        depth += (token.text in {")", "]", "}"}) - (token.text in {"(", "[", "{"})
        if depth < 0:
            return True
        if depth == 0 and token.text in {"fun", "|"}:
            return False
        if depth == 0 and token.text in {"->", "forall", "exists", "then", "else"}:
            return True
    return True


def _right(tokens: Sequence[Token], place: int, stops: set[str]) -> int:
    """The last token of the operand right of a place."""
    depth = 0
    for k in range(place + 1, len(tokens)):
        text = tokens[k].text
        if depth == 0 and k > place + 1 and (text in stops or text in CLOSING):
            return k - 1
        depth += (text in OPENING) - (text in CLOSING)
    return len(tokens) - 1


def _left(tokens: Sequence[Token], place: int, stops: set[str]) -> int:
    """The first token of the operand left of a place."""
    depth = 0
    for k in range(place - 1, -1, -1):
        text = tokens[k].text
        if depth == 0 and (text in stops or text in OPENING or _is_quantifier_dot(tokens, k)):
            return k + 1
        depth += (text in CLOSING) - (text in OPENING)
    return 0


def _is_quantifier_dot(tokens: Sequence[Token], place: int) -> bool:
    """Whether a point ends the names of a quantifier: a space follows."""
    following = tokens[place + 1 : place + 2]
    is_dot = tokens[place].text == "." and len(following) == 1
    return is_dot and tokens[place].end < following[0].start


def _atoms(tokens: Sequence[Token], place: int) -> list[tuple[int, int]]:
    """The function and the arguments of an application that begins at a place."""
    atoms = []
    while place < len(tokens) and (end := _atom_end(tokens, place)):
        atoms.append((place, end))
        place = end
    return atoms


def _atom_end(tokens: Sequence[Token], place: int) -> int:
    """The end of a name, a number or something in brackets, with its fields; 0 if none."""
    token = tokens[place]
    if token.text in {"(", "{"}:
        end = _right(tokens, place, set()) + 2
    elif token.kind is TokenKind.NUMBER or (
        token.kind is TokenKind.WORD and token.text not in _KEYWORDS
    ):
        end = place + 1
    else:
        return 0
    while end + 1 < len(tokens) and tokens[end].text == "." and not _is_quantifier_dot(tokens, end):
        end += 2
    return min(end, len(tokens))


def _matching_then(tokens: Sequence[Token], place: int) -> int:
    depth = 0
    for k in range(place + 1, len(tokens)):
        depth += (tokens[k].text == "if") - (tokens[k].text == "then")
        if depth < 0:
            return k
    return 0


def _spaced(tokens: Sequence[Token]) -> str:
    """The tokens as text: spaces where there were some."""
    text = ""
    for k, token in enumerate(tokens):
        text += (" " if k and tokens[k - 1].end < token.start else "") + token.text
    return text
