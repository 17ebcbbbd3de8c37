"""What the kernels with a window are given for a call: dimensions and attributes as words."""

from math import prod

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain
from sonnx_formal.spec.admission import result_shape
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import ints, windows

_RANGE = 2**64
_COUNTED = 2**63


def windowed(call: Call, kernel: DeclaredKernel) -> Array:
    """The result of a call with operands that are accepted.

    :raises UserError: where numbers of 64 bits do not hold what is along an axis.
    """
    shape = result_shape(call)
    along = windows(call.attributes, call.arrays[0].shape, ints(call.attributes, "kernel_shape"))
    most = max(max(each.padded, each.span, each.stride, each.dilation) for each in along)
    if most >= _RANGE:
        raise UserError(f"{call.operator.title}: no kernel goes along an axis by 2^64 or more")
    if kernel.rounds and prod(each.kernel for each in along) >= _COUNTED:
        raise UserError(
            f"{call.operator.title}: no kernel counts 2^63 elements of a window or more"
        )
    words = window_words(call, kernel, shape)
    x = plain(call.arrays[0])
    result: Array = np.empty(shape, x.dtype)
    library().write(kernel, x, *words, result=result, numbers=window_sizes(call, kernel))
    return result


def window_words(call: Call, kernel: DeclaredKernel, shape: Shape) -> list[Array]:
    """The words for a result of a shape, in the order of the parameters."""
    dims = {"dims": call.arrays[0].shape, "y_dims": shape}
    attributes = call.attributes
    named = (dims.get(name) or ints(attributes, name) for name, _ in kernel.word_arrays)
    return [np.array(numbers, np.uint64) for numbers in named]


def window_sizes(call: Call, kernel: DeclaredKernel) -> tuple[int, ...]:
    """The attributes that are numbers, as the kernel takes them."""
    return tuple(int(str(call.attributes.get(name))) for name in kernel.sizes)
