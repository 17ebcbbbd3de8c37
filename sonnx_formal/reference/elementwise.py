"""What element-wise operators share: restrictions R1 to R4, the type list T, and products."""

from itertools import zip_longest
from typing import Any

import numpy as np

from sonnx_formal.reference.element_types import Array, ElementType, element_type, is_number
from sonnx_formal.reference.operands import (
    described,
    empty,
    in_native_order,
    is_sparse,
    require_array,
)
from sonnx_formal.reference.violation import SpecViolation


def checked(document: str, a: Any, b: Any) -> tuple[ElementType, Array, Array]:
    """The element type and the operands in native order; or the error for what is wrong first.

    The order is R2, R3 with T, then R4 or R1.
    """
    if is_sparse(a) or is_sparse(b):
        raise SpecViolation(
            f"{document}.R2", f"{described(a, b)}; make both dense, for example with .toarray()"
        )
    a, b = require_array("A", a), require_array("B", b)
    element = _common_type(document, a, b)
    if a.shape != b.shape:
        raise _shapes_differ(document, a, b)
    return element, in_native_order(a, element), in_native_order(b, element)


def products(element: ElementType, a: Array, b: Array) -> Array:
    """A new array of the products, where NumPy brings the shapes together.

    Integers are modulo 2^n, floats are rounded once, and real numbers are exact.
    """
    with np.errstate(all="ignore"):
        return np.multiply(a, b, out=empty(_common_shape(a.shape, b.shape), element))


def broadcastable(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """By the rules of NumPy and ONNX: from the last axis on, equal or 1."""
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b), strict=False))


def _common_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that both are broadcast to. (NumPy's function for that has a limit of 32 axes.)"""
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return tuple(n if m == 1 else m for m, n in pairs)[::-1]


def _common_type(document: str, a: Array, b: Array) -> ElementType:
    of_a, of_b = element_type(a), element_type(b)
    for name, array, element in [("A", a, of_a), ("B", b, of_b)]:
        if element is None:
            item = "T" if is_number(array.dtype) else "R3"
            raise SpecViolation(
                f"{document}.{item}",
                f"{described(a, b)}; convert {name} to a type of the document (real numbers are an"
                " array of objects, each a fractions.Fraction)",
            )
    if of_a is None or of_a is not of_b:
        raise SpecViolation(
            f"{document}.R3", f"{described(a, b)}; convert one to the type of the other"
        )
    return of_a


def _shapes_differ(document: str, a: Array, b: Array) -> SpecViolation:
    if broadcastable(a.shape, b.shape):
        return SpecViolation(
            f"{document}.R4",
            f"{described(a, b)}; repeat the elements beforehand, for example with"
            " numpy.broadcast_arrays(A, B)",
        )
    return SpecViolation(f"{document}.R1", f"{described(a, b)}; give both one shape")
