"""What the library computes, against the formal definitions, bit for bit."""

import inspect
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sonnx_formal import kernels, reference
from sonnx_formal.accuracy.bound import matmul_bound
from sonnx_formal.backends.backend import Result
from sonnx_formal.check.compare import judge
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.trials import of_case
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel
from sonnx_formal.kernels.declared import kernels as declared
from sonnx_formal.kernels.library import LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import FLOATS, Array, Family
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.generate import generate
from tests.kernels.operands import (
    BY_ELEMENT,
    BY_NAME,
    PER_AXIS,
    PRODUCTS,
    combined,
    computed,
    differ,
    every,
    expected,
    telling,
)
from tests.reference.clipping import all_bounds, clipped

FLOATING = [kernel for kernel in PRODUCTS if kernel.type.family is Family.FLOAT]
FUSED = [kernel for kernel in PRODUCTS if kernel.is_fused]
FEW_BITS = [
    kernel
    for kernel in BY_ELEMENT
    if kernel.type.width == 8
    or (kernel.type.width == 16 and len(kernel.operands) == 1 and not kernel.numbers)
]
"""Of which all operands can be asked for."""
ROUNDING = ("mul", "div", "add", "sub", "matmul", "gemm", "sqrt", "leaky_relu")
"""Those that are asked with operands of one shape, or with matrices; of the others, see
`test_convolutions.py`, `test_windows.py`, `test_reductions.py` and `test_per_axis.py`."""
CANONICAL = ("conv", "conv_integer", "average_pool", "quantize_linear", "dequantize_linear")
NOT_ROUNDING = ("neg", "abs", "relu", "less", "where", "clip", "max", "min", "equal")
SHAPES = [(1, 1, 1), (2, 4, 3), (3, 5, 7), (5, 9, 33), (2, 0, 3), (0, 3, 2), (1, 7, 0), (4, 3, 17)]
"""Of products: rows and terms with and without a rest after blocks of two rows and four terms."""


def test_there_is_a_kernel_for_each_operator_over_each_type_of_a_machine() -> None:
    every_instance = (each for operator in operators() for each in operator.instances())
    without = {each.name for each in every_instance if not kernels.supports(each)}
    assert without == {
        each.name
        for operator in operators()
        for each in operator.instances()
        if not operator.goes_by_onnx_name or not each.types[0].has_patterns
    }
    native = [kernel for kernel in declared() if kernel.arithmetics is not Arithmetics.SOFT]
    assert len(native) == 12 * 8 + 1 + 3 * 4 + 2 * 8 + 2 + 2 + 2 + 4 + 2 + 6 + 13


def test_there_is_a_soft_kernel_for_each_operator_over_each_format() -> None:
    soft = {
        (kernel.operator.name, kernel.type.name)
        for kernel in declared()
        if kernel.arithmetics is Arithmetics.SOFT
    }
    names = (*ROUNDING, *NOT_ROUNDING, "conv", "reduce_sum")
    pooling = {
        (pool, name)
        for pool in ("max_pool", "average_pool")
        for name in ("float16", "float32", "float64")
    }
    along_axis = {(each.operator.name, each.type.name) for each in PER_AXIS}
    assert soft == pooling | along_axis | {(name, type_.name) for name in names for type_ in FLOATS}
    canonical = {kernel.operator.name for kernel in declared() if kernel.is_canonical}
    assert canonical == {*ROUNDING, *CANONICAL}


@pytest.mark.parametrize("kernel", BY_ELEMENT, ids=lambda kernel: kernel.name)
def test_combinations_of_telling_elements(
    kernel: DeclaredKernel, libsonnx: LoadedLibrary, oracle: Oracle
) -> None:
    operands = combined(kernel)
    result = computed(libsonnx, kernel, *operands)
    assert differ(kernel, result, expected(oracle, kernel, *operands)) == 0


