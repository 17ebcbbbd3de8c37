"""The binary formats, as their parameters and bit patterns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Patterns = NDArray[np.unsignedinteger]
"""Bit patterns as numbers: sign, biased exponent, trailing significand."""


@dataclass(frozen=True)
class Format:
    """A binary format: its precision and greatest exponent determine all the rest."""

    name: str
    precision: int
    emax: int

    @property
    def trailing(self) -> int:
        """The number of trailing significands."""
        return 1 << (self.precision - 1)

    @property
    def infinity(self) -> int:
        """The pattern of plus infinity. Less are the positive finite numbers, in their order."""
        return (2 * self.emax + 1) * self.trailing

    @property
    def sign(self) -> int:
        """What the sign adds to a pattern; the number of patterns without a sign."""
        return (2 * self.emax + 2) * self.trailing

    @property
    def nan(self) -> int:
        """The pattern that stands for all NaNs: quiet, positive, no other payload."""
        return self.infinity + self.trailing // 2

    @property
    def one(self) -> int:
        """The pattern of the number 1."""
        return self.emax * self.trailing

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """The narrowest type for patterns, of 16 bits or more."""
        return np.promote_types(np.min_scalar_type(2 * self.sign - 1), np.uint16)

    def with_one_nan(self, patterns: Patterns) -> Patterns:
        """The same patterns with every NaN as the one NaN."""
        is_nan = patterns % self.dtype.type(self.sign) > self.infinity
        return np.where(is_nan, self.dtype.type(self.nan), patterns)


BINARY16 = Format("binary16", 11, 15)
BFLOAT16 = Format("bfloat16", 8, 127)
BINARY32 = Format("binary32", 24, 127)
BINARY64 = Format("binary64", 53, 1023)
FORMATS = (BINARY16, BFLOAT16, BINARY32, BINARY64)
BY_ELEMENT_TYPE = {
    "float16": BINARY16,
    "bfloat16": BFLOAT16,
    "float32": BINARY32,
    "float64": BINARY64,
}


def small(precision: int, emax: int) -> Format:
    """A format of any size, small enough to look at all of it."""
    return Format(f"{precision},{emax}", precision, emax)
