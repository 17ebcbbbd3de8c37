"""Mul, Div and MatMul over the floating-point types, evaluated against MPFR."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gmpy2
import pytest

from sonnx_formal.spec.element_types import FORMATS, Format
from tests.benchmarks.implementations import Mpfr
from tests.theories.evaluator import FLOAT_TYPES, NAN, Evaluator, Float, Tensor

TYPES = list(zip(FLOAT_TYPES, FORMATS, strict=True))
FloatTensor = Tensor[Float]


def unit(form: Format) -> Fraction:
    """The least positive number."""
    return Fraction(2) ** (2 - form.emax - form.precision)


def to_mpfr(form: Format, x: Float) -> Any:
    if isinstance(x.magnitude, str):
        value = gmpy2.mpfr(x.magnitude)
    else:
        exact = x.magnitude * unit(form)
        value = gmpy2.mpfr(gmpy2.mpq(exact.numerator, exact.denominator), form.precision)
    return -value if x.negative else value


def from_mpfr(form: Format, x: Any) -> Float:
    if gmpy2.is_nan(x):
        return NAN
    negative = gmpy2.is_signed(x)
    if gmpy2.is_infinite(x):
        return Float(negative, "inf")
    units = abs(Fraction(*x.as_integer_ratio())) / unit(form)
    assert units.denominator == 1
    return Float(negative, int(units))


def computed(form: Format, operation: str, x: Float, y: Float) -> Float:
    """One operation, by MPFR."""
    result = Mpfr(form).operation(operation)(to_mpfr(form, x), to_mpfr(form, y))
    return from_mpfr(form, result)


def random_float(form: Format, chance: random.Random) -> Float:
    """Now and then a special value; else a number between 1/16 and 16, or nearly subnormal."""
    negative = chance.random() < 0.5
    style = chance.randrange(12)
    if style == 0:
        return NAN
    if style == 1:
        return Float(negative, "inf")
    if style == 2:
        return Float(negative, 0)
    digits = chance.randrange(2 ** (form.precision - 1), 2**form.precision)
    if style <= 4:
        return Float(negative, digits << chance.randrange(3))
    return Float(negative, digits << (form.emax - 1 + chance.randrange(-4, 4)))


def random_tensor(form: Format, shape: tuple[int, ...], chance: random.Random) -> FloatTensor:
    size = 1
    for dimension in shape:
        size *= dimension
    return Tensor(shape, tuple(random_float(form, chance) for _ in range(size)))


def elementwise(
    a: FloatTensor, b: FloatTensor, operation: Callable[[Float, Float], Float]
) -> FloatTensor:
    return Tensor(a.shape, tuple(map(operation, a.elements, b.elements)))


SHAPES: list[tuple[int, ...]] = [(), (0,), (7,), (2, 3), (2, 0, 3), (2, 2, 5)]


@pytest.mark.parametrize(("name", "form"), TYPES)
@pytest.mark.parametrize("operator", ["mul", "div", "add", "sub"])
def test_elementwise(evaluate: Evaluator, name: str, form: Format, operator: str) -> None:
    chance = random.Random(1)
    module = f"ops.{operator}.floats.{operator.capitalize()}{name}"
    for shape in SHAPES * 4:
        a, b = (random_tensor(form, shape, chance) for _ in range(2))
        expected = elementwise(a, b, lambda x, y: computed(form, operator, x, y))
        assert evaluate(f"{module}.{operator}", a, b) == expected


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_div_is_defined_everywhere(evaluate: Evaluator, name: str, form: Format) -> None:
    chance = random.Random(2)
    for reading in ("", ".R5"):
        module = f"ops.div.floats.Div{name}{reading}"
        for shape in SHAPES:
            a, b = (random_tensor(form, shape, chance) for _ in range(2))
            assert evaluate(f"{module}.is_defined", a, b) is True
            assert evaluate(f"{module}.defined_from", 0, a, b) is True


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_div_read_literally(evaluate: Evaluator, name: str, form: Format) -> None:
    """Plus infinity wherever the divisor is zero, else the quotient."""

    def quotient(x: Float, y: Float) -> Float:
        return Float(False, "inf") if y.magnitude == 0 else computed(form, "div", x, y)

    chance = random.Random(3)
    a, b = (random_tensor(form, (80,), chance) for _ in range(2))
    assert any(y.magnitude == 0 for y in b.elements)
    assert evaluate(f"ops.div.floats.Div{name}.R5.div", a, b) == elementwise(a, b, quotient)


def sum_in_order(form: Format, terms: list[Float]) -> Float:
    """From the first term to the last, beginning with +0."""
    total = Float(False, 0)
    for term in terms:
        total = computed(form, "add", total, term)
    return total


def product(form: Format, a: FloatTensor, b: FloatTensor) -> FloatTensor:
    """The matrix product, each entry summed in order."""
    (m, n), p = a.shape, b.shape[1]
    return Tensor(
        (m, p),
        tuple(
            sum_in_order(
                form,
                [
                    computed(form, "mul", a.elements[i * n + k], b.elements[k * p + j])
                    for k in range(n)
                ],
            )
            for i, j in itertools.product(range(m), range(p))
        ),
    )


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_matmul(evaluate: Evaluator, name: str, form: Format) -> None:
    chance = random.Random(4)
    module = f"ops.matmul.floats.MatMul{name}"
    for m, n, p in [(1, 1, 1), (2, 3, 2), (3, 9, 2), (2, 0, 3), (0, 2, 2)] * 2:
        a, b = random_tensor(form, (m, n), chance), random_tensor(form, (n, p), chance)
        expected = product(form, a, b)
        assert evaluate(f"{module}.matmul", a, b) == expected
        for i, j in itertools.product(range(m), range(p)):
            assert evaluate(f"{module}.entry", a, b, i, j) == expected.elements[i * p + j]
            for k in range(n):
                term = computed(form, "mul", a.elements[i * n + k], b.elements[k * p + j])
                assert evaluate(f"{module}.product", a, b, (i, j), k) == term


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_sum_is_from_left_to_right(evaluate: Evaluator, name: str, form: Format) -> None:
    chance = random.Random(5)
    # Half of the last digit of 1: it is lost if it is added to 1, but not if it is doubled first.
    unit = 2 ** (form.emax + form.precision - 2)
    half = unit >> form.precision
    lost, kept = (
        Tensor((3,), tuple(Float(False, units) for units in terms))
        for terms in ((unit, half, half), (half, half, unit))
    )
    module = f"ops.matmul.floats.MatMul{name}"
    assert evaluate(f"{module}.sum", lost, 3) == Float(False, unit)
    assert evaluate(f"{module}.sum", kept, 3) == Float(False, unit + 2 * half)
    for length in (0, 1, 5, 12):
        terms = random_tensor(form, (length,), chance)
        total = sum_in_order(form, list(terms.elements))
        assert evaluate(f"{module}.sum", terms, length) == total


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_matrices(evaluate: Evaluator, name: str, form: Format) -> None:
    chance = random.Random(6)
    module = f"ops.matmul.floats.MatMul{name}"
    zero, unit = Float(False, 0), Float(False, 2 ** (form.emax + form.precision - 2))
    identity = Tensor((2, 2), (unit, zero, zero, unit))
    assert evaluate(f"{module}.identity", 2) == identity
    assert evaluate(f"{module}.zeros", 2, 3) == Tensor((2, 3), (zero,) * 6)
    a, b = (random_tensor(form, (4, 5), chance) for _ in range(2))
    c = random_float(form, chance)
    assert evaluate(f"{module}.plus", a, b) == elementwise(
        a, b, lambda x, y: computed(form, "add", x, y)
    )
    assert evaluate(f"{module}.scale", c, a) == elementwise(
        a, a, lambda x, _: computed(form, "mul", c, x)
    )
