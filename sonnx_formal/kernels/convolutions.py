"""What the kernels of Conv and ConvInteger are given for a call."""

from dataclasses import dataclass

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain_or_zeros
from sonnx_formal.spec.admission import result_shape
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.conv import group_of
from sonnx_formal.spec.operators.conv_integer import completed
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import SPATIAL, ints, windows

_RANGE = 2**64


def convolution(call: Call, kernel: DeclaredKernel) -> Array:
    """The result of a call with operands that are accepted.

    :raises UserError: where numbers of 64 bits do not hold what is along an axis.
    """
    shape = result_shape(call)
    x, w, *_ = call.arrays
    along = windows(completed(call.attributes), x.shape, w.shape[SPATIAL:])
    most = max(max(each.padded, each.stride, each.dilation) for each in along)
    if most >= _RANGE:
        raise UserError(f"{call.operator.title}: no kernel goes along an axis by 2^64 or more")
    given = given_for(call, kernel, shape)
    result: Array = np.empty(shape, kernel.result.type.dtype)
    library().write(
        kernel, *given.arrays, *given.words, result=result, numbers=given.sizes, values=given.values
    )
    return result


@dataclass(frozen=True, eq=False)
class ConvolutionArguments:
    """What such a kernel takes besides the result."""

    arrays: tuple[Array, ...]
    """The operands, in C order; one that is left out has no elements."""
    words: tuple[Array, ...]
    values: tuple[Array, ...]
    """Numbers, as arrays without axes; one that is left out is 0."""
    sizes: tuple[int, ...]


def given_for(call: Call, kernel: DeclaredKernel, shape: Shape) -> ConvolutionArguments:
    """What a kernel takes for a call, and a result of a shape."""
    bound = {name.lower(): array for name, _, array in call.bound()}
    attributes = completed(call.attributes)
    operands = [plain_or_zeros(bound[each.name], each.type.dtype) for each in kernel.operands]
    x, w, last = operands
    dims = {"dims": x.shape, "w_dims": w.shape, "y_dims": shape}
    named = (dims.get(name) or ints(attributes, name) for name, _ in kernel.word_arrays)
    return ConvolutionArguments(
        arrays=tuple(operands),
        words=tuple(np.array(numbers, np.uint64) for numbers in named),
        values=tuple(
            plain_or_zeros(bound[each.name], each.type.dtype, ()) for each in kernel.numbers
        ),
        sizes=(group_of(attributes), last.size),
    )
