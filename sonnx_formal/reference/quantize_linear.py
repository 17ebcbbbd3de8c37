"""ONNX QuantizeLinear."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.quantize_linear import QUANTIZE_LINEAR
from sonnx_formal.spec.quantization import axis_among


def quantize_linear(
    x: Array, y_scale: Array, y_zero_point: Array | None = None, *, axis: int = 1
) -> Array:
    """The nearest integer to x / y_scale, plus y_zero_point, within the range of int8 or uint8.

    Source: ONNX-QUANTIZELINEAR-13; the sections Summary, Inputs, Outputs, Attributes and Type
    constraints.

    Args:
        x: an array of any shape, of float32 or int32; int32 is rounded to float32 first.
        y_scale: an array of float32 without axes; or a vector with an element for each entry of x
            along an axis.
        y_zero_point: an array of the shape of y_scale, of int8 or uint8, the type of the result.
            None: 0 of uint8.
        axis: which axis of x a vector belongs to; negative ones count from the last.

    Returns:
        A new array of the shape of x. The quotient is rounded to float32, and then to an integer,
        half-way to the even one; the sum with the zero point is exact, and what is beyond the range
        becomes its end, infinities too. NaN becomes the least value.

    Raises:
        SpecViolation: ONNX-QUANTIZELINEAR-13.T, a sparse operand, or another type; .Y_SCALE.C1, a
            scale of several axes; .AXIS.C1, an axis that x has not; .Y_SCALE.C2, a vector with too
            few or too many elements; .Y_ZERO_POINT.C1, a zero point of another shape.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or the
            axis is no integer.
    """
    attributes = all_attributes_of(QUANTIZE_LINEAR, axis=axis)
    call = accepted(QUANTIZE_LINEAR, x, y_scale, y_zero_point, attributes=attributes)
    x, scale, *_ = call.arrays
    zero, bounds = call.operands[2], call.result_type.bounds
    with np.errstate(all="ignore"):
        quotient = x.astype(np.float32) / along(axis, scale, x)
        # Within these ends an integer of float32 and a zero point have an exact sum.
        whole = np.clip(np.rint(quotient), -1024, 1024)
    moved = np.nan_to_num(whole, nan=-1024).astype(np.int32)
    if zero is not None:
        moved = moved + along(axis, zero.astype(np.int32), x)
    return np.asarray(np.clip(moved, bounds.min, bounds.max), call.result_type.dtype)


def along(axis: int, parameter: Array, x: Array) -> Array:
    """A vector along an axis of x, as NumPy broadcasts it; what has no axes, as it is."""
    if parameter.ndim == 0:
        return parameter
    shape = [1] * x.ndim
    shape[axis_among(x.ndim, axis)] = parameter.size
    return parameter.reshape(shape)
