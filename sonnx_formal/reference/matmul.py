"""SONNX MatMul."""

from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.reference.element_types import (
    Array,
    ElementType,
    Family,
    element_type,
    nearest_family,
)
from sonnx_formal.reference.operands import (
    described,
    empty,
    in_native_order,
    is_sparse,
    require_array,
)
from sonnx_formal.reference.violation import SpecViolation

_DOCUMENTS = {
    Family.REAL: "SONNX-MATMUL-REAL",
    Family.INTEGER: "SONNX-MATMUL-INT",
    Family.FLOAT: "SONNX-MATMUL-FLOAT",
}
TYPES = ("real", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64", "bfloat16")
"""The element types of the three documents; and bfloat16, which is an extension of ours."""

_RANK = 2


def matmul(a: Array, b: Array) -> Array:
    """The matrix product Y of A and B: Y[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + …

    Source: SONNX-MATMUL-REAL, SONNX-MATMUL-INT and SONNX-MATMUL-FLOAT; the sections Informal
    specification, Inputs and Outputs of each.

    Args:
        a, b: arrays of two axes and of one type, A with as many columns as B has rows: int32,
            int64, uint32, uint64, float16, float32, float64, or object with a
            `fractions.Fraction` at each index, for real numbers; also bfloat16 (of ml_dtypes),
            an extension of ours to SONNX-MATMUL-FLOAT. Any byte order and any strides will do.
            The operands are not modified.

    Returns:
        A new array of that type, with the rows of A and the columns of B. Integers are modulo 2^n
        for a type of n bits; real numbers are exact. Floating-point numbers are the result of the
        reference order: the sum starts at +0; then, k by k from the first, the product is rounded,
        and the sum with it is rounded, each to the element type, to nearest, ties to even. With no
        k at all, every element is +0.

    Raises:
        SpecViolation: SONNX-MATMUL-FLOAT, or the document of the type of A in its place: .A.C1 or
            .B.C1, not two axes; .A.C2, the inner dimensions differ; .T, another type, two types,
            or a sparse operand.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    element, a, b = checked(a, b)
    with np.errstate(all="ignore"):
        return _sums_of_products(a, b, element)


def _sums_of_products(a: Array, b: Array, element: ElementType) -> Array:
    """All elements of the result at once, one k after the other.

    Products and sums are operations of their own, so that nothing fuses or reorders them.
    """
    sums = empty((a.shape[0], b.shape[1]), element)
    sums[...] = Fraction(0) if element.family is Family.REAL else 0
    products = np.empty_like(sums)
    for k in range(a.shape[1] if sums.size else 0):
        np.multiply(a[:, k, np.newaxis], b[k], out=products)
        np.add(sums, products, out=sums)
    return sums


def checked(a: Any, b: Any) -> tuple[ElementType, Array, Array]:
    """The element type and the operands in native order; or the error for what is wrong first.

    The order is T, C1 on A, C1 on B, C2.
    """
    if is_sparse(a) or is_sparse(b):
        raise SpecViolation(
            f"{_document(a, b)}.T",
            f"{described(a, b)}; make both dense, for example with .toarray()",
        )
    a, b = require_array("A", a), require_array("B", b)
    element, of_b, document = element_type(a), element_type(b), _document(a, b)
    if element is None or element.name not in TYPES or element is not of_b:
        raise SpecViolation(
            f"{document}.T",
            f"{described(a, b)}; convert both to one type, which is one of {', '.join(TYPES)}",
        )
    for name, array in [("A", a), ("B", b)]:
        if array.ndim != _RANK:
            raise SpecViolation(
                f"{document}.{name}.C1", f"{described(a, b)}; give {name} two axes by a reshape"
            )
    if a.shape[1] != b.shape[0]:
        raise SpecViolation(
            f"{document}.A.C2", f"{described(a, b)}; does one of them need to be transposed?"
        )
    return element, in_native_order(a, element), in_native_order(b, element)


def _document(a: Any, b: Any) -> str:
    """The document that speaks of the type of A or, where A has none that NumPy knows, of B."""
    types = [getattr(one, "dtype", None) for one in (a, b)]
    known = [nearest_family(one) for one in types if isinstance(one, np.dtype)]
    return _DOCUMENTS[known[0] if known else Family.REAL]
