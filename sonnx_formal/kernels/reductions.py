"""What the kernels of sums along axes are given for a call."""

from dataclasses import dataclass

import numpy as np

from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain
from sonnx_formal.spec.admission import result_shape, signature_of
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.reduce_sum import reduced_axes, untouched


def reduction(call: Call, kernel: DeclaredKernel) -> Array:
    """The result of a call with operands that are accepted."""
    shape = result_shape(call)
    result: Array = np.empty(shape, kernel.result.type.dtype)
    given = reduction_arguments(call)
    library().write(kernel, given.data, *given.words, result=result, numbers=given.sizes)
    return result


@dataclass(frozen=True, eq=False)
class ReductionArguments:
    """What such a kernel takes besides the result."""

    data: Array
    """In C order."""
    words: tuple[Array, Array]
    """The dimensions, and for each axis 1 where it is reduced, else 0."""
    sizes: tuple[int, int]
    """The number of axes, and 1 where the data are taken as they are, else 0."""


def reduction_arguments(call: Call) -> ReductionArguments:
    """What a kernel takes for a call."""
    data = plain(call.arrays[0])
    (asked,) = signature_of(call).taken(["axes.entries"])
    axes = reduced_axes(call.attributes, data.ndim, asked)
    marks = [axis in axes for axis in range(data.ndim)]
    return ReductionArguments(
        data=data,
        words=(np.array(data.shape, np.uint64), np.array(marks, np.uint64)),
        sizes=(data.ndim, int(untouched(call.attributes, asked))),
    )
