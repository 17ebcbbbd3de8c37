"""SONNX Relu."""

from fractions import Fraction

import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.relu import RELU


def relu(x: Array) -> Array:
    """X where it is not negative, zero elsewhere: Y[i] = X[i], but 0 where X[i] < 0.

    Source: SONNX-RELU-REAL, SONNX-RELU-INT and SONNX-RELU-FLOAT; the sections Informal
    specification, Inputs and Outputs of each; SONNX-GENERAL.

    Args:
        x: an array of any shape, of one of the types int8, int16, int32, int64, float16, float32,
            float64, or object with a `fractions.Fraction` at each index, for real numbers; also
            bfloat16 (of ml_dtypes), an extension of ours to SONNX-RELU-FLOAT.

    Returns:
        A new array of that shape and type. What is less than zero becomes +0; -0 and NaN are not
        less, and stay what they are.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; .T of SONNX-RELU-FLOAT, or of the
            document of the type of X in its place, another type.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass.
    """
    (x,) = accepted(RELU, x).arrays
    zero = Fraction(0) if x.dtype == object else x.dtype.type(0)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        negative = np.asarray(x < zero, bool)
    result = x.copy()
    result[negative] = zero
    return result
