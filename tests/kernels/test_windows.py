"""What the kernels with a window compute, against the formal definitions, and what they refuse."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels import windows
from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.max_pool import max_pool
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.generate import generate
from tests.kernels.operands import BY_NAME, WINDOWS, differ, telling

PLAIN: dict[str, Any] = {
    "kernel_shape": (2, 2), "strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1),
    "auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0,
}  # fmt: skip
SETTINGS: list[dict[str, Any]] = [
    {},
    {"kernel_shape": (3, 2), "strides": (2, 3), "pads": (2, 1, 1, 0)},
    {"kernel_shape": (2, 3), "dilations": (3, 2), "pads": (1, 4, 3, 0)},
    {"kernel_shape": (1, 1), "strides": (4, 5)},
    {"kernel_shape": (6, 7), "pads": (5, 6, 0, 1)},
    {"kernel_shape": (3, 2), "pads": (2, 1, 1, 0), "count_include_pad": 1},
]
CANARY = 0x5A


def call_of(kernel: DeclaredKernel, x: Array, settings: dict[str, Any]) -> Call:
    """With those of the attributes that the operator has."""
    given = {**PLAIN, "count_include_pad": 0, **settings}
    named = {each.name: given[each.name] for each in kernel.operator.attributes}
    return Call(kernel.operator, (x,), Attributes.of(named))


@pytest.mark.parametrize("kernel", WINDOWS, ids=lambda kernel: kernel.name)
def test_test_vectors(kernel: DeclaredKernel, oracle: Oracle) -> None:
    results = 0
    for case in generate(Instance(kernel.operator, (kernel.type,)), 0, oracle):
        if case.violated is not None:
            with pytest.raises(SpecViolation) as raised:
                kernels.apply(case.call, by=kernel.arithmetics)
            assert raised.value.requirement == case.violated
            continue
        result = kernels.apply(case.call, by=kernel.arithmetics)
        assert differ(kernel, result, case.expected) == 0, case.name
        results += 1
    assert results > 5


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kernel", WINDOWS, ids=lambda kernel: kernel.name)
def test_telling_elements(kernel: DeclaredKernel, settings: dict[str, Any], oracle: Oracle) -> None:
    random = np.random.default_rng(5)
    x = random.choice(telling(kernel.type), (2, 3, 6, 7))
    wanted = oracle.evaluate(call_of(kernel, x, settings))
    for array in (x, np.asfortranarray(x)):
        result = kernels.apply(call_of(kernel, array, settings), by=kernel.arithmetics)
        assert differ(kernel, result, wanted) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_means_count_the_padding_or_not(dtype: Any) -> None:
    x = np.array([[-0.0, 3]], dtype).reshape(1, 1, 1, 2)
    given = {**PLAIN, "kernel_shape": (1, 2), "pads": (0, 1, 0, 0)}
    del given["storage_order"]
    with_padding = kernels.average_pool(x, **given, count_include_pad=1)
    without = kernels.average_pool(x, **given, count_include_pad=0)
    assert with_padding.ravel().tolist() == [0, 1.5]
    assert without.ravel().tolist() == [0, 1.5]
    given["pads"] = (0, 0, 0, 1)
    assert kernels.average_pool(x, **given, count_include_pad=1).ravel().tolist() == [1.5, 1.5]
    assert kernels.average_pool(x, **given, count_include_pad=0).ravel().tolist() == [1.5, 3]


def test_a_number_of_elements_is_rounded(oracle: Oracle) -> None:
    """2049 is no number of float16; and so many that float16 has no number for."""
    for count, divisor in ((2049, 2048), (65519, 65504), (65520, np.inf)):
        x = np.zeros((1, 1, count, 1), np.float16)
        x[0, 0, -1, 0] = 4096
        settings = {"kernel_shape": (count, 1)}
        (kernel,) = (each for each in WINDOWS if each.name == "sonnx_soft_average_pool_float16")
        result = kernels.apply(call_of(kernel, x, settings))
        assert result.ravel().tolist() == [np.float16(4096 / divisor)]
    assert oracle.evaluate(call_of(kernel, x, settings)).ravel().tolist() == [0]


def test_payloads_of_nan_are_kept() -> None:
    x = np.array([0x7C01, 0xFE77, 0x7C02], np.uint16).view(np.float16).reshape(1, 1, 3, 1)
    result = kernels.max_pool(x, **{**PLAIN, "kernel_shape": (1, 1)})
    assert result.tobytes() == x.tobytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel_shape": (2,)},
        {"kernel_shape": (0, 1)},
        {"pads": (2, 0, 0, 0)},
        {"auto_pad": "VALID"},
        {"ceil_mode": 1},
        {"dilations": (1.5, 1)},
    ],
    ids=str,
)
def test_operands_are_rejected_as_by_the_reference(settings: dict[str, Any]) -> None:
    def error(function: Any) -> tuple[type[Exception], str | None]:
        with pytest.raises((SpecViolation, TypeError)) as raised:
            function(np.ones((1, 1, 3, 3), np.int8), **{**PLAIN, **settings})
        return raised.type, getattr(raised.value, "requirement", None)

    assert error(kernels.max_pool) == error(max_pool)


@pytest.mark.parametrize("name", ["strides", "dilations"])
def test_numbers_of_more_than_64_bits(name: str) -> None:
    x = np.ones((1, 1, 1, 1), np.int8)
    long = {**PLAIN, "kernel_shape": (1, 1), name: (2**64, 1)}
    with pytest.raises(UserError, match="no kernel goes along an axis by 2\\^64 or more"):
        kernels.max_pool(x, **long)
    long[name] = (2**64 - 1, 2**63)
    assert kernels.max_pool(x, **long).tolist() == x.tolist()


MUTANTS = [  # none of them reads outside of an array of these calls
    ("max_pool_int8", "larger(best, e)", "larger(e, e)"),
    ("max_pool_uint8", "q % y_dims[UINT64_C(2)]", "q % y_dims[UINT64_C(3)]"),
    ("max_pool_int8", "m * stride + h * dilation", "m * stride + h"),
    ("max_pool_uint8", "h < kernel", "h + UINT64_C(1) < kernel"),
    ("soft_max_pool_float16", "magnitude(p) > infinity()", "magnitude(p) >= infinity()"),
    ("soft_max_pool_float32", "p < sign()", "p >= sign()"),
    ("soft_max_pool_float64", "dims[UINT64_C(2)] * dims[UINT64_C(3)]", "dims[UINT64_C(3)]"),
    ("average_pool_float32", "include_pad == UINT64_C(1)", "include_pad == UINT64_C(0)"),
    ("average_pool_float32", "m * stride + h * dilation", "m * stride + h"),
    ("average_pool_float64", "sum / (double)n", "sum / (double)(n + UINT64_C(1))"),
    ("average_pool_float64", "return g * h", "return g"),
    ("soft_average_pool_float16", "n = n + UINT64_C(1)", "n = n + UINT64_C(2)"),
    ("soft_average_pool_float32", "(n, e, UINT64_C(0))", "(n, e + UINT64_C(1), UINT64_C(0))"),
    ("soft_average_pool_float64", "h < kernel", "h + UINT64_C(1) < kernel"),
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
    x = random.choice(telling(kernel.type), (2, 3, 6, 7))
    if kernel.rounds:  # or all means are infinite or NaN
        x = random.standard_normal(x.shape).astype(kernel.type.dtype)
    given = {"kernel_shape": (2, 3), "dilations": (3, 2), "pads": (1, 3, 3, 0)}
    call = call_of(kernel, x, given)
    wanted = oracle.evaluate(call)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) == 0
    monkeypatch.setattr(windows, "library", lambda: library)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) > 0


# --- What the functions of the library look at before a kernel runs ---


def words(*numbers: int) -> Array:
    return np.array(numbers, np.uint64)


def pooled(
    libsonnx: LoadedLibrary, places: list[Array | int | None], name: str = "max_pool_int8"
) -> KernelStatus:
    given = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in places]
    function = getattr(libsonnx.functions, f"sonnx_{name}")
    return KernelStatus(function(*map(ctypes.c_void_p, given)))


def arguments(**changed: tuple[int, ...]) -> list[Array]:
    """A window of two by two over three by three, and a place more after the result."""
    plain = {
        "dims": (1, 1, 3, 3), "kernel_shape": (2, 2), "strides": (1, 1), "pads": (0, 0, 0, 0),
        "dilations": (1, 1), "y_dims": (1, 1, 2, 2),
    }  # fmt: skip
    given = (words(*numbers) for numbers in {**plain, **changed}.values())
    return [np.arange(9, dtype=np.int8), *given, np.full(5, CANARY, np.int8)]


def test_a_result_and_nothing_after_it(libsonnx: LoadedLibrary) -> None:
    given = arguments()
    assert pooled(libsonnx, [*given]) is KernelStatus.OK
    assert given[-1].tolist() == [4, 5, 7, 8, CANARY]


_LONG, _MOST = 2**63, 2**64 - 1


@pytest.mark.parametrize(
    "changed",
    [
        {"y_dims": (1, 1, 2, 1)},
        {"y_dims": (1, 1, 1, 2)},
        {"y_dims": (2, 1, 2, 1)},
        {"y_dims": (1, 2, 1, 2)},
        {"kernel_shape": (0, 2)},
        {"strides": (1, 0)},
        {"dilations": (0, 1)},
        {"pads": (2, 0, 0, 0), "y_dims": (1, 1, 4, 1)},
        {"pads": (0, 0, 0, 2), "y_dims": (1, 1, 1, 4)},
        {"kernel_shape": (5, 2), "y_dims": (1, 1, 0, 2)},
        # The window is on either side of the only column.
        {"dims": (1, 1, 3, 1), "pads": (0, 1, 0, 1), "dilations": (1, 2), "y_dims": (1, 1, 2, 1)},
        # What wraps around would be right.
        {"kernel_shape": (2**62 + 1, 2), "dilations": (4, 1), "y_dims": (1, 1, 3, 2)},
        {"pads": (_MOST, 0, 2, 0), "kernel_shape": (_MOST, 2), "y_dims": (1, 1, 1, 2)},
        {"pads": (_LONG, 0, _LONG, 0), "kernel_shape": (_LONG + 1, 2), "y_dims": (1, 1, 1, 2)},
        {"kernel_shape": (_MOST, _MOST), "dilations": (_MOST, _MOST)},
        {"strides": (_MOST, _MOST), "kernel_shape": (2, 5), "y_dims": (1, 1, 1, 1)},
        {"dims": (0, 1, _MOST, _MOST), "kernel_shape": (_LONG, 1), "pads": (2, 0, 0, 0),
         "y_dims": (0, 1, 2, 2)},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_go_together(
    libsonnx: LoadedLibrary, changed: dict[str, tuple[int, ...]]
) -> None:
    given = arguments(**changed)
    assert pooled(libsonnx, [*given]) is KernelStatus.ARGUMENT
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize(
    "changed",
    [
        {"dims": (0, 1, 3, 3), "y_dims": (0, 1, 2, 2)},
        {"dims": (0, _MOST, _MOST, 1), "kernel_shape": (_MOST, 1), "y_dims": (0, _MOST, 1, 1)},
        {"kernel_shape": (3, 4), "y_dims": (1, 1, 1, 0)},
        {"kernel_shape": (2, 5), "strides": (1, _MOST), "y_dims": (1, 1, 2, 0)},
    ],
    ids=str,
)
def test_results_without_elements(
    libsonnx: LoadedLibrary, changed: dict[str, tuple[int, ...]]
) -> None:
    given = arguments(**changed)
    assert pooled(libsonnx, [*given]) is KernelStatus.OK
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("dims", (1, _LONG, 3, 3)), ("dims", (_MOST, _MOST, 1, 1)), ("y_dims", (_LONG, 2, 2, 2))],
)
def test_sizes_that_no_array_has(
    libsonnx: LoadedLibrary, name: str, sizes: tuple[int, ...]
) -> None:
    given = arguments(**{name: sizes})
    assert pooled(libsonnx, [*given]) is KernelStatus.SIZE
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize("place", range(8))
def test_null_misaligned_and_overlapping_arrays(libsonnx: LoadedLibrary, place: int) -> None:
    given: list[Array | int | None] = [*arguments()]
    array = given[place]
    assert isinstance(array, np.ndarray)
    given[place] = None
    assert pooled(libsonnx, given) is KernelStatus.NULL_POINTER
    if array.itemsize > 1:
        given[place] = array.ctypes.data + 1
        assert pooled(libsonnx, given) is KernelStatus.MISALIGNED
    if place < len(given) - 1:
        given[place], given[-1] = array, array
        before = array.tolist()
        assert pooled(libsonnx, given) is KernelStatus.OVERLAP
        assert array.tolist() == before


def test_misaligned_elements(libsonnx: LoadedLibrary) -> None:
    _, *read, _ = arguments()
    x, y = np.zeros(10, np.uint32), np.zeros(5, np.uint32)
    name = "soft_max_pool_float32"
    assert pooled(libsonnx, [x.ctypes.data + 1, *read, y], name) is KernelStatus.MISALIGNED
    assert pooled(libsonnx, [x, *read, y.ctypes.data + 2], name) is KernelStatus.MISALIGNED


# --- AveragePool: likewise, and a number more ---


def averaged(libsonnx: LoadedLibrary, include_pad: int, **changed: tuple[int, ...]) -> KernelStatus:
    _, *read, _ = arguments(**changed)
    x, y = np.arange(9, dtype=np.float32), np.full(5, CANARY, np.float32)
    given = [ctypes.c_void_p(each.ctypes.data) for each in (x, *read, y)]
    function = libsonnx.functions.sonnx_average_pool_float32
    status = KernelStatus(function(*given, ctypes.c_uint64(include_pad)))
    wanted = [2, 3, 5, 6] if status is KernelStatus.OK else [CANARY] * 4
    assert y.tolist() == [*wanted, CANARY]
    return status


@pytest.mark.parametrize("include_pad", [0, 1, 2, _MOST])
def test_what_is_counted(libsonnx: LoadedLibrary, include_pad: int) -> None:
    known = include_pad in {0, 1}
    status = averaged(libsonnx, include_pad)
    assert status is (KernelStatus.OK if known else KernelStatus.ARGUMENT)


@pytest.mark.parametrize(
    "changed",
    [
        {"y_dims": (1, 1, 2, 1)},
        {"kernel_shape": (0, 2)},
        {"pads": (2, 0, 0, 0), "y_dims": (1, 1, 4, 1)},
        {"kernel_shape": (2**31, 2**32), "pads": (2**31 - 3, 0, 0, 2**32 - 3),
         "y_dims": (1, 1, 1, 1)},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_go_together_in_a_mean(
    libsonnx: LoadedLibrary, changed: dict[str, tuple[int, ...]]
) -> None:
    assert averaged(libsonnx, 1, **changed) is KernelStatus.ARGUMENT


def test_kernels_of_too_many_elements() -> None:
    x = np.ones((1, 1, 1, 1), np.float32)
    given = {**PLAIN, "kernel_shape": (2**31, 2**32), "pads": (0, 0, 2**31 - 1, 2**32 - 1)}
    del given["storage_order"]
    with pytest.raises(UserError, match="no kernel counts 2\\^63 elements of a window or more"):
        kernels.average_pool(x, **given, count_include_pad=1)


def test_which_kernels_there_are() -> None:
    pooling = {(each.operator.name, each.type.name, each.arithmetics) for each in WINDOWS}
    assert len(pooling) == len(WINDOWS) == 2 + 3 + 2 + 3
