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
  0 for infinity; texts.
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
from collections.abc import Sequence
from typing import assert_never

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.tensors import WireTensor, integer_bytes, text, text_bytes
from sonnx_formal.spec.attributes import AttributeKind, Attributes, AttributeValue
from sonnx_formal.spec.element_types import BY_NAME, ElementType
from sonnx_formal.spec.operator import Operator
from sonnx_formal.spec.requirements.registry import requirement

LONGEST = 1 << 30
"""The longest payload that the program reads."""
MOST_ELEMENTS = 1 << 22
"""The most elements of a tensor that the program accepts."""


class Inadmissible(ValueError):
    """The operands violate a requirement, and nothing was computed."""

    def __init__(self, identifier: str, what: str, subject: str = "") -> None:
        """Raises `UnknownRequirementError` if the registry does not have the id.

        :param subject: what was to be computed.
        """
        super().__init__(identifier, what, subject)
        self.requirement = requirement(identifier).id
        """For example `SONNX-MUL.R1`."""
        self.what, self.subject = what, subject

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.requirement, self.what, self.subject)))


class OracleError(UserError):
    """The oracle gave no answer; the next call starts it anew."""


def require_size(elements: int) -> None:
    """Raises `OracleError` for more elements of a tensor than the program accepts."""
    if elements > MOST_ELEMENTS:
        raise OracleError(f"a tensor has more than {MOST_ELEMENTS} elements: divide the work")


def evaluation(
    operator: Operator,
    operands: Sequence[WireTensor | None],
    attributes: Attributes,
    reading: str | None,
) -> bytes:
    """The request for the result of an operator. Raises `OracleError` for what is large."""
    tensors = [operand for operand in operands if operand is not None]
    for tensor in tensors:
        require_size(tensor.size)
    set_ = [
        text_bytes(name) + _attribute(attribute.kind, value)
        for name, value in attributes.values
        if (attribute := operator.attribute(name))
    ]
    left_out: list[WireTensor | None] = [None] * (len(operator.inputs) - len(operands))
    request = b"".join(
        [
            *map(text_bytes, ("evaluate", operator.name, reading or "")),
            _several(set_),
            _several([_operand(operand) for operand in [*operands, *left_out]]),
            *(tensor.content for tensor in tensors),
        ]
    )
    if len(request) > LONGEST:
        raise OracleError(f"the operands are too large: {len(request)} bytes, more than {LONGEST}")
    return request


def rounding(type_: ElementType, negative: bool, numerator: int, denominator: int) -> bytes:
    """The request for the value of a float type that a number is rounded to."""
    head = text_bytes("round") + text_bytes(type_.name) + bytes([negative])
    return head + integer_bytes(numerator) + integer_bytes(denominator)


def tables_digest(answer: memoryview) -> str:
    kind, content = text(answer)
    if kind != "tables":
        raise OracleError(f"the oracle begins with {kind[:40]!r} instead of its tables")
    return text(content)[0]


def result(answer: memoryview) -> WireTensor:
    """What an evaluation results in."""
    name, content = text(_content(answer))
    end = 1 + 8 * content[0]
    shape = (int.from_bytes(content[at : at + 8], "little") for at in range(1, end, 8))
    return WireTensor(BY_NAME[name], tuple(shape), bytes(content[end:]))


def rounded(answer: memoryview) -> tuple[int, bool]:
    """The bit pattern that a number was rounded to, and whether it is that number."""
    content = _content(answer)
    return int.from_bytes(content[1:], "little"), content[0] == 1


def _content(answer: memoryview) -> memoryview:
    kind, content = text(answer)
    match kind:
        case "result":
            return content
        case "inadmissible":
            requirement, rest = text(content)
            raise Inadmissible(requirement, text(rest)[0])
        case "malformed":
            raise OracleError(f"the oracle refused a request: {text(content)[0]}")
        case "failure":
            raise OracleError(f"the oracle failed: {text(content)[0]}")
        case _:
            raise OracleError(f"the oracle answers {kind[:40]!r}, which it never does")


def _several(parts: Sequence[bytes]) -> bytes:
    return len(parts).to_bytes(4, "little") + b"".join(parts)


def _operand(tensor: WireTensor | None) -> bytes:
    if tensor is None:
        return bytes([0])
    head = text_bytes(tensor.type.name) + text_bytes("dense")
    dims = b"".join(dim.to_bytes(8, "little") for dim in tensor.shape)
    return bytes([1]) + head + bytes([len(tensor.shape)]) + dims


def _attribute(kind: AttributeKind, value: AttributeValue) -> bytes:
    """The kind and the value; what is of another kind, the program refuses."""
    values = value if isinstance(value, tuple) else (value,)
    match kind:
        case AttributeKind.INT | AttributeKind.INTS:
            parts = [integer_bytes(int(each)) for each in values]
        case AttributeKind.FLOAT | AttributeKind.FLOATS:
            parts = [struct.pack("<f", each) for each in values]
        case AttributeKind.STRING | AttributeKind.STRINGS:
            parts = [text_bytes(str(each)) for each in values]
        case _:
            assert_never(kind)
    return text_bytes(kind) + (_several(parts) if isinstance(value, tuple) else parts[0])
