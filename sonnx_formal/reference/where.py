"""SONNX Where."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.where import WHERE


def where(condition: Array, x: Array, y: Array) -> Array:
    """The element of X or of Y, as the condition says: Z[i] = X[i] if condition[i], else Y[i].

    Source: SONNX-WHERE-REAL, SONNX-WHERE-INT and SONNX-WHERE-FLOAT; the sections Informal
    specification, Inputs and Outputs of each; SONNX-GENERAL.

    Args:
        condition: an array of bool.
        x, y: arrays of its shape and of one type: int8, int16, int32, int64, uint8, uint16, uint32,
            uint64, float16, float32, float64, or object with a `fractions.Fraction` at each index,
            for real numbers; also bfloat16 (of ml_dtypes), an extension of ours to
            SONNX-WHERE-FLOAT.

    Returns:
        A new array of that shape and type. Its elements are those of X and Y, all bits unchanged.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand. Of SONNX-WHERE-FLOAT, or the document of
            the type of X in its place: .T, another type, or a condition of another type than bool;
            .CONDITION.C2, X and Y of two types (.T where X is real); .CONDITION.C1, shapes that
            differ: nothing is broadcast.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    condition, x, y = accepted(WHERE, condition, x, y).arrays
    result = y.copy()
    np.copyto(result, x, where=condition)
    return result
