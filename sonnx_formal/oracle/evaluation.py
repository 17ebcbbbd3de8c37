"""The command `eval`: an operator applied to operands as a user writes them."""

import json
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import inf, nan, prod
from pathlib import Path
from typing import Any, assert_never

from sonnx_formal.core.documents import Document
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.definitions import DefinitionProcess
from sonnx_formal.oracle.frames import Inadmissible
from sonnx_formal.oracle.notation import Notation, bits_text, element_text, list_text, nested
from sonnx_formal.oracle.tensor_files import read_tensor
from sonnx_formal.oracle.tensors import WireTensor, nested_lists
from sonnx_formal.spec.attributes import Attributes, AttributeValue
from sonnx_formal.spec.call import check_attributes
from sonnx_formal.spec.element_types import BY_NAME, REAL, TEXT, ElementType, Family
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence, ShapeRule

_TOKEN = re.compile(r'[\[\],]|"(?:[^"\\]|\\.)*"?|[^\s\[\],"]+')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_BITS = re.compile(r"bits:(0x[0-9a-f]+|0b[01]+)")
_SPECIAL = re.compile(r"([+-]?)(?:inf(?:inity)?|([qs]?nan(?:\([0-9a-z_]*\))?))")
_RATIO = re.compile(r"([+-]?)([0-9]+)/([0-9]+)")
_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]+))?")
_HEXADECIMAL = re.compile(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]+))?")

_MOST_CHARACTERS = 1000
_GREATEST_EXPONENT = 10_000
_MOST_AXES = 64  # NumPy's limit
_SHOWN_CHARACTERS = 40
_MOST_LISTS = 1 << 20


class EvaluationDocument(Document, frozen=True, kw_only=True, tag="sonnx-formal/eval/2"):
    """What `sonnx-formal eval --json` writes."""

    command = "eval OPERATOR OPERANDS --json PATH"

    operator: str
    types: list[str]
    """The element types of the operator's type parameters."""
    result_type: str
    reading: str | None
    attributes: dict[str, AttributeValue]
    """Those that were set."""
    shape: list[int]
    result: Any
    """Nested lists: integers as numbers, truth values as such, all others as exact texts."""
    bits: Any
    """The bit patterns in nested lists; null for real numbers and texts, which have none."""

    def text(self, notation: Notation) -> str:
        """The values in nested lists."""
        type_ = BY_NAME[self.result_type]
        if type_.family is Family.FLOAT:
            return list_text(nested(self.bits, lambda x: element_text(int(x, 16), type_, notation)))
        return list_text(nested(self.result, lambda x: element_text(x, type_, notation)))

    def bits_text(self) -> str:
        """The bits in nested lists. Raises `UserError` for fractions, which have none."""
        if self.bits is None:
            what = "texts" if self.result_type == TEXT.name else "real numbers"
            raise UserError(f"--bits: {what} have no bit patterns")
        return list_text(self.bits)


def run(  # noqa: PLR0913 (what a user may say)
    operator: Operator,
    instance: Instance | None,
    given: Sequence[str | Path],
    *,
    reading: str | None,
    attributes: Attributes,
    timeout: float,
    note: Callable[[str], None],
) -> EvaluationDocument:
    """Apply an operator to operands.

    :param instance: which types it is over; None is for those of the files among the operands.
    :param given: texts as `literals` reads them, of which an empty one is left out; and files.
    :param note: is told of each number that was rounded.
    :raises UserError: when an operand is wrong, or the oracle gives no answer.
    """
    check_attributes(operator, attributes)
    inputs = operator.inputs
    if inputs[-1].presence is Presence.VARIADIC:
        inputs += inputs[-1:] * (len(given) - len(inputs))
    elif len(given) > len(inputs):
        names = ", ".join(input_.name for input_ in operator.inputs)
        raise UserError(f"{operator} takes {names}: {len(given)} operands are too many")
    pairs = [*zip(inputs, given, strict=False)]
    files = {
        x: read_tensor(x, _type(instance, input_)) for input_, x in pairs if isinstance(x, Path)
    }
    if instance is None:
        instance = _of_files(operator, [(input_, files[x]) for input_, x in pairs if x in files])
    with DefinitionProcess(timeout=timeout) as definitions:
        definitions.build()
        operands: list[WireTensor | None] = []
        places = (place for place, _ in operator.ports(len(given)))
        for place, (input_, each) in zip(places, pairs, strict=False):
            if isinstance(each, Path):
                operands.append(files[each])
                continue
            try:
                type_ = instance.type_of(input_)
                operands.append(operand(each, type_, definitions, note) if each else None)
            except UserError as error:
                raise UserError(f"operand {place}: {error}") from None
        apply = partial(definitions.compute, operator, attributes=attributes, reading=reading)
        try:
            result = apply(operands)
        except Inadmissible as error:
            raise UserError(str(_placed(error, apply, operator, operands))) from None
        except TypeError as error:
            raise UserError(str(error)) from None
    if not result.elements and prod(filter(None, result.shape)) > _MOST_LISTS:
        raise UserError(f"the result has no element, and a shape too large to show: {result.shape}")
    type_, patterns = result.type, nested_lists(result.elements, result.shape)
    return EvaluationDocument(
        operator=operator.name,
        types=[each.name for each in instance.types],
        result_type=type_.name,
        reading=reading,
        attributes=attributes.as_json(),
        shape=list(result.shape),
        result=nested(patterns, partial(_shown, type_=type_)),
        bits=nested(patterns, partial(bits_text, type_=type_)) if type_.has_patterns else None,
    )


