"""What the kernels of ReduceSum compute, against the formal definitions, and what they refuse."""

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels
from sonnx_formal.kernels import reductions
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.reduce_sum import reduce_sum
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.vectors.generate import generate
from tests.kernels.operands import BY_NAME, REDUCTIONS, differ, telling

SHAPES: list[tuple[int, ...]] = [(5,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (3, 0, 2)]
CANARY = 0x5A


def call_of(kernel: DeclaredKernel, data: Array, axes: Any, **named: int) -> Call:
    asked = None if axes is None else np.array(axes, np.int64)
    return Call(kernel.operator, (data, asked), Attributes.of(named))


@pytest.mark.parametrize("kernel", REDUCTIONS, ids=lambda kernel: kernel.name)
def test_test_vectors(kernel: DeclaredKernel, oracle: Oracle) -> None:
    results = 0
    for case in generate(kernel.instance, 0, oracle):
        if case.violated is not None:
            with pytest.raises(SpecViolation) as raised:
                kernels.apply(case.call, by=kernel.arithmetics)
            assert raised.value.requirement == case.violated
            continue
        result = kernels.apply(case.call, by=kernel.arithmetics)
        assert differ(kernel, result, case.expected) == 0, case.name
        results += 1
    assert results > 5


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kernel", REDUCTIONS, ids=lambda kernel: kernel.name)
def test_all_sets_of_axes(kernel: DeclaredKernel, shape: tuple[int, ...], oracle: Oracle) -> None:
    random = np.random.default_rng(4)
    data = random.choice(telling(kernel.type), shape)
    every = range(len(shape))
    for count in range(len(shape) + 1):
        for axes in itertools.combinations(every, count):
            for named in ({}, {"keepdims": 0, "noop_with_empty_axes": 1}):
                wanted = oracle.evaluate(call_of(kernel, data, axes, **named))
                for array in (data, np.asfortranarray(data)):
                    call = call_of(kernel, array, axes, **named)
                    result = kernels.apply(call, by=kernel.arithmetics)
                    assert differ(kernel, result, wanted) == 0, (axes, named)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_terms_are_taken_in_their_order(dtype: Any) -> None:
    """Each sum is rounded before the next term."""
    large = dtype(2.0 ** (np.finfo(dtype).nmant + 1))
    data = np.array([[large, 1, 1, -large], [1, 1, large, -large]], dtype)
    assert kernels.reduce_sum(data, np.array([1])).ravel().tolist() == [0, 2]
    assert kernels.reduce_sum(data.T, np.array([0])).ravel().tolist() == [0, 2]
    assert kernels.reduce_sum(data).ravel().tolist() == [2]  # 0, 1, 2, large + 2, 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_sum_of_minus_zero_is_zero_unless_it_is_untouched(dtype: Any) -> None:
    for shape in ((), (1,)):
        zero = np.full(shape, -0.0, dtype)
        assert not np.signbit(kernels.reduce_sum(zero)).any()
        assert np.signbit(kernels.reduce_sum(zero, noop_with_empty_axes=1)).all()


def test_which_payloads_of_nan_are_kept() -> None:
    bits = np.array([0x7C01, 0xFE77, 0xFC01], np.uint16)
    data = bits.view(np.float16)
    assert kernels.reduce_sum(data, noop_with_empty_axes=1).tobytes() == bits.tobytes()
    sums = kernels.reduce_sum(data.reshape(3, 1), np.array([1]), keepdims=0)
    assert sums.view(np.uint16).tolist() == [0x7E00] * 3


def test_sums_are_modulo() -> None:
    data = np.full((2, 3), 2**30, np.int32)
    assert kernels.reduce_sum(data, np.array([1]), keepdims=0).tolist() == [3 * 2**30 - 2**32] * 2
    most = np.full(3, 2**64 - 1, np.uint64)
    assert kernels.reduce_sum(most).tolist() == [2**64 - 3]


@pytest.mark.parametrize(
    ("axes", "named"),
    [
        ([2], {}),
        ([0, 0], {}),
        ([1, -1], {}),
        ([[0]], {}),
        ([0], {"keepdims": 2}),
        ([], {"noop_with_empty_axes": -1}),
    ],
    ids=str,
)
def test_operands_are_rejected_as_by_the_reference(axes: Any, named: dict[str, int]) -> None:
    def error(function: Any) -> str | None:
        with pytest.raises(SpecViolation) as raised:
            function(np.ones((2, 3), np.int32), np.array(axes, np.int64), **named)
        return raised.value.requirement

    assert error(kernels.reduce_sum) == error(reduce_sum)


MUTANTS = [  # none of them reads outside of an array of these calls
    ("reduce_sum_int32", "stride = stride * d", "stride = stride"),
    ("reduce_sum_int64", "step(y[o + c], a[start + c])", "step(y[o + c], a[start])"),
    ("reduce_sum_uint32", "y[o] = step(y[o], a[start + c])", "y[o] = step(y[o], a[start])"),
    ("reduce_sum_uint64", "start = start + width", "start = start + width + width"),
    ("reduce_sum_float32", "y[o + c] + a[start + c]", "a[start + c] - y[o + c]"),
    ("reduce_sum_float64", "y[o] + a[start + c]", "a[start + c]"),
    ("soft_reduce_sum_float16", "q % d", "q % d / UINT64_C(2)"),
    ("soft_reduce_sum_bfloat16", "q = q / d", "q = q"),
    ("soft_reduce_sum_float32", "compute(y[o], a[start + c])", "compute(y[o], a[start])"),
]


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant[0]}: {mutant[2]}")
def test_errors_in_the_text_are_caught(
    mutant: tuple[str, str, str],
    broken: Callable[[Kernel, str, str], LoadedLibrary],
    oracle: Oracle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, before, after = mutant
    kernel = BY_NAME[f"sonnx_{name}"]
    library = broken(kernel, before, after)
    random = np.random.default_rng(6)
    data = random.choice(telling(kernel.type), (3, 2, 4))
    calls = [call_of(kernel, data, axes) for axes in ([1], [0, 2])]
    wanted = [oracle.evaluate(call) for call in calls]

    def differing() -> int:
        results = [kernels.apply(call, by=kernel.arithmetics) for call in calls]
        return sum(differ(kernel, *both) for both in zip(results, wanted, strict=True))

    assert differing() == 0
    monkeypatch.setattr(reductions, "library", lambda: library)
    assert differing() > 0


# --- What the functions of the library look at before a kernel runs ---


def words(*numbers: int) -> Array:
    return np.array(numbers, np.uint64)


def summed(
    libsonnx: LoadedLibrary, places: list[Array | int | None], rank: int = 2, untouched: int = 0
) -> KernelStatus:
    given = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in places]
    function = libsonnx.functions.sonnx_reduce_sum_int32
    sizes = map(ctypes.c_uint64, (rank, untouched))
    return KernelStatus(function(*map(ctypes.c_void_p, given), *sizes))


