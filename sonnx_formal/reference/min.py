"""ONNX Min."""

from functools import reduce

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.min import MIN


def min(*operands: Array) -> Array:
    """The least of the elements, index by index, once the operands are broadcast.

    Source: ONNX-MIN-13; the sections Summary, Inputs, Outputs and Type Constraints.

    Args:
        operands: one array or more, of shapes that NumPy broadcasts to one, and of one type: int8,
            int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, or
            bfloat16 (of ml_dtypes).

    Returns:
        A new array of that type, and of the shape that all are broadcast to. NaN where an element
        is NaN; -0 is less than +0.

    Raises:
        SpecViolation: ONNX-MIN-13.T, another type, more than one, or a sparse operand; .SHAPE,
            shapes that do not go together.
        TypeError: there is no operand; or one is not a NumPy array, or is a masked array or another
            subclass.
    """
    call = accepted(MIN, *operands)
    first, *others = call.arrays
    floats = call.result_type.family is Family.FLOAT
    return reduce(_smaller_float if floats else _smaller, others, first.copy())


def _smaller(x: Array, y: Array) -> Array:
    x, y = np.broadcast_arrays(x, y)
    return np.where(x < y, x, y)


def _smaller_float(x: Array, y: Array) -> Array:
    """IEEE 754-2019, 9.6: minimum. What is equal differs in the signs of zeros at most."""
    x, y = np.broadcast_arrays(x, y)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        first = np.isnan(x) | (x < y) | ((x == y) & np.signbit(x))
    return np.where(first, x, y)
