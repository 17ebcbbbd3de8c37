"""ONNX ReduceSum since version 13."""

from fractions import Fraction

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.reduce_sum import REDUCE_SUM, reduced, reduced_axes, untouched


def reduce_sum(
    data: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Array:
    """The sums of the elements of the data along axes.

    Source: ONNX-REDUCESUM-13; the sections Summary, Attributes, Inputs, Outputs and Type
    constraints.

    Args:
        data: an array of any shape, of int32, int64, uint32, uint64, float16, bfloat16 (of
            ml_dtypes), float32 or float64; also object with a `fractions.Fraction` at each index,
            for real numbers, an extension of ours.
        axes: a vector of int64, of distinct axes: those that are reduced. Negative ones count from
            the last axis. Without it, or if it is empty, all axes are.
        keepdims: 1, the axes that are reduced stay, with one element each; 0, they are left out.
        noop_with_empty_axes: 1, without axes, or if it is empty, no axis is reduced.

    Returns:
        A new array of that type. Integers are modulo 2^n for a type of n bits; real numbers are
        exact. Floating-point numbers are the result of the reference order: the sum starts at +0;
        then, element by element of what is summed up, in row-major order, the sum is rounded to the
        element type, to nearest, ties to even. The sum of nothing is +0. Where no axis is reduced
        because of noop_with_empty_axes, the elements are those of the data, with all their bits.

    Raises:
        SpecViolation: ONNX-REDUCESUM-13.T, a sparse operand, or another type; .AXES.T, axes is no
            vector of int64; .KEEPDIMS.C1, .NOOP_WITH_EMPTY_AXES.C1, an attribute is neither 0 nor
            1; .AXES.C1, an axis that the data have not; .AXES.C2, an axis that is there twice.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or an
            attribute is no integer.
    """
    attributes = all_attributes_of(
        REDUCE_SUM, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes
    )
    call = accepted(REDUCE_SUM, data, axes, attributes=attributes)
    data, *vectors = call.arrays
    asked = tuple(vectors[0].tolist()) if vectors else ()
    if untouched(attributes, asked):
        return data.copy()
    along = sorted(reduced_axes(attributes, data.ndim, asked))
    others = [axis for axis in range(data.ndim) if axis not in along]
    blocks = data.transpose(*along, *others)
    shape = blocks.shape[len(along) :]
    zero = Fraction(0) if call.result_type.family is Family.REAL else 0
    sums = np.full(shape, zero, data.dtype)
    with np.errstate(all="ignore"):
        # All sums at once, one term after the other: `numpy.sum` adds in another order.
        for place in np.ndindex(blocks.shape[: len(along)]):
            np.add(sums, blocks[place], out=sums)
    return sums.reshape(reduced(attributes, data.shape, asked))
