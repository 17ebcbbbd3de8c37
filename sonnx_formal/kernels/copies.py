"""What the kernels that copy elements are given for a call of a structural operator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sonnx_formal.kernels.copying import CopyingKernel, Order
from sonnx_formal.kernels.library import library
from sonnx_formal.spec.admission import result_shape, signature_of
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.slice import along_axes
from sonnx_formal.spec.operators.transpose import axes


def copied(call: Call, kernel: CopyingKernel) -> Array:
    """The result of a call with operands that are accepted."""
    shape = result_shape(call)
    result: Array = np.empty(shape, call.arrays[0].dtype)
    for copy in copies(call, kernel, shape):
        library().write(kernel, *copy.arrays, result=result, numbers=copy.numbers)
    return result


@dataclass(frozen=True, eq=False)
class Copy:
    """What the function of a kernel is given besides the result."""

    arrays: tuple[Array, ...]
    numbers: tuple[int, ...]


def copies(call: Call, kernel: CopyingKernel, shape: tuple[int, ...]) -> Iterator[Copy]:
    """The calls of its function that a result of a shape takes; of Concat, one for each operand."""
    x = call.arrays[0]
    match kernel.order:
        case Order.KEPT:
            yield Copy((x,), (x.size,))
        case Order.JOINED:
            (axis,) = signature_of(call).taken(["axis"])
            outer, row, start = prod(shape[:axis]), prod(shape[axis:]), 0
            for operand in call.arrays:
                block = prod(operand.shape[axis:])
                yield Copy((operand,), (outer, block, start, row))
                start += block
        case Order.TRANSPOSED:
            (perm,) = signature_of(call).taken(["perm"])
            order, work = axes(perm, x.ndim), np.zeros(x.ndim, np.uint64)
            yield Copy((x, _words(x.shape), _words(order), work), (x.ndim,))
        case Order.CUT:
            along = along_axes(x.shape, *(tuple(each.tolist()) for each in call.arrays[1:]))
            by_axis = [along[axis] for axis in range(x.ndim)]
            starts, steps = [each.first for each in by_axis], [each.step for each in by_axis]
            yield Copy((x, *map(_words, (x.shape, starts, steps, shape))), (x.ndim,))


def _words(numbers: Sequence[int]) -> Array:
    """Modulo 2^64."""
    return np.array(numbers, np.int64).view(np.uint64)
