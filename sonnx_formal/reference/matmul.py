"""SONNX MatMul."""

from fractions import Fraction

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operators.matmul import MATMUL


def matmul(a: Array, b: Array) -> Array:
    """The matrix product Y of A and B: Y[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + …

    Source: SONNX-MATMUL-REAL, SONNX-MATMUL-INT and SONNX-MATMUL-FLOAT; the sections Informal
    specification, Inputs and Outputs of each.

    Args:
        a, b: arrays of two axes and of one type, A with as many columns as B has rows: int32,
            int64, uint32, uint64, float16, float32, float64, or object with a
            `fractions.Fraction` at each index, for real numbers; also bfloat16 (of ml_dtypes),
            an extension of ours to SONNX-MATMUL-FLOAT.

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
    operands = accepted(MATMUL, a, b)
    a, b = operands.arrays
    return product(a, b, operands.result_type)


def product(a: Array, b: Array, type_: ElementType) -> Array:
    """The product of matrices that were accepted, in the reference order."""
    zero = Fraction(0) if type_.family is Family.REAL else 0
    sums = np.full((a.shape[0], b.shape[1]), zero, type_.dtype)
    products = np.empty_like(sums)
    with np.errstate(all="ignore"):
        # All elements at once. Two operations, so that nothing is fused or done in another order.
        for k in range(a.shape[1] if sums.size else 0):
            np.multiply(a[:, k, np.newaxis], b[k], out=products)
            np.add(sums, products, out=sums)
    return sums
