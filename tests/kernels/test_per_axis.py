"""What the kernels of QuantizeLinear and DequantizeLinear compute, against the formal definitions,
and what they refuse."""

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels
from sonnx_formal.kernels import per_axis
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.dequantize_linear import dequantize_linear
from sonnx_formal.reference.quantize_linear import quantize_linear
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.vectors.generate import generate
from tests.kernels.operands import BY_NAME, PER_AXIS, differ, every, telling
from tests.quick import each_of, has_float32_scales

Shape = tuple[int, ...]
CANARY = 0x5A
SCALES = [0.5, 3, 1e-3, 3e4, -2]
PLACES: list[tuple[Shape, Shape, int | None]] = [
    ((3, 4), (), None),
    ((3, 4), (4,), None),
    ((3, 4), (3,), 0),
    ((2, 3, 2, 5), (3,), 1),
    ((2, 3, 2, 5), (5,), -1),
    ((2, 3, 2, 5), (2,), -4),
    ((7,), (7,), 0),
    ((), (), None),
    ((0, 3), (3,), 1),
    ((3, 0), (0,), 1),
    ((2, 0, 3), (2,), 0),
]


EACH = each_of("kernel", PER_AXIS, lambda kernel: has_float32_scales(kernel.instance))


def call_of(kernel: DeclaredKernel, *operands: Array | None, **attributes: int | None) -> Call:
    return Call(kernel.operator, operands, Attributes.of(attributes))


def saturations(kernel: DeclaredKernel) -> tuple[int | None, ...]:
    """What may be said of saturation, where anything may."""
    return (None, 0, 1) if kernel.saturates else (None,)


def zero_points(kernel: DeclaredKernel) -> Array:
    """The ends of their type, and some between; those that ONNX has."""
    _, _, zero = kernel.operands
    if zero.type.family is Family.FLOAT or zero.type.width == 32:
        return np.zeros(1, zero.type.dtype)
    return np.array([zero.type.bounds.min, 0, 1, 3, zero.type.bounds.max], zero.type.dtype)


def elements(kernel: DeclaredKernel) -> Array:
    """Telling ones of X; where there are few, all."""
    return every(kernel.type) if kernel.type.width == 8 else telling(kernel.type)


def quotients() -> Array:
    """Around the integers of 8 bits, the ends of those of 16, and 2^23, and half-way between."""
    wide = np.concatenate([np.arange(-9, 10) / 2 + end for end in (-65536, -32768, 32768, 65536)])
    near = np.concatenate([np.arange(-520, 521) / 2, wide, [2.0**22 + 0.5, 2.0**23 - 0.5, 2.0**23]])
    x = near.astype(np.float32)
    toward = [np.nextafter(x, np.float32(side * np.inf)) for side in (-1, 1)]
    return np.concatenate([x, -x, *toward])


@EACH
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
    assert results > 50


@EACH
def test_telling_elements_and_scales(kernel: DeclaredKernel, oracle: Oracle) -> None:
    """Each element with each scale and some zero points."""
    _, scale, _ = kernel.operands
    x, scales = elements(kernel), telling(scale.type)
    for point, saturate in itertools.product(zero_points(kernel), saturations(kernel)):
        rows = np.tile(x, (len(scales), 1))
        zeros = np.full(len(scales), point)
        call = call_of(kernel, rows, scales, zeros, axis=0, saturate=saturate)
        got = kernels.apply(call, by=kernel.arithmetics)
        assert differ(kernel, got, oracle.evaluate(call)) == 0


