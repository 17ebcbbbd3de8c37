"""The element types of the source documents, and the NumPy types that hold them."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Family(StrEnum):
    """A kind of arithmetic. MatMul has a source document for each."""

    REAL = "real"
    INTEGER = "integer"
    FLOAT = "float"


@dataclass(frozen=True)
class ElementType:
    """One element type. Real numbers are `fractions.Fraction` in an array of objects."""

    name: str
    family: Family
    dtype: np.dtype[Any]
    """In the byte order of this machine."""


REAL = ElementType("real", Family.REAL, np.dtype(object))
INTEGERS = tuple(
    ElementType(f"{kind}{bits}", Family.INTEGER, np.dtype(f"{kind}{bits}"))
    for kind in ("int", "uint")
    for bits in (8, 16, 32, 64)
)
FLOATS = (
    ElementType("float16", Family.FLOAT, np.dtype(np.float16)),
    ElementType("bfloat16", Family.FLOAT, np.dtype(ml_dtypes.bfloat16)),
    ElementType("float32", Family.FLOAT, np.dtype(np.float32)),
    ElementType("float64", Family.FLOAT, np.dtype(np.float64)),
)
ELEMENT_TYPES = (REAL, *INTEGERS, *FLOATS)

_OF_NUMPY = {one.dtype: one for one in (*INTEGERS, *FLOATS)}


def element_type(array: Array) -> ElementType | None:
    """The element type of an array in any byte order; None if the documents do not have it.

    An array of objects is one of real numbers only if each element is a `Fraction`.
    """
    if array.dtype == object:
        return REAL if all(type(one) is Fraction for one in array.ravel()) else None
    native = array.dtype if array.dtype.isnative else array.dtype.newbyteorder()
    return _OF_NUMPY.get(native)


def is_number(dtype: np.dtype[Any]) -> bool:
    """An integer or floating-point type, of the documents or not."""
    return re.match("u?int|b?float|longdouble", dtype.name) is not None


def nearest_family(dtype: np.dtype[Any]) -> Family:
    """The family that a type belongs to or, where it belongs to none, comes nearest to."""
    if re.match("u?int|bool", dtype.name):
        return Family.INTEGER
    if re.match("b?float|longdouble|b?complex|clongdouble", dtype.name):
        return Family.FLOAT
    return Family.REAL
