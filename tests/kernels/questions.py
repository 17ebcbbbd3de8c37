"""What libsonnx is asked: calls of its functions, with what has to come of them.

They are made of the test vectors, so that what is wanted comes from the formal definitions, or from
exact fractions for fused kernels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sonnx_formal.backends.backend import NoResultError
from sonnx_formal.backends.lines import array_of, array_text
from sonnx_formal.check.trials import Trial, exhaustive, of_case
from sonnx_formal.kernels.convolutions import given_for
from sonnx_formal.kernels.copies import Copy, copies
from sonnx_formal.kernels.copying import CopyingKernel, Order, copying_kernel, copying_kernels
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel, KernelArray, kernels
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus
from sonnx_formal.kernels.parameters import Role
from sonnx_formal.kernels.per_axis import given_for as given_along_axis
from sonnx_formal.kernels.per_axis import has_blocks
from sonnx_formal.kernels.reductions import reduction_arguments
from sonnx_formal.kernels.windows import window_sizes, window_words
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.admission import signature_of
from sonnx_formal.spec.element_types import Array, element_type_of
from sonnx_formal.spec.kernel import KernelForm
from sonnx_formal.spec.operator import ShapeRule
from sonnx_formal.spec.operators.conv_integer import completed
from sonnx_formal.spec.operators.slice import along_axes
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import SPATIAL, ints, windows
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case
from tests.kernels.operands import differ, fused_product

KERNELS: tuple[Kernel, ...] = (*kernels(), *copying_kernels())


@dataclass(frozen=True)
class Entry:
    """A function of the library, and where its result goes."""

    kernel: Kernel
    replaced: KernelArray | None = None
    """The operand whose place it takes."""

    @property
    def label(self) -> str:
        """Its name in lines."""
        return f"{self.kernel.name}_{'in_place' if self.replaced else 'apart'}"

    @property
    def call(self) -> str:
        """Its call, as `runner.c` reads it: in place, the result is no argument of its own."""
        parameters = self.kernel.parameters
        (result,) = (each.name for each in parameters if each.role is Role.RESULT)
        names = [each.name for each in parameters if not (self.replaced and each.name == result)]
        places = {name: place for place, name in enumerate(names)}
        if self.replaced:
            places[result] = places[self.replaced.name]
        given = ", ".join(
            f"NUMBER({each.c_type}, {places[each.name]})"
            if each.role is Role.NUMBER
            else f"AT({places[each.name]})"
            for each in parameters
        )
        call = f"{self.kernel.name}({given})"
        return f"CALL({self.label}, {len(names)}, {places[result]}, {call})\n"


def entries(kernel: Kernel) -> list[Entry]:
    """The ways to call its function."""
    return [Entry(kernel, replaced) for replaced in dict.fromkeys((None, kernel.replaced))]


@dataclass(frozen=True, eq=False)
class Question:
    """A call of a function of the library."""

    name: str
    """That of the test vector."""
    entry: Entry
    arguments: tuple[Array, ...]
    """Numbers have no axes; before the call, what is to be written has other bits."""
    wanted: Array | KernelStatus
    """What the formal definition gives, or what is said where it gives nothing."""

    @property
    def kernel(self) -> Kernel:
        return self.entry.kernel

    @property
    def is_native(self) -> bool:
        """Whether it is computed with C's own floats, where contraction makes a difference."""
        kernel = self.kernel
        return isinstance(kernel, DeclaredKernel) and kernel.arithmetics is Arithmetics.NATIVE

    @property
    def line(self) -> str:
        """It, as `runner.c` reads it."""
        return " ".join((self.entry.label, *map(array_text, self.arguments)))

    def __str__(self) -> str:
        return f"{self.entry.label}: {self.name}"

    def is_answered_by(self, answer: str) -> bool:
        """Whether it is what is wanted, bit for bit."""
        if isinstance(self.wanted, KernelStatus):
            return answer == f"status {self.wanted.value}"
        try:
            got = array_of(answer.removeprefix("result "))
        except NoResultError:
            return False
        if (got.dtype, got.shape) != (self.wanted.dtype, self.wanted.shape):
            return False
        if isinstance(self.kernel, CopyingKernel):
            return got.tobytes() == self.wanted.tobytes()
        return differ(self.kernel, got, self.wanted) == 0


