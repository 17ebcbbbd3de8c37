"""What the kernels that copy elements do, against the formal definitions, bit for bit."""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels, reference
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels import copies
from sonnx_formal.kernels.copying import CopyingKernel, copying_kernel, copying_kernels
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import TEXT, Array
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case
from tests.quick import each_of, is_telling

STRUCTURAL = [each for each in operators() if each.arithmetic is Arithmetic.COPY]
WITH_KERNELS = [
    instance
    for each in STRUCTURAL
    for instance in each.instances()
    if instance.types[0].has_patterns
]
BY_NAME = {kernel.name: kernel for kernel in copying_kernels()}
CANARY = 0x5A5A5A5A


def test_each_structural_operator_has_one_for_each_width() -> None:
    assert len(copying_kernels()) == 4 * len(STRUCTURAL) == 4 * 8
    for instance in (instance for each in STRUCTURAL for instance in each.instances(every=True)):
        kernel = copying_kernel(instance)
        patterns = instance.types[0].has_patterns
        assert (kernel.width if kernel else None) == (instance.types[0].width if patterns else None)


@each_of("instance", WITH_KERNELS, is_telling)
def test_test_vectors(instance: Instance, oracle: Oracle) -> None:
    """NaN and its payloads are elements like others, so that floats tell most of a kernel."""
    results = 0
    for case in generate(instance, 0, oracle):
        if case.violated is not None:
            with pytest.raises(SpecViolation) as raised:
                kernels.apply(case.call)
            assert raised.value.requirement == case.violated
            continue
        result = kernels.apply(case.call)
        assert result.tobytes() == case.expected.tobytes(), case.name
        assert (result.dtype, result.shape) == (case.expected.dtype, case.expected.shape)
        assert not any(np.shares_memory(result, operand) for operand in case.call.arrays)
        results += 1
    assert results > 0


@pytest.mark.parametrize(
    ("name", "operands", "attributes"),
    [
        ("concat", ((2, 3), (2, 4)), {"axis": 0}),
        ("concat", ((2, 3),), {"axis": 2}),
        ("transpose", ((2, 3),), {"perm": [0, 0]}),
        ("transpose", ((2, 3),), {"perm": [0.5, 1]}),
        ("flatten", ((2, 3),), {"axis": 3}),
        ("flatten", ((2, 3),), {"axis": 1.5}),
    ],
)
def test_operands_are_rejected_as_by_the_reference(
    name: str, operands: tuple[tuple[int, ...], ...], attributes: dict[str, Any]
) -> None:
    def error(function: Any) -> tuple[type[Exception], str | None]:
        with pytest.raises((SpecViolation, TypeError)) as raised:
            function(*(np.ones(shape, np.int8) for shape in operands), **attributes)
        return raised.type, getattr(raised.value, "requirement", None)

    assert error(getattr(kernels, name)) == error(getattr(reference, name))


def test_texts_have_no_width() -> None:
    with pytest.raises(
        UserError, match=r"SONNX Concat over string has no kernel: .* over int8, .*"
    ):
        kernels.concat(np.array(["a"]), axis=0)
    assert not kernels.supports(Instance(operator("concat"), (TEXT,)))


