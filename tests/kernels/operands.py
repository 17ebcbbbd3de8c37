"""Operands for kernels, and what the formal definitions make of them."""

import itertools
import math
from fractions import Fraction

import numpy as np

from sonnx_formal.kernels.declared import DeclaredKernel, kernels
from sonnx_formal.kernels.library import LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import FLOATS, Array, ElementType, Family, Format
from tests.accuracy.orders import OverflowedError, rounded

BY_NAME = {kernel.name: kernel for kernel in kernels()}
BY_ELEMENT = [kernel for kernel in kernels() if kernel.by_element]
PRODUCTS = [kernel for kernel in kernels() if not kernel.by_element]


def telling(type_: ElementType) -> Array:
    """Elements at which arithmetic changes its course."""
    if type_.family is Family.INTEGER:
        low, high = type_.bounds.min, type_.bounds.max
        found = {low, low + 1, high // 2, high - 1, high, 1, 2, 3, 7, 13, 100} - {0}
        found |= {-1, -2, -3, -7} if low else set()
        return np.array(sorted(found), type_.dtype)
    form = type_.format
    ends = [0, 1, form.trailing - 1, form.trailing, form.infinity - 1, form.infinity, form.nan]
    ends += [form.one - 1, form.one, form.one + 1, form.one + form.trailing // 3]
    patterns = [*ends, *(form.sign | end for end in ends)]
    return np.array(patterns, type_.pattern).view(type_.dtype)


def pairs(type_: ElementType) -> tuple[Array, Array]:
    """Every element with every other."""
    a, b = zip(*itertools.product(telling(type_), repeat=2), strict=True)
    return np.array(a, type_.dtype), np.array(b, type_.dtype)


def expected(oracle: Oracle, kernel: DeclaredKernel, a: Array, b: Array) -> Array:
    """What the formal definition gives, types beyond the documents included.

    Of fused kernels, what they have to compute instead.
    """
    if kernel.is_fused:
        return fused_product(a, b)
    beyond = any(kernel.type in parameter.beyond for parameter in kernel.operator.parameters)
    call = Call(kernel.operator, (a, b), reading="unlisted" if beyond else None)
    return oracle.evaluate(call)


def fused_product(a: Array, b: Array) -> Array:
    """The product of matrices of floats with one rounding a term, by exact fractions."""
    (form,) = (type_.format for type_ in FLOATS if type_.dtype == a.dtype)
    y = np.zeros((len(a), b.shape[1]), a.dtype)
    for i, j in np.ndindex(y.shape):
        element = 0.0
        for left, right in zip(a[i].tolist(), b[:, j].tolist(), strict=True):
            element = _fused(left, right, element, form)
        y[i, j] = element
    return y


def _fused(x: float, y: float, z: float, form: Format) -> float:
    """x * y + z of numbers of a format, rounded once: IEEE 754-2019, 5.4.1, 6 and 7.2."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:  # where both terms are zeros of a sign, so is the sum
        same = math.copysign(1, x) * math.copysign(1, y) == math.copysign(1, z)
        return z if same else 0.0
    try:
        magnitude = float(rounded(abs(exact), form))
    except OverflowedError:
        magnitude = math.inf
    return magnitude if exact > 0 else -magnitude


def computed(libsonnx: LoadedLibrary, kernel: DeclaredKernel, a: Array, b: Array) -> Array:
    if not kernel.by_element:
        return libsonnx.product(kernel, a, b)
    result, number = libsonnx.elementwise(kernel, a, b)
    assert number == result.size
    return result


def differ(kernel: DeclaredKernel, got: Array, wanted: Array) -> int:
    """How many elements have other bits; of native kernels, one NaN is as good as another."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    unequal = got.view(kernel.type.pattern) != wanted.view(kernel.type.pattern)
    if kernel.is_native:
        unequal &= ~(np.isnan(got) & np.isnan(wanted))
    return int(np.count_nonzero(unequal))