@pytest.mark.parametrize("kernel", FEW_BITS, ids=lambda kernel: kernel.name)
def test_all_operands_of_few_bits(
    kernel: DeclaredKernel, libsonnx: LoadedLibrary, oracle: Oracle
) -> None:
    operands = combined(kernel, every)
    if kernel.is_partial:
        operands = tuple(each[operands[-1] != 0] for each in operands)
    result = computed(libsonnx, kernel, *operands)
    assert differ(kernel, result, expected(oracle, kernel, *operands)) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_clip_of_8_bits_between_all_bounds(name: str, libsonnx: LoadedLibrary) -> None:
    """All 2^24 triples: the 256 numbers at once, between each of the 65,536 pairs of bounds."""
    kernel = BY_NAME[f"sonnx_clip_{name}"]
    low, high = int(np.iinfo(name).min), int(np.iinfo(name).max)
    x = np.arange(low, high + 1).astype(name)
    scalars = {each: np.asarray(each, name) for each in range(low, high + 1)}
    wrong = []
    for l, m in all_bounds(low, high):  # noqa: E741
        result, _ = libsonnx.elementwise(kernel, x, numbers=(scalars[l], scalars[m]))
        if result.tolist() != clipped(low, high, l, m):
            wrong.append((l, m))
    assert wrong == []


def test_a_byte_that_is_not_zero_is_true(libsonnx: LoadedLibrary) -> None:
    kernel = BY_NAME["sonnx_where_int8"]
    condition = np.arange(256, dtype=np.uint8)
    x, y = np.full(256, 1, np.int8), np.full(256, -1, np.int8)
    assert computed(libsonnx, kernel, condition, x, y).tolist() == [-1] + [1] * 255
    equal = BY_NAME["sonnx_equal_bool"]
    a, b = (each.ravel() for each in np.meshgrid(condition, condition))
    assert (computed(libsonnx, equal, a, b) == ((a != 0) == (b != 0))).all()


@pytest.mark.parametrize("name", ["neg", "abs", "relu", "where", "clip", "max", "min"])
def test_what_rounds_nothing_keeps_the_payload_of_nan(name: str, libsonnx: LoadedLibrary) -> None:
    kernel = BY_NAME[f"sonnx_soft_{name}_float16"]
    bits = np.array([0x7C01, 0x7E01, 0xFC01, 0xFFFF], np.uint16)
    x = bits.view(np.float16)
    condition = [np.array([True, False, True, False])] if name == "where" else []
    count = len((*kernel.operands, *kernel.numbers))
    operands = [*condition, *[x] * (count - len(condition))]
    result = computed(libsonnx, kernel, *operands).view(np.uint16)
    assert (result & 0x7FFF).tolist() == (bits & 0x7FFF).tolist()


@pytest.mark.parametrize(
    "shapes", [[(2, 3)], [(3,), (2, 1)], [(), (2, 3), (1,), (2, 1)], [(0,), ()]]
)
def test_any_number_of_operands_that_are_broadcast(
    shapes: list[tuple[int, ...]], oracle: Oracle
) -> None:
    random = np.random.default_rng(3)
    names = ["max_int8", "soft_max_float16", "min_int8", "soft_min_float16"]
    if len(shapes) == 2:
        names += ["equal_bool", "soft_equal_float16"]
    for kernel in (BY_NAME[f"sonnx_{name}"] for name in names):
        operands = [np.asarray(random.choice(telling(kernel.type), shape)) for shape in shapes]
        wanted = oracle.evaluate(Call(kernel.operator, tuple(operands)))
        result = getattr(kernels, kernel.operator.name)(*operands)
        assert differ(kernel, result, wanted) == 0
        assert not any(np.shares_memory(result, operand) for operand in operands)


def matrices(
    kernel: DeclaredKernel, shape: tuple[int, int, int], *, ordinary: bool = True
) -> list[Array]:
    """Operands of a product; ordinary ones are random numbers, if these are floating-point ones."""
    sizes = dict(zip("mkn", shape, strict=True))
    random = np.random.default_rng(shape)
    elements = telling(kernel.type)
    made = []
    for _, *extents in kernel.matrices:
        at = [sizes[each] for each in extents]
        drawn = ordinary and kernel.type.family is Family.FLOAT
        array = random.standard_normal(at) if drawn else random.choice(elements, at)
        made.append(array.astype(kernel.type.dtype))
    return made


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kernel", PRODUCTS, ids=lambda kernel: kernel.name)
def test_products_of_matrices(
    kernel: DeclaredKernel, shape: tuple[int, int, int], libsonnx: LoadedLibrary, oracle: Oracle
) -> None:
    operands = matrices(kernel, shape)
    result = computed(libsonnx, kernel, *operands)
    assert differ(kernel, result, expected(oracle, kernel, *operands)) == 0