def _of_files(operator: Operator, files: Sequence[tuple[Input, WireTensor]]) -> Instance:
    """The operator over the types of the first files. Raises `UserError` where a type is open."""
    types = {input_.type: tensor.type for input_, tensor in reversed(files)}
    for parameter in operator.parameters:
        if parameter.name not in types:
            raise UserError(
                f"{operator}: --type is missing, and no file says what {parameter.name} is"
            )
    return Instance(operator, tuple(types[each.name] for each in operator.parameters))


def _type(instance: Instance | None, input_: Input) -> ElementType | None:
    return instance.type_of(input_) if instance else None


def _placed(
    error: Inadmissible,
    apply: Callable[[Sequence[WireTensor | None]], WireTensor],
    operator: Operator,
    operands: Sequence[WireTensor | None],
) -> Inadmissible:
    """The error with the first index at which the elements alone violate the requirement, too.

    Of operators that are applied index by index: the definition itself says which elements it is.
    """
    tensors = [operand for operand in operands if operand is not None]
    shape = tensors[0].shape
    if (
        operator.shape_rule is not ShapeRule.SAME
        or any(x.shape != shape for x in tensors)
        or not shape
    ):
        return error

    def violated(count: int) -> bool:
        """Whether the first elements, so many of them, violate it."""
        starts = (x and WireTensor.of(x.type, (count,), x.elements[:count]) for x in operands)
        try:
            apply([*starts])
        except Inadmissible as other:
            return other.requirement == error.requirement
        return False

    if not violated(tensors[0].size) or violated(0):
        return error
    least = bisect_left(range(tensors[0].size), True, key=lambda index: violated(index + 1))
    place = next(islice(product(*map(range, shape)), least, None))
    return Inadmissible(error.requirement, f"{error.what} at index {[*place]}", error.subject)


def _shown(element: Any, type_: ElementType) -> Any:
    """An element in the document."""
    match type_.family:
        case Family.BOOLEAN:
            return bool(element)
        case Family.INTEGER:
            return element - (1 << type_.width) if element > type_.bounds.max else element
        case Family.TEXT:
            return element
        case Family.REAL | Family.FLOAT | Family.COMPLEX:
            return element_text(element, type_)
        case _:
            assert_never(type_.family)


@dataclass(frozen=True)
class Literal:
    """An element: a number by its sign, which zero has too, and its magnitude; or its bits."""

    text: str
    negative: bool = False
    magnitude: Fraction | float | None = None
    """A fraction, infinity, or NaN, which has no sign; None where there are bits."""
    bits: int | None = None


def literals(text: str, of: ElementType = REAL) -> tuple[tuple[int, ...], list[Literal]]:
    """The shape and the elements, in row-major order, of an operand.

    `[[1, 2], [3, nan]]`; an element alone is a tensor of rank 0. An element is `1`, `-0`, `1.5e-3`,
    `0x1.8p3`, `1/3`, `inf`, `-inf`, `nan`, `bits:0x3c00` or `bits:0b101`, in quotes or not. NaN is
    one value, and may be called `qnan`, `snan`, `-NaN` or `nan(0x1)`. An element of type string is
    in quotes as JSON has it, or a word.

    :raises UserError: when the text is none of this.
    """
    tokens = deque([*_TOKEN.findall(text), ""])
    for token in tokens:
        if token.startswith('"') and not _QUOTED.fullmatch(token):
            raise UserError(f"a closing quote is missing: {_short(token)}")
    shape, elements = _tensor(tokens, (), _text if of is TEXT else _literal)
    if tokens[0]:
        raise UserError(f"{tokens[0]!r} is after the end of the operand")
    return shape, elements


def _tensor(
    tokens: deque[str], place: tuple[int, ...], literal: Callable[[str], Literal]
) -> tuple[tuple[int, ...], list[Literal]]:
    token = tokens.popleft()
    if token != "[":
        with _at(place):
            return (), [literal(token)]
    if len(place) == _MOST_AXES:
        raise UserError(f"more than {_MOST_AXES} axes")
    if tokens[0] == "]":
        tokens.popleft()
        return (0,), []
    count, first, elements = 0, None, []
    while token != "]":
        shape, more = _tensor(tokens, (*place, count), literal)
        if first not in {None, shape}:
            raise UserError(f"shapes {list(first or ())} and {list(shape)} side by side in a list")
        count, first = count + 1, shape
        elements += more
        token = tokens.popleft()
        if token not in {",", "]"}:
            found = f", not {token!r}" if token else " before the end"
            raise UserError(f"',' or ']' is expected{found}")
    return (count, *(first or ())), elements


