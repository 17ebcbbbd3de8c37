"""The element types of the documents, and the formats and NumPy types that carry their values."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:

    def __getattr__(name: str) -> Any:
        """`Array` when it is asked for: NumPy takes longer to import than `eval` may take."""
        if name != "Array":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from numpy.typing import NDArray  # noqa: PLC0415

        return NDArray[Any]


class Family(StrEnum):
    """The kind of values that an element type has, which decides about its arithmetic."""

    REAL = "real"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    TEXT = "text"
    COMPLEX = "complex"


@dataclass(frozen=True)
class Format:
    """A binary format: its precision and greatest exponent determine all the rest.

    Without infinities, the greatest biased exponent is one of numbers, and all ones are NaN.
    """

    name: str
    precision: int
    emax: int
    infinite: bool = True

    @property
    def trailing(self) -> int:
        """The number of trailing significands."""
        return 1 << (self.precision - 1)

    @property
    def infinity(self) -> int:
        """The first pattern that is no finite number: of plus infinity, or of NaN if there is none.

        Less are the positive finite numbers, in their order.
        """
        return (2 * self.emax + 1) * self.trailing if self.infinite else self.sign - 1

    @property
    def sign(self) -> int:
        """What the sign adds to a pattern; the number of patterns without a sign."""
        return (2 * self.emax + 2) * self.trailing

    @property
    def nan(self) -> int:
        """The pattern that stands for all NaNs: quiet, positive, no other payload."""
        return self.infinity + self.trailing // 2 if self.infinite else self.infinity

    @property
    def one(self) -> int:
        """The pattern of the number 1."""
        return self.emax * self.trailing

    @property
    def least_nan(self) -> int:
        """The first pattern of a NaN that is positive. Greater ones are NaNs, too."""
        return self.infinity + 1 if self.infinite else self.infinity


BINARY16 = Format("binary16", 11, 15)
BFLOAT16 = Format("bfloat16", 8, 127)
BINARY32 = Format("binary32", 24, 127)
BINARY64 = Format("binary64", 53, 1023)
FORMATS = (BINARY16, BFLOAT16, BINARY32, BINARY64)
"""Those with arithmetic."""
FLOAT8E4M3FN = Format("float8e4m3fn", 4, 7, infinite=False)
FLOAT8E5M2 = Format("float8e5m2", 3, 15)
NARROW_FORMATS = (FLOAT8E4M3FN, FLOAT8E5M2)
"""Those of 8 bits, between which and others numbers are converted."""


@dataclass(frozen=True)
class IntegerRange:
    """The integers of a type."""

    bits: int
    min: int
    max: int


@dataclass(frozen=True)
class ElementType:
    """One element type. Real numbers are `fractions.Fraction` in an array of objects."""

    name: str
    """The name that NumPy has for it; `real` for fractions; for floats of 8 bits, that of ONNX."""
    family: Family
    whyml: str
    """Its constructor in `tensor.operand.ElementType`, with which module names end: `Int8`."""

    def __str__(self) -> str:
        return self.name

    @cached_property
    def dtype(self) -> "np.dtype[Any]":
        """In the byte order of this machine."""
        import ml_dtypes  # noqa: F401, PLC0415 (NumPy knows bfloat16 by it)
        import numpy as np  # noqa: PLC0415

        return np.dtype(_NUMPY.get(self.name, self.name))

    @property
    def has_patterns(self) -> bool:
        """Whether each element is a bit pattern of a fixed width."""
        return self.family in {Family.INTEGER, Family.FLOAT, Family.BOOLEAN}

    @cached_property
    def width(self) -> int:
        """In bits; of types with a fixed width."""
        if self is BOOLEAN or self in NARROW_FLOATS:
            return 8
        return int(self.name.lstrip(ascii_lowercase))

    @cached_property
    def pattern(self) -> "np.dtype[np.unsignedinteger]":
        """The type of the bit patterns of an element; of types with a fixed width."""
        import numpy as np  # noqa: PLC0415

        return np.dtype(f"u{self.width // 8}")

    @cached_property
    def bounds(self) -> IntegerRange:
        values = 1 << self.width
        least = -values // 2 if self.signed else 0
        return IntegerRange(self.width, least, least + values - 1)

    @cached_property
    def signed(self) -> bool:
        return self.name.startswith("int")

    @cached_property
    def format(self) -> Format:
        every = zip((*FLOATS, *NARROW_FLOATS), (*FORMATS, *NARROW_FORMATS), strict=True)
        return next(form for type_, form in every if type_ is self)

    @property
    def numerical(self) -> bool:
        """Whether the documents call its values numbers, and multiply them."""
        return self in NUMERICAL


REAL = ElementType("real", Family.REAL, "Real")
FLOATS = tuple(
    ElementType(name.lower(), Family.FLOAT, name)
    for name in ("Float16", "BFloat16", "Float32", "Float64")
)
"""In the order of `FORMATS`."""
NARROW_FLOATS = tuple(
    ElementType(name.lower(), Family.FLOAT, name) for name in ("Float8E4M3FN", "Float8E5M2")
)
"""In the order of `NARROW_FORMATS`."""
INTEGERS = tuple(
    ElementType(name.lower(), Family.INTEGER, name)
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
)
BOOLEAN = ElementType("bool", Family.BOOLEAN, "Boolean")
TEXT = ElementType("string", Family.TEXT, "Text")
"""NumPy drops NUL characters at the end of an element: no element of an array has any there."""
MACHINE = (*INTEGERS, *FLOATS)
"""The twelve types whose numbers have a fixed width, and an arithmetic."""
NUMERICAL = (REAL, *MACHINE)
ELEMENT_TYPES = (
    *NUMERICAL,
    BOOLEAN,
    TEXT,
    ElementType("complex64", Family.COMPLEX, "Complex64"),
    ElementType("complex128", Family.COMPLEX, "Complex128"),
    *NARROW_FLOATS,
)
"""Every type that the formal library has a name for."""

BY_NAME = {type_.name: type_ for type_ in ELEMENT_TYPES}
_NUMPY = {
    REAL.name: "O",
    TEXT.name: "U",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e5m2": "float8_e5m2",
}
"""The names that NumPy and ml_dtypes have for types, where others call them something else."""
ONNX_NUMBERS = {
    2: BY_NAME["uint8"],
    3: BY_NAME["int8"],
    4: BY_NAME["uint16"],
    5: BY_NAME["int16"],
    17: BY_NAME["float8e4m3fn"],
    19: BY_NAME["float8e5m2"],
}
"""By the numbers that ONNX has for them (`TensorProto.DataType`): those that attributes may say."""
SPELLINGS = {
    **dict.fromkeys(("half", "fp16", "f16"), "float16"),
    "bf16": "bfloat16",
    **dict.fromkeys(("single", "float", "fp32", "f32"), "float32"),
    **dict.fromkeys(("double", "fp64", "f64"), "float64"),
    **{each.name.replace("uint", "u").replace("int", "i"): each.name for each in INTEGERS},
    "boolean": "bool",
    **dict.fromkeys(("float8_e4m3fn", "f8e4m3fn", "fp8e4m3"), "float8e4m3fn"),
    **dict.fromkeys(("float8_e5m2", "f8e5m2", "fp8e5m2"), "float8e5m2"),
}
"""What else the types are called, by ONNX, OpenVINO and C, in small letters."""


def element_types(*names: str) -> tuple[ElementType, ...]:
    """The types of these names, in this order. Raises `KeyError` for a name that none has."""
    return tuple(BY_NAME[name] for name in names)


def element_type_of(array: "Array") -> ElementType:
    """The type of the elements, in any byte order: objects are real numbers. Raises `TypeError`."""
    if array.dtype.kind in "SUT":
        return TEXT
    found = _by_dtype().get(array.dtype.newbyteorder("="))
    if found is None:
        raise TypeError(f"there is no element type for {array.dtype}")
    return found


@cache
def _by_dtype() -> "dict[np.dtype[Any], ElementType]":
    return {type_.dtype: type_ for type_ in ELEMENT_TYPES}


def family_of(name: str) -> Family:
    """The family that a type of NumPy or ONNX is of, or comes nearest to, by its name."""
    for pattern, family in (
        ("u?int", Family.INTEGER),
        ("bool", Family.BOOLEAN),
        ("b?float|longdouble", Family.FLOAT),
        ("b?complex|clongdouble", Family.COMPLEX),
        ("str|bytes", Family.TEXT),
    ):
        if re.match(pattern, name, re.IGNORECASE):
            return family
    return Family.REAL


def are_fractions(array: "Array") -> bool:
    return all(type(element) is Fraction for element in array.ravel())
