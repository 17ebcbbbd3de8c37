"""SONNX Add."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.add import ADD


def add(a: Array, b: Array) -> Array:
    """The sum C of A and B, element by element: C[i] = A[i] + B[i].

    Source: SONNX-ADD-REAL, SONNX-ADD-INT and SONNX-ADD-FLOAT; the sections Function, Inputs and
    Outputs of each; SONNX-GENERAL.

    Args:
        a, b: arrays of any one shape and of one type: int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, float32, float64, or object with a `fractions.Fraction` at
            each index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours to
            SONNX-ADD-FLOAT.

    Returns:
        A new array of that shape and type. Integers are modulo 2^n for a type of n bits (two's
        complement where it has a sign); sums of floating-point numbers are those of IEEE 754,
        rounded to nearest, ties to even; those of real numbers are exact.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand. Of SONNX-ADD-FLOAT, or the document of
            the type of A in its place: .T, another type; .A.C2, two types (.T where A is real);
            .A.C1, shapes that differ: nothing is broadcast.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.add, accepted(ADD, a, b))
