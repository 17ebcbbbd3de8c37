"""The patterns of binary formats, and formats that are small enough to look at all of them."""

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import Format

Patterns = NDArray[np.unsignedinteger]
"""Bit patterns as numbers: sign, biased exponent, trailing significand."""


def dtype_of(form: Format) -> np.dtype[np.unsignedinteger]:
    """The narrowest type for patterns, of 16 bits or more."""
    return np.promote_types(np.min_scalar_type(2 * form.sign - 1), np.uint16)


def with_one_nan(form: Format, patterns: Patterns) -> Patterns:
    """The same patterns with every NaN as the one NaN."""
    is_nan = patterns % dtype_of(form).type(form.sign) >= form.least_nan
    return np.where(is_nan, dtype_of(form).type(form.nan), patterns)


def small(precision: int, emax: int) -> Format:
    """A format of any size, small enough to look at all of it."""
    return Format(f"{precision},{emax}", precision, emax)
