"""SONNX Less."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.less import LESS


def less(a: Array, b: Array) -> Array:
    """Whether A is less than B, element by element: C[i] = A[i] < B[i].

    Source: SONNX-LESS-REAL, SONNX-LESS-INT and SONNX-LESS-FLOAT; the sections Function, Inputs and
    Outputs of each; SONNX-GENERAL.

    Args:
        a, b: arrays of any one shape and of one type: int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, float32, float64, or object with a `fractions.Fraction` at
            each index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours to
            SONNX-LESS-FLOAT.

    Returns:
        A new array of that shape, of bool. NaN is not less than anything, nor is anything less than
        NaN; -0 is not less than +0.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand. Of SONNX-LESS-FLOAT, or the document of
            the type of A in its place: .T, another type; .A.C2, two types (.T where A is real);
            .A.C1, shapes that differ: nothing is broadcast.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.less, accepted(LESS, a, b))
