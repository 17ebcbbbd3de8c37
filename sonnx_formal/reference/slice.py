"""SONNX Slice."""

from builtins import slice as python_slice

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.slice import SLICE


def slice(x: Array, s: Array, e: Array, a: Array, k: Array) -> Array:
    """The elements of X from starts to ends along its axes, in steps.

    Source: SONNX-SLICE; the sections Restrictions, Informal specification, Inputs and Outputs;
    SONNX-GENERAL.

    Args:
        x: an array of one axis or more, of int8, int16, int32, int64, uint8, uint16, uint32,
            uint64, float16, bfloat16 (of ml_dtypes), float32, float64, bool, str, or object with a
            `fractions.Fraction` at each index, for real numbers.
        s: the coordinate of the first element along each axis that A names.
        e: the coordinate that is no longer reached, in the same order.
        a: each axis of X once.
        k: the steps, of which none is 0; negative ones lead back.

            These four are vectors of int32 or of int64; negative coordinates and axes count from
            the end.

    Returns:
        A new array with as many axes, of the type of X, all bits of the elements unchanged. No
        dimension is 0.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-SLICE.T, another type; .S.T, .E.T,
            .A.T, .K.T, no vector of indices; .S.C4, indices of two types; .X.C3, X has no axes;
            .X.C1, another number of entries than X has axes; .A.C2, an axis that X has not; .A.C3,
            an axis twice; .K.C2, a step of 0; .S.C2, a start outside X; .E.C2, an end outside X;
            .R6, .R7, a step away from the end; .Y.C2, a result without elements.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    x, *entries = accepted(SLICE, x, s, e, a, k).arrays
    along = [python_slice(None)] * x.ndim
    for start, end, axis, step in zip(*(each.tolist() for each in entries), strict=True):
        size = x.shape[axis]
        # To NumPy, -1 would be the last element in the place of the one before the first.
        before_first = step < 0 and end == -size - 1
        along[axis] = python_slice(start, None if before_first else end, step)
    return np.ascontiguousarray(x[tuple(along)]).copy()
