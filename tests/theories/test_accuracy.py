"""The definitions of the theory of accuracy, evaluated against exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from sonnx_formal.extraction.formats import BINARY16, BINARY32, Format, small
from tests.theories.evaluator import NAN, Evaluator, Float
from tests.theories.float_brute_force import BruteForce

FMA = "accuracy.fused_multiply_add.FusedMultiplyAdd.fma"


def _signed(x: Float) -> int:
    assert isinstance(x.magnitude, int)
    return -x.magnitude if x.negative else x.magnitude


class FusedMultiplyAdd:
    """x * y + z in a format so small that its numbers can be listed: one look through the list."""

    def __init__(self, form: Format) -> None:
        self._exact = BruteForce(form)
        self._unit = self._exact.finite[1]
        self._units = [int(x / self._unit) for x in self._exact.finite]
        finite = [Float(s, k) for s in (False, True) for k in self._units]
        self.values = [NAN, Float(False, "inf"), Float(True, "inf"), *finite]

    def apply(self, x: Float, y: Float, z: Float) -> Float:
        """The rounded result; infinities and NaNs by IEEE 754-2019, 6 and 7.2."""
        negative = x.negative != y.negative
        if "nan" in (x.magnitude, y.magnitude, z.magnitude):
            return NAN
        if "inf" in (x.magnitude, y.magnitude):
            invalid = 0 in (x.magnitude, y.magnitude)
            opposite = z.magnitude == "inf" and z.negative != negative
            return NAN if invalid or opposite else Float(negative, "inf")
        if z.magnitude == "inf":
            return z
        exact = _signed(x) * _signed(y) * self._unit + _signed(z)
        sign = exact < 0 or (exact == 0 and negative and z.negative)
        nearest = self._exact.round(abs(Fraction(exact)) * self._unit)
        return Float(sign, self._units[nearest] if nearest < len(self._units) else "inf")


@pytest.mark.parametrize("form", [small(2, 2), small(3, 2)], ids=lambda form: form.name)
def test_fused_multiply_add_of_all_numbers(evaluate: Evaluator, form: Format) -> None:
    exact = FusedMultiplyAdd(form)
    for x, y, z in itertools.product(exact.values, repeat=3):
        assert evaluate(FMA, form.name, x, y, z) == exact.apply(x, y, z), (x, y, z)


def test_fused_multiply_add_rounds_once(evaluate: Evaluator) -> None:
    """The square of 1 + 2^-10 less its rounding is the rounding error, a number of the format."""
    one = 2**24
    x, z = Float(False, one + 2**14), Float(True, one + 2**15)
    assert evaluate(FMA, BINARY16.name, x, x, z) == Float(False, 2**4)
    product = evaluate("scalar.ieee754.arithmetic.Arithmetic.mul", BINARY16.name, x, x)
    assert product == Float(False, one + 2**15)


def test_fused_multiply_add_of_zeros(evaluate: Evaluator) -> None:
    for s, t, w in itertools.product((False, True), repeat=3):
        result = evaluate(FMA, BINARY32.name, Float(s, 0), Float(t, 0), Float(w, 0))
        assert result == Float((s != t) and w, 0)
        parts = evaluate(f"{FMA}_finite", BINARY32.name, s != t, 0, w, 0)
        assert parts == result
