"""What the operators have to give: element by element, in Python's integers and fractions and MPFR.

Nothing here is fast, and nothing comes from the code under test.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import gmpy2
import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import (
    BFLOAT16,
    BINARY16,
    BINARY32,
    BINARY64,
    BY_NAME,
    Family,
    Format,
)
from sonnx_formal.spec.operators.matmul import MATMUL
from tests.benchmarks.implementations import Mpfr
from tests.formats import dtype_of, with_one_nan

Array = NDArray[Any]

FORMATS = {"float16": BINARY16, "bfloat16": BFLOAT16, "float32": BINARY32, "float64": BINARY64}
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
TYPES = ("real", *INTEGERS, *FORMATS)
MATMUL_TYPES = tuple(instance.label for instance in MATMUL.instances())
DTYPES: dict[str, np.dtype[Any]] = {
    "real": np.dtype(object),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    **{name: np.dtype(name) for name in (*INTEGERS, "float16", "float32", "float64")},
}


class Arithmetic(Protocol):
    """The operations on single elements."""

    def decode(self, array: Array) -> list[Any]:
        """The elements, in C order."""

    def encode(self, elements: Sequence[Any]) -> Array:
        """An array of one axis."""

    def zero(self) -> Any: ...
    def add(self, x: Any, y: Any) -> Any: ...
    def sub(self, x: Any, y: Any) -> Any: ...
    def mul(self, x: Any, y: Any) -> Any: ...
    def div(self, x: Any, y: Any) -> Any: ...
    def neg(self, x: Any) -> Any: ...
    def abs(self, x: Any) -> Any: ...
    def relu(self, x: Any) -> Any: ...
    def less(self, x: Any, y: Any) -> bool: ...
    def where(self, condition: bool, x: Any, y: Any) -> Any: ...
    def max(self, *elements: Any) -> Any: ...
    def clip(self, x: Any, low: Any, high: Any) -> Any: ...


class Order:
    """What is the same for the elements of all types."""

    def less(self, x: Any, y: Any) -> bool:
        return bool(x < y)

    def where(self, condition: bool, x: Any, y: Any) -> Any:
        return x if condition else y

    def max(self, *elements: Any) -> Any:
        return max(elements)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        if high < low:
            return high
        return low if x < low else high if x > high else x


class Real(Order):
    """Fractions; divided by zero they are infinite."""

    def decode(self, array: Array) -> list[Any]:
        return list(array.ravel())

    def encode(self, elements: Sequence[Any]) -> Array:
        array = np.empty(len(elements), object)
        for position, element in enumerate(elements):
            array[position] = element
        return array

    def zero(self) -> Fraction:
        return Fraction(0)

    def add(self, x: Fraction, y: Fraction) -> Fraction:
        return x + y

    def sub(self, x: Fraction, y: Fraction) -> Fraction:
        return x - y

    def mul(self, x: Fraction, y: Fraction) -> Fraction:
        return x * y

    def div(self, x: Fraction, y: Fraction) -> Fraction | float:
        return math.inf if y == 0 else x / y

    def neg(self, x: Fraction) -> Fraction:
        return -x

    def abs(self, x: Fraction) -> Fraction:
        return abs(x)

    def relu(self, x: Fraction) -> Fraction:
        return max(x, self.zero())


@dataclass(frozen=True)
class Integer(Order):
    """Integers modulo 2^n; the quotient is the exact one without its digits after the point."""

    name: str

    @property
    def limits(self) -> tuple[int, int]:
        """The least number and the greatest."""
        bits = int(self.name.removeprefix("u").removeprefix("int"))
        return (
            (0, 2**bits - 1) if self.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )

    def wrap(self, x: int) -> int:
        low, high = self.limits
        return (x - low) % (high - low + 1) + low

    def decode(self, array: Array) -> list[Any]:
        return list(map(int, array.ravel()))

    def encode(self, elements: Sequence[int]) -> Array:
        return np.array(elements, self.name)

    def zero(self) -> int:
        return 0

    def add(self, x: int, y: int) -> int:
        return self.wrap(x + y)

    def sub(self, x: int, y: int) -> int:
        return self.wrap(x - y)

    def mul(self, x: int, y: int) -> int:
        return self.wrap(x * y)

    def div(self, x: int, y: int) -> int:
        return self.wrap(math.trunc(Fraction(x, y)))

    def neg(self, x: int) -> int:
        return self.wrap(-x)

    def abs(self, x: int) -> int:
        return self.wrap(abs(x))

    def relu(self, x: int) -> int:
        return max(x, 0)


class Float(Order):
    """MPFR with the precision and the exponents of the type."""

    def __init__(self, name: str) -> None:
        self._dtype = DTYPES[name]
        self._form = FORMATS[name]
        self._mpfr = Mpfr(self._form)
        self.add = self._mpfr.operation("add")
        self.sub = self._mpfr.operation("sub")
        self.mul = self._mpfr.operation("mul")
        self.div = self._mpfr.operation("div")
        self.neg: Any = self._mpfr.operation("minus")
        self.abs: Any = self._mpfr.operation("abs")
        self.sqrt: Any = self._mpfr.operation("sqrt")

    def relu(self, x: Any) -> Any:
        return self.zero() if x < 0 else x

    def leaky_relu(self, x: Any, *, alpha: float) -> Any:
        return self.mul(gmpy2.mpfr(alpha), x) if x < 0 else x

    def max(self, *elements: Any) -> Any:
        for each in elements:
            if gmpy2.is_nan(each):
                return each
        return max(elements, key=lambda each: (each, not gmpy2.is_signed(each)))

    def decode(self, array: Array) -> list[Any]:
        return self._mpfr.operands(bits(array).ravel())

    def encode(self, elements: Sequence[Any]) -> Array:
        return self._mpfr.patterns(elements).view(self._dtype)

    def zero(self) -> Any:
        return self.decode(np.zeros(1, self._dtype))[0]


ARITHMETIC: dict[str, Arithmetic] = {
    "real": Real(),
    **{name: Integer(name) for name in INTEGERS},
    **{name: Float(name) for name in FORMATS},
}


def elementwise(operation: str, name: str, *operands: Array, **attributes: Any) -> Array:
    """What an operation of `Arithmetic` gives for elements of this type and truth values.

    :param operands: of shapes that NumPy broadcasts to one.
    """
    arithmetic = ARITHMETIC[name]
    operands = np.broadcast_arrays(*operands)
    applied = partial(getattr(arithmetic, operation), **attributes)
    sides = np.broadcast_arrays(*operands)
    decoded = [x.ravel().tolist() if x.dtype == bool else arithmetic.decode(x) for x in sides]
    results = list(map(applied, *decoded))
    is_truth = operation == "less"
    encoded = np.array(results, bool) if is_truth else arithmetic.encode(results)
    return encoded.reshape(sides[0].shape)


def matmul(name: str, a: Array, b: Array) -> Array:
    """What MatMul gives: each sum from zero, k by k."""
    arithmetic = ARITHMETIC[name]
    (rows, inner), (_, columns) = a.shape, b.shape
    x, y = arithmetic.decode(a), arithmetic.decode(b)
    sums = []
    for i, j in itertools.product(range(rows), range(columns)):
        entry = arithmetic.zero()
        for k in range(inner):
            entry = arithmetic.add(entry, arithmetic.mul(x[i * inner + k], y[k * columns + j]))
        sums.append(entry)
    return arithmetic.encode(sums).reshape(rows, columns)


def bits(array: Array) -> NDArray[np.unsignedinteger]:
    """The bit patterns of floating-point numbers."""
    return array.view(f"uint{8 * array.itemsize}")


def floats(name: str, patterns: Any) -> Array:
    """The floating-point numbers of these bit patterns."""
    dtype = DTYPES[name]
    return np.array(patterns, f"uint{8 * dtype.itemsize}").view(dtype)


def assert_same(name: str, got: Array, expected: Array) -> None:
    """One element type, one shape, and the same elements: zeros with their signs, any NaN."""
    assert type(got) is np.ndarray
    assert got.dtype == expected.dtype == BY_NAME[name].dtype
    assert got.dtype.isnative
    assert got.flags.c_contiguous
    assert got.shape == expected.shape
    if BY_NAME[name].family is Family.FLOAT:
        form = BY_NAME[name].format
        mine, theirs = with_one_nan(form, bits(got)), with_one_nan(form, bits(expected))
        np.testing.assert_array_equal(_hex(form, mine), _hex(form, theirs))
    else:
        assert got.tolist() == expected.tolist()
        if name == "real":
            assert list(map(type, got.ravel())) == list(map(type, expected.ravel()))


def _hex(form: Format, patterns: NDArray[np.unsignedinteger]) -> Array:
    """Patterns in a form that a failing test shows well."""
    digits = 2 * dtype_of(form).itemsize
    texts = [f"{pattern:0{digits}x}" for pattern in patterns.ravel().tolist()]
    return np.array(texts, f"U{digits}").reshape(patterns.shape)
