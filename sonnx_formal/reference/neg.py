"""SONNX Neg."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.neg import NEG


def neg(a: Array) -> Array:
    """The opposite B of A, element by element: B[i] = -A[i].

    Source: SONNX-NEG; the sections Restrictions, Informal specification, Inputs and outputs.

    Args:
        a: an array of any shape, of one of the types int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, bfloat16 (of ml_dtypes), float32, float64, or object with a
            `fractions.Fraction` at each index, for real numbers.

    Returns:
        A new array of that shape and type. Integers are modulo 2^n for a type of n bits: the least
        signed number is its own opposite, and of an unsigned number x that is not zero it is
        2^n - x. Of a floating-point number the sign is the other one, that of zeros and infinities,
        too; NaN stays NaN. Real numbers are exact.

    Raises:
        SpecViolation: SONNX-NEG.R2, a sparse operand; .R3, booleans, strings, complex numbers, or
            objects other than fractions; .T, numbers of a type that the document lacks.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.negative, accepted(NEG, a))
