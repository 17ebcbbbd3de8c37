"""What the kernels of QuantizeLinear and DequantizeLinear are given for a call."""

import math
from dataclasses import dataclass

import numpy as np

from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain_or_zeros
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.quantization import Granularity, axis_among


def along_axis(call: Call, kernel: DeclaredKernel) -> Array:
    """The result of a call with operands that are accepted.

    The kernel has one scale for all, or one for each entry along the axis. Of blocks, which it has
    not, each is computed by itself: what is in a block has one scale then.
    """
    if has_blocks(call):
        return _by_blocks(call, kernel)
    given = given_for(call, kernel)
    result: Array = np.empty(call.arrays[0].shape, kernel.result.type.dtype)
    library().write(kernel, *given.arrays, result=result, numbers=given.sizes)
    return result


def has_blocks(call: Call) -> bool:
    """Whether there is a scale for each block, which no kernel takes."""
    x, scale, *_ = call.arrays
    return Granularity.of(call.attributes).blocked(x.shape, scale.shape)


def _by_blocks(call: Call, kernel: DeclaredKernel) -> Array:
    granularity = Granularity.of(call.attributes)
    x, scale, *_ = call.arrays
    zero = call.operands[2]
    axis, size = axis_among(x.ndim, granularity.axis), granularity.block
    result: Array = np.empty(x.shape, kernel.result.type.dtype)
    into = np.moveaxis(result, axis, -1)
    for number in range(scale.shape[axis]):
        rows = np.moveaxis(x, axis, -1)[..., number * size : (number + 1) * size]
        parameters = [
            None if each is None else np.moveaxis(each, axis, -1)[..., number].ravel()
            for each in (scale, zero)
        ]
        operands = (rows.reshape(-1, rows.shape[-1]), *parameters)
        told = {"axis": 0, "saturate": call.attributes.get("saturate")}
        part = along_axis(Call(call.operator, operands, Attributes.of(told)), kernel)
        into[..., number * size : (number + 1) * size] = part.reshape(rows.shape)
    return result


@dataclass(frozen=True, eq=False)
class PerAxisArguments:
    """What such a kernel takes besides the result."""

    arrays: tuple[Array, ...]
    """The operands, in C order; a zero point that is left out has no elements."""
    sizes: tuple[int, ...]
    """Rows, blocks of a row, elements of a block, how many zero points there are; and where the
    result is of floats of 8 bits, 1 for saturation."""


def given_for(call: Call, kernel: DeclaredKernel) -> PerAxisArguments:
    """What a kernel takes for a call without blocks."""
    bound = {name: array for name, _, array in call.bound()}
    operands = [plain_or_zeros(bound[each.title], each.type.dtype) for each in kernel.operands]
    x, scale, zero = operands
    if scale.ndim == 0:
        sizes = (1, 1, x.size)
    else:
        axis = axis_among(x.ndim, Granularity.of(call.attributes).axis)
        sizes = (math.prod(x.shape[:axis]), scale.size, math.prod(x.shape[axis + 1 :]))
    saturate = (int(call.attributes.get("saturate") != 0),) if kernel.saturates else ()
    return PerAxisArguments(tuple(operands), (*sizes, zero.size, *saturate))
