"""What the laws of sums and differences name, and which types Add and Sub list."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.theories.evaluator import NAN, Evaluator, Float, Operand

LISTED = {
    *("Real", "Float16", "Float32", "Float64"),
    *(f"{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)),
}


def test_opposites(evaluate: Evaluator) -> None:
    for x in (0, 1, -7, 1 << 70):
        assert evaluate("scalar.additive.AdditiveInt.opposite", x) == -x
    for q in (Fraction(0), Fraction(-2, 3), Fraction(5)):
        assert evaluate("scalar.additive.AdditiveRational.opposite", q) == -q


@pytest.mark.parametrize(
    "x", [NAN, Float(False, 0), Float(True, 0), Float(True, "inf"), Float(False, 3)], ids=str
)
def test_minus_zero_changes_nothing(evaluate: Evaluator, x: Float) -> None:
    assert evaluate("scalar.additive.AdditiveFloat.minus_zero", x) == x


@pytest.mark.parametrize("operator", ["Add", "Sub"])
def test_listed_types(evaluate: Evaluator, operator: str) -> None:
    module = f"ops.{operator.lower()}.definition.{operator}Signature"
    for name in (*sorted(LISTED), "BFloat16", "Boolean", "Text", "Complex64"):
        operand = Operand(name, "Dense", (2,))
        assert evaluate(f"{module}.listed", name) == (name in LISTED)
        assert evaluate(f"{module}.admissible", operand, operand) == (name in LISTED)


def test_one_type(evaluate: Evaluator) -> None:
    a, b = Operand("Int8", "Dense", (2,)), Operand("UInt8", "Dense", (3,))
    assert evaluate("ops.add.definition.AddSignature.one_type", a, a)
    assert not evaluate("ops.add.definition.AddSignature.one_type", a, b)
