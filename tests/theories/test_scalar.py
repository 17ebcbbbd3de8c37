"""Exact and machine integers, evaluated against Python's exact integers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theories.evaluator import INFINITY, INTEGER_TYPES, Evaluator

EXACT = "scalar.exact_integer.ExactInteger"


def machine_range(name: str) -> range:
    """The values of an integer type, from its name: Int8 is -128 .. 127."""
    width = int(name.removeprefix("U").removeprefix("Int"))
    low = 0 if name.startswith("U") else -(2 ** (width - 1))
    return range(low, low + 2**width)


def wrapped(value: int, name: str) -> int:
    """The value of the type that is congruent to ``value`` modulo 2^width."""
    values = machine_range(name)
    return values.start + (value - values.start) % len_of(values)


def len_of(values: range) -> int:
    """The length, also where ``len`` overflows (2^64 values)."""
    return values.stop - values.start


def truncated(x: int, y: int) -> int:
    """The quotient rounded towards zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def boundary_values(name: str) -> list[int]:
    """The values at which an integer type is most likely to go wrong."""
    values = machine_range(name)
    near = {v + d for v in (values.start, 0, values.stop - 1) for d in (-2, -1, 0, 1, 2)}
    return sorted(v for v in near if values.start <= v < values.stop)


def test_two_power(evaluate: Evaluator) -> None:
    for n in range(65):
        assert evaluate("scalar.machine_integer.PowerOfTwo.two_power", n) == 2**n


@given(st.integers(), st.integers(1), st.integers())
def test_residue(evaluate: Evaluator, least: int, modulus: int, x: int) -> None:
    residue = evaluate("scalar.machine_integer.Residue.residue", least, modulus, x)
    assert residue == least + (x - least) % modulus


@given(st.integers(), st.integers().filter(bool))
def test_quotient_is_truncated(evaluate: Evaluator, x: int, y: int) -> None:
    assert evaluate("scalar.exact_integer.Truncation.quotient", x, y) == truncated(x, y)


@given(st.integers(), st.integers())
def test_exact_integers(evaluate: Evaluator, x: int, y: int) -> None:
    assert evaluate(f"{EXACT}.zero") == 0
    assert evaluate(f"{EXACT}.one") == 1
    assert evaluate(f"{EXACT}.add", x, y) == x + y
    assert evaluate(f"{EXACT}.mul", x, y) == x * y
    assert evaluate(f"{EXACT}.divisible", x, y) is (y != 0)
    if y != 0:
        assert evaluate(f"{EXACT}.div", x, y) == truncated(x, y)


@pytest.mark.parametrize("name", INTEGER_TYPES)
def test_machine_range(evaluate: Evaluator, name: str) -> None:
    module = f"scalar.machine_types.{name}"
    values = machine_range(name)
    assert evaluate(f"{module}.signed") is not name.startswith("U")
    assert evaluate(f"{module}.modulus") == len_of(values)
    assert evaluate(f"{module}.modulus") == 2 ** int(str(evaluate(f"{module}.width")))
    assert evaluate(f"{module}.minimum") == values.start
    assert evaluate(f"{module}.maximum") == values.stop - 1
    assert evaluate(f"{module}.zero") == 0
    assert evaluate(f"{module}.one") == 1
    for value in range(-3, 4):
        for edge in (values.start, values.stop):
            x = edge + value
            assert evaluate(f"{module}.member", x) is (x in values)
            assert evaluate(f"{module}.wrap", x) == wrapped(x, name)


@pytest.mark.parametrize("name", INTEGER_TYPES)
def test_machine_arithmetic_at_the_boundaries(evaluate: Evaluator, name: str) -> None:
    module = f"scalar.machine_types.{name}"
    for x in boundary_values(name):
        for y in boundary_values(name):
            assert evaluate(f"{module}.add", x, y) == wrapped(x + y, name)
            assert evaluate(f"{module}.mul", x, y) == wrapped(x * y, name)
            assert evaluate(f"{module}.divisible", x, y) is (y != 0)
            if y != 0:
                assert evaluate(f"{module}.div", x, y) == wrapped(truncated(x, y), name)


def test_division_overflow(evaluate: Evaluator) -> None:
    assert evaluate("scalar.machine_types.Int8.div", -128, -1) == -128


RATIONAL = "scalar.rational.Rational"
EXTENDED = "scalar.rational.ExtendedRational"


@given(st.fractions(), st.fractions())
def test_rationals(evaluate: Evaluator, x: Fraction, y: Fraction) -> None:
    assert evaluate(f"{RATIONAL}.add", x, y) == x + y
    assert evaluate(f"{RATIONAL}.mul", x, y) == x * y
    assert evaluate(f"{RATIONAL}.equal", x, y) is (x == y)
    assert evaluate(f"{RATIONAL}.is_zero", x) is (x == 0)
    assert evaluate(f"{RATIONAL}.well_formed", x) is True
    if y:
        assert evaluate(f"{RATIONAL}.div", x, y) == x / y
    assert evaluate(f"{EXTENDED}.quotient", x, y) == (x / y if y else INFINITY)


def test_rational_constants(evaluate: Evaluator) -> None:
    assert evaluate(f"{RATIONAL}.zero") == Fraction(0)
    assert evaluate(f"{RATIONAL}.one") == Fraction(1)
    assert evaluate(f"{RATIONAL}.of_int", -7) == Fraction(-7)


def test_a_number_has_several_fractions(evaluate: Evaluator) -> None:
    half = evaluate.text(f"{RATIONAL}.add", "1/4", "1/4")
    assert half == "8/16"
    assert evaluate.text(f"{RATIONAL}.equal", "1/2", half) == "true"
    assert evaluate.text(f"{RATIONAL}.well_formed", "1/0") == "false"
    assert evaluate.text(f"{RATIONAL}.div", "1/2", "-3/5") == "-5/6"


def test_extended_rationals(evaluate: Evaluator) -> None:
    unit, two = Fraction(1), Fraction(2)
    assert evaluate(f"{EXTENDED}.div", unit, two) == Fraction(1, 2)
    assert evaluate(f"{EXTENDED}.div", -unit, Fraction(0)) == INFINITY
    assert evaluate(f"{EXTENDED}.divisible", unit, Fraction(0)) is True
    assert evaluate(f"{EXTENDED}.divisible", INFINITY, unit) is False
    assert evaluate(f"{EXTENDED}.divisible", unit, INFINITY) is False
    assert evaluate(f"{EXTENDED}.equal", INFINITY, INFINITY) is True
    assert evaluate(f"{EXTENDED}.equal", INFINITY, unit) is False
    assert evaluate(f"{EXTENDED}.equal", unit, two) is False
    assert evaluate(f"{EXTENDED}.well_formed", INFINITY) is True
