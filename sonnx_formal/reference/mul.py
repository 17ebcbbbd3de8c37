"""SONNX Mul."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.mul import MUL


def mul(a: Array, b: Array) -> Array:
    """The product C of A and B, element by element: C[i] = A[i] * B[i].

    Source: SONNX-MUL; the sections Restrictions, Informal specification, Inputs and outputs.

    Args:
        a, b: arrays of any one shape and of one type: int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, bfloat16 (of ml_dtypes), float32, float64, or object with a
            `fractions.Fraction` at each index, for real numbers.

    Returns:
        A new array of that shape and type. Integers are modulo 2^n for a type of n bits (two's
        complement where it has a sign); floating-point products are those of IEEE 754, rounded to
        nearest, ties to even; real products are exact.

    Raises:
        SpecViolation: SONNX-MUL.R1, shapes that differ; .R4, shapes that differ but could be
            broadcast; .R2, a sparse operand; .R3, booleans, strings, complex numbers, objects
            other than fractions, or two types; .T, numbers of a type that the document lacks.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.multiply, accepted(MUL, a, b))
