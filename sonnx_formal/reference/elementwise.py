"""What element-wise operators have in common: one operation, applied at each index."""

import numpy as np

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array


def applied(operation: np.ufunc, operands: Call) -> Array:
    """A new array of what an operation gives at each index, where NumPy repeats elements.

    Integers are modulo 2^n, and what is made of fractions is a fraction. Numbers of 16 bits are
    computed in float32 and rounded then; see below why that is the same as to round once.
    """
    with np.errstate(all="ignore"):
        result = operation(*operands.arrays, order="C")
    return np.asarray(result, operands.result_type.dtype)  # of rank 0, NumPy gives an element


# Why sums, differences and products that are rounded to float32, and then to p = 11 places
# (float16) or p = 8 (bfloat16), are rounded as if directly. Float32 has P = 24 >= 2p + 2 places.
#
# Sums. Let x = X 2^e be the operand with the greater exponent and y = Y 2^f the other one, where
# |X|, |Y| < 2^p. The sum s is a multiple of 2^f and less than 2^(e+p+1). If e + p + 1 - f <= P,
# float32 has s itself. Otherwise |y| < 2^(f+p) <= 2^(e+2p-P) <= 2^(e-2), and the neighbours of x
# are 2^(e-1) away or more, so that s is rounded to x. Float32 has x + 2^(e-2) and x - 2^(e-2), so
# that s, rounded to float32, is between them, and is rounded to x, too: half-way it is only below
# a power of two, which is even.
#
# Products have 2p places. Float32 has all of float16. Those of bfloat16 that it lacks are, with 16
# places, no multiples of 2^-149: less than 2^-134, half of the least number. They are zero, also
# by way of 2^-134, since zero is even.
