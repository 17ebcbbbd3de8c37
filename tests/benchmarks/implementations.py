"""Floating-point arithmetic that others wrote: Berkeley SoftFloat, and MPFR by way of gmpy2.

Both are given and give bit patterns; neither has anything in common with our definitions.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import gmpy2
import numpy as np
from numpy.typing import NDArray

from sonnx_formal.spec.element_types import BFLOAT16, BINARY16, BINARY32, BINARY64, Format
from tests.formats import Patterns, dtype_of
from tests.theories.extracted_floats import RELATIONS

# It has no wheels for the newest Python.
_HAS_SOFTFLOAT = find_spec("softfloatpy") is not None
softfloatpy: Any = import_module("softfloatpy") if _HAS_SOFTFLOAT else None

Operation = Callable[..., Any]
LESS, EQUAL, GREATER, UNORDERED = range(len(RELATIONS))


class Implementation(Protocol):
    """One implementation, for one format."""

    name: str

    def operands(self, patterns: Patterns) -> list[Any]:
        """The data of these bit patterns, as the implementation has them."""

    def operation(self, name: str) -> Operation:
        """add, sub, mul, div, sqrt or compare; `compare` results in an index of `RELATIONS`."""

    def patterns(self, results: Sequence[Any]) -> Patterns:
        """The bit patterns of results. Those of NaNs are the implementation's own."""


class Mpfr:
    """MPFR with the precision and the exponents of the format, subnormal numbers included.

    NumPy decodes and encodes the patterns: by way of binary64, which has every number of the four
    formats.
    """

    name = "MPFR"

    def __init__(self, form: Format) -> None:
        self._form = form
        # MPFR has a number as 0.1… times a power of two: its exponents are one more than ours. The
        # least is that of the least subnormal number, 2^(2 - emax - precision).
        self._context = gmpy2.context(
            precision=form.precision,
            emin=3 - form.emax - form.precision,
            emax=form.emax + 1,
            subnormalize=True,
            round=gmpy2.RoundToNearest,
        )

    def operands(self, patterns: Patterns) -> list[Any]:
        return [gmpy2.mpfr(x, BINARY64.precision) for x in _as_doubles(self._form, patterns)]

    def operation(self, name: str) -> Operation:
        function: Operation = _relation if name == "compare" else getattr(self._context, name)
        return function

    def patterns(self, results: Sequence[Any]) -> Patterns:
        return _from_doubles(self._form, np.fromiter(map(float, results), float, len(results)))


class SoftFloat:
    """Berkeley SoftFloat.

    It has no arithmetic of bfloat16, so that is done in binary32 and rounded once more. To round
    twice is harmless there: binary32 has more than twice the digits of bfloat16 and two, and the
    same exponents.
    """

    name = "SoftFloat"

    def __init__(self, form: Format) -> None:
        self._form = form
        softfloatpy.set_rounding_mode(softfloatpy.RoundingMode.NEAR_EVEN)
        self._prefix = {BINARY16: "f16", BINARY32: "f32", BFLOAT16: "f32", BINARY64: "f64"}[form]
        kinds = {"f16": softfloatpy.Float16, "f32": softfloatpy.Float32, "f64": softfloatpy.Float64}
        self._kind: Any = kinds[self._prefix]

    def operands(self, patterns: Patterns) -> list[Any]:
        wide = _widened(patterns) if self._form == BFLOAT16 else patterns
        data = wide.astype(wide.dtype.newbyteorder(">")).tobytes()
        size = wide.dtype.itemsize
        make = self._kind.from_bytes
        return [make(data[start : start + size]) for start in range(0, len(data), size)]

    def operation(self, name: str) -> Operation:
        if name == "compare":
            return _relation
        function: Operation = getattr(softfloatpy, f"{self._prefix}_{name}")
        if self._form == BFLOAT16:
            narrow = softfloatpy.f32_to_bf16
            return lambda *operands: narrow(function(*operands))
        return function

    def patterns(self, results: Sequence[Any]) -> Patterns:
        data = b"".join([each.to_bytes() for each in results])
        return np.frombuffer(data, dtype_of(self._form).newbyteorder(">")).astype(
            dtype_of(self._form)
        )


def implementations(form: Format) -> list[Implementation]:
    """All that are installed."""
    return [Mpfr(form), SoftFloat(form)] if _HAS_SOFTFLOAT else [Mpfr(form)]


def results(implementation: Implementation, name: str, *operands: list[Any]) -> Patterns:
    """The patterns of the results at these operands; of `compare`, indices of `RELATIONS`."""
    values = list(map(implementation.operation(name), *operands))
    if name == "compare":
        return np.array(values, np.uint8)
    return implementation.patterns(values)


def _relation(x: Any, y: Any) -> int:
    if x < y:
        return LESS
    if x == y:
        return EQUAL
    return GREATER if x > y else UNORDERED


_FLOATS: dict[Format, type[np.floating]] = {
    BINARY16: np.float16,
    BINARY32: np.float32,
    BINARY64: np.float64,
}


def _as_doubles(form: Format, patterns: Patterns) -> list[float]:
    if form == BFLOAT16:
        return _as_doubles(BINARY32, _widened(patterns))
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes a quiet one
        doubles: list[float] = patterns.view(_FLOATS[form]).astype(float).tolist()
    return doubles


def _widened(patterns: Patterns) -> Patterns:
    """Patterns of bfloat16 as those of the same values in binary32."""
    return patterns.astype(np.uint32) << np.uint32(16)


def _from_doubles(form: Format, values: NDArray[np.float64]) -> Patterns:
    """Raises `ValueError` if the format does not have one of the values."""
    if form == BFLOAT16:
        wide = _from_doubles(BINARY32, values)
        if np.any((wide & 0xFFFF != 0) & ~np.isnan(values)):
            raise ValueError("no value of bfloat16")
        return (wide >> 16).astype(np.uint16)
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(_FLOATS[form])
    if not np.array_equal(narrow.astype(float), values, equal_nan=True):
        raise ValueError(f"no value of {form.name}")
    return narrow.view(dtype_of(form))
