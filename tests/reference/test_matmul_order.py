"""Floating-point MatMul: which roundings there are, and in which order."""

import numpy as np
import pytest

from sonnx_formal.reference.matmul import matmul
from sonnx_formal.spec.element_types import Format
from tests.formats import dtype_of
from tests.reference import reference
from tests.reference.reference import FORMATS, Array, assert_same, floats

EVERY_FORMAT = pytest.mark.parametrize(("name", "form"), FORMATS.items(), ids=FORMATS)


def row_times_column(name: str, row: list[int], column: list[int]) -> Array:
    """The product of a row and a column, both as bit patterns."""
    with np.errstate(all="raise"):
        return matmul(floats(name, [row]), floats(name, [[x] for x in column]))


def power(form: Format, exponent: int) -> int:
    """The pattern of 2^exponent."""
    return form.one + exponent * form.trailing


@EVERY_FORMAT
def test_no_product_is_plus_zero(name: str, form: Format) -> None:
    a, b = np.empty((2, 0), reference.DTYPES[name]), np.empty((0, 3), reference.DTYPES[name])
    assert_same(name, matmul(a, b), floats(name, np.zeros((2, 3), dtype_of(form))))


@EVERY_FORMAT
def test_sum_starts_at_plus_zero(name: str, form: Format) -> None:
    """+0 + -0 is +0: a sum of negative zeros is not one of them."""
    result = row_times_column(name, [form.sign, form.sign], [form.one, form.one])
    assert_same(name, result, floats(name, [[0]]))


@EVERY_FORMAT
def test_each_sum_is_rounded_to_the_element_type(name: str, form: Format) -> None:
    """1 + u + u, with u half of a last digit: 1 + u is 1 each time. A wider sum keeps both."""
    u = power(form, -form.precision)
    result = row_times_column(name, [form.one, u, u], [form.one] * 3)
    assert_same(name, result, floats(name, [[form.one]]))


@EVERY_FORMAT
def test_sums_go_from_the_first_to_the_last(name: str, form: Format) -> None:
    """u + u + 1 is the next number after 1; backwards, it would be 1."""
    u = power(form, -form.precision)
    result = row_times_column(name, [u, u, form.one], [form.one] * 3)
    assert_same(name, result, floats(name, [[form.one + 1]]))


@EVERY_FORMAT
def test_sums_are_not_of_pairs(name: str, form: Format) -> None:
    """((1 + u) + u) + u) is 1 at each step; (1 + u) + (u + u) is the next number after 1."""
    u = power(form, -form.precision)
    result = row_times_column(name, [form.one, u, u, u], [form.one] * 4)
    assert_same(name, result, floats(name, [[form.one]]))


@EVERY_FORMAT
def test_each_product_is_rounded(name: str, form: Format) -> None:
    """-(1 + 2u) + (1 + u)^2, with u a last digit: a fused step would leave u^2."""
    minus = form.sign + form.one + 2
    result = row_times_column(name, [minus, form.one + 1], [form.one, form.one + 1])
    assert_same(name, result, floats(name, [[0]]))


@EVERY_FORMAT
def test_a_sum_beyond_the_range_stays_infinite(name: str, form: Format) -> None:
    greatest = form.infinity - 1
    row = [greatest, greatest, form.sign + greatest]
    result = row_times_column(name, row, [form.one] * 3)
    assert_same(name, result, floats(name, [[form.infinity]]))


@EVERY_FORMAT
def test_infinities_of_both_signs_are_not_a_number(name: str, form: Format) -> None:
    row = [form.infinity, form.sign + form.infinity]
    assert_same(name, row_times_column(name, row, [form.one] * 2), floats(name, [[form.nan]]))
    assert_same(name, row_times_column(name, row[:1], [0]), floats(name, [[form.nan]]))


@EVERY_FORMAT
def test_larger_matrices(name: str, form: Format) -> None:
    """Longer sums and more columns than any vector unit of the processor has places."""
    generator = np.random.default_rng(2026)
    exponents = generator.integers(-form.precision, form.precision, (2, 21 * 19))
    digits = generator.integers(0, form.trailing, (2, 21 * 19))
    signs = generator.integers(0, 2, (2, 21 * 19)).astype(np.uint64) * np.uint64(form.sign)
    magnitudes = form.one + exponents // 4 * form.trailing + digits
    a, b = floats(name, magnitudes.astype(np.uint64) + signs)
    a, b = a.reshape(21, 19), b.reshape(19, 21)
    assert_same(name, matmul(a, b), reference.matmul(name, a, b))
