"""What the kernels that copy elements are given for a call of a structural operator."""

from collections.abc import Sequence
from math import prod

import numpy as np

from sonnx_formal.kernels.copying import CopyingKernel, Order
from sonnx_formal.kernels.library import library
from sonnx_formal.spec.admission import signature_of
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.slice import along_axes
from sonnx_formal.spec.operators.transpose import axes


def copied(call: Call, kernel: CopyingKernel) -> Array:
    """The result of a call with operands that are accepted."""
    definition = call.operator.definition
    assert definition.shape is not None
    shape = definition.shape(*signature_of(call).taken(definition.takes))
    result: Array = np.empty(shape, call.arrays[0].dtype)
    match kernel.order:
        case Order.KEPT:
            library().copy(kernel, call.arrays[0], result=result, numbers=[result.size])
        case Order.JOINED:
            _join(kernel, call, result)
        case Order.TRANSPOSED:
            _transpose(kernel, call, result)
        case Order.CUT:
            _cut(kernel, call, result)
    return result


def _join(kernel: CopyingKernel, call: Call, result: Array) -> None:
    (axis,) = signature_of(call).taken(["axis"])
    outer = prod(result.shape[:axis])
    row, start = prod(result.shape[axis:]), 0
    for x in call.arrays:
        block = prod(x.shape[axis:])
        library().copy(kernel, x, result=result, numbers=[outer, block, start, row])
        start += block


def _transpose(kernel: CopyingKernel, call: Call, result: Array) -> None:
    (x,) = call.arrays
    (order,) = signature_of(call).taken(["perm"])
    order = axes(order, x.ndim)
    by_axis = (_words(x.shape), _words(order), np.empty(x.ndim, np.uint64))
    library().copy(kernel, x, *by_axis, result=result, numbers=[x.ndim])


def _cut(kernel: CopyingKernel, call: Call, result: Array) -> None:
    x, *cut = call.arrays
    along = along_axes(x.shape, *(tuple(entries.tolist()) for entries in cut))
    by_axis = [along[axis] for axis in range(x.ndim)]
    starts, steps = [each.first for each in by_axis], [each.step for each in by_axis]
    read = map(_words, (x.shape, starts, steps, result.shape))
    library().copy(kernel, x, *read, result=result, numbers=[x.ndim])


def _words(numbers: Sequence[int]) -> Array:
    """Modulo 2^64."""
    return np.array(numbers, np.int64).view(np.uint64)