@pytest.mark.parametrize("result", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("prefix", ["sonnx", "sonnx_soft"])
def test_quotients_close_to_half_way(prefix: str, result: str, oracle: Oracle) -> None:
    kernel = BY_NAME[f"{prefix}_quantize_linear_float32_{result}"]
    type_ = kernel.result.type
    for scale, point in itertools.product((1, 3, 2.0**-126), (type_.bounds.min, 0, 7)):
        call = call_of(
            kernel, quotients() * np.float32(scale), np.asarray(scale, np.float32),
            np.asarray(point, type_.dtype),
        )  # fmt: skip
        got = kernels.apply(call, by=kernel.arithmetics)
        assert differ(kernel, got, oracle.evaluate(call)) == 0


@pytest.mark.parametrize("place", PLACES, ids=str)
@EACH
def test_axes(
    kernel: DeclaredKernel, place: tuple[Shape, Shape, int | None], oracle: Oracle
) -> None:
    shape, of_scale, axis = place
    random = np.random.default_rng(9)
    x = np.asarray(random.choice(elements(kernel), shape))
    scale = np.asarray(random.choice(np.array(SCALES, kernel.operands[1].type.dtype), of_scale))
    zeros = np.asarray(random.choice(zero_points(kernel), of_scale))
    # Without a zero point, the result of QuantizeLinear is of uint8.
    may_lack = kernel.operator.name == "dequantize_linear" or kernel.result.type.name == "uint8"
    for shown in (zeros, None) if may_lack else (zeros,):
        call = call_of(kernel, x, scale, shown, axis=axis)
        got = kernels.apply(call, by=kernel.arithmetics)
        assert differ(kernel, got, oracle.evaluate(call)) == 0


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
@pytest.mark.parametrize("block", [1, 2, 3, 9])
@EACH
def test_blocks(kernel: DeclaredKernel, block: int, axis: int, oracle: Oracle) -> None:
    """What is in a block has one scale: the function is called for each."""
    shape = (2, 5, 3)
    of_scale = [*shape]
    of_scale[axis] = -(-shape[axis] // block)
    random = np.random.default_rng(7)
    x = random.choice(elements(kernel), shape)
    scale = random.choice(np.array(SCALES, kernel.operands[1].type.dtype), of_scale)
    zeros = random.choice(zero_points(kernel), of_scale)
    for saturate in saturations(kernel):
        named = {"axis": axis, "block_size": block, "saturate": saturate}
        call = call_of(kernel, x, scale, zeros, **named)
        got = kernels.apply(call, by=kernel.arithmetics)
        assert differ(kernel, got, oracle.evaluate(call)) == 0


@pytest.mark.parametrize("prefix", ["sonnx", "sonnx_soft"])
def test_a_difference_of_33_digits(libsonnx: LoadedLibrary, prefix: str) -> None:
    """ONNX has no zero point of int32 but 0; the function takes any away."""
    kernel = BY_NAME[f"{prefix}_dequantize_linear_int32_float32"]
    least, most = -(2**31), 2**31 - 1
    x = np.array([least, most, most, 2**24 + 1], np.int32)
    zeros = np.array([most, least, most, 0], np.int32)
    y = np.zeros(4, np.float32)
    libsonnx.write(kernel, x, np.ones(4, np.float32), zeros, result=y, numbers=(1, 4, 1, 4))
    assert y.tolist() == [1 - 2.0**32 - 1, 2.0**32, 0, 2.0**24]


def test_operands_may_lie_in_any_way() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    scale, zero = np.array([1, 2, 4], np.float32), np.array([1, 2, 3], np.int8)
    wanted = kernels.quantize_linear(x, scale, zero)
    far = np.repeat(scale, 2)[::2]
    got = kernels.quantize_linear(x.T.copy().T, far, zero[::-1].copy()[::-1])
    assert (got == wanted).all()
    assert wanted[0, 2].tolist() == [5, 5, 5, 6]


@pytest.mark.parametrize(
    ("scale", "zero", "axis"),
    [((2,), (2,), 1), ((3,), (2,), 1), ((3,), (3,), 2), ((1, 3), (1, 3), 1), ((), (1,), 0)],
    ids=str,
)
def test_operands_are_rejected_as_by_the_reference(scale: Shape, zero: Shape, axis: int) -> None:
    def error(function: Any, x: Array) -> str | None:
        with pytest.raises(SpecViolation) as raised:
            function(x, np.ones(scale, np.float32), np.zeros(zero, np.int8), axis=axis)
        return raised.value.requirement

    floats, bytes_ = np.ones((2, 3), np.float32), np.ones((2, 3), np.int8)
    assert error(kernels.quantize_linear, floats) == error(quantize_linear, floats)
    assert error(kernels.dequantize_linear, bytes_) == error(dequantize_linear, bytes_)


MUTANTS = [
    ("soft_quantize_linear_float32_int8", "twice == d && ", "twice == d || "),
    ("soft_quantize_linear_float32_uint8", "UINT64_C(149) - a", "UINT64_C(150) - a"),
    ("soft_quantize_linear_float32_uint8", "r + z", "r - z"),
    ("soft_quantize_linear_float32_int8", "top - z", "top - UINT64_C(1) - z"),
    ("soft_quantize_linear_int32_int8", "a < b ? sign() + r : r", "r"),
    ("soft_quantize_linear_int32_uint8", "soft_difference(r, n)", "soft_difference(n, r)"),
    ("quantize_linear_float32_int8", "x / s", "x * s"),
    ("quantize_linear_int32_int8", "single_of_word(b - a)", "single_of_word(a - b)"),
    ("dequantize_linear_int8_float32", "a < b", "a <= b + UINT64_C(1)"),
    ("dequantize_linear_int32_float32", "0.0f - ", "1.0f - "),
    ("soft_dequantize_linear_int8_float32", "b - a;", "b - a + UINT64_C(1);"),
    ("soft_dequantize_linear_uint8_float32", "zero[c]", "zero[0]"),
    ("soft_dequantize_linear_int32_float32", "s = scale[j]", "s = scale[0]"),
    ("soft_quantize_linear_float16_int8", "finite_converted(m);", "finite_converted(m) + 1;"),
    ("soft_dequantize_linear_int8_bfloat16", "finite_converted(m);", "finite_converted(m) + 1;"),
    ("soft_quantize_linear_float32_float8e5m2", "finite_rounded(m);", "finite_rounded(m) + 1;"),
    ("soft_quantize_linear_float16_float8e4m3fn", "b > l", "b > l + UINT64_C(1)"),
    ("soft_dequantize_linear_float8e4m3fn_float32", "UINT64_C(9)", "UINT64_C(10)"),
    (
        "soft_dequantize_linear_int32_float32",
        "start = start + inner",
        "start = start + UINT64_C(1)",
    ),
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
    floats = kernel.type.family is Family.FLOAT
    x = np.arange(-40, 40).reshape(2, 2, 20) * (25 if floats or kernel.type.width > 8 else 1)
    _, scale, zero = kernel.operands
    zeros = np.array([0, 0] if len(zero_points(kernel)) == 1 else [1, 3], zero.type.dtype)
    scales = np.array([2, 6], scale.type.dtype)
    call = call_of(kernel, x.astype(kernel.type.dtype), scales, zeros, axis=1)
    wanted = oracle.evaluate(call)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) == 0
    monkeypatch.setattr(per_axis, "library", lambda: library)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) > 0


# --- What the functions of the library look at before a kernel runs ---

Given = list[Array | int | None]
_MOST, _LONG = 2**64 - 1, 2**63


def dequantized(libsonnx: LoadedLibrary, places: Given, *sizes: int) -> KernelStatus:
    given = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in places]
    function = libsonnx.functions.sonnx_soft_dequantize_linear_int32_float32
    return KernelStatus(function(*map(ctypes.c_void_p, given), *map(ctypes.c_uint64, sizes)))


