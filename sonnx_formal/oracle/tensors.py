"""Tensors as the program reads and writes them: without NumPy, which takes long to import."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from numbers import Rational
from typing import Any

from sonnx_formal.spec.element_types import BY_NAME, ElementType, Family

INFINITY = float("inf")
"""The infinity of SONNX-DIV R5 among fractions."""


@dataclass(frozen=True)
class WireTensor:
    """A tensor by its elements as bytes."""

    type: ElementType
    shape: tuple[int, ...]
    content: bytes
    """In row-major order: bit patterns as wide as the type, little-endian; of real numbers,
    numerators and denominators as `fraction_bytes` has them; of texts, as `text_bytes` has them."""

    @classmethod
    def of(
        cls, type_: ElementType, shape: tuple[int, ...], elements: Iterable[Any]
    ) -> "WireTensor":
        """The tensor of bit patterns, of fractions or of texts. May raise `TypeError`."""
        if type_.family is Family.REAL:
            return cls(type_, shape, b"".join(map(fraction_bytes, elements)))
        if type_.family is Family.TEXT:
            return cls(type_, shape, b"".join(map(text_bytes, elements)))
        size = type_.width // 8
        return cls(type_, shape, b"".join(each.to_bytes(size, "little") for each in elements))

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def as_patterns(self) -> "WireTensor":
        """Of a floating-point type, the same bits as integers without sign."""
        if self.type.family is not Family.FLOAT:
            return self
        return replace(self, type=BY_NAME[f"uint{self.type.width}"])

    @property
    def elements(self) -> list[Any]:
        """The bit patterns; of real numbers, fractions and infinities; texts."""
        if self.type.family is Family.REAL:
            return [*_fractions(memoryview(self.content))]
        if self.type.family is Family.TEXT:
            return [*_texts(memoryview(self.content))]
        size = self.type.width // 8
        starts = range(0, len(self.content), size)
        return [int.from_bytes(self.content[at : at + size], "little") for at in starts]


def nested_lists(elements: Sequence[Any], shape: Sequence[int]) -> Any:
    """The elements, in row-major order, as nested lists; of rank 0, the one that there is."""
    if not shape:
        return elements[0]
    step = prod(shape[1:])
    starts = range(0, shape[0] * step, step) if step else [0] * shape[0]
    return [nested_lists(elements[at : at + step], shape[1:]) for at in starts]


def text_bytes(text: str) -> bytes:
    """The length in 4 bytes, then the bytes."""
    content = text.encode()
    return len(content).to_bytes(4, "little") + content


def text(data: memoryview) -> tuple[str, memoryview]:
    """The text at the start, and the rest."""
    end = 4 + int.from_bytes(data[:4], "little")
    return str(data[4:end], "utf-8"), data[end:]


def integer_bytes(number: int) -> bytes:
    """An integer without bound: a text of hexadecimal digits after a minus sign, if it has one."""
    return text_bytes(f"{number:x}")


def fraction_bytes(element: Any) -> bytes:
    """Numerator and denominator, 1 and 0 for infinity. Raises `TypeError` for no fraction."""
    if isinstance(element, float) and element == INFINITY:
        return integer_bytes(1) + integer_bytes(0)
    if not isinstance(element, Rational) or isinstance(element, bool):
        raise TypeError(f"an element of an object array is not a fraction: {element!r}")
    return integer_bytes(int(element.numerator)) + integer_bytes(int(element.denominator))


def _texts(data: memoryview) -> Iterator[str]:
    while data:
        element, data = text(data)
        yield element


def _fractions(data: memoryview) -> Iterator[Fraction | float]:
    while data:
        numerator, data = text(data)
        denominator, data = text(data)
        infinite = int(denominator, 16) == 0
        yield INFINITY if infinite else Fraction(int(numerator, 16), int(denominator, 16))
