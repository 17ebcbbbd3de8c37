"""ONNX Identity since version 14."""

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.identity import IDENTITY


def identity(input: Array) -> Array:
    """The tensor as it is.

    Source: ONNX-IDENTITY-14; the sections Summary, Inputs, Outputs and Type constraints.

    Args:
        input: an array of any shape, of int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, bfloat16 (of ml_dtypes), float32, float64, bool or str.

    Returns:
        A new array of that shape and type, all bits of the elements unchanged.

    Raises:
        SpecViolation: ONNX-IDENTITY-14.V, a sparse operand, or another type.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass.
    """
    (found,) = accepted(IDENTITY, input).arrays
    return found.copy()
