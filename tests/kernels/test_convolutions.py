"""What the kernels of Conv and ConvInteger compute, against the formal definitions, and what they
refuse."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels import convolutions
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import KernelStatus, LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.conv import conv
from sonnx_formal.reference.conv_integer import conv_integer
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.vectors.generate import generate
from tests.kernels.operands import BY_NAME, CONVOLUTIONS, differ, telling

PLAIN: dict[str, Any] = {
    "strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "group": 1, "auto_pad": "NOTSET",
}  # fmt: skip
Shape = tuple[int, ...]
SETTINGS: list[tuple[Shape, Shape, dict[str, Any]]] = [
    ((2, 3, 5, 6), (2, 3, 2, 3), {}),
    ((1, 2, 6, 7), (3, 2, 3, 2), {"strides": (2, 3), "pads": (2, 1, 1, 0)}),
    ((1, 1, 4, 5), (2, 1, 2, 3), {"dilations": (3, 2), "pads": (1, 4, 3, 0)}),
    ((2, 3, 4, 4), (3, 1, 3, 3), {"group": 3, "pads": (1, 1, 1, 1)}),
    ((1, 2, 1, 2), (1, 2, 2, 2), {"pads": (3, 4, 5, 6), "strides": (2, 1)}),  # padding alone
    ((1, 0, 2, 2), (2, 0, 1, 2), {}),
]
CANARY = 0x5A


def operands(kernel: DeclaredKernel, x: Shape, w: Shape, seed: int) -> tuple[Array, ...]:
    """Telling elements; zero points, or a bias."""
    random = np.random.default_rng(seed)
    of_x, of_w, of_last = (telling(each.type) for each in kernel.operands)
    zeros = [np.asarray(random.choice(telling(each.type))) for each in kernel.numbers]
    return (random.choice(of_x, x), random.choice(of_w, w), *zeros, random.choice(of_last, w[0]))


def call_of(kernel: DeclaredKernel, given: tuple[Array | None, ...], named: dict[str, Any]) -> Call:
    reading = "unlisted" if kernel.instance.extension else None
    return Call(kernel.operator, given, Attributes.of(named), reading=reading)


@pytest.mark.parametrize("kernel", CONVOLUTIONS, ids=lambda kernel: kernel.name)
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


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("kernel", CONVOLUTIONS, ids=lambda kernel: kernel.name)
def test_telling_elements(
    kernel: DeclaredKernel, settings: tuple[Shape, Shape, dict[str, Any]], oracle: Oracle
) -> None:
    """NaN and infinities among the elements, so that no product may be left out."""
    x, w, changed = settings
    named = {**PLAIN, **changed, "kernel_shape": w[2:]}
    given = operands(kernel, x, w, 5)
    for shown in (given, (*given[:2], *[None] * (len(given) - 2))):
        call = call_of(kernel, shown, named)
        wanted = oracle.evaluate(call)
        assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) == 0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_infinite_weight_on_the_padding_is_nan(dtype: Any) -> None:
    x, w = np.ones((1, 1, 1, 2), dtype), np.array([np.inf, 1], dtype).reshape(1, 1, 1, 2)
    named = {**PLAIN, "kernel_shape": (1, 2), "pads": (0, 1, 0, 1)}
    y = kernels.conv(x, w, **named)
    assert [str(each) for each in y.ravel()] == ["nan", "inf", "inf"]
    assert str(kernels.conv(x, -w, **named).ravel()[0]) == "nan"


def test_the_zero_point_is_not_taken_from_the_padding() -> None:
    x, w = np.full((1, 1, 1, 1), 7, np.uint8), np.full((2, 1, 1, 2), -128, np.int8)
    zeros = np.array([0, 127], np.int8)
    y = kernels.conv_integer(x, w, np.array(9, np.uint8), zeros, pads=(0, 1, 0, 0))
    assert y.ravel().tolist() == [-2 * -128, -2 * -255]


def test_sums_are_modulo_two_to_the_32() -> None:
    n = 2**15 + 2**9
    x, w = np.full((1, n, 1, 1), 255, np.uint8), np.full((1, n, 1, 1), 255, np.uint8)
    wanted = (n * 255 * 255 + 2**31) % 2**32 - 2**31
    assert kernels.conv_integer(x, w).ravel().tolist() == [wanted]


def test_operands_may_lie_in_any_way() -> None:
    random = np.random.default_rng(8)
    x, w = random.standard_normal((2, 3, 5, 6)), random.standard_normal((4, 3, 2, 2))
    named = {**PLAIN, "kernel_shape": (2, 2)}
    wanted = kernels.conv(x, w, **named)
    assert (kernels.conv(x.T.copy().T, w[:, ::-1].copy()[:, ::-1], **named) == wanted).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel_shape": (2,)},
        {"strides": (0, 1)},
        {"pads": (2, 0, 0, -1)},
        {"auto_pad": "VALID"},
        {"group": 2},
        {"dilations": (1.5, 1)},
    ],
    ids=str,
)
@pytest.mark.parametrize(("name", "dtype"), [("conv", np.float32), ("conv_integer", np.int8)])
def test_operands_are_rejected_as_by_the_reference(
    name: str, dtype: Any, settings: dict[str, Any]
) -> None:
    def error(function: Any) -> tuple[type[Exception], str | None]:
        with pytest.raises((SpecViolation, TypeError)) as raised:
            function(
                np.ones((1, 1, 3, 3), dtype),
                np.ones((1, 1, 2, 2), dtype),
                **{**PLAIN, "kernel_shape": (2, 2), **settings},
            )
        return raised.type, getattr(raised.value, "requirement", None)

    function = {"conv": conv, "conv_integer": conv_integer}[name]
    assert error(getattr(kernels, name)) == error(function)


@pytest.mark.parametrize("name", ["strides", "dilations"])
def test_numbers_of_more_than_64_bits(name: str) -> None:
    x = np.ones((1, 1, 1, 1), np.float32)
    long = {**PLAIN, "kernel_shape": (1, 1), name: (2**64, 1)}
    with pytest.raises(UserError, match="no kernel goes along an axis by 2\\^64 or more"):
        kernels.conv(x, x, **long)
    long[name] = (2**64 - 1, 2**63)
    assert kernels.conv(x, x, **long).tolist() == x.tolist()


MUTANTS = [  # none of them reads outside of an array of these calls
    ("conv_float32", "x[from + j * stride] * w", "x[from] * w"),
    ("conv_float64", "y[l] + z * w", "y[l] + z + w"),
    ("conv_float32", "y[l] + bias", "y[l] - bias"),
    ("conv_float64", "k * dilation", "k"),
    ("conv_float32", "limit <= first", "limit < first"),
    ("conv_integer_int8_uint8", "(uint8_t)(z >> UINT64_C(8))", "(uint8_t)z"),
    ("conv_integer_uint8_int8", "zeros == UINT64_C(1)", "zeros >= UINT64_C(1)"),
    ("conv_integer_int8_int8", "e = w - w0", "e = w"),
    ("soft_conv_float16", "g / channels", "g % channels"),
    ("soft_conv_float32", "next = next + columns", "next = next"),
    ("soft_conv_bfloat16", "next = next + window", "next = next"),
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
    named = {**PLAIN, "kernel_shape": (2, 3), "dilations": (2, 2), "pads": (1, 2, 1, 3)}
    given = ordinary(kernel)
    call = call_of(kernel, given, named)
    wanted = oracle.evaluate(call)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) == 0
    monkeypatch.setattr(convolutions, "library", lambda: library)
    assert differ(kernel, kernels.apply(call, by=kernel.arithmetics), wanted) > 0


def ordinary(kernel: DeclaredKernel) -> tuple[Array, ...]:
    """Small numbers, where no difference is lost in NaN; zero points, or a bias."""
    random = np.random.default_rng(7)
    shapes = [(2, 2, 4, 5), (2, 2, 2, 3), *[()] * len(kernel.numbers), (2,)]
    types = [port.type for port in (*kernel.operands[:2], *kernel.numbers, kernel.operands[2])]
    return tuple(
        np.asarray(random.integers(1, 9, shape)).astype(type_.dtype)
        for shape, type_ in zip(shapes, types, strict=True)
    )


# --- What the functions of the library look at before a kernel runs ---


def words(*numbers: int) -> Array:
    return np.array(numbers, np.uint64)


Given = list[Array | int | None]


def convolved(
    libsonnx: LoadedLibrary, places: Given, group: int = 1, biases: int = 1
) -> KernelStatus:
    given = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in places]
    pointers = map(ctypes.c_void_p, given)
    sizes = map(ctypes.c_uint64, (group, biases))
    return KernelStatus(libsonnx.functions.sonnx_conv_float32(*pointers, *sizes))


def arguments(**changed: tuple[int, ...]) -> list[Array]:
    """A kernel of two by two over three by three, a bias, and a place more after the result."""
    plain = {
        "dims": (1, 1, 3, 3), "w_dims": (1, 1, 2, 2), "strides": (1, 1), "pads": (0, 0, 0, 0),
        "dilations": (1, 1), "y_dims": (1, 1, 2, 2),
    }  # fmt: skip
    given = (words(*numbers) for numbers in {**plain, **changed}.values())
    floats = [np.arange(9, dtype=np.float32), np.ones(4, np.float32), np.full(1, 0.5, np.float32)]
    return [*floats, *given, np.full(5, CANARY, np.float32)]


def test_a_result_and_nothing_after_it(libsonnx: LoadedLibrary) -> None:
    given = arguments()
    assert convolved(libsonnx, [*given]) is KernelStatus.OK
    assert given[-1].tolist() == [8.5, 12.5, 20.5, 24.5, CANARY]
    assert convolved(libsonnx, [*given[:2], None, *given[3:]], biases=0) is KernelStatus.OK
    assert given[-1].tolist() == [8, 12, 20, 24, CANARY]


_LONG, _MOST = 2**63, 2**64 - 1


@pytest.mark.parametrize(
    "changed",
    [
        {"y_dims": (1, 1, 2, 1)},
        {"y_dims": (2, 1, 2, 1)},
        {"w_dims": (1, 1, 0, 2)},
        {"w_dims": (1, 2, 1, 2)},
        {"w_dims": (1, 1, 4, 1), "y_dims": (1, 1, 0, 3)},
        {"strides": (1, 0)},
        {"dilations": (0, 1)},
        {"dilations": (1, 3), "y_dims": (1, 1, 2, 0)},
        # What wraps around would be right.
        {"dilations": (_MOST, 1), "y_dims": (1, 1, 4, 2)},
        {"pads": (_MOST, 0, 2, 0), "y_dims": (1, 1, 3, 2)},
        {"pads": (_LONG, 0, _LONG, 0), "y_dims": (1, 1, 2, 2)},
        {"dims": (0, 1, _MOST, 3), "pads": (2, 0, 0, 0), "y_dims": (0, 1, 0, 2)},
    ],
    ids=str,
)
def test_what_does_not_go_together(
    libsonnx: LoadedLibrary, changed: dict[str, tuple[int, ...]]
) -> None:
    given = arguments(**changed)
    assert convolved(libsonnx, [*given]) is KernelStatus.ARGUMENT
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize(("group", "biases"), [(0, 1), (2, 1), (_MOST, 1), (1, 2)])
def test_groups_and_biases_that_do_not_go_together(
    libsonnx: LoadedLibrary, group: int, biases: int
) -> None:
    given = arguments()
    given[2] = np.ones(2, np.float32)
    assert convolved(libsonnx, [*given], group, biases) is KernelStatus.ARGUMENT
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize(
    "changed",
    [
        {"dims": (0, 1, 3, 3), "y_dims": (0, 1, 2, 2)},
        {"dims": (_MOST, 1, 0, 1), "w_dims": (0, 1, 1, 1), "pads": (1, 0, 0, 0),
         "y_dims": (_MOST, 0, 1, 1)},
        {"dims": (0, 1, 3, _MOST), "w_dims": (1, 1, 2, _MOST), "y_dims": (0, 1, 2, 1)},
    ],
    ids=str,
)  # fmt: skip
def test_results_without_elements(
    libsonnx: LoadedLibrary, changed: dict[str, tuple[int, ...]]
) -> None:
    given = arguments(**changed)
    biases = int(given[4][0])
    expected = KernelStatus.SIZE if changed["dims"][3] == _MOST else KernelStatus.OK
    assert convolved(libsonnx, [*given], biases=biases) is expected
    assert {*given[-1].tolist()} == {CANARY}


def test_images_without_channels(libsonnx: LoadedLibrary) -> None:
    """Sizes whose product no machine holds, where there are no channels of them."""
    huge = 2**40
    given = arguments(dims=(1, 0, huge, huge), w_dims=(1, 0, huge, huge), y_dims=(1, 1, 1, 1))
    assert convolved(libsonnx, [*given]) is KernelStatus.OK
    assert given[-1].tolist() == [0.5, *[CANARY] * 4]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("dims", (1, _LONG, 3, 3)), ("w_dims", (_MOST, _MOST, 1, 1)), ("y_dims", (_LONG, 2, 2, 2))],
)
def test_sizes_that_no_array_has(
    libsonnx: LoadedLibrary, name: str, sizes: tuple[int, ...]
) -> None:
    given = arguments(**{name: sizes})
    assert convolved(libsonnx, [*given]) is KernelStatus.SIZE
    assert convolved(libsonnx, [*arguments()], biases=_LONG) is KernelStatus.SIZE
    assert {*given[-1].tolist()} == {CANARY}


@pytest.mark.parametrize("place", range(10))
def test_null_misaligned_and_overlapping_arrays(libsonnx: LoadedLibrary, place: int) -> None:
    given: Given = [*arguments()]
    array = given[place]
    assert isinstance(array, np.ndarray)
    given[place] = None
    assert convolved(libsonnx, given) is KernelStatus.NULL_POINTER
    given[place] = array.ctypes.data + 1
    assert convolved(libsonnx, given) is KernelStatus.MISALIGNED
    if place < len(given) - 1:
        given[place], given[-1] = array, array
        before = array.tolist()
        assert convolved(libsonnx, given) is KernelStatus.OVERLAP
        assert array.tolist() == before


def test_zero_points_of_another_number(libsonnx: LoadedLibrary) -> None:
    x, w, zeros = np.ones(4, np.int8), np.ones(3, np.uint8), np.zeros(5, np.uint8)
    dims = [words(1, 1, 2, 2), words(3, 1, 1, 1), words(1, 1), words(0, 0, 0, 0), words(1, 1)]
    y = np.full(13, CANARY, np.int32)
    read = [x, w, zeros, *dims, words(1, 3, 2, 2)]
    function = libsonnx.functions.sonnx_conv_integer_int8_uint8

    def status(count: int) -> KernelStatus:
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in read]
        result = ctypes.c_void_p(y.ctypes.data)
        sizes = map(ctypes.c_uint64, (1, count))
        return KernelStatus(function(*pointers, ctypes.c_int8(0), result, *sizes))

    assert [status(count) for count in (2, 4)] == [KernelStatus.ARGUMENT] * 2
    assert {*y.tolist()} == {CANARY}
    assert [status(count) for count in (0, 1, 3)] == [KernelStatus.OK] * 3
    assert y.tolist() == [*[1] * 12, CANARY]


def test_which_kernels_there_are() -> None:
    soft = {each.type.name for each in CONVOLUTIONS if each.arithmetics is Arithmetics.SOFT}
    assert soft == {"float16", "bfloat16", "float32", "float64"}
    integers = [each.types for each in CONVOLUTIONS if each.type.family is Family.INTEGER]
    assert len({*integers}) == len(integers) == 4
    assert len(CONVOLUTIONS) == 4 + 2 + 4
