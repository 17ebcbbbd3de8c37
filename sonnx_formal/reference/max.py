"""SONNX Max."""

from functools import reduce

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.max import MAX


def max(*operands: Array) -> Array:
    """The greatest of the elements, index by index: Y[i] = max(X0[i], …, XL[i]), once broadcast.

    Source: SONNX-MAX-REAL, SONNX-MAX-INT and SONNX-MAX-FLOAT; the sections Informal specification,
    Inputs and Outputs of each; SONNX-GENERAL.

    Args:
        operands: one array or more, of shapes that NumPy broadcasts to one, and of one type: int8,
            int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, or object
            with a `fractions.Fraction` at each index, for real numbers; also bfloat16 (of
            ml_dtypes), an extension of ours to SONNX-MAX-FLOAT.

    Returns:
        A new array of that type, and of the shape that all are broadcast to. NaN where an element
        is NaN; +0 is greater than -0.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand. Of SONNX-MAX-FLOAT, or the document of
            the type of the first operand in its place: .T, another type or more than one; .X.C1,
            shapes that do not go together.
        TypeError: there is no operand; or one is not a NumPy array, or is a masked array or another
            subclass.
    """
    call = accepted(MAX, *operands)
    first, *others = call.arrays
    floats = call.result_type.family is Family.FLOAT
    return reduce(larger_float if floats else larger, others, first.copy())


def larger(x: Array, y: Array) -> Array:
    """The greater one at each index, of numbers that are totally ordered."""
    x, y = np.broadcast_arrays(x, y)
    return np.where(np.asarray(y < x, bool), x, y)


def larger_float(x: Array, y: Array) -> Array:
    """IEEE 754-2019, 9.6: maximum. What is equal differs in the signs of zeros at most."""
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        first = np.isnan(x) | (x > y) | ((x == y) & np.signbit(y))
    return np.where(first, x, y)
