"""LeakyRelu: products that are exact or nearly half-way, with coefficients of binary32."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.leaky_relu import leaky_relu
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.leaky_relu import LEAKY_RELU
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, SHAPES, layouts, specials, tensors
from tests.reference.reference import FORMATS, assert_same, floats

INF, NAN = math.inf, math.nan
ALPHAS = [0.0, -0.0, 1.0, -1.0, 0.25, float(np.float32(0.01)), 3e38, 1e-45, INF, -INF, NAN]


@each_instance(LEAKY_RELU)
@settings(max_examples=60, derandomize=True)
@given(data=st.data())
def test_by_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    alpha = data.draw(st.sampled_from(ALPHAS) | st.floats(width=32))
    x = data.draw(tensors(name, data.draw(SHAPES)))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    with np.errstate(all="raise"):
        result = leaky_relu(laid_out, alpha=alpha)
    assert_same(name, result, expected(oracle, LEAKY_RELU, x, alpha=float(np.float32(alpha))))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_against_exact_products(oracle: Oracle, name: str, alpha: float) -> None:
    """No other number of the format is nearer to the exact product."""
    form, chance = FORMATS[name], np.random.default_rng(0)
    patterns = [form.sign + each for each in specials(form)]
    patterns += [form.sign + int(x) for x in chance.integers(0, form.infinity, 500)]
    x = floats(name, patterns)
    result = leaky_relu(x, alpha=alpha)
    assert_same(name, result, expected(oracle, LEAKY_RELU, x, alpha=float(np.float32(alpha))))
    for operand, got in zip(map(float, x), result, strict=True):
        if not (math.isfinite(operand) and math.isfinite(np.float32(alpha)) and np.isfinite(got)):
            continue
        exact = Fraction(float(np.float32(alpha))) * Fraction(operand)
        if operand >= 0:
            continue
        error = abs(Fraction(float(got)) - exact)
        with np.errstate(all="ignore"):
            near = [np.nextafter(got, got.dtype.type(end)) for end in (INF, -INF)]
        for each in near:
            if np.isfinite(each):
                assert error <= abs(Fraction(float(each)) - exact)


def test_alpha_has_to_be_set(oracle: Oracle) -> None:
    x = np.array([1, -1], np.float32)
    with pytest.raises(TypeError, match="alpha"):
        leaky_relu(x)  # type: ignore[call-arg]
    with pytest.raises(UserError, match="the attribute alpha is missing"):
        oracle.evaluate(Call(LEAKY_RELU, (x,)))


@pytest.mark.parametrize("name", FORMATS)
def test_examples(oracle: Oracle, name: str) -> None:
    """As the document prints them, but the first one, which is with 0.1."""
    dtype = floats(name, [0]).dtype
    ends = np.array([INF, NAN, -INF, -0.0, 0.0, 1.0, -1.0], dtype)
    printed = {0.01: [INF, NAN, -INF, -0.0, 0.0, 1.0, -float(np.float32(0.01))]}
    printed[NAN] = [INF, NAN, NAN, -0.0, 0.0, 1.0, NAN]
    printed[-INF] = [INF, NAN, INF, -0.0, 0.0, 1.0, INF]
    for alpha, numbers in printed.items():
        assert_same(name, leaky_relu(ends, alpha=alpha), np.array(numbers, dtype))
    first = leaky_relu(np.array([6.1, -9.5, 35.7], dtype), alpha=0.1).astype(float)
    np.testing.assert_allclose(first, [6.1, -0.95, 35.7], rtol=2**-7)
