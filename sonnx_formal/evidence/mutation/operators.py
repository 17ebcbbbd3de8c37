"""The mutation operators: what can be wrong by one slip.

Many of the edits do not type-check, which Why3 is asked about later.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.prover import whyml
from sonnx_formal.prover.whyml import Declaration, Parameters, Token, TokenKind


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
LOOSER = {"\\/", "||", "->", "<->", "so", "by", ",", ";", "then", "else", "in", "with", "|", "if"}
_WITH_TWO_ARGUMENTS = 3
_PROOFS = {"assert", "check", "assume", "variant", "invariant", "lemma"}


def slips(tokens: Sequence[Token], parameters: Sequence[Parameters]) -> Iterator[Change]:
    """All that one slip can make of a formula or a body."""
    for place, token in enumerate(tokens):
        for kind, other in _other_tokens(tokens, place, parameters):
            yield Change(kind, token.start, token.end, other)
        if token.text in whyml.CONJUNCTIONS | whyml.COMPARISONS:
            yield from _dropped_sides(tokens, place)
        if token.text == "->" and _is_implication(tokens, place):
            left = _left(tokens, place, LOOSER)
            yield Change("dropped hypothesis", tokens[left].start, tokens[place + 1].start, "")
        if place + 1 < len(tokens) and (_is_sign(tokens, place) or token.text == "not"):
            yield Change("sign", token.start, tokens[place + 1].start, "")
        if token.text == "if" and (condition := _condition(tokens, place)):
            negated = f"not ({_spaced(condition)})"
            yield Change("branch", condition[0].start, condition[-1].end, negated)
        if token.text == "|" and (pattern := _shared_pattern(tokens, place)):
            yield Change("branch", token.start, pattern.end, "")
        yield from _transposed(tokens, place)


def _other_tokens(
    tokens: Sequence[Token], place: int, parameters: Sequence[Parameters]
) -> Iterator[tuple[str, str]]:
    """What may stand in the place of a token: the kind of the slip, and the text."""
    token, text = tokens[place], tokens[place].text
    no_operator = _is_sign(tokens, place) or _binds(tokens, place)
    if text in _SWAPS and not no_operator and (text != "->" or _is_implication(tokens, place)):
        yield "operator", _SWAPS[text]
    if text in _CONSTANTS:
        yield "constant", _CONSTANTS[text]
    elif token.kind is TokenKind.NUMBER and text.isdecimal():
        yield "constant", str(int(text) + 1)
        yield "constant", str(int(text) - 1) if int(text) else "(-1)"
    if text in _PROJECTIONS:
        yield "transposition", _PROJECTIONS[text]
    for names in (group.names for group in parameters if text in group.names):
        if place == 0 or tokens[place - 1].text != ".":
            yield "parameter", names[(names.index(text) + 1) % len(names)]


def _dropped_sides(tokens: Sequence[Token], place: int) -> Iterator[Change]:
    """Without one side of a conjunction, or one end of a chain of comparisons."""
    is_link = tokens[place].text in whyml.CONJUNCTIONS
    if _binds(tokens, place):
        return
    stops = whyml.CONJUNCTIONS | LOOSER | (set() if is_link else whyml.COMPARISONS)
    left, right = _left(tokens, place, stops), _right(tokens, place, stops)
    before = left > 0 and tokens[left - 1].text in whyml.COMPARISONS
    after = right + 1 < len(tokens) and tokens[right + 1].text in whyml.COMPARISONS
    if is_link or (before and not after):
        yield Change("dropped conjunct", tokens[place].start, tokens[right].end, "")
    if is_link or (after and not before):
        yield Change("dropped conjunct", tokens[left].start, tokens[place + 1].start, "")


def _transposed(tokens: Sequence[Token], place: int) -> Iterator[Change]:
    """With the first two arguments of what is applied here exchanged."""
    ends = atom_ends(tokens, place)
    bound = place > 0 and tokens[place - 1].text in {"fun", "forall", "exists", "let", "|"}
    if len(ends) > _WITH_TWO_ARGUMENTS and not bound:
        first, second = tokens[ends[1] : ends[2]], tokens[ends[2] : ends[3]]
        swapped = f"{_spaced(second)} {_spaced(first)}"
        yield Change("transposition", first[0].start, second[-1].end, swapped)


def _condition(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """What is between an `if` and its `then`."""
    depths = accumulate((t.text == "if") - (t.text == "then") for t in tokens[place:])
    return tokens[place + 1 : next((k for k, depth in enumerate(depths, place) if not depth), 0)]


def _shared_pattern(tokens: Sequence[Token], place: int) -> Token | None:
    """The end of a pattern that shares its result with the next or the last one."""
    after = (k for k in range(place + 1, len(tokens)) if tokens[k].text in {"|", "->", "end"})
    before = (t.text for t in reversed(tokens[:place]) if t.text in {"|", "->", "with"})
    stop = next(after, 0)
    shares = tokens[stop].text == "|" or (tokens[stop].text == "->" and next(before, "") == "|")
    return tokens[stop - 1] if stop and shares else None


def before_proofs(body: Sequence[Token]) -> list[Token]:
    """A body up to its first proof step."""
    return list(takewhile(lambda token: token.text not in _PROOFS, body))


def executed(body: Sequence[Token]) -> list[Token]:
    """What is executed of a program: no proof steps, invariants or ghost code."""
    found: list[Token] = []
    place = 0
    while place < len(body):
        match [token.text for token in body[place : place + 2]]:
            case [proof, "{"] if proof in _PROOFS:
                place = whyml.closing(body, place + 1) + 1
            case ["ghost", "("] | ["(", "pure"]:
                place = whyml.closing(body, place + (body[place].text == "ghost")) + 1
            case ["let", "ghost"]:
                place = next(k for k in range(place, len(body)) if body[k].text == "in") + 1
            case _:
                found.append(body[place])
                place += 1
    return found


def slips_of_body(definition: Declaration) -> Iterator[Change]:
    """What one slip makes of the body up to its first proof step; a constant, or an operand."""
    body = definition.body
    yield from slips(before_proofs(body), definition.parameters)
    if not definition.parameters:
        return
    results = ["0"] if definition.result == "int" else []
    if "predicate" in definition.head or definition.result == "bool":
        results = ["true", "false"]
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
    return not is_operand(tokens[place - 1])


def is_operand(token: Token) -> bool:
    """Whether a token ends an operand or the name of a function."""
    named = token.kind in {TokenKind.WORD, TokenKind.NUMBER} and token.text not in _KEYWORDS
    return named or token.text in {")", "]", "}"}


def _binds(tokens: Sequence[Token], place: int) -> bool:
    """Whether an equals sign gives a field or a local name its value."""
    if tokens[place].text != "=":
        return False
    back = place - 1
    while back >= 0 and tokens[back].text in {"."} | {tokens[place - 1].text}:
        back -= 1
    return back >= 0 and tokens[back].text in {"{", ";", "let", "ref", "ghost", "function", "with"}


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
        if depth == 0 and k > place + 1 and (text in stops or text in whyml.CLOSING):
            return k - 1
        depth += (text in whyml.OPENING) - (text in whyml.CLOSING)
    return len(tokens) - 1


def _left(tokens: Sequence[Token], place: int, stops: set[str]) -> int:
    """The first token of the operand left of a place."""
    depth = 0
    for k in range(place - 1, -1, -1):
        text = tokens[k].text
        if depth == 0 and (text in stops or text in whyml.OPENING or _is_quantifier_dot(tokens, k)):
            return k + 1
        depth += (text in whyml.CLOSING) - (text in whyml.OPENING)
    return 0


def _is_quantifier_dot(tokens: Sequence[Token], place: int) -> bool:
    """Whether a point ends the names of a quantifier: a space follows."""
    following = tokens[place + 1 : place + 2]
    is_dot = tokens[place].text == "." and len(following) == 1
    return is_dot and tokens[place].end < following[0].start


def _atom_end(tokens: Sequence[Token], place: int) -> int:
    """The end of a name, a number or something in brackets, with its fields; 0 if none."""
    if place == len(tokens):
        return 0
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


def atom_ends(tokens: Sequence[Token], place: int) -> list[int]:
    """The place, and the end of each atom from there on."""
    ends = [place]
    while end := _atom_end(tokens, ends[-1]):
        ends.append(end)
    return ends


def _spaced(tokens: Sequence[Token]) -> str:
    """The tokens as text: spaces where there were some."""
    gaps = ("", *(" " * (a.end < b.start) for a, b in pairwise(tokens)))
    return "".join(gap + token.text for gap, token in zip(gaps, tokens, strict=True))
