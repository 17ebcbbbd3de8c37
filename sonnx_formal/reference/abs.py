"""SONNX Abs."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.abs import ABS


def abs(x: Array) -> Array:
    """The absolute value Y of X, element by element: Y[i] = |X[i]|.

    Source: SONNX-ABS-REAL, SONNX-ABS-INT and SONNX-ABS-FLOAT; the sections Function, Inputs and
    Outputs of each; SONNX-GENERAL.

    Args:
        x: an array of any shape, of one of the types int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, float32, float64, or object with a `fractions.Fraction` at
            each index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours to
            SONNX-ABS-FLOAT.

    Returns:
        A new array of that shape and type. Integers are modulo 2^n for a type of n bits: that of
        the least signed number, which SONNX-ABS-INT.X.C2 excludes, is that number itself. The sign
        of a floating-point number becomes the positive one; NaN stays NaN. Real numbers are exact.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; .T of SONNX-ABS-FLOAT, or of the
            document of the type of X in its place, another type.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.abs, accepted(ABS, x))