@pytest.mark.parametrize("kernel", FLOATING, ids=lambda kernel: kernel.name)
def test_products_of_telling_elements(
    kernel: DeclaredKernel, libsonnx: LoadedLibrary, oracle: Oracle
) -> None:
    operands = matrices(kernel, (9, 6, 21), ordinary=False)
    result = computed(libsonnx, kernel, *operands)
    assert differ(kernel, result, expected(oracle, kernel, *operands)) == 0


@pytest.mark.long
@pytest.mark.parametrize("kernel", FUSED, ids=lambda kernel: kernel.name)
def test_fused_products_pass_the_cross_check(kernel: DeclaredKernel, oracle: Oracle) -> None:
    """As any runtime that adds up in an order of its own."""
    instance = Instance(kernel.operator, (kernel.type,))
    verdicts = Counter(
        judge(trial, Result(kernels.apply(trial.call, by=Arithmetics.FUSED)), strict=False).verdict
        for trial in (of_case(case, oracle) for case in generate(instance, 0, oracle))
    )
    assert {*verdicts} == {Verdict.PASS, Verdict.WITHIN_BOUND, Verdict.NOT_JUDGED}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_products_are_within_the_proved_bound(dtype: type[np.floating[Any]]) -> None:
    random = np.random.default_rng(2)
    a, b = (random.standard_normal((40, 40)).astype(dtype) for _ in range(2))
    result = kernels.matmul_fused(a, b)
    bound = matmul_bound(a, b).bound
    for i, j in np.ndindex(result.shape):
        terms = zip(a[i].tolist(), b[:, j].tolist(), strict=True)
        exact = sum(Fraction(x) * Fraction(y) for x, y in terms)
        assert abs(Fraction(float(result[i, j])) - exact) <= Fraction(float(bound[i, j]))
    assert (result != kernels.matmul(a, b)).any()


def test_fused_products_have_the_types_of_c() -> None:
    half = np.ones((1, 1), np.float16)
    with pytest.raises(UserError, match=r"float16 has no fused kernel: .* float32, float64$"):
        kernels.matmul_fused(half, half)


@pytest.mark.parametrize("name", [*ROUNDING, *NOT_ROUNDING])
def test_functions_of_python(name: str, oracle: Oracle) -> None:
    function = getattr(kernels, name)
    kernel = BY_NAME.get(f"sonnx_{name}_int32") or BY_NAME[f"sonnx_{name}_float32"]
    dtype = kernel.type.dtype
    a = np.array([[1, -2], [3, 100], [5, 6]], dtype)[::2, ::-1]  # neither contiguous nor aligned
    b = np.frombuffer(b"\0" + np.array([[7, 8], [9, -1]], dtype).tobytes(), dtype, 4, 1)
    b = b.reshape(2, 2)
    condition = np.array([[True, False], [False, False]])[:, ::-1]
    of_three = (a, b, a) if kernel.is_product else (condition, a, b)
    operands = {1: (a,), 2: (a, b), 3: of_three}[len(kernel.operands)]
    attributes = {each.name: 0.1 for each in kernel.operator.attributes}
    bounds = len(kernel.numbers) - len(attributes)
    operands += tuple(np.array(number, dtype) for number in (-1, 9)[:bounds])
    before = [each.tolist() for each in operands]
    listed = any(kernel.type in parameter.types for parameter in kernel.operator.parameters)
    reading = None if listed else "unlisted"
    wanted = oracle.evaluate(
        Call(kernel.operator, operands, Attributes.of(attributes), reading=reading)
    )
    result = function(*operands, **attributes)
    assert differ(kernel, result, wanted) == 0
    assert result.flags.c_contiguous
    assert [each.tolist() for each in operands] == before


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("mul", (np.ones(2, np.int8), np.ones(3, np.int8))),
        ("mul", (np.ones(2, np.int8), np.ones(2, np.int16))),
        ("div", (np.ones((2, 2), np.int8), np.array([[1, 1], [0, 1]], np.int8))),
        ("matmul", (np.ones((2, 3), np.int32), np.ones((2, 3), np.int32))),
        ("add", (np.ones(1, np.int8),)),
        ("neg", (np.ones(1, np.int8), np.ones(1, np.int8))),
        ("relu", (np.ones(1, np.uint8),)),
        ("sqrt", (np.ones(1, np.int8),)),
        ("less", (np.ones(2, np.int8), np.ones(3, np.int8))),
        ("where", (np.ones(1, np.int8), np.ones(1, np.int8), np.ones(1, np.int8))),
        ("where", (np.ones(1, bool), np.ones(1, np.int8), np.ones(1, np.int16))),
        ("where", (np.ones(1, bool), np.ones(1, np.int8))),
        ("clip", (np.ones(2, np.int8), np.ones(1, np.int8), np.ones((), np.int8))),
        ("clip", (np.ones(2, np.int8), np.ones((), np.int8), np.ones((), np.int16))),
        ("clip", (np.ones(2, np.int8), np.ones((), np.int8))),
        ("max", (np.ones(2, np.int8), np.ones(3, np.int8))),
        ("max", (np.ones(2, np.int8), np.ones(2, np.uint8))),
        ("max", ()),
        ("min", (np.ones(2, np.int8), np.ones(3, np.int8))),
        ("min", (np.ones(2, bool),)),
        ("equal", (np.ones(2, bool), np.ones(2, np.int8))),
        ("equal", (np.ones(2, bool), np.ones(3, bool))),
        ("leaky_relu", (np.ones(2, np.float32),)),
        ("add", ([1], [1])),
    ],
)
def test_operands_are_rejected_as_by_the_reference(name: str, operands: tuple[Any, ...]) -> None:
    def error(function: Any) -> tuple[type[Exception], str | None]:
        with pytest.raises((SpecViolation, TypeError)) as raised:
            function(*operands)
        return raised.type, getattr(raised.value, "requirement", None)

    assert error(getattr(kernels, name)) == error(getattr(reference, name))


