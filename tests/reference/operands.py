"""Hypothesis strategies for operands: element types, shapes, special elements, layouts.

They are kept: Hypothesis looks through each new one before it draws from it.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

from sonnx_formal.spec.element_types import Format
from tests.reference.reference import DTYPES, FORMATS, Array, Integer

SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)


def specials(form: Format) -> list[int]:
    """Patterns at which arithmetic changes its course, without their signs."""
    ends = [0, 1, form.trailing - 1, form.trailing, form.infinity - 1, form.infinity, form.nan]
    return [*ends, form.one - 1, form.one, form.one + 1, form.one + form.trailing // 2]


@cache
def elements(name: str, *, zero: bool = True) -> st.SearchStrategy[Any]:
    """Elements of a type; of a floating-point type, as bit patterns."""
    if name == "real":
        return st.fractions(max_denominator=50).filter(lambda x: zero or x != 0)
    if name in FORMATS:
        form = FORMATS[name]
        signed = [s + m for s in (0, form.sign) for m in specials(form)]
        return st.sampled_from(signed) | st.integers(0, 2 * form.sign - 1)
    low, high = Integer(name).limits
    small = st.sampled_from([x for x in (low, low + 1, -1, 0, 1, 2, high) if low <= x])
    return (small | st.integers(low, high)).filter(lambda x: zero or x != 0)


@cache
def tensors(name: str, shape: tuple[int, ...], *, zero: bool = True) -> st.SearchStrategy[Array]:
    """A tensor in native order. With `zero=False`, no integer in it is zero."""
    dtype = DTYPES[name]
    stored = np.dtype(f"uint{8 * dtype.itemsize}") if name in FORMATS else dtype
    fill = st.nothing() if name == "real" else None
    arrays = hypothesis_numpy.arrays(stored, shape, elements=elements(name, zero=zero), fill=fill)
    return arrays.map(lambda array: array.view(dtype)) if name in FORMATS else arrays


def _reversed(array: Array) -> Array:
    back: tuple[Any, ...] = (..., *[slice(None, None, -1)] * array.ndim)
    backwards: Array = array[back].copy()[back]
    return backwards


def _with_gaps(array: Array) -> Array:
    wide = np.full((*array.shape, 2), _filling(array), array.dtype)
    wide[..., 0] = array
    return wide[..., 0]


def _unaligned(array: Array) -> Array:
    store = bytearray(b"\1" + array.tobytes())
    return np.ndarray(array.shape, array.dtype, store, offset=1)


def _read_only(array: Array) -> Array:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _filling(array: Array) -> Any:
    return Fraction(1, 3) if array.dtype == object else 1


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": np.copy,
    "Fortran": lambda array: np.array(array, order="F"),
    "reversed": _reversed,
    "gaps": _with_gaps,
    "read-only": _read_only,
    "byte-swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "unaligned": _unaligned,
}
"""Each makes another array with the same elements at the same indices."""


@cache
def layouts(type_name: str) -> st.SearchStrategy[str]:
    """The layouts that arrays of this type have."""
    only_of_numbers = {"byte-swapped", "unaligned"} if type_name == "real" else set()
    return st.sampled_from([name for name in LAYOUTS if name not in only_of_numbers])
