"""Floating-point element-wise operators, bit by bit: by hand, and against MPFR and SoftFloat."""

import numpy as np
import pytest

from sonnx_formal.spec.element_types import Format
from tests.benchmarks.implementations import implementations, results
from tests.formats import with_one_nan
from tests.reference.declared import COMPARED, function
from tests.reference.reference import FORMATS, assert_same, bits, floats
from tests.theories.float_operands import pairs

COUNT = 20_000

HALF16, ONE16, MAX16, INF16 = 0x3800, 0x3C00, 0x7BFF, 0x7C00
NAN = "nan"

BY_HAND: list[tuple[str, str, int, int, int | str]] = [
    # (1 + u)^2 = 1 + 2u + u^2, and u^2 is lost
    ("float16", "mul", 0x3C01, 0x3C01, 0x3C02),
    # half-way between two neighbours: to the even one, which is once above and once below
    ("float16", "mul", 0x3C01, 0x3E00, 0x3E02),
    ("float16", "mul", 0x3C03, 0x3E00, 0x3E04),
    ("bfloat16", "mul", 0x3F81, 0x3FC0, 0x3FC2),
    ("bfloat16", "mul", 0x3F83, 0x3FC0, 0x3FC4),
    ("float32", "mul", 0x3F800001, 0x3FC00000, 0x3FC00002),
    ("float64", "mul", 0x3FF0000000000003, 0x3FF8000000000000, 0x3FF8000000000004),
    # half of the least number: to zero, with the sign of the product; a little more: not
    ("float16", "mul", 0x0001, 0x3800, 0x0000),
    ("float16", "mul", 0x8001, 0x3800, 0x8000),
    ("float16", "mul", 0x0001, 0x3801, 0x0001),
    ("float16", "mul", 0x0003, 0x3800, 0x0002),
    ("bfloat16", "mul", 0x0003, 0x3F00, 0x0002),
    ("float32", "div", 0x00000003, 0x40000000, 0x00000002),
    ("float64", "div", 0x8000000000000001, 0x4000000000000000, 0x8000000000000000),
    # a third
    ("float16", "div", 0x3C00, 0x4200, 0x3555),
    ("bfloat16", "div", 0x3F80, 0x4040, 0x3EAB),
    ("float32", "div", 0x3F800000, 0x40400000, 0x3EAAAAAB),
    ("float64", "div", 0x3FF0000000000000, 0x4008000000000000, 0x3FD5555555555555),
    # past the greatest number
    ("float16", "mul", MAX16, 0x3C01, INF16),
    ("float16", "div", MAX16, HALF16, INF16),
    ("bfloat16", "mul", 0xFF7F, 0x3F81, 0xFF80),
    ("float32", "mul", 0x7F7FFFFF, 0x3F800001, 0x7F800000),
    ("float64", "mul", 0x7FEFFFFFFFFFFFFF, 0xBFF0000000000001, 0xFFF0000000000000),
    # signs of zero
    ("float16", "mul", 0x8000, ONE16, 0x8000),
    ("float16", "mul", 0x8000, 0xBC00, 0x0000),
    ("float32", "mul", 0x00000000, 0xBF800000, 0x80000000),
    ("float16", "div", 0x0000, 0xBC00, 0x8000),
    ("float16", "div", 0xBC00, INF16, 0x8000),
    # division by zero
    ("float16", "div", ONE16, 0x0000, INF16),
    ("float16", "div", ONE16, 0x8000, 0xFC00),
    ("bfloat16", "div", 0xBF80, 0x0000, 0xFF80),
    ("float32", "div", 0xBF800000, 0x80000000, 0x7F800000),
    ("float64", "div", 0x0000000000000001, 0x8000000000000000, 0xFFF0000000000000),
    ("float16", "div", INF16, 0x8000, 0xFC00),
    # not a number
    ("float16", "div", 0x0000, 0x8000, NAN),
    ("bfloat16", "div", 0x0000, 0x0000, NAN),
    ("float32", "div", 0x7F800000, 0xFF800000, NAN),
    ("float16", "mul", INF16, 0x0000, NAN),
    ("float64", "mul", 0x8000000000000000, 0x7FF0000000000000, NAN),
    ("bfloat16", "mul", 0x7F81, 0x3F80, NAN),
]


@pytest.mark.parametrize(("name", "operator", "x", "y", "expected"), BY_HAND)
def test_by_hand(name: str, operator: str, x: int, y: int, expected: int | str) -> None:
    with np.errstate(all="raise"):
        result = function(COMPARED[operator])(floats(name, [x]), floats(name, [y]))
    pattern = FORMATS[name].nan if isinstance(expected, str) else expected
    assert_same(name, result, floats(name, [pattern]))


@pytest.mark.parametrize("operator", COMPARED)
@pytest.mark.parametrize(("name", "form"), FORMATS.items(), ids=FORMATS)
def test_against_mpfr_and_softfloat(name: str, form: Format, operator: str) -> None:
    """Ties, subnormal results, the ends of the range, specials of all kinds."""
    for block in pairs(form, operator, COUNT, seed=0):
        with np.errstate(all="raise"):
            result = function(COMPARED[operator])(floats(name, block.x), floats(name, block.y))
        ours = with_one_nan(form, bits(result))
        for other in implementations(form):
            x, y = other.operands(block.x), other.operands(block.y)
            theirs = with_one_nan(form, results(other, operator, x, y))
            np.testing.assert_array_equal(ours, theirs, f"{other.name}, {block.kind}")
