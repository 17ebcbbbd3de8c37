"""The definitions of the theory of accuracy, evaluated against exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sonnx_formal import kernels
from sonnx_formal.spec.element_types import (
    BINARY16,
    BINARY32,
    BY_NAME,
    FORMATS,
    Array,
    ElementType,
    Format,
)
from tests.formats import small
from tests.kernels.operands import fused_product, telling
from tests.theories.evaluator import NAN, Evaluator, Float, Tensor
from tests.theories.float_brute_force import BruteForce

BOUND = "accuracy.computable_bound.ComputableBound"
CONVERT = "accuracy.wide_accumulation.Conversion.convert"
ENCODING = "scalar.ieee754.encoding.Encoding"
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
@pytest.mark.long
def test_fused_multiply_add_of_all_numbers(evaluate: Evaluator, form: Format) -> None:
    exact = FusedMultiplyAdd(form)
    for x, y, z in itertools.product(exact.values, repeat=3):
        assert evaluate(FMA, form.name, x, y, z) == exact.apply(x, y, z), (x, y, z)


def test_fused_multiply_add_rounds_once(evaluate: Evaluator) -> None:
    """The square of 1 + 2^-10 less its rounding is the rounding error, a number of the format."""
    unit = 2**24
    x, z = Float(False, unit + 2**14), Float(True, unit + 2**15)
    assert evaluate(FMA, BINARY16.name, x, x, z) == Float(False, 2**4)
    product = evaluate("scalar.ieee754.arithmetic.Arithmetic.mul", BINARY16.name, x, x)
    assert product == Float(False, unit + 2**15)


def test_fused_multiply_add_of_zeros(evaluate: Evaluator) -> None:
    for s, t, w in itertools.product((False, True), repeat=3):
        result = evaluate(FMA, BINARY32.name, Float(s, 0), Float(t, 0), Float(w, 0))
        assert result == Float((s != t) and w, 0)
        parts = evaluate(f"{FMA}_finite", BINARY32.name, s != t, 0, w, 0)
        assert parts == result


# --- Products of matrices ------------------------------------------------------------------------


def _tensor(array: Array, form: Format) -> Tensor[Float]:
    return Tensor(array.shape, tuple(_datum(x, form) for x in array.ravel().tolist()))


def _datum(x: float, form: Format) -> Float:
    negative = math.copysign(1, x) < 0
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        return Float(negative, "inf")
    return Float(negative, int(abs(Fraction(x)) * 2 ** (form.emax + form.precision - 2)))


@pytest.mark.parametrize("type_", [BY_NAME["float32"], BY_NAME["float64"]], ids=str)
def test_fused_products(evaluate: Evaluator, type_: ElementType) -> None:
    """As the definition, exact fractions and the kernel have them."""
    chance, form = np.random.default_rng(5), type_.format
    path = "accuracy.fused_matmul"
    for shape, elements in [((2, 5), chance.standard_normal(99)), ((9, 3), telling(type_))] * 2:
        a, b = (chance.choice(elements, s).astype(type_.dtype) for s in (shape, shape[::-1]))
        wanted = fused_product(a, b)
        result = evaluate(f"{path}.FusedMatMul.fused_matmul", form.name, _tensor(a, form),
                          _tensor(b, form))  # fmt: skip
        assert result == _tensor(wanted, form) == _tensor(kernels.matmul_fused(a, b), form)
        row, column = _tensor(a[1], form), _tensor(b[:, 1], form)
        element = evaluate(f"{path}.FusedSum.fused_sum", form.name, row, column, shape[1])
        assert element == _datum(float(wanted[1, 1]), form)
        vectors = "accuracy.matmul_accuracy.Vectors"
        for k in range(shape[1]):
            assert evaluate(f"{vectors}.row", _tensor(a, form), 1, k) == row.elements[k]
            assert evaluate(f"{vectors}.column", _tensor(b, form), 1, k) == column.elements[k]


# --- Conversion ----------------------------------------------------------------------------------


def _convert(evaluate: Evaluator, source: Format, target: Format, pattern: int) -> int:
    """The bit pattern of a conversion, of a bit pattern."""
    datum = evaluate(f"{ENCODING}.of_bits", source.name, pattern)
    bits = evaluate(
        f"{ENCODING}.to_bits", target.name, evaluate(CONVERT, source.name, target.name, datum)
    )
    assert isinstance(bits, int)
    return bits


def test_conversion_to_a_wider_format(evaluate: Evaluator) -> None:
    patterns = np.arange(0, 2**16, 31, dtype=np.uint16)
    numbers = patterns.view(np.float16)
    expected = numbers.astype(np.float32).view(np.uint32)
    expected[np.isnan(numbers)] = BINARY32.nan
    ours = [_convert(evaluate, BINARY16, BINARY32, int(bits)) for bits in patterns]
    assert ours == expected.tolist()


def test_conversion_to_a_narrower_format(evaluate: Evaluator) -> None:
    """Normal, subnormal and half-way results, and results beyond the finite numbers."""
    generator = np.random.default_rng(1)
    half = generator.integers(0, 2**16, 1500, dtype=np.uint16).view(np.float16)
    numbers = half[np.isfinite(half)].astype(np.float32)
    steps = numbers.view(np.uint32) + generator.integers(0, 2**13, numbers.size, dtype=np.uint32)
    half_way = numbers.view(np.uint32) + np.uint32(2**12)
    special = np.array([65504, 65519.99, 65520, 2**-25, 2**-24, np.inf, -np.inf], np.float32)
    patterns = np.concatenate([steps, half_way, special.view(np.uint32)])
    with np.errstate(over="ignore"):
        expected = patterns.view(np.float32).astype(np.float16).view(np.uint16)
    ours = [_convert(evaluate, BINARY32, BINARY16, int(bits)) for bits in patterns]
    assert ours == expected.tolist()
    assert _convert(evaluate, BINARY32, BINARY16, BINARY32.nan) == BINARY16.nan


# --- The bound -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize(("n", "h"), [(0, 0), (1, 1), (2, 2), (4096, 13), (60, 60)])
def test_bound_of_the_error(evaluate: Evaluator, form: Format, n: int, h: int) -> None:
    a = Fraction(355, 113)
    u, eta = Fraction(1, 2**form.precision), Fraction(2) ** (2 - form.emax - form.precision)
    growth, before = (1 + u) ** h, (1 + u) ** max(h - 1, 0)
    assert evaluate(f"{BOUND}.growth_fraction", form.name, h) == growth
    assert evaluate(f"{BOUND}.small_fraction", form.name, n, h) == Fraction(n, 2) * before * eta
    bound = (growth - 1) * a + Fraction(n, 2) * before * eta
    assert evaluate(f"{BOUND}.bound_fraction", form.name, n, h, a) == bound


@pytest.mark.parametrize("form", [BINARY16, BINARY32], ids=lambda form: form.name)
def test_range_of_the_bound(evaluate: Evaluator, form: Format) -> None:
    """It ends where the largest finite number is reached."""
    u, eta = Fraction(1, 2**form.precision), Fraction(2) ** (2 - form.emax - form.precision)
    largest = (2 - 2 * u) * Fraction(2) ** form.emax
    for n, h in ((1, 1), (3, 3), (100, 8)):
        end = (largest - Fraction(n, 2) * (1 + u) ** (h - 1) * eta) / (1 + u) ** h
        for a, expected in ((end, True), (end + eta, False), (Fraction(0), True)):
            assert evaluate(f"{BOUND}.range_fraction", form.name, n, h, a) is expected


def test_powers_of_integers(evaluate: Evaluator) -> None:
    for x, n in itertools.product((-3, 0, 1, 2, 2**24), (0, 1, 2, 50)):
        assert evaluate(f"{BOUND}.integer_power", x, n) == x**n
