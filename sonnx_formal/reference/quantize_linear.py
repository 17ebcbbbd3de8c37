"""ONNX QuantizeLinear."""

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import NARROW_FLOATS, Array, ElementType
from sonnx_formal.spec.operators.quantize_linear import QUANTIZE_LINEAR
from sonnx_formal.spec.quantization import Granularity, axis_among

_BEYOND = 1 << 18
"""Beyond the range of each type, whatever zero point is added."""


def quantize_linear(  # noqa: PLR0913 (three operands)
    x: Array,
    y_scale: Array,
    y_zero_point: Array | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    saturate: int = 1,
) -> Array:
    """The nearest integer to x / y_scale, plus y_zero_point, within the range of the result's type.

    Or x / y_scale as a float of 8 bits.

    Source: ONNX-QUANTIZELINEAR-21; the sections Summary, Inputs, Outputs, Attributes and Type
    constraints.

    Args:
        x: an array of any shape, of float32, float16, bfloat16 or int32; int32 is rounded to
            float32 first.
        y_scale: an array of the type of x, or float32 with int32, without axes; or a vector with an
            element for each entry of x along an axis; or of the axes of x, with an element for each
            block along an axis.
        y_zero_point: an array of the shape of y_scale, of int8, uint8, int16, uint16, float8e4m3fn
            or float8e5m2, the type of the result; of floats, zeros. None: 0.
        axis: which axis of x the scales belong to; negative ones count from the last.
        block_size: how many entries along the axis have one scale; 0: there are no blocks.
        output_dtype: the type of the result without a zero point, by ONNX's number; 0: uint8.
        saturate: of floats: 0 to have infinity, or NaN in float8e4m3fn, for what is beyond the
            largest number; else it becomes this one, infinities too.

    Returns:
        A new array of the shape of x. The quotient is rounded to the type of y_scale, and then to
        an integer, half-way to the even one; the sum with the zero point is exact, and what is
        beyond the range becomes its end, infinities too. NaN becomes the least value. To a float,
        the quotient is rounded to nearest, ties to even; zero keeps its sign.

    Raises:
        SpecViolation: ONNX-QUANTIZELINEAR-21.T, a sparse operand, or another type;
            .OUTPUT_DTYPE.C1, the number of another type; .OUTPUT_DTYPE.C2, not that of the zero
            point; .BLOCK_SIZE.C1, a negative size; .Y_SCALE.C1, a scale of several axes that is not
            one of blocks; .AXIS.C1, an axis that x has not; .Y_SCALE.C2, a scale with too few or
            too many elements; .Y_ZERO_POINT.C1, a zero point of another shape; .Y_ZERO_POINT.C2, of
            floats, one that is not 0.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or an
            attribute is no integer.
    """
    attributes = all_attributes_of(
        QUANTIZE_LINEAR,
        axis=axis,
        block_size=block_size,
        output_dtype=output_dtype,
        saturate=saturate,
    )
    granularity = Granularity.of(attributes)
    call = accepted(QUANTIZE_LINEAR, x, y_scale, y_zero_point, attributes=attributes)
    x, scale, *_ = call.arrays
    zero = call.operands[2]
    with np.errstate(all="ignore"):
        quotient = x.astype(scale.dtype) / along(granularity, scale, x)
    if call.result_type in NARROW_FLOATS:
        return _narrowed(quotient, call.result_type, saturate=saturate != 0)
    bounds = call.result_type.bounds
    with np.errstate(all="ignore"):
        # Within these ends an integer of float32 and a zero point have an exact sum.
        whole = np.clip(np.rint(quotient.astype(np.float32)), -_BEYOND, _BEYOND)
    moved = np.nan_to_num(whole, nan=-_BEYOND).astype(np.int32)
    if zero is not None:
        moved = moved + along(granularity, zero.astype(np.int32), x)
    return np.asarray(np.clip(moved, bounds.min, bounds.max), call.result_type.dtype)


def _narrowed(quotient: Array, type_: ElementType, *, saturate: bool) -> Array:
    """The numbers as floats of 8 bits, rounded once: float32 has them all."""
    with np.errstate(all="ignore"):
        wide = np.asarray(quotient).astype(np.float32)
        if saturate:
            largest = np.array(type_.format.infinity - 1, type_.pattern).view(type_.dtype)
            largest = largest.astype(np.float32)
            wide = np.clip(wide, -largest, largest)
        return np.asarray(wide, type_.dtype, order="C")


def along(granularity: Granularity, parameter: Array, x: Array) -> Array:
    """A parameter as NumPy broadcasts it to x: a vector along its axis, blocks entry by entry."""
    if parameter.ndim == 0:
        return parameter
    axis = axis_among(x.ndim, granularity.axis)
    if granularity.blocked(x.shape, parameter.shape):
        entries = np.arange(x.shape[axis]) // granularity.block
        return np.take(parameter, entries, axis)
    shape = [1] * x.ndim
    shape[axis] = parameter.size
    return parameter.reshape(shape)
