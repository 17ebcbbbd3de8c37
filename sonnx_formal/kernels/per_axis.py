"""What the kernels of QuantizeLinear and DequantizeLinear are given for a call."""

import math
from dataclasses import dataclass

import numpy as np

from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain_or_zeros
from sonnx_formal.spec.admission import signature_of
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.quantization import axis_among


def along_axis(call: Call, kernel: DeclaredKernel) -> Array:
    """The result of a call with operands that are accepted."""
    given = given_for(call, kernel)
    result: Array = np.empty(call.arrays[0].shape, kernel.result.type.dtype)
    library().write(kernel, *given.arrays, result=result, numbers=given.sizes)
    return result


@dataclass(frozen=True, eq=False)
class PerAxisArguments:
    """What such a kernel takes besides the result."""

    arrays: tuple[Array, ...]
    """The operands, in C order; a zero point that is left out has no elements."""
    sizes: tuple[int, ...]
    """Rows, blocks of a row, elements of a block, and how many zero points there are."""


def given_for(call: Call, kernel: DeclaredKernel) -> PerAxisArguments:
    """What a kernel takes for a call."""
    bound = {name: array for name, _, array in call.bound()}
    operands = [plain_or_zeros(bound[each.title], each.type.dtype) for each in kernel.operands]
    x, scale, zero = operands
    if scale.ndim == 0:
        sizes = (1, 1, x.size)
    else:
        (given,) = signature_of(call).taken(("axis",))
        axis = axis_among(x.ndim, given)
        sizes = (math.prod(x.shape[:axis]), scale.size, math.prod(x.shape[axis + 1 :]))
    return PerAxisArguments(tuple(operands), (*sizes, zero.size))
