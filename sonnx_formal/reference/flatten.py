"""SONNX Flatten."""

from math import prod

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.flatten import FLATTEN


def flatten(x: Array, *, axis: int) -> Array:
    """The elements of X, in row-major order, in a matrix.

    Source: SONNX-FLATTEN; the sections Informal specification, Attributes, Inputs and Outputs;
    SONNX-GENERAL.

    Args:
        x: an array of any shape, of int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, float32, float64, or object with a `fractions.Fraction` at each index, for real
            numbers; also bfloat16 (of ml_dtypes), bool and str, an extension of ours.
        axis: the first axis of X that makes columns, those before it make rows. It counts from the
            end if it is negative, and may be the number of axes: then there is one column.

    Returns:
        A new matrix of the type of X, all bits of the elements unchanged.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-FLATTEN.T, another type; .AXIS.C1,
            an axis that X has not.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or
            axis is no integer.
    """
    (x,) = accepted(FLATTEN, x, attributes=all_attributes_of(FLATTEN, axis=axis)).arrays
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:])).copy()