def arguments() -> Given:
    """Two rows of two blocks of three elements, and a place more after the result."""
    x = np.arange(12, dtype=np.int32)
    scale, zero = np.array([1, 10], np.float32), np.array([1, 0], np.int32)
    return [x, scale, zero, np.full(13, CANARY, np.float32)]


def written(given: Given) -> list[float]:
    result = given[-1]
    assert isinstance(result, np.ndarray)
    found: list[float] = result.tolist()
    return found


def test_a_result_and_nothing_after_it(libsonnx: LoadedLibrary) -> None:
    given = arguments()
    assert dequantized(libsonnx, given, 2, 2, 3, 2) is KernelStatus.OK
    assert written(given) == [-1, 0, 1, 30, 40, 50, 5, 6, 7, 90, 100, 110, CANARY]
    assert dequantized(libsonnx, [*given[:2], None, given[3]], 1, 1, 3, 0) is KernelStatus.OK
    assert written(given)[:4] == [0, 1, 2, 30]


@pytest.mark.parametrize("zeros", [1, 3, _LONG])
def test_zero_points_of_another_number(libsonnx: LoadedLibrary, zeros: int) -> None:
    given = arguments()
    given[2] = np.zeros(3, np.int32)
    wanted = KernelStatus.SIZE if zeros == _LONG else KernelStatus.ARGUMENT
    assert dequantized(libsonnx, given, 2, 2, 3, zeros) is wanted
    assert {*written(given)} == {CANARY}


