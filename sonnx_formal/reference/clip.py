"""SONNX Clip."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.clip import CLIP


def clip(x: Array, l: Array, m: Array) -> Array:  # noqa: E741 (as the document calls it)
    """X between two bounds: Y[i] = X[i], but L where X[i] < L, and M where X[i] > M or L > M.

    Source: SONNX-CLIP-REAL, SONNX-CLIP-INT and SONNX-CLIP-FLOAT; the sections Informal
    specification, Inputs and Outputs of each; SONNX-GENERAL.

    Args:
        x: an array of any shape, of one of the types int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, float32, float64, or object with a `fractions.Fraction` at each
            index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours to
            SONNX-CLIP-FLOAT.
        l, m: arrays of that type and without axes. A NaN is no bound.

    Returns:
        A new array of that shape and type. NaN in X stays, unless L > M; a zero in X that equals a
        bound stays, whatever the signs.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand. Of SONNX-CLIP-FLOAT, or the document of
            the type of X in its place: .T, another type; .X.C2, more than one type (.T where X is
            not of floats); .L.C1 and .M.C1, bounds that have axes.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    x, low, high = accepted(CLIP, x, l, m).arrays
    with np.errstate(invalid="ignore"):  # signalling NaNs
        if high < low:
            return np.full_like(x, high[()])
        result = x.copy()
        # The bounds are not crossed, so that no element is beyond both; NaN is beyond none.
        np.copyto(result, low, where=np.asarray(x < low, bool))
        np.copyto(result, high, where=np.asarray(x > high, bool))
    return result
