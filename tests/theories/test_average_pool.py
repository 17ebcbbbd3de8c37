"""The definition of AveragePool beside plain Python, and which operands it accepts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.theories.evaluator import NAN, Evaluator, Float, Operand, Tensor
from tests.theories.test_max_pool import MOVED, PLAIN, X, but, filled, under

PATH = "ops.average_pool.definition"
COUNT = f"{PATH}.AveragePoolCount"
ONE = 1 << 24
"""In units of float16."""


def counted(rows: list[list[Any]], include_pad: int) -> list[Any]:
    """What counts under a window: elements, and zeros for the padding."""
    every = [each for row in rows for each in row]
    if include_pad:
        return [Fraction(0) if each is None else each for each in every]
    return [each for each in every if each is not None]


def test_numbers_of_elements(evaluate: Evaluator) -> None:
    assert [evaluate(f"{COUNT}.known_count", n) for n in (-1, 0, 1, 2)] == [
        False,
        True,
        True,
        False,
    ]
    assert evaluate(f"{COUNT}.kernel_size", PLAIN) == 4
    assert evaluate(f"{COUNT}.kernel_size", but(**MOVED)) == 6
    for attributes in (PLAIN, but(**MOVED), but(pads=(1, 1, 1, 1), strides=(2, 2))):
        (rows, columns), dilations, strides, pads = attributes[3:]
        shape: Any = evaluate("ops.max_pool.definition.MaxPoolShape.pooled", attributes, X)
        x = filled(X, Fraction)
        for m, n in product(*map(range, shape[2:])):
            window = under(attributes, x, (0, 0, m, n))
            every = [each is not None for row in window for each in row]
            for k, (h, w) in enumerate(product(range(rows), range(columns))):
                row = m * strides[0] + h * dilations[0] - pads[0]
                column = n * strides[1] + w * dilations[1] - pads[1]
                assert evaluate(f"{COUNT}.row_under", attributes, X, m, k) == row
                assert evaluate(f"{COUNT}.column_under", attributes, X, n, k) == column
                assert evaluate(f"{COUNT}.on_x", attributes, X, m, n, k) is every[k]
                assert evaluate(f"{COUNT}.count_on_x", attributes, X, m, n, k) == sum(every[:k])
            for include_pad in (0, 1):
                found = evaluate(f"{COUNT}.divisor", attributes, include_pad, X, m, n)
                assert found == len(counted(window, include_pad))


def test_which_operands_are_accepted(evaluate: Evaluator) -> None:
    path = f"{PATH}.AveragePoolSignature"
    listed = ("Real", "Float16", "Float32", "Float64", "BFloat16", "Int8", "UInt8")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 4 + [False] * 3
    x = Operand("Float16", "Dense", X)
    for include_pad in (0, 1):
        assert evaluate(f"{path}.admissible", PLAIN, include_pad, x) is True
        result = evaluate(f"{path}.result", PLAIN, include_pad, x)
        assert result == Operand("Float16", "Dense", (1, 2, 2, 2))
    assert evaluate(f"{path}.dense", x) is True
    assert evaluate(f"{path}.admissible", PLAIN, 2, x) is False
    assert evaluate(f"{path}.admissible", but(ceil_mode=1), 0, x) is False
    for bad in (Operand("UInt8", "Dense", X), Operand("Float16", "Sparse", X)):
        assert evaluate(f"{path}.admissible", PLAIN, 0, bad) is False
    assert evaluate(f"{path}.dense", bad) is False


@pytest.mark.parametrize("include_pad", [0, 1])
@pytest.mark.parametrize("attributes", [PLAIN, but(**MOVED)])
def test_elements(evaluate: Evaluator, attributes: list[Any], include_pad: int) -> None:
    """The mean of each window, row by row of the kernel."""
    of = f"{PATH}.AveragePoolRational"
    x = filled(X, lambda k: Fraction(k, 3))
    result: Any = evaluate(f"{of}.average_pool", attributes, include_pad, x)
    assert result.shape == evaluate("ops.max_pool.definition.MaxPoolShape.pooled", attributes, X)
    found = []
    for at in product(*map(range, result.shape)):
        window = under(attributes, x, at)
        terms = counted(window, 1)
        for k, term in enumerate(terms):
            assert evaluate(f"{of}.under", attributes, x, at, k) == term
            assert evaluate(f"{of}.term", attributes, x, at, k) == term
        assert evaluate(f"{of}.total", attributes, x, at) == sum(terms)
        found.append(Fraction(sum(terms), len(counted(window, include_pad))))
        assert evaluate(f"{of}.mean", attributes, include_pad, x, at) == found[-1]
    assert result.elements == tuple(found)


def test_quotients(evaluate: Evaluator) -> None:
    assert evaluate("scalar.mean.MeanRational.over", Fraction(-3, 4), 6) == Fraction(-1, 8)
    of_count = "scalar.mean.MeanFloat.of_count"
    rounded = {0: 0, 1: 1, 2048: 2048, 2049: 2048, 2050: 2050, 2051: 2052, 65519: 65504}
    for count, number in rounded.items():
        assert evaluate(of_count, count) == Float(False, number * ONE)
    assert evaluate(of_count, 65520) == Float(False, "inf")
    over = "scalar.mean.MeanFloat.over"
    assert evaluate(over, Float(True, 3 * ONE), 2) == Float(True, 3 * ONE // 2)
    assert evaluate(over, Float(False, 1), 2) == Float(False, 0)
    assert evaluate(over, Float(False, 3), 2) == Float(False, 2)
    assert evaluate(over, Float(False, ONE), 65520) == Float(False, 0)


def test_floats_from_plus_zero(evaluate: Evaluator) -> None:
    """Small integers, whose sums are exact: of zeros, and with special values."""
    path = "ops.average_pool.floats.AveragePoolFloat16.average_pool"
    attributes = but(kernel_shape=(1, 2), pads=(0, 1, 0, 0))
    minus, plus = Float(True, "inf"), Float(False, "inf")
    zero, minus_zero = Float(False, 0), Float(True, 0)
    three, five = (Float(False, n * ONE) for n in (3, 5))
    for row, include_pad, wanted in (
        ((three, five), 0, (three, Float(False, 4 * ONE))),
        ((three, five), 1, (Float(False, 3 * ONE // 2), Float(False, 4 * ONE))),
        ((minus_zero, minus_zero), 0, (zero, zero)),
        ((plus, minus), 0, (plus, NAN)),
        ((minus, three), 1, (minus, minus)),
        ((NAN, three), 0, (NAN, NAN)),
    ):
        x = Tensor((1, 1, 1, 2), row)
        result: Any = evaluate(path, attributes, include_pad, x)
        assert result.elements == wanted
