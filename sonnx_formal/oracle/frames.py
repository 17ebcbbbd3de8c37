"""The payloads of the frames that the oracle reads and writes.

A frame is the length of its payload in 8 bytes, then the payload. Numbers are little-endian,
without sign; a text is its length in 4 bytes, then its bytes; an integer without bound is a text of
hexadecimal digits after a minus sign, if it has one; several things are how many there are in 4
bytes, then each. All names are texts.

The first frame is an answer that nobody asked for: `tables`, and the digest of the tables.

Requests:

- `evaluate`, the operator, the reading (empty for the ordinary one), the attributes, the operands,
  then the elements of each operand that is there. An attribute is its name, its kind (`int`,
  `float`, `string`, `ints`, `floats`, `strings`), and its value: integers without bound, bit
  patterns of binary32 in 4 bytes, texts, or several of these. An operand is 0 in a byte where it is
  left out; else 1 in a byte, element type, storage (`dense`, `sparse`), rank in a byte, and each
  dimension in 8 bytes. Elements are in row-major order: bit patterns as wide as the type; truth
  values as 1 or 0 in a byte; for real, numerator and denominator as integers without bound, 1 and
  0 for infinity.
- `round`, element type, the sign in a byte, numerator and denominator of the magnitude as integers
  without bound; n/0 is infinity, 0/0 is NaN.

Answers:

- `result`. Of evaluate: element type, rank in a byte, each dimension in 8 bytes, the elements. Of
  round: 1 in a byte where the value is the number itself, else 0; the bit pattern.
- `inadmissible`, the requirement that the operands violate, and what is wrong
- `malformed`, what is wrong with the request
- `failure`, what the program failed at
"""

import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from numbers import Rational
from typing import Any, assert_never

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import AttributeKind, AttributeValue
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BY_NAME, Array, ElementType, Family, element_type_of
from sonnx_formal.spec.requirements.registry import requirement

LONGEST = 1 << 30
"""The longest payload that the program reads."""
MOST_ELEMENTS = 1 << 22
"""The most elements of a tensor that the program accepts."""
INFINITY = float("inf")
"""The infinity of SONNX-DIV R5 among fractions."""


class Inadmissible(ValueError):
    """The operands violate a requirement, and nothing was computed."""

    def __init__(self, identifier: str, what: str) -> None:
        """Raises `UnknownRequirementError` if the registry does not have the id."""
        super().__init__(identifier, what)
        self.requirement = requirement(identifier).id
        """For example `SONNX-MUL.R1`."""
        self.what = what

    def __str__(self) -> str:
        return f"{self.requirement}: {self.what}"


class OracleError(UserError):
    """The oracle gave no answer; the next call starts it anew."""


def evaluation(call: Call) -> bytes:
    """The request for the result of a call. Raises `TypeError`, `OracleError` for what is large."""
    if any(array.size > MOST_ELEMENTS for array in call.arrays):
        raise OracleError(f"a tensor has more than {MOST_ELEMENTS} elements: divide the work")
    operator = call.operator
    call.bound()  # as many operands as there are to be
    attributes = [
        _text_bytes(name) + _attribute(attribute.kind, value)
        for name, value in call.attributes.values
        if (attribute := operator.attribute(name))
    ]
    left_out: list[Array | None] = [None] * (len(operator.inputs) - len(call.operands))
    request = b"".join(
        [
            *map(_text_bytes, ("evaluate", operator.name, call.reading or "")),
            _several(attributes),
            _several([_operand(operand) for operand in [*call.operands, *left_out]]),
            # Where the types differ the answer is a requirement: no element is read.
            *(_element_bytes(array, element_type_of(array)) for array in call.arrays),
        ]
    )
    if len(request) > LONGEST:
        raise OracleError(f"the operands are too large: {len(request)} bytes, more than {LONGEST}")
    return request


def rounding(type_: ElementType, negative: bool, numerator: int, denominator: int) -> bytes:
    """The request for the value of a float type that a number is rounded to."""
    head = _text_bytes("round") + _text_bytes(type_.name) + bytes([negative])
    return head + _integer_bytes(numerator) + _integer_bytes(denominator)


def tables_digest(answer: memoryview) -> str:
    kind, content = _text(answer)
    if kind != "tables":
        raise OracleError(f"the oracle begins with {kind[:40]!r} instead of its tables")
    return _text(content)[0]


