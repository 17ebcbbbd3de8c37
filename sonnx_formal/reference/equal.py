"""ONNX Equal."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.equal import EQUAL


def equal(a: Array, b: Array) -> Array:
    """Whether A equals B, element by element, once both are broadcast: C[i] = (A[i] = B[i]).

    Source: ONNX-EQUAL-13; the sections Summary, Inputs, Outputs and Type Constraints.

    Args:
        a, b: arrays of shapes that NumPy broadcasts to one, and of one type: bool, int8, int16,
            int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, or bfloat16 (of
            ml_dtypes).

    Returns:
        A new array of bool, of the shape that both are broadcast to. NaN is equal to nothing, and
        -0 is equal to +0.

    Raises:
        SpecViolation: ONNX-EQUAL-13.T, another type, two types, or a sparse operand; .SHAPE, shapes
            that do not go together.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.equal, accepted(EQUAL, a, b))