def questions(oracle: Oracle, kernel: Kernel, seed: int) -> Iterator[Question]:
    """The test vectors for a kernel: into a result apart, and into an operand."""
    if isinstance(kernel, CopyingKernel):
        for instance in kernel.operator.instances():
            if copying_kernel(instance) is kernel:
                for case in generate(instance, seed, oracle):
                    yield from _of_copies(kernel, case)
    else:
        for trial in _trials(oracle, kernel, seed):
            match kernel.form:
                case KernelForm.WINDOW:
                    yield from _of_windows(kernel, trial)
                case KernelForm.CONVOLUTION:
                    yield from _of_convolutions(kernel, trial)
                case KernelForm.PER_AXIS:
                    yield from _along_axis(kernel, trial)
                case KernelForm.REDUCTION:
                    yield from _of_reductions(kernel, trial)
                case KernelForm.ELEMENTS | KernelForm.PRODUCT | KernelForm.PRODUCT_AND_SUM:
                    yield from _of_elements(kernel, trial)


def _trials(oracle: Oracle, kernel: DeclaredKernel, seed: int) -> Iterator[Trial]:
    """Those of one call, and all combinations of elements where these are few."""
    instance = kernel.instance
    trials = [of_case(case, oracle) for case in generate(instance, seed, oracle)]
    if kernel.is_fused:
        trials = [replace(each, expected=fused_product(*each.call.arrays)) for each in trials]
    yield from (each for each in trials if _is_one_call(kernel, each))
    yield from exhaustive(oracle, instance).trials


def _is_one_call(kernel: DeclaredKernel, trial: Trial) -> bool:
    """Whether a kernel takes the operands as they are: of products, all that are accepted."""
    arrays = trial.call.arrays
    if kernel.form in {KernelForm.WINDOW, KernelForm.CONVOLUTION}:
        return True  # what is refused, too
    if kernel.operator.shape_rule is not ShapeRule.MULTIDIRECTIONAL:
        return trial.expected is not None or kernel.is_partial
    return len(arrays) == len(kernel.operands) and len({each.shape for each in arrays}) == 1


def _of_elements(kernel: DeclaredKernel, trial: Trial) -> Iterator[Question]:
    operands = kernel.values(trial.call)
    a, *others = operands
    wanted = KernelStatus.DIVISION_BY_ZERO if trial.expected is None else trial.expected
    result = np.zeros_like(a) if trial.expected is None else _inverted(trial.expected)
    sizes = (a.size,) if kernel.by_element else (*a.shape, others[0].shape[1])
    computed = (0,) if kernel.is_partial else ()
    for entry in entries(kernel):
        written = () if entry.replaced else (result,)
        arguments = (*operands, *written, *map(_number, (*sizes, *computed)))
        yield Question(trial.name, entry, arguments, wanted)


def _of_windows(kernel: DeclaredKernel, trial: Trial) -> Iterator[Question]:
    def question(shape: Shape, result: Array, wanted: Array | KernelStatus) -> Question:
        words = window_words(trial.call, kernel, shape)
        sizes = map(_number, window_sizes(trial.call, kernel))
        arguments = (*trial.call.arrays, *words, result, *sizes)
        return Question(trial.name, Entry(kernel), arguments, wanted)

    if trial.expected is not None:
        samples, *shape = trial.expected.shape
        yield question(trial.expected.shape, _inverted(trial.expected), trial.expected)
        more = np.zeros((samples + 1, *shape), trial.expected.dtype)
        yield question(more.shape, more, KernelStatus.ARGUMENT)
    elif (trial.violated or "").partition(".")[2] in _REFUSED_WINDOWS[kernel.operator.name]:
        along = windows(trial.call.attributes, trial.call.arrays[0].shape,
                        ints(trial.call.attributes, "kernel_shape"))  # fmt: skip
        if all(each.stride > 0 for each in along):
            shape = [*trial.call.arrays[0].shape[:2], *(max(each.places, 0) for each in along)]
            refused = np.zeros(shape, kernel.type.dtype)
            yield question(refused.shape, refused, KernelStatus.ARGUMENT)


_REFUSED_WINDOWS = {
    "max_pool": {"KERNEL_SHAPE.C1", "DILATIONS.C1", "PADS.C2", "Y.C1"},
    "average_pool": {"KERNEL_SHAPE.C1", "DILATIONS.C1", "PADS.C3", "SHAPE"},
}
"""The requirements that a function looks at; not that there are as many numbers as it reads."""


def _of_convolutions(kernel: DeclaredKernel, trial: Trial) -> Iterator[Question]:
    def question(shape: Shape, result: Array, wanted: Array | KernelStatus) -> Question:
        given = given_for(trial.call, kernel, shape)
        sizes = map(_number, given.sizes)
        arguments = (*given.arrays, *given.words, *given.values, result, *sizes)
        return Question(trial.name, Entry(kernel), arguments, wanted)

    dtype = kernel.result.type.dtype
    if trial.expected is not None:
        samples, *shape = trial.expected.shape
        yield question(trial.expected.shape, _inverted(trial.expected), trial.expected)
        more = np.zeros((samples + 1, *shape), dtype)
        yield question(more.shape, more, KernelStatus.ARGUMENT)
    elif (trial.violated or "").partition(".")[2] in _REFUSED_CONVOLUTIONS:
        x, w, *_ = trial.call.arrays
        along = windows(completed(trial.call.attributes), x.shape, w.shape[SPATIAL:])
        if all(each.stride > 0 for each in along):
            shape = [x.shape[0], w.shape[0], *(max(each.places, 0) for each in along)]
            refused = np.zeros(shape, dtype)
            yield question(refused.shape, refused, KernelStatus.ARGUMENT)