def result(answer: memoryview) -> Array:
    """The array that an evaluation results in."""
    name, content = _text(_content(answer))
    rank = content[0]
    dims, elements = content[1 : 1 + 8 * rank], content[1 + 8 * rank :]
    shape = tuple(int(d) for d in np.frombuffer(dims, "<u8"))
    return _elements(elements, shape, BY_NAME[name])


def rounded(answer: memoryview) -> tuple[int, bool]:
    """The bit pattern that a number was rounded to, and whether it is that number."""
    content = _content(answer)
    return int.from_bytes(content[1:], "little"), content[0] == 1


def _content(answer: memoryview) -> memoryview:
    kind, content = _text(answer)
    match kind:
        case "result":
            return content
        case "inadmissible":
            requirement, rest = _text(content)
            raise Inadmissible(requirement, _text(rest)[0])
        case "malformed":
            raise OracleError(f"the oracle refused a request: {_text(content)[0]}")
        case "failure":
            raise OracleError(f"the oracle failed: {_text(content)[0]}")
        case _:
            raise OracleError(f"the oracle answers {kind[:40]!r}, which it never does")


def _text(data: memoryview) -> tuple[str, memoryview]:
    """The text at the start, and the rest."""
    end = 4 + int.from_bytes(data[:4], "little")
    return str(data[4:end], "utf-8"), data[end:]


def _several(parts: Sequence[bytes]) -> bytes:
    return len(parts).to_bytes(4, "little") + b"".join(parts)


def _operand(array: Array | None) -> bytes:
    if array is None:
        return bytes([0])
    head = _text_bytes(element_type_of(array).name) + _text_bytes("dense")
    dims = b"".join(dim.to_bytes(8, "little") for dim in array.shape)
    return bytes([1]) + head + bytes([array.ndim]) + dims


def _attribute(kind: AttributeKind, value: AttributeValue) -> bytes:
    """The kind and the value; what is of another kind, the program refuses."""
    values = value if isinstance(value, tuple) else (value,)
    match kind:
        case AttributeKind.INT | AttributeKind.INTS:
            parts = [_integer_bytes(int(each)) for each in values]
        case AttributeKind.FLOAT | AttributeKind.FLOATS:
            parts = [struct.pack("<f", each) for each in values]
        case AttributeKind.STRING | AttributeKind.STRINGS:
            parts = [_text_bytes(str(each)) for each in values]
        case _:
            assert_never(kind)
    return _text_bytes(kind) + (_several(parts) if isinstance(value, tuple) else parts[0])


def _text_bytes(text: str) -> bytes:
    content = text.encode()
    return len(content).to_bytes(4, "little") + content


def _integer_bytes(number: int) -> bytes:
    return _text_bytes(f"{number:x}")


def _element_bytes(array: Array, type_: ElementType) -> bytes:
    """In row-major order; none of what has no arithmetic. Raises `TypeError` for no fraction."""
    match type_.family:
        case Family.TEXT | Family.COMPLEX:
            return b""
        case Family.REAL:
            return b"".join(map(_fraction_bytes, array.ravel()))
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            patterns = array.view(type_.pattern.newbyteorder(array.dtype.byteorder))
            return patterns.astype(type_.pattern.newbyteorder("<")).tobytes()
        case _:
            assert_never(type_.family)


def _fraction_bytes(element: Any) -> bytes:
    if isinstance(element, float) and element == INFINITY:
        return _integer_bytes(1) + _integer_bytes(0)
    if not isinstance(element, Rational) or isinstance(element, bool):
        raise TypeError(f"an element of an object array is not a fraction: {element!r}")
    return _integer_bytes(int(element.numerator)) + _integer_bytes(int(element.denominator))


def _elements(data: memoryview, shape: tuple[int, ...], type_: ElementType) -> Array:
    if type_.family is Family.REAL:
        elements = np.empty(prod(shape), object)
        elements[:] = list(_fractions(data))
        return elements.reshape(shape)
    patterns = np.frombuffer(data, type_.pattern.newbyteorder("<")).astype(type_.pattern)
    return patterns.view(type_.dtype).reshape(shape)


def _fractions(data: memoryview) -> Iterator[Fraction | float]:
    while data:
        numerator, data = _text(data)
        denominator, data = _text(data)
        infinite = int(denominator, 16) == 0
        yield INFINITY if infinite else Fraction(int(numerator, 16), int(denominator, 16))
