"""SONNX MaxPool."""

from collections.abc import Sequence
from functools import reduce
from itertools import product

import numpy as np

from sonnx_formal.reference.max import larger, larger_float
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.max_pool import MAX_POOL
from sonnx_formal.spec.pooling import windows_of
from sonnx_formal.spec.windows import Sliding


def max_pool(  # noqa: PLR0913 (the attributes of the document)
    x: Array,
    *,
    kernel_shape: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    auto_pad: str,
    ceil_mode: int,
    storage_order: int,
) -> Array:
    """The greatest element of X under each position of a window.

    Source: SONNX-MAXPOOL; the sections Restrictions, Informal specification, Attributes, Inputs and
    Outputs; SONNX-GENERAL. Of the two results it is Y.

    Args:
        x: an array of four axes, batch, channel and two spatial ones: of int8, uint8, float16,
            float32, float64, or object with a `fractions.Fraction` at each index, for real numbers.
        kernel_shape: the elements of the kernel along both spatial axes.
        strides: the distances of two positions of the window.
        pads: the padding before both axes, then that after both, each shorter than the kernel.
        dilations: the distances of two elements of the kernel.
        auto_pad: "NOTSET".
        ceil_mode: 0.
        storage_order: 0.

            All are set, as the document has it.

    Returns:
        A new array of the type of X. Padding has no part in it. NaN where an element under the
        window is NaN; +0 is greater than -0.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-MAXPOOL.T, another type; .X.C1,
            not two spatial axes; .AUTO_PAD.C1, .AUTO_PAD.C2, .CEIL_MODE.C1, .CEIL_MODE.C2,
            .STORAGE_ORDER.C1, another value; .KERNEL_SHAPE.C2, .DILATIONS.C2, .STRIDES.C2,
            .PADS.C1, another number of entries; .KERNEL_SHAPE.C1, .DILATIONS.C1, .STRIDES.C1, an
            entry that is not positive; .ATTR.PADS, a negative pad; .PADS.C2, a kernel that is not
            longer than the padding, or a window that is all padding; .Y.C1, a kernel that X is too
            small for.
        TypeError: X is not a NumPy array, or is a masked array or another subclass; or a number is
            no integer.
    """
    attributes = all_attributes_of(
        MAX_POOL,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
        dilations=dilations,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    call = accepted(MAX_POOL, x, attributes=attributes)
    (x,) = call.arrays
    rows, columns = windows_of(call.attributes, x.shape)
    greater = larger_float if call.result_type.family is Family.FLOAT else larger
    result = np.empty((*x.shape[:2], rows.places, columns.places), x.dtype)
    for m, n in product(range(rows.places), range(columns.places)):
        under = x[:, :, reached(rows, m), reached(columns, n)]
        each = (under[:, :, h, w] for h, w in np.ndindex(under.shape[2:]))
        result[:, :, m, n] = reduce(greater, each)
    return result


def reached(window: Sliding, place: int) -> slice:
    """The coordinates under the kernel that are not in the padding."""
    first = place * window.stride - window.before
    padding = max(0, -(first // window.dilation))  # so many elements are before the axis
    end = min(first + window.span, window.length)
    return slice(first + padding * window.dilation, end, window.dilation)
