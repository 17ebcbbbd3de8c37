"""SONNX Reshape."""

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.reshape import RESHAPE


def reshape(x: Array, s: Array, *, allowzero: int) -> Array:
    """The elements of X, in row-major order, in the shape that S asks for.

    Source: SONNX-RESHAPE; the sections Informal specification, Attributes, Inputs and Outputs;
    SONNX-GENERAL.

    Args:
        x: an array of any shape, of int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, float32, float64, bool, str_, or object with a `fractions.Fraction` at each
            index, for real numbers; also bfloat16 (of ml_dtypes), an extension of ours.
        s: a vector of int64: the dimensions of Y. One of them may be -1, which is what is left.
        allowzero: 0 where a 0 in S is the dimension of X on the same axis; 1 where it is a
            dimension of Y without elements.

    Returns:
        A new array of that shape and of the type of X, all bits of the elements unchanged.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-RESHAPE.T, another type; .S.T, S
            is no vector of int64; .ALLOWZERO.C1, neither 0 nor 1; .S.C1, more than one -1;
            .ALLOWZERO.C2, a 0 on an axis that X lacks; .ALLOWZERO.C3, less than -1, -1 where there
            is nothing to divide by, or 0 where X has elements; .X.C1, another number of elements.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or
            allowzero is no integer.
    """
    call = accepted(RESHAPE, x, s, attributes=all_attributes_of(RESHAPE, allowzero=allowzero))
    x, s = call.arrays
    asked = [
        x.shape[axis] if size == 0 and not allowzero else size
        for axis, size in enumerate(s.tolist())
    ]
    return x.reshape(asked).copy()