_REFUSED_CONVOLUTIONS = {"GROUP.C2", "GROUP.C3", "R3", "X.C2", "X.C3", "W.C2", "W.C3"}
"""The requirements that a function looks at, and that are of numbers without a sign."""


def _along_axis(kernel: DeclaredKernel, trial: Trial) -> Iterator[Question]:
    assert trial.expected is not None
    if has_blocks(trial.call):
        return  # who calls the kernels calls one for each block
    given = given_along_axis(trial.call, kernel)
    result = _inverted(trial.expected)

    def question(sizes: tuple[int, ...], wanted: Array | KernelStatus) -> Question:
        arguments = (*given.arrays, result, *map(_number, sizes))
        return Question(trial.name, Entry(kernel), arguments, wanted)

    yield question(given.sizes, trial.expected)
    outer, channels, inner, zeros, *more = given.sizes
    if zeros > 1:
        yield question((outer, channels, inner, zeros - 1, *more), KernelStatus.ARGUMENT)


def _of_reductions(kernel: DeclaredKernel, trial: Trial) -> Iterator[Question]:
    given = reduction_arguments(trial.call)
    assert trial.expected is not None
    for sizes, wanted in (
        (given.sizes, trial.expected),
        ((given.sizes[0], 1 - given.sizes[1]), KernelStatus.ARGUMENT),
    ):
        if sizes[0] > 0 or sizes == given.sizes:  # without axes, both are calls
            arguments = (
                given.data, *given.words, _inverted(trial.expected), *map(_number, sizes),
            )  # fmt: skip
            yield Question(trial.name, Entry(kernel), arguments, wanted)


def _of_copies(kernel: CopyingKernel, case: Case) -> Iterator[Question]:
    def question(copy: Copy, result: Array, wanted: Array | KernelStatus) -> Question:
        arguments = (*copy.arrays, result, *map(_number, copy.numbers))
        return Question(case.name, Entry(kernel), arguments, wanted)

    if case.violated is not None:
        shape = _shape_refused(kernel, case)
        if shape is not None:
            result = np.zeros(shape, case.call.arrays[0].dtype)
            (copy,) = copies(case.call, kernel, shape)
            yield question(copy, result, KernelStatus.ARGUMENT)
        return
    for copy in copies(case.call, kernel, case.expected.shape):
        if kernel.order is not Order.JOINED:
            yield question(copy, _inverted(case.expected), case.expected)
            continue
        outer, block, start, row = copy.numbers
        before = case.expected.copy()  # but for this operand, what is to come is there
        rows = before.reshape(outer, row)
        rows[:, start : start + block] = _inverted(rows[:, start : start + block])
        yield question(copy, before, case.expected)
        if start + block == row:  # the last one ends with the row
            beyond = replace(copy, numbers=(outer, block, start + 1, row))
            yield question(beyond, before, KernelStatus.ARGUMENT)


_REFUSED = {
    Order.TRANSPOSED: {"PERM.C1"},
    Order.CUT: {"X.C3", "K.C2", "S.C2", "E.C2", "R6", "R7", "Y.C2"},
}
"""The requirements that a function looks at; what violates another one, its caller cannot ask."""


def _shape_refused(kernel: CopyingKernel, case: Case) -> tuple[int, ...] | None:
    """The shape of the result that a caller would ask for, with operands that are rejected."""
    item = (case.violated or "").partition(".")[2]
    x, *cut = case.call.arrays
    if item not in _REFUSED.get(kernel.order, ()):
        return None
    if kernel.order is Order.TRANSPOSED:
        (perm,) = signature_of(case.call).taken(["perm"])
        return x.shape if len(perm) == x.ndim else None
    along = along_axes(x.shape, *(tuple(each.tolist()) for each in cut))
    if any(abs(each.step) > 1 for each in along.values()):
        return None  # where a step goes over the end, all elements may be in X
    by_axis = (along[axis] for axis in range(x.ndim))
    return tuple(max(each.count, 0) if each.step else 1 for each in by_axis)


def _number(value: int) -> Array:
    return np.array(value, np.uint64)


def _inverted(array: Array) -> Array:
    """It with other bits everywhere."""
    pattern = element_type_of(array).pattern
    made: Array = (~array.view(pattern)).view(array.dtype)
    return made
