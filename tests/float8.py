"""The formats of 8 bits by their numbers, and rounding to them by ONNX's table of Cast.

Written with fractions alone, and with no regard for how our definitions do it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

NAMES = ("float8e4m3fn", "float8e5m2")
DTYPES: dict[str, Any] = {
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e5m2": ml_dtypes.float8_e5m2,
}
UNITS = {"float8e4m3fn": 2**9, "float8e5m2": 2**16}
"""How many the number 1 is."""
GREATEST = {"float8e4m3fn": 448, "float8e5m2": 57344}
DIGITS = {"float8e4m3fn": 4, "float8e5m2": 3}


@cache
def numbers(name: str) -> tuple[tuple[Fraction, int], ...]:
    """The positive finite numbers and zero, each with its pattern, and the one after them: by
    exponents and digits."""
    digits = DIGITS[name]
    least, found = 1 / Fraction(UNITS[name]), [Fraction(0)]
    while found[-1] <= GREATEST[name]:
        exponent = (len(found) - 1) // 2 ** (digits - 1)
        step = least * 2 ** max(exponent - 1, 0)
        found.append(found[-1] + step)
    return tuple((number, pattern) for pattern, number in enumerate(found))


@cache
def nearest(name: str, x: Fraction) -> int:
    """The pattern of the number nearest to x >= 0, the even one of two; that after the largest
    number stands for all that is beyond it."""
    every = numbers(name)
    low, high = 0, len(every) - 1
    if x >= every[high][0]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if every[middle][0] <= x else (low, middle)
    (below, even), (above, _) = every[low], every[high]
    half = (below + above) / 2
    return low if x < half or (x == half and even % 2 == 0) else high


def cast(name: str, saturate: bool, x: float) -> int:
    """The pattern, by ONNX's table; of NaN, 0x7f."""
    beyond = len(numbers(name)) - 1
    if np.isnan(x):
        return 0x7F
    sign = 0x80 if np.signbit(x) else 0
    magnitude = beyond if np.isinf(x) else nearest(name, abs(Fraction(x)))
    if magnitude < beyond:
        return sign + magnitude
    if saturate:
        return sign + beyond - 1
    return sign + beyond if name == "float8e5m2" else 0x7F


def one_nan(name: str, patterns: Any) -> Any:
    """The same patterns with 0x7f for each NaN."""
    is_nan = np.isnan(np.asarray(patterns, np.uint8).view(DTYPES[name]).astype(np.float32))
    return np.where(is_nan, 0x7F, patterns)
