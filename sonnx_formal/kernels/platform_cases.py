"""Operands that show whether C's float and double compute as IEEE 754 says: bit patterns.

That the results are those of the formal definitions is for a test to say.
"""

from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.spec.element_types import BINARY32, BINARY64, Format


class Assumed(StrEnum):
    """What is assumed of the platform, by the name of the bit in `sonnx.h` that says otherwise."""

    PRECISION = "SONNX_PLATFORM_PRECISION"
    SUBNORMAL_RESULTS = "SONNX_PLATFORM_SUBNORMAL_RESULTS"
    SUBNORMAL_OPERANDS = "SONNX_PLATFORM_SUBNORMAL_OPERANDS"
    ROUNDING = "SONNX_PLATFORM_ROUNDING"
    SPECIAL_VALUES = "SONNX_PLATFORM_SPECIAL_VALUES"
    DIVISION = "SONNX_PLATFORM_DIVISION"
    ROOT = "SONNX_PLATFORM_ROOT"


@dataclass(frozen=True)
class PlatformCase:
    """An operation, its operands and its result.

    Of a square root, `r`, the second is nothing; of LeakyRelu, `l`, the first is the coefficient,
    of binary32; of a conversion, `c`, it is an integer, and the second is nothing."""

    bit: Assumed
    operation: str
    a: int
    b: int
    result: int


@dataclass(frozen=True)
class NativeFormat:
    """A format of C's own."""

    type: str
    name: str
    """The element type."""
    word: str
    format: Format
    factor: int
    square: int
    """What the factor times itself is rounded to; it is not exact."""
    rest: int
    """What it is more than that."""
    cases: tuple[PlatformCase, ...]

    @property
    def nan(self) -> int:
        return self.format.nan

    @property
    def infinity(self) -> int:
        return self.format.infinity

    @property
    def magnitude(self) -> int:
        """The bits without that of the sign."""
        return self.format.sign - 1


_MINUS_ONE = BINARY32.sign | BINARY32.one


def _special(f: Format) -> tuple[PlatformCase, ...]:
    unit, minus = f.one, f.sign
    special = Assumed.SPECIAL_VALUES
    return (
        PlatformCase(special, "*", 0, minus | unit, minus),
        PlatformCase(special, "-", unit, unit, 0),
        PlatformCase(special, "+", minus, minus, minus),
        PlatformCase(special, "/", unit, minus, minus | f.infinity),
        PlatformCase(special, "*", f.infinity, 0, f.nan),
        PlatformCase(special, "-", f.infinity, f.infinity, f.nan),
        PlatformCase(special, "+", f.nan, unit, f.nan),
        PlatformCase(special, "l", _MINUS_ONE, minus, minus),
        PlatformCase(special, "l", _MINUS_ONE, minus | f.infinity, f.infinity),
        PlatformCase(special, "l", 0, minus | f.infinity, f.nan),
        PlatformCase(special, "l", _MINUS_ONE, f.nan, f.nan),
        PlatformCase(special, "r", minus, 0, minus),
        PlatformCase(special, "r", minus | unit, 0, f.nan),
        # Beside 1, roots are nearly half-way between two numbers.
        PlatformCase(Assumed.ROOT, "r", unit - 1, 0, unit - 1),
        PlatformCase(Assumed.ROOT, "r", unit + 1, 0, unit),
    )


NATIVE_FORMATS = (
    NativeFormat(
        "float", "float32", "uint32_t", BINARY32, 0x3F800800, 0x3F801000, 0x33800000,
        (
            PlatformCase(Assumed.SUBNORMAL_RESULTS, "*", 0x00800000, 0x3F000000, 0x00400000),
            PlatformCase(Assumed.SUBNORMAL_RESULTS, "-", 0x00800001, 0x00800000, 0x00000001),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "*", 0x00000200, 0x4E800000, 0x08800000),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "+", 0x00800000, 0x007FFFFF, 0x00FFFFFF),
            PlatformCase(Assumed.ROUNDING, "+", 0x3F800000, 0x33800000, 0x3F800000),
            PlatformCase(Assumed.ROUNDING, "+", 0xBF800000, 0xB3800000, 0xBF800000),
            PlatformCase(Assumed.ROUNDING, "+", 0x3F800000, 0x34400000, 0x3F800002),
            PlatformCase(Assumed.ROUNDING, "c", 2**24 + 1, 0, 0x4B800000),
            PlatformCase(Assumed.ROUNDING, "c", 2**24 + 3, 0, 0x4B800002),
            PlatformCase(Assumed.PRECISION, "c", 2**62 + 2**38 + 1, 0, 0x5E800001),
            PlatformCase(Assumed.DIVISION, "/", 0x40A00000, 0x40400000, 0x3FD55555),
            PlatformCase(Assumed.DIVISION, "/", 0x41B00000, 0x40E00000, 0x40492492),
            PlatformCase(Assumed.ROOT, "r", 0x40000000, 0, 0x3FB504F3),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "r", 0x00000003, 0, 0x1A9CC471),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "l", 0x4B000000, 0x80000001, 0x80800000),
            *_special(BINARY32),
        ),
    ),
    NativeFormat(
        "double", "float64", "uint64_t", BINARY64, 0x3FF0000002000000, 0x3FF0000004000000,
        0x3C90 << 48,
        (
            PlatformCase(Assumed.PRECISION, "+", 0x3FF0 << 48, 0x3CA00200 << 32, 0x3FF0 << 48 | 1),
            PlatformCase(Assumed.SUBNORMAL_RESULTS, "*", 0x0010 << 48, 0x3FE0 << 48, 0x0008 << 48),
            PlatformCase(Assumed.SUBNORMAL_RESULTS, "-", 0x0010 << 48 | 1, 0x0010 << 48, 1),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "*", 1, 0x4630 << 48, 0x0310 << 48),
            PlatformCase(Assumed.ROUNDING, "+", 0x3FF0 << 48, 0x3CA0 << 48, 0x3FF0 << 48),
            PlatformCase(Assumed.ROUNDING, "+", 0xBFF0 << 48, 0xBCA0 << 48, 0xBFF0 << 48),
            PlatformCase(Assumed.ROUNDING, "+", 0x3FF0 << 48, 0x3CB8 << 48, 0x3FF0 << 48 | 2),
            PlatformCase(Assumed.ROUNDING, "c", 2**53 + 1, 0, 0x4340 << 48),
            PlatformCase(Assumed.ROUNDING, "c", 2**53 + 3, 0, 0x4340 << 48 | 2),
            PlatformCase(Assumed.DIVISION, "/", 0x4014 << 48, 0x4008 << 48, 0x3FFAAAAAAAAAAAAB),
            PlatformCase(Assumed.DIVISION, "/", 0x4022 << 48, 0x401C << 48, 0x3FF4924924924925),
            PlatformCase(Assumed.ROOT, "r", 0x4000 << 48, 0, 0x3FF6A09E667F3BCD),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "r", 3, 0, 0x1E6BB67AE8584CAA),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "l", 0x59800000, 1 << 63 | 1, 0x8010 << 48),
            PlatformCase(Assumed.SUBNORMAL_OPERANDS, "l", 1, 0xBFF0 << 48, 0xB6A0 << 48),
            PlatformCase(Assumed.PRECISION, "l", 0x3DCCCCCD, 0xBFF0 << 48, 0xBFB99999A0000000),
            *_special(BINARY64),
        ),
    ),
)  # fmt: skip
