"""ONNX Squeeze since version 13."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.squeeze import SQUEEZE


def squeeze(data: Array, axes: Array | None = None) -> Array:
    """The elements of the data without axes of one element.

    Source: ONNX-SQUEEZE-13; the sections Summary, Inputs, Outputs and Type constraints.

    Args:
        data: an array of any shape, of int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, bfloat16 (of ml_dtypes), float32, float64, bool or str.
        axes: a vector of int64: what is left out, an axis that is there twice once; negative ones
            count from the last axis. Without it, all axes of one element are left out.

    Returns:
        A new array without these axes, of the same type, all bits of the elements unchanged.

    Raises:
        SpecViolation: ONNX-SQUEEZE-13.T, a sparse operand, or another type; .AXES.T, axes is no
            vector of int64; .AXES.C1, an axis that the data have not; .AXES.C2, an axis with more
            or fewer elements than one.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    data, *given = accepted(SQUEEZE, data, axes).arrays
    # NumPy refuses an axis that is there twice.
    asked = [{axis % data.ndim for axis in vector.tolist()} for vector in given]
    return np.squeeze(data, *map(tuple, asked)).copy()
