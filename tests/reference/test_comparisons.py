"""Comparisons: every pair of 8 bits, and floats by what NumPy has of their patterns."""

import itertools

import numpy as np
import pytest

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.less import less
from sonnx_formal.spec.operators.less import LESS
from tests.reference.declared import expected
from tests.reference.operands import specials
from tests.reference.reference import FORMATS, Integer, floats


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_pair_of_8_bits(name: str) -> None:
    low, high = Integer(name).limits
    numbers = range(low, high + 1)
    a, b = np.array(list(itertools.product(numbers, numbers)), name).T
    assert less(a, b).tolist() == [x < y for x, y in itertools.product(numbers, numbers)]


@pytest.mark.parametrize("name", FORMATS)
def test_against_numpy_bit_by_bit(oracle: Oracle, name: str) -> None:
    """Special values and their neighbours, each with each: the order of the exact numbers."""
    form = FORMATS[name]
    patterns = [sign + each for each in specials(form) for sign in (0, form.sign)]
    a, b = zip(*itertools.product(patterns, patterns), strict=True)
    x, y = floats(name, a), floats(name, b)
    with np.errstate(all="raise"):
        result = less(x, y)
    exactly = [p < q for p, q in zip(map(float, x), map(float, y), strict=True)]
    assert result.tolist() == exactly == expected(oracle, LESS, x, y).tolist()
