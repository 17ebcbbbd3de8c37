"""Operands as a user writes them: nested lists of numbers, with exact values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan

from sonnx_formal.core.errors import UserError

_TOKEN = re.compile(r'\s*(?:([\[\],])|"([^"]*)"|([^\s\[\],"]+))')
_BITS = re.compile(r"bits:(0x[0-9a-f]+|0b[01]+)")
_SPECIAL = re.compile(r"([+-]?)(inf|infinity|nan)")
_RATIO = re.compile(r"([+-]?)([0-9]+)/([0-9]+)")
_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]+))?")
_HEXADECIMAL = re.compile(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]+))?")

_MOST_CHARACTERS = 1000
_GREATEST_EXPONENT = 10_000
_MOST_AXES = 64  # NumPy's limit
_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Number:
    """A number by its sign, which zero has too, and its magnitude; NaN has no sign."""

    text: str
    negative: bool
    magnitude: Fraction | float
    """A fraction, infinity or NaN."""


@dataclass(frozen=True)
class Pattern:
    """The bits of an element."""

    text: str
    bits: int


Literal = Number | Pattern


def literals(text: str) -> tuple[tuple[int, ...], list[Literal]]:
    """The shape and the elements, in row-major order, of an operand.

    `[[1, 2], [3, nan]]`; an element alone is a tensor of rank 0. An element is `1`, `-0`, `1.5e-3`,
    `0x1.8p3`, `1/3`, `inf`, `-inf`, `nan`, `bits:0x3c00` or `bits:0b101`, in quotes or not.

    :raises UserError: when the text is none of this.
    """
    tokens = _Tokens(text)
    shape, elements = _tensor(tokens, 0)
    tokens.finish()
    return shape, elements


class _Tokens:
    """The tokens of a text, with a look ahead."""

    def __init__(self, text: str) -> None:
        self._rest = _split(text)
        self.next = next(self._rest, "")

    def take(self) -> str:
        """The next token; empty at the end."""
        token, self.next = self.next, next(self._rest, "")
        return token

    def expect(self, *tokens: str) -> str:
        """The next token, one of `tokens`."""
        token = self.take()
        if token not in tokens:
            wanted = " or ".join(map(repr, tokens))
            found = f", not {token!r}" if token else " before the end"
            raise UserError(f"{wanted} is expected{found}")
        return token

    def finish(self) -> None:
        """Nothing is left."""
        if self.next:
            raise UserError(f"{self.next!r} is after the end of the operand")


def _split(text: str) -> Iterator[str]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise UserError(f"a closing quote is missing: {_short(text[at:])}")
        yield next(group for group in match.groups() if group is not None)
        at = match.end()


def _tensor(tokens: _Tokens, depth: int) -> tuple[tuple[int, ...], list[Literal]]:
    token = tokens.take()
    if token != "[":
        return (), [_literal(token)]
    if depth == _MOST_AXES:
        raise UserError(f"more than {_MOST_AXES} axes")
    if tokens.next == "]":
        tokens.take()
        return (0,), []
    count, first, elements = 0, None, []
    end = ","
    while end == ",":
        shape, more = _tensor(tokens, depth + 1)
        if first not in {None, shape}:
            raise UserError(f"shapes {list(first or ())} and {list(shape)} side by side in a list")
        first = shape
        count += 1
        elements += more
        end = tokens.expect(",", "]")
    return (count, *(first or ())), elements


def _literal(text: str) -> Literal:
    if text in {"", ",", "]"}:
        raise UserError("an element is missing" + (f" before {text!r}" if text else " at the end"))
    if len(text) > _MOST_CHARACTERS:
        raise UserError(f"an element of more than {_MOST_CHARACTERS} characters: {_short(text)}")
    lower = text.lower()
    if match := _BITS.fullmatch(lower):
        return Pattern(text, int(match[1], 0))
    if lower in {"true", "false"}:
        return Number(text, False, Fraction(lower == "true"))
    if match := _SPECIAL.fullmatch(lower):
        return Number(text, match[1] == "-", nan if match[2] == "nan" else inf)
    if (match := _RATIO.fullmatch(lower)) and int(match[3]):
        return Number(text, match[1] == "-", Fraction(int(match[2]), int(match[3])))
    if match := _HEXADECIMAL.fullmatch(lower):
        return _positional(text, match, digit=16, exponent=2)
    if match := _DECIMAL.fullmatch(lower):
        return _positional(text, match, digit=10, exponent=10)
    raise UserError(f"not a number: {_short(text)}")


def _positional(text: str, match: re.Match[str], digit: int, exponent: int) -> Number:
    sign, whole, fraction, power = match.groups(default="")
    if not whole + fraction:
        raise UserError(f"not a number: {_short(text)}")
    scale = int(power or "0")
    if abs(scale) > _GREATEST_EXPONENT:
        raise UserError(f"an exponent beyond {_GREATEST_EXPONENT}: {_short(text)}")
    digits = Fraction(int(whole + fraction, digit), digit ** len(fraction))
    return Number(text, sign == "-", digits * Fraction(exponent) ** scale)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…")