def _text(token: str) -> Literal:
    if token in {"", ",", "]"}:
        return _literal(token)
    try:
        written = json.loads(token) if token.startswith('"') else token
        written.encode()  # one half of a character of two is none
        return Literal(written)
    except ValueError:
        raise UserError(f"no text as JSON has it: {_short(token)}") from None


def _literal(token: str) -> Literal:
    text = token.strip('"')
    if text in {"", ",", "]"}:
        raise UserError("an element is missing" + (f" before {text!r}" if text else " at the end"))
    if len(text) > _MOST_CHARACTERS:
        raise UserError(f"an element of more than {_MOST_CHARACTERS} characters: {_short(text)}")
    lower = text.lower()
    if match := _BITS.fullmatch(lower):
        return Literal(text, bits=int(match[1], 0))
    if lower in {"true", "false"}:
        return Literal(text, False, Fraction(lower == "true"))
    if match := _SPECIAL.fullmatch(lower):
        return Literal(text, match[1] == "-", nan if match[2] else inf)
    if (match := _RATIO.fullmatch(lower)) and int(match[3]):
        return Literal(text, match[1] == "-", Fraction(int(match[2]), int(match[3])))
    if match := _HEXADECIMAL.fullmatch(lower):
        return _positional(text, match, digit=16, exponent=2)
    if match := _DECIMAL.fullmatch(lower):
        return _positional(text, match, digit=10, exponent=10)
    raise UserError(f"not a number: {_short(text)}")


def _positional(text: str, match: re.Match[str], digit: int, exponent: int) -> Literal:
    sign, whole, fraction, power = match.groups(default="")
    if not whole + fraction:
        raise UserError(f"not a number: {_short(text)}")
    scale = int(power or "0")
    if abs(scale) > _GREATEST_EXPONENT:
        raise UserError(f"an exponent beyond {_GREATEST_EXPONENT}: {_short(text)}")
    digits = Fraction(int(whole + fraction, digit), digit ** len(fraction))
    return Literal(text, sign == "-", digits * Fraction(exponent) ** scale)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…")


def operand(
    text: str, type_: ElementType, definitions: DefinitionProcess, note: Callable[[str], None]
) -> WireTensor:
    """The tensor of a type that a user wrote; `note` is told of rounding. Raises `UserError`."""
    shape, elements = literals(text, type_)
    found: list[Any] = []
    for place, element in zip(product(*map(range, shape)), elements, strict=True):
        with _at(place):
            found.append(_element(element, type_, definitions, note))
    return WireTensor.of(type_, shape, found)


@contextmanager
def _at(place: tuple[int, ...]) -> Iterator[None]:
    """Errors say at which index they are, unless there is one element only."""
    try:
        yield
    except UserError as error:
        raise UserError(f"at index {[*place]}: {error}" if place else str(error)) from None


def _element(
    literal: Literal,
    type_: ElementType,
    definitions: DefinitionProcess,
    note: Callable[[str], None],
) -> Fraction | int | str:
    """A fraction, the bit pattern, or the text."""
    text, negative, magnitude = literal.text, literal.negative, literal.magnitude
    match type_.family:
        case Family.REAL:
            if isinstance(magnitude, Fraction):
                return -magnitude if negative else magnitude
            raise UserError(f"{text} is not a rational number")
        case Family.BOOLEAN:
            if magnitude in {0, 1} and not negative:
                return int(magnitude == 1)
            raise UserError(f"{text} is not a truth value: write 1 or true, 0 or false")
        case Family.INTEGER | Family.FLOAT if literal.bits is not None:
            if literal.bits >> type_.width:
                has = f"{type_.name}, which has {type_.width}"
                raise UserError(f"{text} has more bits than {has}")
            return literal.bits
        case Family.INTEGER:
            return _integer(literal, type_)
        case Family.FLOAT:
            assert magnitude is not None
            bits, exact = definitions.rounded(type_, magnitude, negative=negative)
            if not exact:
                note(f"{text} is not a {type_.name}: rounded to {element_text(bits, type_)}")
            return bits
        case Family.TEXT:
            return text
        case Family.COMPLEX:
            raise UserError(f"no document computes with elements of type {type_}")
        case _:
            assert_never(type_.family)


def _integer(literal: Literal, type_: ElementType) -> int:
    magnitude, bounds = literal.magnitude, type_.bounds
    if isinstance(magnitude, Fraction) and magnitude.denominator == 1:
        value = -int(magnitude) if literal.negative else int(magnitude)
        if bounds.min <= value <= bounds.max:
            return value % (1 << bounds.bits)
    span = f"from {bounds.min} to {bounds.max}"
    raise UserError(f"{literal.text} is not an {type_.name}, an integer {span}")