def arguments(dims: tuple[int, ...] = (2, 3), marks: tuple[int, ...] = (0, 1)) -> list[Array]:
    """Two rows of three, and a place more after the result."""
    return [
        np.arange(6, dtype=np.int32), words(*dims), words(*marks), np.full(7, CANARY, np.int32),
    ]  # fmt: skip


@pytest.mark.parametrize("mark", [1, 2, 2**63])
def test_a_result_and_nothing_after_it(libsonnx: LoadedLibrary, mark: int) -> None:
    given = arguments(marks=(0, mark))
    assert summed(libsonnx, [*given]) is KernelStatus.OK
    assert given[-1].tolist() == [3, 12, *[CANARY] * 5]


def test_data_that_are_taken_as_they_are(libsonnx: LoadedLibrary) -> None:
    given = arguments(marks=(0, 0))
    assert summed(libsonnx, [*given], untouched=1) is KernelStatus.OK
    assert given[-1].tolist() == [0, 1, 2, 3, 4, 5, CANARY]
    for untouched in (0, 1):
        given = arguments()
        assert summed(libsonnx, [*given], 0, untouched) is KernelStatus.OK
        assert given[-1].tolist() == [0, *[CANARY] * 6]


@pytest.mark.parametrize(
    ("marks", "untouched"), [((0, 0), 0), ((0, 1), 1), ((1, 0), 2**63), ((1, 1), 1)]
)
def test_what_does_not_go_together(
    libsonnx: LoadedLibrary, marks: tuple[int, ...], untouched: int
) -> None:
    given = arguments(marks=marks)
    assert summed(libsonnx, [*given], untouched=untouched) is KernelStatus.ARGUMENT
    assert {*given[-1].tolist()} == {CANARY}


def test_results_without_terms_or_elements(libsonnx: LoadedLibrary) -> None:
    given = arguments((3, 0))
    assert summed(libsonnx, [*given]) is KernelStatus.OK
    assert given[-1].tolist() == [0, 0, 0, *[CANARY] * 4]
    given = arguments((0, 2**63))
    assert summed(libsonnx, [*given]) is KernelStatus.OK
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize("dims", [(2**63, 2), (2**64 - 1, 0), (0, 2**63)], ids=str)
def test_sizes_that_no_array_has(libsonnx: LoadedLibrary, dims: tuple[int, ...]) -> None:
    given = arguments(dims, (0, 1) if dims[1] < dims[0] else (1, 0))
    assert summed(libsonnx, [*given]) is KernelStatus.SIZE
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize("place", range(4))
def test_null_misaligned_and_overlapping_arrays(libsonnx: LoadedLibrary, place: int) -> None:
    given: list[Array | int | None] = [*arguments()]
    array = given[place]
    assert isinstance(array, np.ndarray)
    given[place] = None
    assert summed(libsonnx, given) is KernelStatus.NULL_POINTER
    given[place] = array.ctypes.data + 1
    assert summed(libsonnx, given) is KernelStatus.MISALIGNED
    if place < len(given) - 1:
        given[place], given[-1] = array, array
        before = array.tolist()
        assert summed(libsonnx, given) is KernelStatus.OVERLAP
        assert array.tolist() == before


def test_which_kernels_there_are() -> None:
    soft = {each.type.name for each in REDUCTIONS if each.arithmetics is Arithmetics.SOFT}
    assert soft == {"float16", "bfloat16", "float32", "float64"}
    assert len(REDUCTIONS) == 4 + 2 + 4