MUTANTS = [  # none of them reads or writes outside of an array of a test vector
    ("reshape_word8", "y[i] = a[i]", "y[i] = a[0]"),
    ("flatten_word32", "i < n", "i + 1 < n"),
    ("squeeze_word16", "y[i] = a[i]", "y[i] = (uint8_t)a[i]"),
    ("concat_word16", "o * row + start", "o * block + start"),
    ("concat_word64", "a[from + j]", "a[from]"),
    ("transpose_word32", "o * d + x", "o + x"),
    ("transpose_word8", "q % d", "q % d / UINT64_C(2)"),
    ("transpose_word16", "axis < rank", "axis <= rank"),
    ("slice_word32", "start + m * pattern", "start - m * pattern"),
    ("slice_word8", "k > UINT64_C(0)", "k > UINT64_C(1)"),
    ("slice_word64", "n - UINT64_C(1) <= b / back", "n <= b / back"),
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
    instance = next(each for each in WITH_KERNELS if copying_kernel(each) is kernel)
    cases = [case for case in generate(instance, 0, oracle) if case.violated is None]
    assert all(_is_right(case) for case in cases)
    monkeypatch.setattr(copies, "library", lambda: library)
    assert not all(map(_is_right, cases)) or _orders_out_of_range(library, kernel)


def _is_right(case: Case) -> bool:
    try:
        return kernels.apply(case.call).tobytes() == case.expected.tobytes()
    except AssertionError:  # what is right was refused
        return False


def _orders_out_of_range(library: LoadedLibrary, kernel: CopyingKernel) -> bool:
    """Whether an axis that is not there is taken for one: no vector of the operator gets so far."""
    if kernel.operator.name != "transpose":
        return False
    x, y = np.zeros(0, kernel.c_type[:-2]), np.zeros(0, kernel.c_type[:-2])
    read = [x, words(0), words(1), words(0), y]
    places = [ctypes.c_void_p(each.ctypes.data) for each in read]
    status = getattr(library.functions, kernel.name)(*places, ctypes.c_uint64(1))
    return KernelStatus(status) is not KernelStatus.ARGUMENT


# --- What the functions of the library look at before a kernel runs ---


@pytest.fixture
def function(libsonnx: LoadedLibrary) -> Callable[[str], Callable[..., KernelStatus]]:
    """A function of the library by the end of its name: addresses, then sizes."""

    def named(name: str) -> Callable[..., KernelStatus]:
        raw = getattr(libsonnx.functions, f"sonnx_{name}")

        def call(arrays: list[Array | int | None], *sizes: int) -> KernelStatus:
            places = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in arrays]
            return KernelStatus(raw(*map(ctypes.c_void_p, places), *map(ctypes.c_uint64, sizes)))

        return call

    return named


def words(*numbers: int) -> Array:
    return np.array(numbers, np.int64).view(np.uint64)


def room(count: int) -> Array:
    """For so many elements, and one more that nobody may write."""
    return np.full(count + 1, CANARY, np.uint32)


def test_places_of_an_operand_in_the_result(function: Any) -> None:
    x, y = np.arange(6, dtype=np.uint32), room(10)
    assert function("concat_word32")([x, y], 2, 3, 1, 5) is KernelStatus.OK
    c = CANARY
    assert y.tolist() == [c, 0, 1, 2, c, c, 3, 4, 5, c, c]


@pytest.mark.parametrize("sizes", [(2, 3, 3, 5), (2, 6, 0, 5), (2, 3, 2**64 - 1, 5), (1, 1, 0, 0)])
def test_blocks_that_are_not_in_the_row(function: Any, sizes: tuple[int, ...]) -> None:
    x, y = np.arange(12, dtype=np.uint32), room(10)
    assert function("concat_word32")([x, y], *sizes) is KernelStatus.ARGUMENT
    assert {*y.tolist()} == {CANARY}


@pytest.mark.parametrize("sizes", [(0, 3, 1, 5), (2, 0, 5, 5), (2**63, 0, 0, 0), (0, 0, 0, 0)])
def test_operands_without_elements(function: Any, sizes: tuple[int, ...]) -> None:
    y = room(10)
    assert function("concat_word32")([None, y], *sizes) is KernelStatus.OK
    assert {*y.tolist()} == {CANARY}


@pytest.mark.parametrize("sizes", [(2**63, 2, 0, 2), (2**33, 1, 0, 2**33), (1, 2**62, 0, 2**62)])
def test_sizes_that_no_array_has(function: Any, sizes: tuple[int, ...]) -> None:
    assert function("concat_word32")([room(1), room(1)], *sizes) is KernelStatus.SIZE


