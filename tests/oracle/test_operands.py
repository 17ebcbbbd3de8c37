"""Operands as a user writes them: their shapes and exact values, and what is wrong with others."""

from fractions import Fraction
from math import inf, isnan

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.evaluation import Literal, literals


def number(text: str) -> tuple[bool, Fraction | float]:
    shape, (element,) = literals(text)
    assert shape == ()
    assert element.magnitude is not None
    assert (element.text, element.bits) == (text, None)
    return element.negative, element.magnitude


@pytest.mark.parametrize(
    ("text", "negative", "magnitude"),
    [
        ("0", False, 0),
        ("-0", True, 0),
        ("+7", False, 7),
        ("-12", True, 12),
        ("1.5e-3", False, Fraction(3, 2000)),
        ("2.E2", False, 200),
        (".5", False, Fraction(1, 2)),
        ("0.1", False, Fraction(1, 10)),
        ("-1/3", True, Fraction(1, 3)),
        ("6/4", False, Fraction(3, 2)),
        ("0x1.8p3", False, 12),
        ("-0X1P-2", True, Fraction(1, 4)),
        ("0x.f", False, Fraction(15, 16)),
        ("0xFF", False, 255),
        ("0x1e3", False, 0x1E3),
        ("inf", False, inf),
        ("-Infinity", True, inf),
        ("1e10000", False, Fraction(10**10000)),
    ],
)
def test_numbers(text: str, negative: bool, magnitude: Fraction | float) -> None:
    assert number(text) == (negative, magnitude)
    assert isinstance(number(text)[1], Fraction) or magnitude == inf


def test_nan() -> None:
    assert isnan(number("NaN")[1])


@pytest.mark.parametrize(
    ("text", "bits"), [("bits:0x3c00", 0x3C00), ("bits:0b101", 5), ("BITS:0XFF", 255)]
)
def test_bit_patterns(text: str, bits: int) -> None:
    assert literals(text) == ((), [Literal(text, bits=bits)])


@pytest.mark.parametrize(
    ("text", "shape", "count"),
    [
        ("[]", (0,), 0),
        ("[[], []]", (2, 0), 0),
        ("[1]", (1,), 1),
        (" [ [1,2 ,3],[4,5,6] ] ", (2, 3), 6),
        ('[["1/3", "nan"]]', (1, 2), 2),
        ("[[[1]], [[2]]]", (2, 1, 1), 2),
        ("[" * 64 + "1" + "]" * 64, (1,) * 64, 1),
    ],
)
def test_shapes(text: str, shape: tuple[int, ...], count: int) -> None:
    found, elements = literals(text)
    assert (found, len(elements)) == (shape, count)


def test_elements_are_in_row_major_order() -> None:
    _, elements = literals("[[1, 2], [3, 4]]")
    assert [element.magnitude for element in elements] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an element is missing at the end"),
        ("[1", "',' or ']' is expected before the end"),
        ("[1 2]", "',' or ']' is expected, not '2'"),
        ("[1,]", "an element is missing before ']'"),
        ("[,1]", "an element is missing before ','"),
        ("[1]]", "']' is after the end"),
        ("1 2", "'2' is after the end"),
        ("[[1], [2, 3]]", r"shapes \[1\] and \[2\] side by side"),
        ("[1, [2]]", r"shapes \[\] and \[1\] side by side"),
        ("[[1], []]", r"shapes \[1\] and \[0\] side by side"),
        ('["1]', "a closing quote is missing"),
        ("one", "not a number: 'one'"),
        ("1/0", "not a number: '1/0'"),
        (".", "not a number"),
        ("e5", "not a number"),
        ("0x", "not a number"),
        ("0xp1", "not a number"),
        ("bits:12", "not a number"),
        ("-bits:0x1", "not a number"),
        ("1_000", "not a number"),
        ("٣", "not a number"),
        ("1e10001", "an exponent beyond 10000"),
        ("0x1p-99999999999", "an exponent beyond 10000"),
        ("1" * 1001, "more than 1000 characters"),
        ("[" * 65 + "1" + "]" * 65, "more than 64 axes"),
        ("[" * 100_000, "more than 64 axes"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        literals(text)
    assert len(str(caught.value)) < 120
