"""The elements of arrays as bytes of a frame, and back. Bits are moved, nothing is computed."""

from collections.abc import Iterable
from fractions import Fraction
from math import prod
from numbers import Rational
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import ElementType, Family

INFINITY = float("inf")
"""The infinity of SONNX-DIV R5 among fractions."""


def to_bytes(array: NDArray[Any], type_: ElementType) -> bytes:
    """The elements in row-major order; none of texts and complex numbers, which have no arithmetic.

    :raises TypeError: when an element of an object array is not a rational number.
    """
    match type_.family:
        case Family.TEXT | Family.COMPLEX:
            return b""
        case Family.REAL:
            return b"".join(map(_fraction_to_bytes, array.ravel()))
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            order = array.dtype.byteorder
            patterns = array.view(type_.pattern.newbyteorder(order))
            return patterns.astype(_little(type_)).tobytes()
        case _:
            assert_never(type_.family)


def from_bytes(data: memoryview, shape: tuple[int, ...], type_: ElementType) -> NDArray[Any]:
    """A new array of the elements."""
    if type_.family is Family.REAL:
        elements = np.empty(prod(shape), object)
        elements[:] = _fractions(data)
        return elements.reshape(shape)
    patterns = np.frombuffer(data, _little(type_)).astype(type_.pattern)
    return patterns.view(type_.dtype).reshape(shape)


def integer_to_bytes(number: int) -> bytes:
    """An integer as a text of hexadecimal digits: its length in 4 bytes, then the text."""
    return text_to_bytes(f"{number:x}")


def text_to_bytes(text: str) -> bytes:
    """A text: its length in 4 bytes, then its bytes."""
    content = text.encode()
    return len(content).to_bytes(4, "little") + content


def _little(type_: ElementType) -> np.dtype[np.unsignedinteger]:
    return type_.pattern.newbyteorder("<")


def _fraction_to_bytes(element: Any) -> bytes:
    if isinstance(element, float) and element == INFINITY:
        return integer_to_bytes(1) + integer_to_bytes(0)
    if not isinstance(element, Rational) or isinstance(element, bool):
        raise TypeError(f"an element of an object array is not a fraction: {element!r}")
    return integer_to_bytes(int(element.numerator)) + integer_to_bytes(int(element.denominator))


def _fractions(data: memoryview) -> list[Fraction | float]:
    numbers = iter([int(text, 16) for text in texts(data)])
    return [
        Fraction(numerator, denominator) if denominator else INFINITY
        for numerator, denominator in zip(numbers, numbers, strict=True)
    ]


def texts(data: memoryview) -> Iterable[str]:
    """The texts that `data` is made of."""
    at = 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        yield str(data[at + 4 : end], "utf-8")
        at = end
