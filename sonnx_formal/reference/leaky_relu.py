"""SONNX LeakyRelu."""

import ml_dtypes
import numpy as np

from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.leaky_relu import LEAKY_RELU


def leaky_relu(x: Array, *, alpha: float) -> Array:
    """X where it is not negative, alpha times X elsewhere.

    Source: SONNX-LEAKYRELU-FLOAT; the sections Informal specification, Attributes, Inputs and
    Outputs; SONNX-GENERAL. Over the real numbers, of which SONNX-LEAKYRELU-REAL speaks, nothing is
    computed.

    Args:
        x: an array of any shape, of float16, float32 or float64; also bfloat16 (of ml_dtypes), an
            extension of ours.
        alpha: a number of binary32, as ONNX has attributes; another one is rounded to it.

    Returns:
        A new array of that shape and type. Of what is less than zero, the exact product with alpha
        is rounded once, to nearest, ties to even, whatever the type is; all else stays what it is:
        -0 and NaN, too.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-LEAKYRELU-FLOAT.T, another type.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass; or
            alpha is no number.
    """
    attributes = all_attributes_of(LEAKY_RELU, alpha=alpha)
    with np.errstate(all="ignore"):
        coefficient = np.float64(np.float32(alpha))
        (x,) = accepted(LEAKY_RELU, x, attributes=attributes).arrays
        negative = np.asarray(x < x.dtype.type(0), bool)
        result = x.copy()
        result[negative] = _rounded(x[negative].astype(np.float64) * coefficient, x.dtype)
    return result


def _rounded(products: Array, dtype: np.dtype[np.generic]) -> Array:
    """Products in float64, rounded to a type of fewer places.

    Of float64, the product has been rounded already; of the other types, it is exact, for 24 and 24
    places are fewer than 53. From float64 to bfloat16, there are two steps: the first leaves the
    last place odd where it is not exact, so that the second sees on which side the number is.
    """
    if dtype != ml_dtypes.bfloat16:
        return products.astype(dtype)
    nearest = products.astype(np.float32)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(products)
    truncated = np.where(beyond, np.nextafter(nearest, np.float32(0)), nearest)
    inexact = truncated.astype(np.float64) != products
    odd = (truncated.view(np.uint32) | inexact).view(np.float32)
    return np.where(np.isnan(products), nearest, odd).astype(dtype)
