"""ONNX Transpose since version 13."""

from collections.abc import Sequence

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.transpose import TRANSPOSE


def transpose(data: Array, *, perm: Sequence[int] | None = None) -> Array:
    """The elements of data with its axes in another order.

    Source: ONNX-TRANSPOSE-13; the sections Summary, Attributes and Type constraints.

    Args:
        data: an array of int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16,
            float32, float64, bfloat16 (of ml_dtypes), bool, or texts.
        perm: for each axis of the result the axis of data, counted from 0. None: the opposite
            order.

    Returns:
        A new array of the type of data, all bits of the elements unchanged.

    Raises:
        SpecViolation: ONNX-TRANSPOSE-13.T, a sparse operand, or another type; .PERM.C1, a perm that
            does not name each axis once.
        TypeError: data is not a NumPy array, or is a masked array or another subclass; or perm is
            no sequence of integers.
    """
    (data,) = accepted(TRANSPOSE, data, attributes=attributes_of(TRANSPOSE, perm=perm)).arrays
    return data.transpose(perm).copy()
