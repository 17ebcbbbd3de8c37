"""How a result of two 16-bit floats compares with the right one, on bit patterns: a closed list."""

from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import Format

Patterns = NDArray[np.uint16]
_Whole = TypeVar("_Whole", int, NDArray[np.int64])


class Agreement(StrEnum):
    """What a result is in the place of the right one. The first of the list that holds counts."""

    SAME = "the same bits"
    OTHER_NAN = "a NaN of other bits"
    """For a NaN, any is as good: a pass."""
    NAN_FOR_NUMBER = "NaN for a number"
    """Infinities count as numbers here."""
    NUMBER_FOR_NAN = "a number for NaN"
    INFINITY_FOR_FINITE = "infinity for a finite number"
    FINITE_FOR_INFINITY = "a finite number for infinity"
    SIGN_OF_ZERO = "the wrong sign of zero"
    ZERO_FOR_SUBNORMAL = "a zero for a subnormal"
    """Of either sign, also where the subnormal is the least."""
    LAST_PLACE = "one unit in the last place off"
    """The number beside the right one; where the right one is a zero, the least subnormal."""
    FURTHER = "further off"
    """Also a number, or an infinity, of the wrong sign."""

    @property
    def passes(self) -> bool:
        return self in {Agreement.SAME, Agreement.OTHER_NAN}


AGREEMENTS = tuple(Agreement)


def agreements(expected: Patterns, got: Patterns, form: Format) -> NDArray[np.intp]:
    """Of each element, the index in `AGREEMENTS` of what a result is.

    :param expected: the right bit patterns.
    :param got: those of the results, of the same shape.
    :param form: the format of both, of 16 bits.
    """
    right, wrong = expected.astype(np.int32), got.astype(np.int32)
    of_right, of_wrong = right % form.sign, wrong % form.sign
    nan_right, nan_wrong = of_right > form.infinity, of_wrong > form.infinity
    infinite_right, infinite_wrong = of_right == form.infinity, of_wrong == form.infinity
    zero = of_wrong == 0
    # Finite numbers in their order, both zeros being 0.
    apart = np.where(right < form.sign, of_right, -of_right)
    apart -= np.where(wrong < form.sign, of_wrong, -of_wrong)
    holds = {
        Agreement.SAME: right == wrong,
        Agreement.OTHER_NAN: nan_right & nan_wrong,
        Agreement.NAN_FOR_NUMBER: nan_wrong,
        Agreement.NUMBER_FOR_NAN: nan_right,
        Agreement.INFINITY_FOR_FINITE: infinite_wrong & ~infinite_right,
        Agreement.FINITE_FOR_INFINITY: infinite_right & ~infinite_wrong,
        Agreement.SIGN_OF_ZERO: zero & (of_right == 0),
        Agreement.ZERO_FOR_SUBNORMAL: zero & (of_right < form.trailing),
        Agreement.LAST_PLACE: abs(apart) == 1,
        Agreement.FURTHER: np.ones(right.shape, np.bool_),
    }
    first: NDArray[np.intp] = np.argmax([holds[each] for each in AGREEMENTS], axis=0)
    return first


def size(a: _Whole, b: _Whole, form: Format) -> _Whole:
    """What the smallest pair of operands has the least of: no two pairs have the same.

    First counts the sum of both patterns less their signs, then the first less its sign, then
    whether the first has the sign, then the second.

    :param a: patterns, as integers of 64 bits or of Python's.
    """
    of_a = a % form.sign
    return (((of_a + b % form.sign) * form.sign + of_a) * 2 + a // form.sign) * 2 + b // form.sign