@pytest.mark.parametrize(
    "sizes", [(0, 2, 3), (2, 2, 0), (_MOST, 2, 0), (0, 2, _MOST), (_MOST, 0, _MOST)], ids=str
)
def test_a_result_without_elements_takes_no_time(
    libsonnx: LoadedLibrary, sizes: tuple[int, int, int]
) -> None:
    given = arguments()
    assert dequantized(libsonnx, given, *sizes, sizes[1]) is KernelStatus.OK
    assert {*written(given)} == {CANARY}


@pytest.mark.parametrize("sizes", [(_LONG, 2, 1), (2, 2, _LONG), (2**32, 2, 2**32)], ids=str)
def test_sizes_that_no_array_has(libsonnx: LoadedLibrary, sizes: tuple[int, int, int]) -> None:
    given = arguments()
    assert dequantized(libsonnx, given, *sizes, 2) is KernelStatus.SIZE
    assert {*written(given)} == {CANARY}


@pytest.mark.parametrize("place", range(4))
def test_null_misaligned_and_overlapping_arrays(libsonnx: LoadedLibrary, place: int) -> None:
    given = arguments()
    array = given[place]
    assert isinstance(array, np.ndarray)
    given[place] = None
    assert dequantized(libsonnx, given, 2, 2, 3, 2) is KernelStatus.NULL_POINTER
    given[place] = array.ctypes.data + 1
    assert dequantized(libsonnx, given, 2, 2, 3, 2) is KernelStatus.MISALIGNED
    if place < len(given) - 1:
        given[place], given[-1] = array, array
        before = array.tolist()
        assert dequantized(libsonnx, given, 2, 2, 3, 2) is KernelStatus.OVERLAP
        assert array.tolist() == before


def test_which_kernels_there_are() -> None:
    def types(arithmetics: Arithmetics) -> set[tuple[str, ...]]:
        return {
            (each.operator.name, *(type_.name for type_ in each.types))
            for each in PER_AXIS
            if each.arithmetics is arithmetics
        }

    floats, narrow = ("float32", "float16", "bfloat16"), ("float8e4m3fn", "float8e5m2")
    integers = ("int8", "uint8", "int16", "uint16")
    native = {
        *(("quantize_linear", *pair) for pair in itertools.product(("float32", "int32"), integers)),
        *(("dequantize_linear", name, "float32") for name in (*integers, "int32")),
    }
    every_type = {
        *itertools.product(("quantize_linear",), (*floats, "int32"), (*integers, *narrow)),
        *itertools.product(("dequantize_linear",), (*integers, "int32", *narrow), floats),
    }
    assert types(Arithmetics.NATIVE) == native
    assert types(Arithmetics.SOFT) == every_type
    assert len(PER_AXIS) == len(native) + len(every_type)
