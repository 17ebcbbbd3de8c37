"""SONNX Conv."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.conv import CONV, convolved, group_of
from sonnx_formal.spec.windows import ints


def conv(  # noqa: PLR0913 (the attributes of ONNX)
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    group: int,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
) -> Array:
    """The convolution Y of X with the kernel W along rows and columns, and the bias B.

    Source: SONNX-CONV; the sections Restrictions, Informal specification, Attributes, Inputs and
    Outputs; SONNX-GENERAL.

    Args:
        x: an array of samples, channels, rows and columns, of float16, float32, float64, or object
            with a `fractions.Fraction` at each index, for real numbers; also bfloat16 (of
            ml_dtypes), an extension of ours.
        w: the kernel, an array of that type: output channels, channels, rows and columns.
        b: a vector of that type, with an element for each output channel. None: nothing is added.
        strides: the steps in which the kernel goes along rows and along columns.
        pads: rows and columns of zeros: before rows, before columns, after rows, after columns.
        dilations: the distance in X between neighbouring rows of the kernel, and columns.
        group: 1, where each output channel is of all channels of X; or the number of these, which
            is that of output channels, where each is of the channel of its number.
        kernel_shape: the rows and the columns of W.
        auto_pad: NOTSET.

    Returns:
        A new array of that type: samples, output channels, rows and columns. Real numbers are
        exact. Floating-point numbers are the result of the reference order: the sum starts at +0;
        then, channel by channel, row by row and column by column of the kernel, the product is
        rounded, and the sum with it is rounded, each to the element type, to nearest, ties to even.
        The bias comes last. Zeros of the padding are multiplied like any element: beside an
        infinity or NaN in W, they make NaN.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-CONV.T, another type, or two;
            .X.C1, .R1, another number of axes; .AUTO_PAD.C1, .AUTO_PAD.C2, not
            NOTSET; .STRIDES.C1, .PADS.C1, .PADS.C2, .DILATIONS.C1, .DILATIONS.C2, .GROUP.C1, values
            or numbers of values; .GROUP.C2, .GROUP.C3, .X.C2, .R3, channels and groups;
            .KERNEL_SHAPE.C1, .KERNEL_SHAPE.C2, .B.C1, sizes; .X.C3, a kernel that does not
            fit into X.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or an
            attribute is not of integers.
    """
    attributes = all_attributes_of(
        CONV,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    call = accepted(CONV, x, w, b, attributes=attributes)
    x, w, *bias = call.arrays
    zero = Fraction(0) if call.result_type.family is Family.REAL else 0
    sums = convolve(attributes, x, w, zero)
    with np.errstate(all="ignore"):
        for vector in bias:
            np.add(sums, vector[:, np.newaxis, np.newaxis], out=sums)
    return sums


def convolve(attributes: Attributes, x: Array, w: Array, zero: Fraction | int = 0) -> Array:
    """The sums of products of two arrays of one type, for operands that are accepted.

    In the order of `conv`, each product and each sum of the type; with the zero of the padding.
    """
    pads, strides, dilations = (ints(attributes, name) for name in ("pads", "strides", "dilations"))
    padded = _padded(x, pads, zero)
    sums = np.full(convolved(attributes, x.shape, w.shape), zero, x.dtype)
    channels, *places = sums.shape[1:]
    first = np.arange(channels) * group_of(attributes) // max(channels, 1) * w.shape[1]
    products = np.empty_like(sums)
    with np.errstate(all="ignore"):
        # All elements at once. Two operations, so that nothing is fused or done in another order.
        for i, *at in np.ndindex(w.shape[1:]):
            starts = [step * place for step, place in zip(dilations, at, strict=True)]
            rows, columns = (
                slice(start, start + (count - 1) * stride + 1, stride)
                for start, count, stride in zip(starts, places, strides, strict=True)
            )
            window = padded[:, first + i, rows, columns]
            np.multiply(window, w[:, i, *at, np.newaxis, np.newaxis], out=products)
            np.add(sums, products, out=sums)
    return sums


def _padded(x: Array, pads: Sequence[int], zero: Fraction | int) -> Array:
    """X with zeros before and after its rows and columns."""
    samples, channels, rows, columns = x.shape
    top, left, bottom, right = pads
    shape = (samples, channels, top + rows + bottom, left + columns + right)
    padded = np.full(shape, zero, x.dtype)
    padded[:, :, top : top + rows, left : left + columns] = x
    return padded