def test_the_place_of_a_zero_divisor_is_said() -> None:
    with pytest.raises(SpecViolation, match=r"division by zero at index \[1, 0\]"):
        kernels.div(np.ones((2, 2), np.int8), np.array([[1, 1], [0, 0]], np.int8))


def test_a_type_without_kernel_is_an_error_that_names_those_with() -> None:
    operand = np.array([Fraction(1, 3)], object)
    with pytest.raises(UserError, match=r"Mul over real has no kernel: .* int8, .* float64"):
        kernels.mul(operand, operand)


def test_an_operator_without_kernel_is_an_error() -> None:
    x = np.ones(1, np.float32)
    with pytest.raises(UserError, match="Mul 14 over float32 has no kernel: there is none over"):
        kernels.apply(Call(operator("onnx-mul-14"), (x, x)))
    assert not hasattr(kernels, "onnx_mul")


def test_a_coefficient_is_rounded_to_binary32() -> None:
    x = np.array([-1.0, 2.0])
    assert kernels.leaky_relu(x, alpha=0.1).tolist() == [-float(np.float32(0.1)), 2.0]
    assert kernels.leaky_relu(x, alpha=1e300).tolist() == [-np.inf, 2.0]
    with pytest.raises(UserError, match="the attribute alpha is missing"):
        kernels.apply(Call(operator("leaky_relu"), (x,)))


def test_types_that_c_lacks_have_soft_kernels() -> None:
    a, b = np.array([1, 3, 60000], np.float16), np.array([3, 7, 60000], np.float16)
    assert kernels.div(a, b).view(np.uint16).tolist() == [0x3555, 0x36DB, 0x3C00]
    assert kernels.add(a, b).tolist() == [4, 10, np.inf]


def test_functions_look_like_functions() -> None:
    a, b = np.array([6], np.int8), np.array([3], np.int8)
    assert kernels.div(b=b, a=a).tolist() == [2]
    assert kernels.div.__name__ == "div"
    assert "SONNX Div by libsonnx" in (kernels.div.__doc__ or "")
    condition = np.array([True, False])
    chosen = kernels.where(y=np.array([5, 6]), condition=condition, x=np.array([1, 2]))
    assert chosen.tolist() == [1, 6]
    assert str(inspect.signature(kernels.where)).startswith("(condition: ")
    assert {*ROUNDING, *NOT_ROUNDING} <= {*dir(kernels)}


def test_a_name_without_operator() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'softmax'"):
        kernels.softmax  # noqa: B018 (it is the access that fails)
