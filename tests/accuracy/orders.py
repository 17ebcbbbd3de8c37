"""Dot products evaluated along any tree, in exact fractions: independent of the formal library."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hypothesis import strategies as st

from sonnx_formal.spec.element_types import Format


@dataclass(frozen=True)
class Product:
    """A product, rounded."""

    index: int


@dataclass(frozen=True)
class Sum:
    """Two partial sums added, and rounded."""

    left: "Order"
    right: "Order"


@dataclass(frozen=True)
class Fused:
    """A product added to a partial sum, and rounded once."""

    partial: "Order"
    index: int


Order: TypeAlias = Product | Sum | Fused


@st.composite
def orders(draw: st.DrawFn, count: int) -> Order:
    """A legal order of so many products, at least one."""
    indices = draw(st.permutations(range(count)))

    def tree(part: Sequence[int]) -> Order:
        if len(part) == 1:
            return Product(part[0])
        if draw(st.booleans()):
            return Fused(tree(part[1:]), part[0])
        cut = draw(st.integers(1, len(part) - 1))
        return Sum(tree(part[:cut]), tree(part[cut:]))

    return tree(indices)


def balanced(first: int, count: int) -> Order:
    """Pairwise summation."""
    if count == 1:
        return Product(first)
    half = count // 2
    return Sum(balanced(first, half), balanced(first + half, count - half))


def one_by_one(count: int, first: int = 0) -> Order:
    """Sequential summation."""
    order: Order = Product(first)
    for index in range(first + 1, first + count):
        order = Sum(order, Product(index))
    return order


def blocked(count: int, block: int) -> Order:
    """Blocks, each summed one by one, as are their sums; the first one has what is left over."""
    if count <= block:
        return one_by_one(count)
    return Sum(blocked(count - block, block), one_by_one(block, count - block))


class OverflowedError(Exception):
    """A partial result beyond the greatest number of the format."""


def evaluate(order: Order, terms: Sequence[Fraction], form: Format) -> Fraction:
    """The result of a dot product whose exact products are given. Raises `OverflowedError`."""
    match order:
        case Product(index):
            return rounded(terms[index], form)
        case Sum(left, right):
            return rounded(evaluate(left, terms, form) + evaluate(right, terms, form), form)
        case Fused(partial, index):
            return rounded(evaluate(partial, terms, form) + terms[index], form)


def rounded(number: Fraction, form: Format) -> Fraction:
    """To nearest, ties to even: IEEE 754-2019, 4.3.1. Raises `OverflowedError`."""
    if not number:
        return number
    magnitude = abs(number)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, 1 - form.emax)
    unit = Fraction(2) ** (exponent + 1 - form.precision)
    result = round(number / unit) * unit  # Fraction rounds ties to even
    if abs(result) >= Fraction(2) ** (form.emax + 1):
        raise OverflowedError
    return result
