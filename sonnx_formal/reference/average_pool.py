"""ONNX AveragePool."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from sonnx_formal.reference.max_pool import reached
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.average_pool import AVERAGE_POOL, includes_padding
from sonnx_formal.spec.pooling import windows_of


def average_pool(  # noqa: PLR0913 (the attributes of the document)
    x: Array,
    *,
    kernel_shape: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str,
    ceil_mode: int,
    count_include_pad: int,
) -> Array:
    """The mean of the elements of X under each position of a window.

    Source: ONNX-AVERAGEPOOL-19, the schema of ONNX's operator; which windows are accepted is as in
    SONNX-MAXPOOL.

    Args:
        x: an array of four axes, batch, channel and two spatial ones: of float16, float32, float64,
            or object with a `fractions.Fraction` at each index, for real numbers.
        kernel_shape: the elements of the kernel along both spatial axes.
        strides: the distances of two positions of the window.
        pads: the padding before both axes, then that after both, each shorter than the kernel.
        dilations: the distances of two elements of the kernel.
        auto_pad: "NOTSET".
        ceil_mode: 0.
        count_include_pad: 1, where a sum is divided by the number of elements of the kernel; 0,
            where only those that are not in the padding count.

            All are set, as SONNX has it for MaxPool.

    Returns:
        A new array of the type of X. Real numbers are exact. Floating-point numbers are the result
        of the reference order: the sum starts at +0; then, row by row and column by column of the
        kernel, the sum with each element of X is rounded to the type, to nearest, ties to even, and
        so is its quotient by the number of elements, which is rounded to the type before. Padding
        is zero and adds nothing.

    Raises:
        SpecViolation: ONNX-AVERAGEPOOL-19.T, a sparse operand or another type; .X.C1, not two
            spatial axes; .AUTO_PAD.C1, .AUTO_PAD.C2, .CEIL_MODE.C1, .CEIL_MODE.C2,
            .COUNT_INCLUDE_PAD.C1, another value; .KERNEL_SHAPE.C2, .DILATIONS.C2, .STRIDES.C2,
            .PADS.C2, another number of entries; .KERNEL_SHAPE.C1, .DILATIONS.C1, .STRIDES.C1, an
            entry that is not positive; .PADS.C1, a negative pad; .PADS.C3, a kernel that is not
            longer than the padding, or a window that is all padding; .SHAPE, a kernel that X is
            too small for.
        TypeError: X is not a NumPy array, or is a masked array or another subclass; or a number is
            no integer.
    """
    attributes = all_attributes_of(
        AVERAGE_POOL,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    call = accepted(AVERAGE_POOL, x, attributes=attributes)
    (x,) = call.arrays
    rows, columns = windows_of(call.attributes, x.shape)
    real = call.result_type.family is Family.REAL
    means = np.full(
        (*x.shape[:2], rows.places, columns.places), Fraction(0) if real else 0, x.dtype
    )
    with np.errstate(all="ignore"):
        for m, n in product(range(rows.places), range(columns.places)):
            under = x[:, :, reached(rows, m), reached(columns, n)]
            mean = means[:, :, m, n]
            for h, w in np.ndindex(under.shape[2:]):
                np.add(mean, under[:, :, h, w], out=mean)
            of_kernel = includes_padding(attributes)
            count = rows.kernel * columns.kernel if of_kernel else prod(under.shape[2:])
            np.divide(mean, count if real else x.dtype.type(count), out=mean)
    return means
