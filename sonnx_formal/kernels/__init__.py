"""libsonnx: C kernels that are extracted from Why3 and proved to compute operators.

    from sonnx_formal import kernels

    kernels.mul(a, b)

Each operator that has kernels is a function here, with the operands, results and errors of the
function of that name in `sonnx_formal.reference`; over types without a kernel it raises a
`UserError` that says which have one. Its results are those of `libsonnx.so`, which computes on the
arrays as they are. Max and Min take a call for each operand after the first, of arrays that NumPy
has broadcast, and Equal one of such arrays; Concat takes a call for each operand. `matmul_fused`
rounds once where `matmul` rounds a product, then a sum.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.convolutions import convolution
from sonnx_formal.kernels.copies import copied
from sonnx_formal.kernels.copying import copying_kernel, copying_kernels
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel, kernels, kernels_of
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.operands import plain
from sonnx_formal.kernels.per_axis import along_axis
from sonnx_formal.kernels.reductions import reduction
from sonnx_formal.kernels.windows import windowed
from sonnx_formal.spec.admission import accepted, violation
from sonnx_formal.spec.call import Call, attributes_of, check_attributes
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.kernel import KernelForm
from sonnx_formal.spec.operator import Instance, Operator, Presence, ShapeRule
from sonnx_formal.spec.operators.matmul import MATMUL


def __getattr__(name: str) -> Callable[..., Array]:
    for operator in _operators():
        if operator.reference.function == name:
            return _function(operator)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(operator.reference.function for operator in _operators())})


def _operators() -> Iterable[Operator]:
    computing = (kernel.operator for kernel in kernels())
    return dict.fromkeys((*computing, *(kernel.operator for kernel in copying_kernels())))


def _function(operator: Operator) -> Callable[..., Array]:
    empty = Parameter.empty
    operands = [
        Parameter(
            each.name.lower(),
            Parameter.VAR_POSITIONAL
            if each.presence is Presence.VARIADIC
            else Parameter.POSITIONAL_OR_KEYWORD,
            default=None if each.presence is Presence.OPTIONAL else empty,
            annotation=Array,
        )
        for each in operator.inputs
    ]
    attributes = [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=empty if each.required else None,
            annotation=each.kind.type,
        )
        for each in operator.attributes
    ]
    signature = Signature([*operands, *attributes], return_annotation=Array)

    def applied(*given: Any, **named: Any) -> Array:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        return apply(Call(operator, bound.args, attributes_of(operator, **bound.kwargs)))

    vars(applied)["__signature__"] = signature
    applied.__name__ = applied.__qualname__ = operator.reference.function
    applied.__doc__ = (
        f"{operator.title} by libsonnx, with the operands, results and errors of"
        f" `sonnx_formal.reference.{operator.reference.function}`."
    )
    return applied


def matmul_fused(a: Array, b: Array) -> Array:
    """MatMul over float32 or float64 where each product is added with one rounding.

    Its bits are not those of the reference order, but within the bound of `matmul_bound`; operands
    and errors are those of `matmul`. It is fast on processors that have the operation.
    """
    return apply(Call(MATMUL, (a, b)), by=Arithmetics.FUSED)


def apply(call: Call, *, by: Arithmetics | None = None) -> Array:
    """What the library computes for a call of an operator.

    :param by: by a kernel that computes with this; without it, by the native one where there is
        one, and by the soft one over types that C has not itself.
    :raises SpecViolation: for operands that the documents do not allow, and for an integer divisor
        that is zero.
    :raises TypeError: as `accepted`.
    :raises UserError: where there is no kernel, an attribute is not as it is declared, or the
        library cannot be built.
    """
    check_attributes(call.operator, call.attributes)
    call = accepted(call.operator, *call.operands, attributes=call.attributes)
    instance = call.instance()
    if by is None and (copying := copying_kernel(instance)):
        return copied(call, copying)
    kernel = next(iter(_usable(instance, by)), None)
    if kernel is None:
        mine = [each for each in call.operator.instances() if supports(each, by=by)]
        have = dict.fromkeys(each.types[0].name for each in mine)
        kind = f"{by.name.lower()} kernel" if by else "kernel"
        there = f"there are kernels over {', '.join(have)}" if have else "there is none over a type"
        raise UserError(f"{call.operator.title} over {instance.label} has no {kind}: {there}")
    return _by_form(call, kernel)


def _by_form(call: Call, kernel: DeclaredKernel) -> Array:
    match kernel.form:
        case KernelForm.PRODUCT | KernelForm.PRODUCT_AND_SUM:
            return library().product(kernel, *_arrays(call, kernel))
        case KernelForm.WINDOW:
            return windowed(call, kernel)
        case KernelForm.CONVOLUTION:
            return convolution(call, kernel)
        case KernelForm.PER_AXIS:
            return along_axis(call, kernel)
        case KernelForm.REDUCTION:
            return reduction(call, kernel)
        case KernelForm.ELEMENTS:
            return _by_element(call, kernel, _arrays(call, kernel))


def _arrays(call: Call, kernel: DeclaredKernel) -> list[Array]:
    return [*map(plain, kernel.values(call))]


def _by_element(call: Call, kernel: DeclaredKernel, arrays: Sequence[Array]) -> Array:
    if kernel.operator.shape_rule is ShapeRule.MULTIDIRECTIONAL:
        return _one_by_one(kernel, arrays)
    count = len(kernel.operands)
    result, computed = library().elementwise(kernel, *arrays[:count], numbers=arrays[count:])
    if computed < result.size:
        raise _no_result(call, kernel, computed)
    return result


def _one_by_one(kernel: DeclaredKernel, arrays: Sequence[Array]) -> Array:
    """The last operand, with each one before it in turn: the order of the definition."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    *others, last = (np.array(np.broadcast_to(array, shape), order="C") for array in arrays)
    return reduce(lambda y, x: library().elementwise(kernel, x, y)[0], reversed(others), last)


def supports(instance: Instance, *, by: Arithmetics | None = None) -> bool:
    """Whether `apply` has a kernel for it."""
    return bool(_usable(instance, by) or (by is None and copying_kernel(instance)))


def _usable(instance: Instance, by: Arithmetics | None) -> list[DeclaredKernel]:
    return [kernel for kernel in kernels_of(instance) if by in {None, kernel.arithmetics}]


def _no_result(call: Call, kernel: DeclaredKernel, place: int) -> Exception:
    domain = kernel.operator.definition.domain
    if domain is None:
        raise AssertionError(f"{kernel.name} stopped at {place} though it has a result everywhere")
    index = tuple(map(int, np.unravel_index(place, call.arrays[0].shape)))
    return violation(call, [domain.item], f"{domain.broken} at index {list(index)}")
