"""Operands as the library reads them."""

import numpy as np

from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.structural import Shape


def plain(array: Array) -> Array:
    """In C order and aligned."""
    return np.require(array, requirements=("C", "A"))


def plain_or_zeros(array: Array | None, dtype: np.dtype[np.generic], shape: Shape = (0,)) -> Array:
    """The same of an optional operand; of one that is left out, zeros of a shape: by default, no
    elements."""
    return np.zeros(shape, dtype) if array is None else plain(array)
