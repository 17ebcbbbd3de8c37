"""What the functions of the library look at before a kernel runs, and what they leave alone."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.spec.element_types import Array

Function = Callable[..., KernelStatus]


@pytest.fixture
def function(libsonnx: LoadedLibrary) -> Callable[[str], Function]:
    """A function of the library by the end of its name: addresses, then sizes, then addresses."""

    def named(name: str) -> Function:
        raw = getattr(libsonnx.functions, f"sonnx_{name}")

        def call(addresses: list[int | None], *sizes: int, more: int | None = None) -> KernelStatus:
            given = [*map(ctypes.c_void_p, addresses), *map(ctypes.c_uint64, sizes)]
            computed = [ctypes.c_void_p(more)] if name.startswith("div_") else []
            return KernelStatus(raw(*given, *computed))

        return call

    return named


def address(array: Array) -> int:
    return int(array.ctypes.data)


def with_canaries(*elements: int) -> Array:
    """An array of int32 between two elements that nobody may write."""
    array = np.full(len(elements) + 2, 0x5A5A5A5A, np.int32)
    array[1:-1] = elements
    return array


def inside(array: Array) -> int:
    return address(array) + array.itemsize


def test_results_and_nothing_around_them(function: Callable[[str], Function]) -> None:
    a, b, c = with_canaries(1, 2, 3), with_canaries(4, 5, 6), with_canaries(0, 0, 0)
    assert function("mul_int32")([inside(a), inside(b), inside(c)], 3) is KernelStatus.OK
    assert c.tolist() == with_canaries(4, 10, 18).tolist()
    assert (a.tolist(), b.tolist()) == (with_canaries(1, 2, 3).tolist(),
                                        with_canaries(4, 5, 6).tolist())  # fmt: skip


def test_in_place(function: Callable[[str], Function]) -> None:
    a, b = with_canaries(7, -8, 9), with_canaries(2, 3, -4)
    assert function("sub_int32")([inside(a), inside(b), inside(a)], 3) is KernelStatus.OK
    assert a.tolist() == with_canaries(5, -11, 13).tolist()
    assert function("div_int32")([inside(a), inside(b), inside(a)], 3) is KernelStatus.OK
    assert a.tolist() == with_canaries(2, -3, -3).tolist()


def test_both_operands_in_one_array(function: Callable[[str], Function]) -> None:
    a, c = with_canaries(7, -8, 9), with_canaries(0, 0, 0)
    assert function("mul_int32")([inside(a), inside(a), inside(c)], 3) is KernelStatus.OK
    assert c.tolist() == with_canaries(49, 64, 81).tolist()


@pytest.mark.parametrize("in_place", [False, True])
def test_a_zero_divisor(function: Callable[[str], Function], in_place: bool) -> None:
    a, b = with_canaries(-(2**31), 7, 8, 9), with_canaries(-1, 2, 0, 3)
    c = a if in_place else with_canaries(0, 0, 0, 0)
    rest = [8, 9] if in_place else [0, 0]
    computed = ctypes.c_uint64(99)
    place = ctypes.addressof(computed)
    status = function("div_int32")([inside(a), inside(b), inside(c)], 4, more=place)
    assert (status, computed.value) == (KernelStatus.DIVISION_BY_ZERO, 2)
    assert c.tolist() == with_canaries(-(2**31), 3, *rest).tolist()
    status = function("div_int32")([inside(a), inside(b), inside(c)], 2, more=place)
    assert (status, computed.value) == (KernelStatus.OK, 2)


def test_where_nothing_can_be_counted(function: Callable[[str], Function]) -> None:
    """The number of quotients has to be beside the arrays, and where a number may be."""
    arrays = [np.full(4, number, np.uint64) for number in (8, 0, 1)]
    a, b, c = map(address, arrays)
    for array in (a, b, c):
        assert function("div_uint64")([a, b, c], 4, more=array + 8) is KernelStatus.OVERLAP
    computed = ctypes.create_string_buffer(b"\x55" * 24, 24)
    odd = ctypes.addressof(computed) + 4
    assert function("div_uint64")([a, b, c], 4, more=odd) is KernelStatus.MISALIGNED
    assert function("div_uint64")([a, None, c], 4, more=odd + 4) is KernelStatus.NULL_POINTER
    assert computed.raw == b"\x55" * 24
    assert [array.tolist() for array in arrays] == [[8] * 4, [0] * 4, [1] * 4]


def test_no_elements(function: Callable[[str], Function]) -> None:
    assert function("add_int8")([None, None, None], 0) is KernelStatus.OK
    assert function("div_int8")([None, None, None], 0) is KernelStatus.OK
    assert function("add_int64")([1, 1, 1], 0) is KernelStatus.OK
    y = with_canaries(1, 1, 1, 1)
    assert function("matmul_int32")([None, None, inside(y)], 2, 0, 2) is KernelStatus.OK
    assert y.tolist() == with_canaries(0, 0, 0, 0).tolist()
    assert function("matmul_int32")([None, None, None], 0, 5, 0) is KernelStatus.OK


def test_the_matrix_that_is_added(function: Callable[[str], Function]) -> None:
    a, b, c, y = (with_canaries(*numbers) for numbers in ((2,), (3, 5), (7, 9), (0, 0)))
    given = [inside(a), inside(b), inside(c), inside(y)]
    assert (
        function("gemm_int32")([*given[:2], None, given[3]], 1, 1, 2) is KernelStatus.NULL_POINTER
    )
    assert function("gemm_int32")(given, 1, 1, 2) is KernelStatus.OK
    assert y.tolist() == with_canaries(13, 19).tolist()
    assert function("gemm_int32")([None, None, *given[2:]], 1, 0, 2) is KernelStatus.OK
    assert y.tolist() == with_canaries(7, 9).tolist()


@pytest.mark.parametrize("null", range(3))
def test_null(function: Callable[[str], Function], null: int) -> None:
    arrays = [with_canaries(1, 2), with_canaries(3, 4), with_canaries(5, 6)]
    given: list[int | None] = [inside(array) for array in arrays]
    given[null] = None
    assert function("add_int32")(given, 2) is KernelStatus.NULL_POINTER
    assert function("matmul_int32")(given, 1, 1, 1) is KernelStatus.NULL_POINTER
    assert arrays[2].tolist() == with_canaries(5, 6).tolist()


@pytest.mark.parametrize("odd", range(3))
def test_misaligned(function: Callable[[str], Function], odd: int) -> None:
    arrays = [with_canaries(1, 2), with_canaries(3, 4), with_canaries(5, 6)]
    given: list[int | None] = [inside(array) + (k == odd) for k, array in enumerate(arrays)]
    assert function("add_int32")(given, 1) is KernelStatus.MISALIGNED
    assert function("matmul_float32")(given, 1, 1, 1) is KernelStatus.MISALIGNED
    assert arrays[2].tolist() == with_canaries(5, 6).tolist()


@pytest.mark.parametrize("size", [2**64 - 1, 2**63, 2**62, 2**61])
def test_sizes_that_no_array_has(function: Callable[[str], Function], size: int) -> None:
    a, b, c = with_canaries(1), with_canaries(2), with_canaries(3)
    given = [inside(a), inside(b), inside(c)]
    assert function("mul_int32")(given, size) is KernelStatus.SIZE
    assert function("div_uint32")(given, size) is KernelStatus.SIZE
    for sizes in [(size, 2, 2), (1, size, 1), (0, size, 4), (size, 0, size), (2, 2, size)]:
        assert function("matmul_int32")(given, *sizes) is KernelStatus.SIZE
    assert c.tolist() == with_canaries(3).tolist()


def test_an_array_that_would_end_beyond_the_last_address(
    function: Callable[[str], Function],
) -> None:
    end = 2**64 - 16
    assert function("add_int32")([end, end, end], 5) is KernelStatus.SIZE


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_overlap(function: Callable[[str], Function], shift: int) -> None:
    array, other = np.arange(12, dtype=np.int32), with_canaries(1, 1, 1)
    first = address(array) + 4 * 4
    moved = first + 4 * shift
    apart = inside(other)
    for given in ([first, apart, moved], [apart, first, moved]):
        assert function("add_int32")(given, 3) is KernelStatus.OVERLAP
        assert function("div_int32")(given, 3) is KernelStatus.OVERLAP
        assert function("matmul_int32")(given, 1, 3, 3) is not KernelStatus.OK
    assert function("add_int32")([apart, first, first], 3) is KernelStatus.OVERLAP
    assert function("matmul_int32")([first, apart, first], 1, 1, 1) is KernelStatus.OVERLAP
    assert function("gemm_int32")([apart, apart, first, first], 1, 1, 1) is KernelStatus.OVERLAP
    assert array.tolist() == list(range(12))
    assert function("add_int32")([first, apart, first + 12], 3) is KernelStatus.OK  # just beside it
    assert array[7:10].tolist() == [5, 6, 7]


def test_one_operand(function: Callable[[str], Function]) -> None:
    a, b = with_canaries(1, -2, -(2**31)), with_canaries(0, 0, 0)
    assert function("neg_int32")([inside(a), inside(b)], 3) is KernelStatus.OK
    assert b.tolist() == with_canaries(-1, 2, -(2**31)).tolist()
    assert function("abs_int32")([inside(a), inside(a)], 3) is KernelStatus.OK
    assert a.tolist() == with_canaries(1, 2, -(2**31)).tolist()
    first = inside(a)
    assert function("relu_int32")([first, first + 4], 2) is KernelStatus.OVERLAP
    assert function("relu_int32")([first + 4, first], 2) is KernelStatus.OVERLAP
    assert function("relu_int32")([None, first], 1) is KernelStatus.NULL_POINTER
    assert function("relu_int32")([first, None], 1) is KernelStatus.NULL_POINTER
    assert function("relu_int32")([first + 1, inside(b)], 1) is KernelStatus.MISALIGNED
    assert function("relu_int32")([first, inside(b) + 1], 1) is KernelStatus.MISALIGNED
    assert function("relu_int32")([first, inside(b)], 2**62) is KernelStatus.SIZE
    assert function("relu_int32")([None, None], 0) is KernelStatus.OK
    assert a.tolist() == with_canaries(1, 2, -(2**31)).tolist()


def test_truth_values_as_a_result(function: Callable[[str], Function]) -> None:
    """A byte for each element: no other type of C has its place."""
    a, b, c = with_canaries(1, -2, 3), with_canaries(2, -2, 1), np.full(5, 0x5A, np.uint8)
    result = address(c) + 1
    assert function("less_int32")([inside(a), inside(b), result], 3) is KernelStatus.OK
    assert c.tolist() == [0x5A, 1, 0, 0, 0x5A]
    c[:] = 0x5A
    for given in ([inside(a), inside(b), inside(a)], [inside(a), inside(b), inside(b) + 11]):
        assert function("less_int32")(given, 3) is KernelStatus.OVERLAP
    assert function("less_int32")([inside(a), inside(b), None], 3) is KernelStatus.NULL_POINTER
    assert function("less_int32")([inside(a), inside(b) + 2, result], 3) is KernelStatus.MISALIGNED
    assert function("less_uint8")([result, address(b), result], 1) is KernelStatus.OVERLAP
    assert c.tolist() == [0x5A] * 5
    assert a.tolist() == with_canaries(1, -2, 3).tolist()


def test_three_operands(function: Callable[[str], Function]) -> None:
    condition, x = np.array([1, 0, 255], np.uint8), with_canaries(1, 2, 3)
    y, z = with_canaries(4, 5, 6), with_canaries(0, 0, 0)
    operands = [address(condition), inside(x), inside(y)]
    assert function("where_int32")([*operands, inside(z)], 3) is KernelStatus.OK
    assert z.tolist() == with_canaries(1, 5, 3).tolist()
    for place in range(4):
        given: list[int | None] = [*operands, inside(z)]
        given[place] = None
        assert function("where_int32")(given, 3) is KernelStatus.NULL_POINTER
    for place in range(1, 4):
        moved = [each + (k == place) for k, each in enumerate([*operands, inside(z)])]
        assert function("where_int32")(moved, 1) is KernelStatus.MISALIGNED
    for result in (inside(x) + 4, inside(x) - 4, inside(y), inside(y) + 8):
        assert function("where_int32")([*operands, result], 3) is KernelStatus.OVERLAP
    over = [inside(z), inside(x), inside(y), inside(z) + 8]
    assert function("where_int32")(over, 9) is KernelStatus.OVERLAP
    bytes_ = np.ones(8, np.uint8)
    first = address(bytes_)
    assert function("where_uint8")([first, first + 4, first + 4, first], 2) is KernelStatus.OVERLAP
    assert function("where_uint8")([first, first, first, first + 2], 2) is KernelStatus.OK
    assert function("where_int32")([*operands, inside(x)], 3) is KernelStatus.OK
    assert x.tolist() == with_canaries(1, 5, 3).tolist()
    assert y.tolist() == with_canaries(4, 5, 6).tolist()


def test_numbers_beside_an_operand(libsonnx: LoadedLibrary) -> None:
    x, y = with_canaries(-9, 2, 9), with_canaries(0, 0, 0)
    function = libsonnx.functions.sonnx_clip_int32

    def clipped(operand: int | None, result: int | None, count: int = 3) -> KernelStatus:
        bounds = (ctypes.c_int32(-3), ctypes.c_int32(5))
        size = ctypes.c_uint64(count)
        status = function(ctypes.c_void_p(operand), *bounds, ctypes.c_void_p(result), size)
        return KernelStatus(status)

    assert clipped(inside(x), inside(y)) is KernelStatus.OK
    assert y.tolist() == with_canaries(-3, 2, 5).tolist()
    assert clipped(None, inside(y)) is KernelStatus.NULL_POINTER
    assert clipped(inside(x), None) is KernelStatus.NULL_POINTER
    assert clipped(inside(x) + 1, inside(y), 1) is KernelStatus.MISALIGNED
    assert clipped(inside(x), inside(x) + 4, 2) is KernelStatus.OVERLAP
    assert clipped(inside(x), inside(y), 2**62) is KernelStatus.SIZE
    assert clipped(None, None, 0) is KernelStatus.OK
    assert clipped(inside(x), inside(x)) is KernelStatus.OK
    assert x.tolist() == with_canaries(-3, 2, 5).tolist()
