"""SONNX Concat."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.concat import CONCAT


def concat(*operands: Array, axis: int) -> Array:
    """The elements of the operands, one operand after the other along an axis.

    Source: SONNX-CONCAT; the sections Informal specification, Attributes, Inputs and Outputs;
    SONNX-GENERAL.

    Args:
        operands: one array or more, of one rank and with the same dimensions but along the axis,
            and of one type: int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16,
            float32, float64, bfloat16 (of ml_dtypes), bool, or texts.
        axis: the axis, counted from the first one, 0.

    Returns:
        A new array of that type, all bits of the elements unchanged. Along the axis, its dimension
        is the sum of those of the operands.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-CONCAT.T, another type, or more
            than one; .R1, a negative axis; .AXIS.C1, an axis that the first operand lacks; .X.C2,
            more than one rank; .X.C3, dimensions that differ on another axis.
        TypeError: there is no operand; or one is not a NumPy array, or is a masked array or another
            subclass; or the axis is no integer.
    """
    call = accepted(CONCAT, *operands, attributes=all_attributes_of(CONCAT, axis=axis))
    return np.concatenate(call.arrays, axis)
