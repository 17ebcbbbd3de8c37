"""ONNX ConvInteger."""

from collections.abc import Sequence

import numpy as np

from sonnx_formal.reference.conv import convolve
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.conv_integer import CONV_INTEGER, completed


def conv_integer(  # noqa: PLR0913 (the attributes of ONNX)
    x: Array,
    w: Array,
    x_zero_point: Array | None = None,
    w_zero_point: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """The convolution of 8-bit integers, each less its zero point, over int32.

    Source: ONNX-CONVINTEGER-10, the schema of ONNX's operator; which convolutions are accepted is
    as in SONNX-CONV.

    Args:
        x: an array of samples, channels, rows and columns, of int8 or uint8.
        w: the kernel, of int8 or uint8, not necessarily the type of x: output channels, channels,
            rows and columns.
        x_zero_point: what is taken away from each element of x: an array of its type without axes.
            None: 0.
        w_zero_point: what is taken away from each element of w: an array of its type without axes,
            or a vector with an element for each output channel. None: 0.
        auto_pad: NOTSET.
        dilations: the distance in x between neighbouring rows of the kernel, and columns. None: 1.
        group: 1, where each output channel is of all channels of x; or the number of these, which
            is that of output channels, where each is of the channel of its number.
        kernel_shape: the rows and the columns of w. None: they are not said twice.
        pads: rows and columns of padding: before rows, before columns, after rows, after columns.
            None: 0.
        strides: the steps in which the kernel goes along rows and along columns. None: 1.

    Returns:
        A new array of int32: samples, output channels, rows and columns. Differences and products
        are exact, and the sum of the products is reduced modulo 2^32, whatever its order. The
        padding is zero, and the zero point of x is not taken away from it.

    Raises:
        SpecViolation: ONNX-CONVINTEGER-10.T, a sparse operand, another type, or a zero point of
            another type than its tensor; .X.C1, .W.C1, another number of axes;
            .X_ZERO_POINT.C1, .W_ZERO_POINT.C1, .W_ZERO_POINT.C2, the shape of a zero point;
            .AUTO_PAD.C1, .AUTO_PAD.C2, not NOTSET; .STRIDES.C1, .PADS.C1, .PADS.C2, .DILATIONS.C1,
            .DILATIONS.C2, .GROUP.C1, values or numbers of values; .GROUP.C2, .GROUP.C3, .W.C2,
            channels and groups; .W.C3, .KERNEL_SHAPE.C1, the kernel; .X.C2, a kernel that does not
            fit into x.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or an
            attribute is not of integers.
    """
    attributes = attributes_of(
        CONV_INTEGER,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    call = accepted(CONV_INTEGER, x, w, x_zero_point, w_zero_point, attributes=attributes)
    x, w, *_ = call.arrays
    of_x, of_w = call.operands[2:]
    return convolve(completed(attributes), _less(x, of_x), _less(w, of_w))


def _less(tensor: Array, zero: Array | None) -> Array:
    """Over int32, which has each difference; a vector of zero points is along the first axis."""
    wide = tensor.astype(np.int32)
    return wide if zero is None else wide - zero.astype(np.int32).reshape(-1, 1, 1, 1)
