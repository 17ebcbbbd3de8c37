"""Clip: by the definition and by itself in plain Python; which operands are rejected."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.clip import clip
from sonnx_formal.reference.relu import relu
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.clip import CLIP
from tests.reference.clipping import all_bounds, clipped
from tests.reference.declared import each_instance, expected, required
from tests.reference.operands import LAYOUTS, SHAPES, layouts, specials, tensors
from tests.reference.reference import DTYPES, FORMATS, Array, Integer, assert_same, floats

EACH_FORMAT = pytest.mark.parametrize("name", FORMATS)


def rejected(oracle: Oracle, *operands: Array) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        clip(*operands)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, CLIP, *operands)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@each_instance(CLIP)
@settings(max_examples=30, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name, shape = instance.label, data.draw(SHAPES)
    operands = [data.draw(tensors(name, each)) for each in (shape, (), ())]
    layout = LAYOUTS[data.draw(layouts(name))]
    with np.errstate(all="raise"):
        result = clip(*map(layout, operands))
    assert result.shape == shape
    assert_same(name, result, expected(oracle, CLIP, *operands))
    assert_same(name, clip(result, *operands[1:]), result)
    assert not any(np.shares_memory(result, operand) for operand in operands)


@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_number_of_8_bits(oracle: Oracle, name: str) -> None:
    low, high = Integer(name).limits
    x = np.arange(low, high + 1).astype(name)
    bounds = np.array([low, low + 1, *(n for n in (-1, 0, 1) if low < n), high - 1, high], name)
    for l, m in itertools.product(bounds, repeat=2):  # noqa: E741
        result = clip(x, np.asarray(l), np.asarray(m))
        assert result.tolist() == [min(max(int(each), int(l)), int(m)) for each in x]
        assert result.tolist() == clipped(low, high, int(l), int(m))
        assert_same(name, result, expected(oracle, CLIP, x, np.asarray(l), np.asarray(m)))


@pytest.mark.long
@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_every_number_of_8_bits_between_all_bounds(name: str) -> None:
    """All 2^24 triples: the 256 numbers at once, between each of the 65,536 pairs of bounds."""
    low, high = Integer(name).limits
    x = np.arange(low, high + 1).astype(name)
    scalars = {each: np.asarray(each, name) for each in range(low, high + 1)}
    wrong = [
        (l, m)
        for l, m in all_bounds(low, high)  # noqa: E741
        if clip(x, scalars[l], scalars[m]).tolist() != clipped(low, high, l, m)
    ]
    assert wrong == []


def limited(x: float, low: float, high: float) -> float:
    """Sentence by sentence as the document has it."""
    low = -math.inf if math.isnan(low) else low
    high = math.inf if math.isnan(high) else high
    if low <= high:
        return low if x < low else high if x > high else x
    return high


@EACH_FORMAT
def test_special_values(oracle: Oracle, name: str) -> None:
    """Between each two of them, of any sign, and signalling NaNs; also the sign of a zero."""
    form = FORMATS[name]
    patterns = [0, 1, form.one, form.infinity - 1, form.infinity, form.infinity + 1, form.nan]
    bounds = floats(name, [sign + each for each in patterns for sign in (0, form.sign)])
    x = floats(name, [sign + each for each in specials(form) for sign in (0, form.sign)])
    for l, m in itertools.product(bounds, repeat=2):  # noqa: E741
        operands = x, np.asarray(l, x.dtype), np.asarray(m, x.dtype)
        with np.errstate(all="raise"):
            result = clip(*operands)
        assert_same(name, result, expected(oracle, CLIP, *operands))
        exact = np.array([limited(float(each), float(l), float(m)) for each in x])
        assert np.array_equal(result.astype(float), exact, equal_nan=True)
        numbers = ~np.isnan(exact)
        assert np.array_equal(np.signbit(exact)[numbers], np.signbit(result)[numbers])


@EACH_FORMAT
def test_beside_relu(name: str) -> None:
    form = FORMATS[name]
    x = floats(name, [sign + each for each in specials(form) for sign in (0, form.sign)])
    zero, infinity, nan = (floats(name, [n])[0:1].reshape(()) for n in (0, form.infinity, form.nan))
    assert_same(name, clip(x, zero, infinity), relu(x))
    assert_same(name, clip(x, zero, nan), relu(x))


@pytest.mark.parametrize("bounds", [((1,), ()), ((), (1,)), ((2,), (2,)), ((), (0,)), ((1, 1), ())])
def test_bounds_that_have_axes(oracle: Oracle, bounds: tuple[tuple[int, ...], ...]) -> None:
    for part, dtype in (("FLOAT", np.float32), ("INT", np.int8)):
        operands = (np.ones(shape, dtype) for shape in ((2,), *bounds))
        first = "L" if bounds[0] else "M"
        assert rejected(oracle, *operands) == f"SONNX-CLIP-{part}.{first}.C1"


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_two_types(oracle: Oracle, first: str, second: str) -> None:
    x = np.zeros(0, DTYPES[first])
    same, other = (np.full((), _one(name), DTYPES[name]) for name in (first, second))
    if first == second:
        assert clip(x, same, other).dtype == x.dtype
        return
    family = {"f": Family.FLOAT, "b": Family.FLOAT, "r": Family.REAL}.get(first[0], Family.INTEGER)
    predicates = ["listed", "one_type"] if first == "bfloat16" else ["one_type"]
    for bounds in ((same, other), (other, same), (other, other)):
        assert rejected(oracle, x, *bounds) == required(CLIP, family, *predicates)


def _one(name: str) -> Any:
    return Fraction(1) if name == "real" else 1


@pytest.mark.parametrize("dtype", [np.bool_, np.complex64, np.complex128])
def test_other_types(oracle: Oracle, dtype: Any) -> None:
    document = "INT" if dtype is np.bool_ else "FLOAT"
    unit = np.ones((), dtype)
    assert rejected(oracle, unit, unit, unit) == f"SONNX-CLIP-{document}.T"


def test_elements_that_are_no_numbers() -> None:
    unit = np.full((), Fraction(1), object)
    with pytest.raises(SpecViolation) as error:
        clip(np.array([1.5, "x"], object), unit, unit)
    assert error.value.requirement == "SONNX-CLIP-REAL.T"
