"""Values as text: exact, so that reading the text gives the bits back."""

import math
import struct
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.evaluation import operand
from sonnx_formal.oracle.notation import Notation, bits_text, element_text, list_text, nested
from sonnx_formal.spec.element_types import BY_NAME

FORMATS = ["float16", "bfloat16", "float32", "float64", "float8e4m3fn", "float8e5m2"]


@pytest.mark.parametrize(
    ("type_", "bits", "text"),
    [
        ("float16", 0x3C00, "1"),
        ("float16", 0xC500, "-5"),
        ("float16", 0x0000, "0"),
        ("float16", 0x8000, "-0"),
        ("float16", 0x7BFF, "65504"),
        ("float16", 0x2E66, "0.0999755859375"),
        ("float16", 0x0001, "5.9604644775390625e-8"),
        ("float16", 0x03FF, "0x1.ff8p-15"),
        ("float16", 0x7C00, "inf"),
        ("float16", 0xFC00, "-inf"),
        ("float16", 0x7E01, "nan"),
        ("float16", 0xFE00, "nan"),
        ("bfloat16", 0x4049, "3.140625"),
        ("bfloat16", 0x7F7F, "0x1.fep+127"),
        ("float8e4m3fn", 0x38, "1"),
        ("float8e4m3fn", 0x80, "-0"),
        ("float8e4m3fn", 0x7E, "448"),
        ("float8e4m3fn", 0x01, "0.001953125"),
        ("float8e4m3fn", 0x7F, "nan"),
        ("float8e4m3fn", 0xFF, "nan"),
        ("float8e5m2", 0xFB, "-57344"),
        ("float8e5m2", 0x7C, "inf"),
        ("float8e5m2", 0x7D, "nan"),
        ("float32", 0x3DCCCCCD, "0x1.99999ap-4"),
        ("float32", 0x00000001, "0x1p-149"),
        ("float32", 0x00000003, "0x1.8p-148"),
        ("float32", 0x7F7FFFFF, "0x1.fffffep+127"),
        ("float32", 0x49742400, "1000000"),
        ("float64", 0x3FF8000000000000, "1.5"),
        ("float64", 0x3EB0000000000000, "9.5367431640625e-7"),
        ("float64", 0x3EF0000000000000, "0.0000152587890625"),
        ("float64", 0x4415AF1D78B58C40, "1e+20"),
        ("float64", 0x0000000000000001, "0x1p-1074"),
        ("float64", 0x3FD5555555555555, "0x1.5555555555555p-2"),
    ],
)
def test_floats(type_: str, bits: int, text: str) -> None:
    assert element_text(bits, BY_NAME[type_]) == text


def test_other_types() -> None:
    assert element_text(-7, BY_NAME["int8"]) == "-7"
    assert element_text(Fraction(-2, 3), BY_NAME["real"]) == "-2/3"
    assert element_text(Fraction(4), BY_NAME["real"]) == "4"
    assert element_text(float("inf"), BY_NAME["real"]) == "inf"


def test_doubles_mean_what_python_says() -> None:
    rng = np.random.default_rng(5)
    for bits in rng.integers(0, 1 << 63, 500).tolist():
        value = struct.unpack("<d", struct.pack("<Q", bits))[0]
        text = element_text(bits, BY_NAME["float64"])
        if not math.isnan(value):
            assert (float.fromhex(text) if "x" in text else float(text)) == value


@pytest.mark.parametrize("type_", FORMATS)
def test_reading_the_text_gives_the_bits(oracle: Oracle, type_: str) -> None:
    element = BY_NAME[type_]
    patterns = [((1 << element.width) - 1) * k // 300 for k in range(301)]
    texts = [element_text(bits, element) for bits in patterns]
    notes: list[str] = []
    tensor = operand(f"[{', '.join(texts)}]", element, oracle, notes.append)
    assert notes == []  # each is exact, so nothing is rounded
    for bits, text, again in zip(patterns, texts, tensor.elements, strict=True):
        assert again == bits or text == "nan"


@pytest.mark.parametrize("type_", FORMATS)
def test_no_digit_of_a_decimal_is_too_many(oracle: Oracle, type_: str) -> None:
    """The definition rounds the decimal to the number, and no decimal with a digit less."""
    form = BY_NAME[type_].format
    for number in range(1, 300):
        bits = (form.infinity - 1) * number // 300 + number % 2
        written = Decimal(element_text(bits, BY_NAME[type_], Notation.DECIMAL))
        assert oracle.rounded(BY_NAME[type_], Fraction(written))[0] == bits
        digits = len(written.normalize().as_tuple().digits)
        if digits > 1:
            for way in (ROUND_UP, ROUND_DOWN):
                shorter = Context(prec=digits - 1, rounding=way).plus(written)
                assert oracle.rounded(BY_NAME[type_], Fraction(shorter))[0] != bits


def test_bits_and_lists() -> None:
    assert bits_text(5, BY_NAME["int8"]) == "0x05"
    assert bits_text(0xF0000000, BY_NAME["float32"]) == "0xf0000000"
    assert nested([[1, 2], []], str) == [["1", "2"], []]
    assert list_text([["1", "2"], [], "3"]) == "[[1, 2], [], 3]"
    assert list_text("1") == "1"
