"""ONNX DequantizeLinear."""

import numpy as np

from sonnx_formal.reference.quantize_linear import along
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import NARROW_FLOATS, Array, element_type_of
from sonnx_formal.spec.operators.dequantize_linear import DEQUANTIZE_LINEAR
from sonnx_formal.spec.quantization import Granularity


def dequantize_linear(
    x: Array,
    x_scale: Array,
    x_zero_point: Array | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
) -> Array:
    """The difference of x and x_zero_point, times x_scale, rounded to the type of x_scale.

    Source: ONNX-DEQUANTIZELINEAR-21; the sections Summary, Inputs, Outputs, Attributes and Type
    constraints.

    Args:
        x: an array of any shape, of int8, uint8, int16, uint16, int32, float8e4m3fn or float8e5m2.
        x_scale: an array of float32, float16 or bfloat16 without axes; or a vector with an element
            for each entry of x along an axis; or of the axes of x, with an element for each block
            along an axis.
        x_zero_point: an array of the shape of x_scale and of the type of x; of int32 and floats, 0
            alone. None: 0.
        axis: which axis of x the scales belong to; negative ones count from the last.
        block_size: how many entries along the axis have one scale; 0: there are no blocks.

    Returns:
        A new array of the shape of x and the type of x_scale. The difference is exact; it is
        rounded to float32, which those of 8 or 16 bits and floats need not be, and so is the
        product with the scale; this is rounded to the type of x_scale.

    Raises:
        SpecViolation: ONNX-DEQUANTIZELINEAR-21.T, a sparse operand, or another type;
            .BLOCK_SIZE.C1, a negative size; .X_SCALE.C1, a scale of several axes that is not one of
            blocks; .AXIS.C1, an axis that x has not; .X_SCALE.C2, a scale with too few or too many
            elements; .X_ZERO_POINT.C1, a zero point of another shape; .X_ZERO_POINT.C2, of int32
            and floats, one that is not 0.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or an
            attribute is no integer.
    """
    attributes = all_attributes_of(DEQUANTIZE_LINEAR, axis=axis, block_size=block_size)
    granularity = Granularity.of(attributes)
    call = accepted(DEQUANTIZE_LINEAR, x, x_scale, x_zero_point, attributes=attributes)
    x, scale, *_ = call.arrays
    zero = call.operands[2]
    floats = element_type_of(x) in NARROW_FLOATS
    difference = x if floats else x.astype(np.int64)
    if zero is not None and not floats:
        difference = difference - along(granularity, zero.astype(np.int64), x)
    with np.errstate(all="ignore"):
        product = difference.astype(np.float32) * along(granularity, scale.astype(np.float32), x)
        return np.asarray(product, scale.dtype, order="C")
