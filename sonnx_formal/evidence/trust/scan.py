"""What Why3 files take for granted: axioms, assumptions, and symbols that have no definition."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_formal.core.documents import Part

ASSUMED = ("axiom", "axiom of a clone", "assume", "admit", "any", "diverges", "attribute")
"""What is believed though nobody proves it, where Why3 lets one write it."""
PARAMETERS = ("val", "type", "function", "predicate", "constant")
"""What is declared without a definition."""


class GrantedItem(Part, frozen=True, order=True):
    """Something that a module takes for granted."""

    module: str
    kind: str
    """Of `ASSUMED`, of `PARAMETERS`, or `lemma`."""
    name: str
    line: int


@dataclass(frozen=True)
class ScannedModule:
    """A module or theory of a file."""

    name: str
    items: tuple[GrantedItem, ...]
    uses: tuple[str, ...]
    """The modules that it uses or clones, as they are written: `int.Int`, `Tensor`."""


@dataclass(frozen=True)
class _ScanToken:
    text: str
    line: int


def modules(text: str) -> list[ScannedModule]:
    """The modules of a file; what stands outside of one is in a module `Top`."""
    found: dict[str, tuple[list[GrantedItem], list[str]]] = {}
    for name, tokens in _split(list(_tokens(text))):
        items, uses = found.setdefault(name, ([], []))
        items += _items(name, tokens)
        uses += _uses(tokens)
    return [ScannedModule(name, tuple(items), tuple(uses)) for name, (items, uses) in found.items()]


_TOKEN = re.compile(
    r"""(?P<operator>\(\s*(?:\*\s*\)|[^\w\s()"'\[\]{},.;*][^\w\s()"'{},;]*\s*\)|\[[\]<>.\-_…]*\]\s*\)))
    | (?P<comment>\(\*)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<attribute>\[@[^\]]*\])
    | (?P<word>(?:\w[\w']*)(?:\.\w[\w']*)*)
    | (?P<rest>[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"\(\*(?!\))|\*\)|\Z")


def _tokens(text: str) -> Iterator[_ScanToken]:
    """Words, operators in parentheses, attributes and single characters; no comment, no string."""
    position, line, counted = 0, 1, 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        if match["comment"]:
            position = _after_comment(text, position)
        elif not match["string"]:
            yield _ScanToken(re.sub(r"\s+", " ", match[0]), line)


def _after_comment(text: str, position: int) -> int:
    """Comments nest."""
    depth = 1
    while depth:
        match = _COMMENT.search(text, position)
        assert match
        depth = depth + {"(*": 1, "*)": -1}[match[0]] if match[0] else 0
        position = match.end()
    return position


def _split(tokens: Sequence[_ScanToken]) -> Iterator[tuple[str, Sequence[_ScanToken]]]:
    starts = [n for n, token in enumerate(tokens[:-1]) if token.text in {"module", "theory"}]
    outside = tokens[: starts[0]] if starts else tokens
    if outside:
        yield "Top", outside
    for start, end in zip(starts, [*starts[1:], len(tokens)][: len(starts)], strict=True):
        yield tokens[start + 1].text, tokens[start + 2 : end]


# Words that begin a declaration; `let` also stands in expressions, which does no harm here.
_BEGINS = {
    "use", "clone", "type", "val", "let", "constant", "function", "predicate", "inductive",
    "coinductive", "axiom", "lemma", "goal", "exception", "meta", "scope", "end",
}  # fmt: skip
_MODIFIERS = {"ghost", "partial", "rec", "constant", "function", "predicate", "lemma"}
_TRUSTED_ATTRIBUTE = re.compile(r"vc:(divergent|trusted_wf)\b")


def _items(module: str, tokens: Sequence[_ScanToken]) -> Iterator[GrantedItem]:
    about = ""  # `clone` or `meta`, as long as words that begin declarations may be a part of it
    declared = ""
    for place, token in enumerate(tokens):
        before = tokens[place - 1].text if place else ""
        word = token.text
        if word in {"assume", "admit", "any", "diverges"}:
            yield GrantedItem(module, word, declared, token.line)
        elif word.startswith("[@") and _TRUSTED_ATTRIBUTE.search(word):
            yield GrantedItem(module, "attribute", f"{declared} {word}", token.line)
        elif word in _BEGINS:
            if about and before in {"with", ",", "meta"}:
                if word == "axiom":
                    yield GrantedItem(module, "axiom of a clone", _name(tokens, place), token.line)
                continue
            if before in {"let", "val", "rec", *_MODIFIERS}:
                continue
            about = word if word in {"clone", "meta"} else ""
            declared = _name(tokens, place)
            undefined = word in PARAMETERS and not _defined(tokens, place)
            if undefined or word in {"axiom", "lemma", "val"}:
                yield GrantedItem(module, word, declared, token.line)


def _name(tokens: Sequence[_ScanToken], place: int) -> str:
    """What the declaration that begins at `place` declares; an operator without its parentheses."""
    for token in tokens[place + 1 :]:
        if token.text not in _MODIFIERS and not token.text.startswith("[@"):
            return token.text.strip("() ") or token.text
    return ""


def _defined(tokens: Sequence[_ScanToken], place: int) -> bool:
    """Whether what is declared at `place` has a definition, and that of a type is not hidden."""
    depth = 0
    rest = tokens[place + 1 :]
    for after, token in enumerate(rest):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token.text, 0)
        if depth == 0 and token.text == "=":
            following = [then.text for then in rest[after + 1 : after + 2]]
            return following not in (["private"], ["abstract"])
        if depth == 0 and after and token.text in _BEGINS:
            return False
    return False


def _uses(tokens: Sequence[_ScanToken]) -> Iterator[str]:
    for place, token in enumerate(tokens):
        if token.text in {"use", "clone"}:
            names = tokens[place + 1 : place + 3]
            yield next(name.text for name in names if name.text not in {"import", "export"})
            # `use a.B, c.D`
            after = place + 2
            while token.text == "use" and [t.text for t in tokens[after : after + 1]] == [","]:
                yield tokens[after + 1].text
                after += 2
