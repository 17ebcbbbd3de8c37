"""SONNX Unsqueeze."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.unsqueeze import UNSQUEEZE


def unsqueeze(x: Array, a: Array) -> Array:
    """The elements of X with axes of one element put in where A says.

    Source: SONNX-UNSQUEEZE; the sections Informal specification, Inputs and Outputs;
    SONNX-GENERAL.

    Args:
        x: an array of any shape, of int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, float32, float64, bool, str, or object with a `fractions.Fraction` at each
            index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours.
        a: a vector of int64: the new axes, as axes of Y; negative ones count from its last.

    Returns:
        A new array with as many more axes, of the type of X, all bits of the elements unchanged.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-UNSQUEEZE.T, another type; .A.T, A
            is no vector of int64; .A.C1, an axis that Y has not; .A.C2, an axis twice.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    x, a = accepted(UNSQUEEZE, x, a).arrays
    return np.expand_dims(x, tuple(a.tolist())).copy()