@pytest.mark.parametrize(
    ("perm", "status"),
    [
        ((1, 0), KernelStatus.OK),
        ((0, 1), KernelStatus.OK),
        ((1, 1), KernelStatus.ARGUMENT),
        ((0, 2), KernelStatus.ARGUMENT),
        ((-1, 0), KernelStatus.ARGUMENT),
    ],
)
def test_orders_of_axes(function: Any, perm: tuple[int, ...], status: KernelStatus) -> None:
    x, y, work = np.arange(6, dtype=np.uint32), room(6), words(7, 7, CANARY)
    got = function("transpose_word32")([x, words(2, 3), words(*perm), work, y], 2)
    assert got is status
    wanted = x.reshape(2, 3).transpose(perm).ravel().tolist() if status is KernelStatus.OK else None
    assert y.tolist() == [*(wanted or [CANARY] * 6), CANARY]
    assert work[2] == CANARY


SLICES = {
    "steps": ((1, 0), (-1, 2), (2, 2), KernelStatus.OK),
    "too many": ((1, 0), (-1, 2), (3, 2), KernelStatus.ARGUMENT),
    "too far": ((0, 0), (1, 2), (2, 3), KernelStatus.ARGUMENT),
    "outside": ((2, 0), (1, 1), (1, 1), KernelStatus.ARGUMENT),
    "no step": ((0, 0), (0, 1), (1, 1), KernelStatus.ARGUMENT),
    "no element": ((0, 0), (1, 1), (0, 1), KernelStatus.ARGUMENT),
    "around": ((0, 0), (1, 2**62), (1, 5), KernelStatus.ARGUMENT),
}


@pytest.mark.parametrize(("starts", "steps", "counts", "status"), SLICES.values(), ids=SLICES)
def test_cuts(
    function: Any,
    starts: tuple[int, ...],
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    status: KernelStatus,
) -> None:
    x, y = np.arange(6, dtype=np.uint32), room(6)
    read = [words(*numbers) for numbers in ((2, 3), starts, steps, counts)]
    assert function("slice_word32")([x, *read, y], 2) is status
    if status is KernelStatus.OK:
        assert y.tolist() == [3, 5, 0, 2, *[CANARY] * 3]
    else:
        assert {*y.tolist()} == {CANARY}


def calls(kernel: CopyingKernel) -> Iterator[tuple[list[Array], tuple[int, ...]]]:
    """Arguments that are right: arrays, of which the last one is written; and sizes."""
    x, y = np.arange(4, dtype=f"u{kernel.width // 8}"), np.zeros(4, f"u{kernel.width // 8}")
    match kernel.operator.name:
        case "concat":
            yield [x, y], (2, 2, 0, 2)
        case "transpose":
            yield [x, words(2, 2), words(1, 0), words(0, 0), y], (2,)
        case "slice":
            yield [x, words(2, 2), words(0, 0), words(1, 1), words(2, 2), y], (2,)
        case _:
            yield [x, y], (4,)


@pytest.mark.parametrize("kernel", copying_kernels(), ids=lambda kernel: kernel.name)
def test_null_misaligned_and_overlapping_arrays(function: Any, kernel: CopyingKernel) -> None:
    call = function(kernel.name.removeprefix("sonnx_"))
    for arrays, sizes in calls(kernel):
        *_, y = arrays
        assert call(arrays, *sizes) is KernelStatus.OK
        y[:] = 77
        for place, array in enumerate(arrays):
            given: list[Array | int | None] = [*arrays]
            given[place] = None
            assert call(given, *sizes) is KernelStatus.NULL_POINTER
            if array.itemsize > 1:
                given[place] = array.ctypes.data + 1
                assert call(given, *sizes) is KernelStatus.MISALIGNED
            if array is not y:
                given[place], given[-1] = array, array
                assert call(given, *sizes) is KernelStatus.OVERLAP
        assert {*y.tolist()} == {77}
        far = 2**64 - 8
        assert call([far] * len(arrays), *sizes) in {KernelStatus.SIZE, KernelStatus.OVERLAP}
