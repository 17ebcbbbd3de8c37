"""The element types of the formal library, and the NumPy types that carry their values."""

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Kind = Literal["real", "float", "integer", "other"]


@dataclass(frozen=True)
class ElementType:
    """An element type."""

    name: str
    """As NumPy and ml_dtypes name it; `real` for fractions in object arrays."""
    code: int
    """The number by which the formal library tells types apart."""
    kind: Kind
    dtype: np.dtype[Any]

    @property
    def pattern(self) -> np.dtype[np.unsignedinteger]:
        """The type of the bit patterns of an element; of numerical types other than real."""
        return np.dtype(f"u{self.dtype.itemsize}")


def _all_types() -> tuple[ElementType, ...]:
    named: list[tuple[str, Kind, Any]] = [
        ("real", "real", object),
        ("float16", "float", np.float16),
        ("bfloat16", "float", ml_dtypes.bfloat16),
        ("float32", "float", np.float32),
        ("float64", "float", np.float64),
        *((name, "integer", name) for name in ("int8", "int16", "int32", "int64")),
        *((name, "integer", name) for name in ("uint8", "uint16", "uint32", "uint64")),
        ("bool", "other", np.bool_),
        ("string", "other", np.str_),
        ("complex64", "other", np.complex64),
        ("complex128", "other", np.complex128),
    ]
    return tuple(
        ElementType(name, code, kind, np.dtype(dtype))
        for code, (name, kind, dtype) in enumerate(named)
    )


ALL = _all_types()
"""Every type, by its code."""
NUMERICAL = {one.name: one for one in ALL if one.kind != "other"}
"""The types that operators are defined for, by name."""

_BY_DTYPE = {one.dtype: one for one in ALL}
_STRING = next(one for one in ALL if one.name == "string")


def element_type(array: NDArray[Any]) -> ElementType:
    """The type of the elements of an array, whatever their byte order.

    :raises TypeError: when the formal library knows no such type.
    """
    if array.dtype.kind in "SUT":
        return _STRING
    found = _BY_DTYPE.get(array.dtype.newbyteorder("="))
    if found is None:
        raise TypeError(f"there is no element type for {array.dtype}")
    return found
