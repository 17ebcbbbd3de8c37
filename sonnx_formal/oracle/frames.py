"""The payloads of the frames that the oracle reads and writes.

A frame is the length of its payload in 8 bytes, then the payload. Numbers are little-endian,
without sign; a text is its length in 4 bytes, then its bytes. An integer without bound is a text of
hexadecimal digits after a minus sign, if it has one.

Requests:

- evaluate: byte 0, operator, reading, the attributes, the operands A and B, the elements of A, the
  elements of B. Attributes are a byte that says which are set (1 axis, 2 broadcast, 4
  consumed_inputs, 8 auto_broadcast), then the values of these in this order: an integer without
  bound, another, how many there are in 4 bytes and as many of them, a text. An operand is element
  type (`ElementType.code`), storage (0 dense, 1 sparse) and rank in a byte each, then each
  dimension in 8 bytes. Elements are in row-major order: bit patterns as wide as the type; for real,
  numerator and denominator as integers without bound, 1 and 0 for infinity.
- round: byte 1, element type and sign in a byte each, numerator and denominator of the magnitude
  as integers without bound; n/0 is infinity, 0/0 is NaN.

Answers:

- byte 0, and the result. Of evaluate: element type and rank in a byte each, each dimension in 8
  bytes, the elements. Of round: 1 where the value is the number itself, else 0; the bit pattern.
- byte 1, the requirement that the operands violate and what is wrong, as texts
- byte 2, what is wrong with the request, as a text
- byte 3, what the program failed at, as a text
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.element_types import ALL, ElementType, element_type
from sonnx_formal.oracle.elements import from_bytes, integer_to_bytes, texts, to_bytes
from sonnx_formal.oracle.errors import Inadmissible, OracleError

LONGEST = 1 << 30
"""The longest payload that the program reads."""
MOST_ELEMENTS = 1 << 22
"""The most elements of a tensor that the program accepts."""

Operator = Literal[
    "mul",
    "div",
    "matmul",
    "onnx-mul-14",
    "onnx-mul-13",
    "onnx-mul-7",
    "onnx-mul-6",
    "onnx-mul-1",
    "ov-multiply-1",
]
"""SONNX's own; those of ONNX and OpenVINO are named as their documents."""
Reading = Literal["r5", "unlisted"]

OPERATORS: tuple[Operator, ...] = get_args(Operator)
READINGS: tuple[Reading | None, ...] = (None, *get_args(Reading))


def evaluation(
    operator: Operator,
    reading: Reading | None,
    a: NDArray[Any],
    b: NDArray[Any],
    attributes: Attributes = UNSET,
) -> bytes:
    """The request for the result of an operator.

    :raises TypeError: for values that the formal library has no element type for.
    :raises OracleError: when an array has too many elements.
    """
    if max(a.size, b.size) > MOST_ELEMENTS:
        raise OracleError(f"a tensor has more than {MOST_ELEMENTS} elements: divide the work")
    types = element_type(a), element_type(b)
    head = bytes([0, OPERATORS.index(operator), READINGS.index(reading)]) + attributes.to_bytes()
    # Where the types differ the answer is a requirement: no element is read.
    elements = [to_bytes(a, types[0]), to_bytes(b, types[1])]
    return b"".join([head, _operand(a, types[0]), _operand(b, types[1]), *elements])


def rounding(type_: ElementType, negative: bool, numerator: int, denominator: int) -> bytes:
    """The request for the value of a float type that a number is rounded to."""
    head = bytes([1, type_.code, negative])
    return head + integer_to_bytes(numerator) + integer_to_bytes(denominator)


def result(answer: memoryview) -> NDArray[Any]:
    """The array that an evaluation results in."""
    content = _content(answer)
    type_, rank = ALL[content[0]], content[1]
    dims, elements = content[2 : 2 + 8 * rank], content[2 + 8 * rank :]
    shape = tuple(int(d) for d in np.frombuffer(dims, "<u8"))
    return from_bytes(elements, shape, type_)


def rounded(answer: memoryview) -> tuple[int, bool]:
    """The bit pattern that a number was rounded to, and whether it is that number."""
    content = _content(answer)
    return int.from_bytes(content[1:], "little"), content[0] == 1


def _content(answer: memoryview) -> memoryview:
    match answer[0]:
        case 0:
            return answer[1:]
        case 1:
            raise Inadmissible(*texts(answer[1:]))
        case 2:
            raise OracleError(f"the oracle refused a request: {''.join(texts(answer[1:]))}")
        case _:
            raise OracleError(f"the oracle failed: {''.join(texts(answer[1:]))}")


def _operand(array: NDArray[Any], type_: ElementType) -> bytes:
    head = bytes([type_.code, 0, array.ndim])
    return head + b"".join(d.to_bytes(8, "little") for d in array.shape)
