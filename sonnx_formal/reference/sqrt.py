"""SONNX Sqrt."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.sqrt import SQRT


def sqrt(x: Array) -> Array:
    """The square root Y of X, element by element.

    Source: SONNX-SQRT-FLOAT; the sections Informal specification, Inputs and Outputs;
    SONNX-GENERAL. Over the real numbers, of which SONNX-SQRT-REAL speaks, nothing is computed.

    Args:
        x: an array of any shape, of float16, float32 or float64; also bfloat16 (of ml_dtypes), an
            extension of ours.

    Returns:
        A new array of that shape and type: the square root of IEEE 754, rounded to nearest, ties to
        even. That of a zero is this zero; of NaN and of what is less than zero it is NaN.

    Raises:
        SpecViolation: SONNX-GENERAL.GR1, a sparse operand; SONNX-SQRT-FLOAT.T, another type.
        TypeError: the operand is not a NumPy array, or is a masked array or another subclass.
    """
    return applied(np.sqrt, accepted(SQRT, x))


# Square roots that are rounded to float32, and then to p = 11 places (float16) or p = 8 (bfloat16),
# are rounded as if directly. The root r of a number of p places is no number h half-way between two
# of p places: the square of h has p + 2 places or more. Both squares are multiples of the last
# place of that, so that r is further from h than float32, with 2p + 2 places or more, rounds.
