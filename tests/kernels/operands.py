"""Operands for kernels, and what the formal definitions make of them."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sonnx_formal.kernels.declared import DeclaredKernel, kernels
from sonnx_formal.kernels.library import LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BOOLEAN, FLOATS, Array, ElementType, Family, Format
from sonnx_formal.spec.kernel import KernelForm
from tests.accuracy.orders import OverflowedError, rounded

BY_NAME = {kernel.name: kernel for kernel in kernels()}
BY_ELEMENT = [kernel for kernel in kernels() if kernel.by_element]
PRODUCTS = [kernel for kernel in kernels() if kernel.is_product]
CONVOLUTIONS = [kernel for kernel in kernels() if kernel.form is KernelForm.CONVOLUTION]
PER_AXIS = [kernel for kernel in kernels() if kernel.form is KernelForm.PER_AXIS]
REDUCTIONS = [kernel for kernel in kernels() if kernel.form is KernelForm.REDUCTION]
WINDOWS = [kernel for kernel in kernels() if kernel.form is KernelForm.WINDOW]


def telling(type_: ElementType) -> Array:
    """Elements at which arithmetic changes its course."""
    if type_ is BOOLEAN:
        return every(type_)
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


def many(type_: ElementType) -> Array:
    """Telling elements, and a thousand of any bits: roots that are close to ties are rare."""
    drawn = np.random.default_rng(type_.width).bytes(1000 * type_.dtype.itemsize)
    return np.concatenate([telling(type_), np.frombuffer(drawn, type_.dtype)])


def every(type_: ElementType) -> Array:
    """All elements of a type of few bits."""
    values = 2 if type_ is BOOLEAN else 1 << type_.width
    return np.arange(values, dtype=type_.pattern).view(type_.dtype)


def combined(
    kernel: DeclaredKernel, elements: Callable[[ElementType], Array] = telling
) -> tuple[Array, ...]:
    """Every combination of elements of the operands, and telling ones of the numbers."""
    of_arrays = (elements(each.type) for each in kernel.operands)
    of_numbers = (telling(each.type) for each in kernel.numbers)
    choices = np.meshgrid(*of_arrays, *of_numbers, indexing="ij")
    return tuple(choice.ravel() for choice in choices)


def by_numbers(kernel: DeclaredKernel, compute: Callable[..., Array], *operands: Array) -> Array:
    """What comes of a call for each choice of numbers: these are given for each element."""
    count = len(kernel.operands)
    arrays, numbers = operands[:count], operands[count:]
    if not numbers:
        return compute(*arrays)
    result: Array = np.empty(arrays[0].shape, kernel.result.type.dtype)
    patterns = np.stack([each.view(f"u{each.itemsize}") for each in numbers])
    for choice in np.unique(patterns, axis=1).T:
        here = (patterns == choice[:, np.newaxis]).all(axis=0)
        chosen = (each[here][0, ...] for each in numbers)
        result[here] = compute(*(each[here] for each in arrays), *chosen)
    return result


def expected(oracle: Oracle, kernel: DeclaredKernel, *operands: Array) -> Array:
    """What the formal definition gives, types beyond the documents included.

    Of fused kernels, what they have to compute instead.
    """
    if kernel.is_fused:
        return fused_product(*operands)
    beyond = any(kernel.type in parameter.beyond for parameter in kernel.operator.parameters)

    def evaluated(*given: Array) -> Array:
        attributes = kernel.operator.attributes
        count = len(given) - len(attributes)
        named = {
            each.name: float(value) for each, value in zip(attributes, given[count:], strict=True)
        }
        reading = "unlisted" if beyond else None
        return oracle.evaluate(
            Call(kernel.operator, given[:count], Attributes.of(named), reading=reading)
        )

    return by_numbers(kernel, evaluated, *operands)


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


def computed(
    libsonnx: LoadedLibrary, kernel: DeclaredKernel, *operands: Array, whole: bool = True
) -> Array:
    """What the library computes.

    :param whole: whether each element has to be computed.
    """
    if not kernel.by_element:
        return libsonnx.product(kernel, *operands)
    count = len(kernel.operands)

    def once(*given: Array) -> Array:
        result, number = libsonnx.elementwise(kernel, *given[:count], numbers=given[count:])
        assert number == result.size or not whole
        return result

    return by_numbers(kernel, once, *operands)


def differ(kernel: DeclaredKernel, got: Array, wanted: Array) -> int:
    """How many elements have other bits; unless NaN is canonical, one is as good as another."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    type_ = kernel.result.type
    bits = [each.view(type_.pattern) for each in (got, wanted)]
    unequal = bits[0] != bits[1]
    if type_.family is Family.FLOAT and not kernel.is_canonical:
        form = type_.format
        are_nan = [each & type_.pattern.type(form.sign - 1) > form.infinity for each in bits]
        unequal &= ~(are_nan[0] & are_nan[1])
    return int(np.count_nonzero(unequal))
