"""SONNX Gemm."""

import numpy as np

from sonnx_formal.reference.matmul import product
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.gemm import GEMM


def gemm(a: Array, b: Array, c: Array) -> Array:
    """The matrix product of A and B, and C added: Y[i, j] = (A[i, 0] * B[0, j] + …) + C[i, j].

    Source: SONNX-GEMM; the sections Restrictions, Informal specification, Inputs and outputs;
    SONNX-GENERAL. ONNX's attributes alpha, beta, transA and transB are excluded, and so is a C that
    is left out or broadcast.

    Args:
        a, b, c: arrays of two axes and of one type, A with as many columns as B has rows, C with
            the rows of A and the columns of B: object with a `fractions.Fraction` at each index,
            for real numbers; also, as an extension of ours to SONNX-GEMM, the other types of ONNX
            Gemm 13: int32, int64, uint32, uint64, float16, float32, float64, bfloat16 (of
            ml_dtypes).

    Returns:
        A new array of that type, of the shape of C. Integers are modulo 2^n for a type of n bits;
        real numbers are exact. Floating-point numbers are the result of the reference order: the
        product as of MatMul, from +0 upwards in k, each product and each sum rounded; then C is
        added, and that sum is rounded.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-GEMM.T, another type, or more than
            one; .A.C1, A has not two axes; .R1, nor has B; .B.SHAPE, the inner dimensions differ;
            .R3, C has another shape.
        TypeError: an operand is missing, is not a NumPy array, or is one of a subclass, such as a
            masked array.
    """
    operands = accepted(GEMM, a, b, c)
    a, b, c = operands.arrays
    sums = product(a, b, operands.result_type)
    with np.errstate(all="ignore"):
        return np.add(sums, c, out=sums)
