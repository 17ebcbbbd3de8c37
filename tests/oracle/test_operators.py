"""The operators of the oracle against exact Python numbers, known bit patterns and hardware."""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from sonnx_formal.oracle import Oracle, evaluate
from sonnx_formal.spec.element_types import BFLOAT16, BINARY16, BINARY32, BINARY64, Format
from tests.formats import dtype_of, with_one_nan

INTEGERS = [f"{sign}{width}" for sign in ("int", "uint") for width in (8, 16, 32, 64)]
FLOATS = [
    (np.dtype(np.float16), BINARY16),
    (np.dtype(ml_dtypes.bfloat16), BFLOAT16),
    (np.dtype(np.float32), BINARY32),
    (np.dtype(np.float64), BINARY64),
]
MATMUL_INTEGERS = ["int32", "int64", "uint32", "uint64"]


def wrapped(value: int, dtype: str) -> int:
    bounds = np.iinfo(dtype)
    return (value - int(bounds.min)) % (1 << bounds.bits) + int(bounds.min)


def truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def pairs(dtype: str) -> list[tuple[int, int]]:
    """All pairs of boundary values and a few more."""
    bounds = np.iinfo(dtype)
    low, high = int(bounds.min), int(bounds.max)
    root = 1 << (bounds.bits // 2)
    values = {low, low + 1, -root, -3, -1, 0, 1, 2, 7, root - 1, root, root + 1, high - 1, high}
    inside = sorted(value for value in values if low <= value <= high)
    return [(x, y) for x in inside for y in inside]


def fractions(*elements: Any) -> NDArray[Any]:
    array = np.empty(len(elements), object)
    array[:] = [Fraction(element) for element in elements]
    return array


def bits(array: NDArray[Any]) -> list[Any]:
    listed: list[Any] = array.view(f"u{array.dtype.itemsize}").tolist()
    return listed


# --- Integers ---


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_products_wrap_around(oracle: Oracle, dtype: str) -> None:
    a, b = (np.array(column, dtype) for column in zip(*pairs(dtype), strict=True))
    result = oracle.apply("mul", a, b)
    assert result.dtype == a.dtype
    assert result.tolist() == [wrapped(x * y, dtype) for x, y in pairs(dtype)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_quotients_are_truncated(oracle: Oracle, dtype: str) -> None:
    defined = [(x, y) for x, y in pairs(dtype) if y]
    a, b = (np.array(column, dtype) for column in zip(*defined, strict=True))
    result = oracle.apply("div", a, b)
    assert result.dtype == a.dtype
    assert result.tolist() == [wrapped(truncated(x, y), dtype) for x, y in defined]


@pytest.mark.parametrize("dtype", MATMUL_INTEGERS)
def test_integer_matrix_products(oracle: Oracle, dtype: str) -> None:
    bounds = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    a = rng.integers(bounds.min, bounds.max, (3, 5), dtype, endpoint=True)
    b = rng.integers(bounds.min, bounds.max, (5, 2), dtype, endpoint=True)
    exact = a.astype(object) @ b.astype(object)
    result = oracle.apply("matmul", a, b)
    assert result.dtype == a.dtype
    assert result.tolist() == [[wrapped(x, dtype) for x in row] for row in exact.tolist()]


# --- Real numbers ---


def test_products_of_fractions(oracle: Oracle) -> None:
    large = 7**6000  # more digits than Python would print
    result = oracle.apply("mul", fractions("1/3", "-2/5", large), fractions("3/4", 5, "-1/2"))
    assert result.tolist() == [Fraction(1, 4), -2, Fraction(-large, 2)]
    assert all(type(element) is Fraction for element in result)


def test_quotients_of_fractions(oracle: Oracle) -> None:
    a, b = fractions("1/3", "-2/5", 1, -1, 0), fractions("-2/3", "-5", 0, 0, 0)
    result = oracle.apply("div", a, b)
    assert result.tolist() == [Fraction(-1, 2), Fraction(2, 25), inf, inf, inf]
    assert [type(element) for element in result] == [Fraction] * 2 + [float] * 3


def test_matrix_products_of_fractions(oracle: Oracle) -> None:
    a = fractions("1/2", 3, "-4/7", 0, 1, "5/3").reshape(2, 3)
    b = fractions(6, "1/9", -1).reshape(3, 1)
    assert oracle.apply("matmul", a, b).tolist() == (a @ b).tolist()


def test_integers_may_stand_for_fractions(oracle: Oracle) -> None:
    a = np.array([3, np.int8(-4)], object)
    assert oracle.apply("div", a, a[::-1]).tolist() == [Fraction(-3, 4), Fraction(-4, 3)]


@pytest.mark.parametrize("element", [0.5, True, "1", None, float("nan"), -inf])
def test_other_objects_are_refused(oracle: Oracle, element: object) -> None:
    with pytest.raises(TypeError, match="not a fraction"):
        oracle.apply("mul", np.array([element], object), fractions(1))


# --- Floats ---

# The pattern of a result follows from the definition by hand: half of the least subnormal is a tie,
# to the even 0; three halves of it a tie, to the even 2 units; one more unit in the last place of
# the greatest number overflows.
PRODUCTS = {
    "float16": [
        (0x3C01, 0x3C01, 0x3C02),  # (1 + u)^2, rounded down
        (0x3800, 0x0001, 0x0000),  # 1/2 * least: tie to even
        (0x3800, 0x0003, 0x0002),
        (0xB800, 0x0001, 0x8000),  # the same, negative
        (0x7BFF, 0x3C01, 0x7C00),  # overflow
        (0x7C00, 0x8000, 0x7E00),  # inf * -0
        (0x7D01, 0x3C00, 0x7E00),  # a signalling NaN with payload
        (0xFC00, 0x4000, 0xFC00),
        (0x8000, 0x3C00, 0x8000),
    ],
    "bfloat16": [
        (0x3F81, 0x3F81, 0x3F82),
        (0x3F00, 0x0001, 0x0000),
        (0x3F00, 0x0003, 0x0002),
        (0x7F7F, 0x3F81, 0x7F80),
        (0x7F80, 0x0000, 0x7FC0),
    ],
    "float32": [
        (0x3F800001, 0x3F800001, 0x3F800002),
        (0x3F000000, 0x00000001, 0x00000000),
        (0x3F000000, 0x00000003, 0x00000002),
        (0xFF7FFFFF, 0x3F800001, 0xFF800000),
        (0x7F800000, 0x80000000, 0x7FC00000),
    ],
    "float64": [
        (0x3FF0000000000001, 0x3FF0000000000001, 0x3FF0000000000002),
        (0x3FE0000000000000, 0x0000000000000001, 0x0000000000000000),
        (0x3FE0000000000000, 0x0000000000000003, 0x0000000000000002),
        (0x7FEFFFFFFFFFFFFF, 0xBFF0000000000001, 0xFFF0000000000000),
        (0xFFF0000000000000, 0x0000000000000000, 0x7FF8000000000000),
    ],
}


@pytest.mark.parametrize(("dtype", "form"), FLOATS, ids=str)
def test_products_by_bit_patterns(oracle: Oracle, dtype: np.dtype[Any], form: Format) -> None:
    x, y, expected = zip(*PRODUCTS[dtype.name], strict=True)
    a, b = (np.array(column, dtype_of(form)).view(dtype) for column in (x, y))
    result = oracle.apply("mul", a, b)
    assert result.dtype == dtype
    assert bits(result) == list(expected)


QUOTIENTS = [
    # dividend, divisor, IEEE 754, SONNX-DIV R5 to the letter; in float16
    (0x3C00, 0x4200, 0x3555, 0x3555),  # 1/3
    (0x3C00, 0x0000, 0x7C00, 0x7C00),  # 1/0
    (0xBC00, 0x0000, 0xFC00, 0x7C00),  # -1/0
    (0x3C00, 0x8000, 0xFC00, 0x7C00),  # 1/-0
    (0x0000, 0x0000, 0x7E00, 0x7C00),  # 0/0
    (0x7E00, 0x0000, 0x7E00, 0x7C00),  # NaN/0
    (0x7C00, 0x7C00, 0x7E00, 0x7E00),  # inf/inf
    (0xBC00, 0x7C00, 0x8000, 0x8000),  # -1/inf
]


def test_quotients_by_both_readings(oracle: Oracle) -> None:
    x, y, standard, r5 = (list(column) for column in zip(*QUOTIENTS, strict=True))
    a, b = (np.array(column, np.uint16).view(np.float16) for column in (x, y))
    assert bits(oracle.apply("div", a, b)) == standard
    assert bits(oracle.apply("div", a, b, reading="r5")) == r5


@pytest.mark.parametrize(("dtype", "form"), FLOATS, ids=str)
def test_r5_holds_for_each_float_type(oracle: Oracle, dtype: np.dtype[Any], form: Format) -> None:
    a, b = np.array([-1, 6], dtype), np.array([0, -2], dtype)
    assert oracle.apply("div", a, b).astype(float).tolist() == [-inf, -3]
    assert oracle.apply("div", a, b, reading="r5").astype(float).tolist() == [inf, -3]


def test_r5_is_the_one_reading_of_other_types(oracle: Oracle) -> None:
    a, b = fractions(-1, 3), fractions(0, 2)
    assert oracle.apply("div", a, b, reading="r5").tolist() == [inf, Fraction(3, 2)]
    assert oracle.apply("div", np.int8(-7), np.int8(2), reading="r5") == -3


@pytest.mark.parametrize("operator", ["mul", "div"])
@pytest.mark.parametrize(("dtype", "form"), FLOATS, ids=str)
def test_random_patterns_as_hardware_has_them(
    oracle: Oracle, operator: str, dtype: np.dtype[Any], form: Format
) -> None:
    rng = np.random.default_rng(2)
    a, b = (
        rng.integers(0, 2 * form.sign - 1, 1500, np.uint64, endpoint=True).astype(dtype_of(form))
        for _ in range(2)
    )
    # Half of them near one another, so that most quotients and products are ordinary.
    a[::2] = a[::2] % form.trailing + form.one
    b[::2] = b[::2] % form.trailing + form.one
    apply = np.multiply if operator == "mul" else np.divide
    with np.errstate(all="ignore"):
        expected = apply(a.view(dtype), b.view(dtype)).view(dtype_of(form))
    result = oracle.apply(operator, a.view(dtype), b.view(dtype)).view(dtype_of(form))
    assert result.tolist() == with_one_nan(form, expected).tolist()


def dot(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """The matrix product in the reference order: each product and each sum rounded."""
    total = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        total = total + a[:, k, None] * b[None, k, :]
    return total


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_matrix_products_in_the_reference_order(oracle: Oracle, dtype: type[Any]) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((4, 9), (9, 3)))
    result = oracle.apply("matmul", a, b)
    assert bits(result) == bits(dot(a, b))
    assert bits(result) != bits(dot(a[:, ::-1], b[::-1]))  # the order matters


def test_matrix_products_of_bfloat16_on_demand(oracle: Oracle) -> None:
    a = np.array([[1, 256]], ml_dtypes.bfloat16)
    b = np.array([[1], [1]], ml_dtypes.bfloat16)
    # 257 has nine digits: a tie, to 256.
    assert oracle.apply("matmul", a, b, reading="unlisted").tolist() == [[256]]


# --- Shapes and layouts ---


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3, 4), (1,) * 32, (2,) * 5])
def test_any_shape(oracle: Oracle, shape: tuple[int, ...]) -> None:
    a = np.arange(np.prod(shape, dtype=int), dtype=np.int16).reshape(shape)
    result = oracle.apply("mul", a, a)
    assert result.shape == shape
    assert result.dtype == np.int16
    assert np.array_equal(result, a * a)


def test_fractions_of_any_shape(oracle: Oracle) -> None:
    assert oracle.apply("mul", fractions().reshape(2, 0), fractions().reshape(2, 0)).shape == (2, 0)
    scalar = fractions("2/3").reshape(())
    assert oracle.apply("mul", scalar, scalar)[()] == Fraction(4, 9)


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [((2, 0), (0, 3), (2, 3)), ((0, 4), (4, 2), (0, 2)), ((2, 1), (1, 0), (2, 0))],
)
def test_empty_matrices(
    oracle: Oracle, a: tuple[int, ...], b: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    result = oracle.apply("matmul", np.ones(a, np.float32), np.ones(b, np.float32))
    assert result.shape == shape
    assert set(bits(result.ravel())) <= {0}  # the empty sum is +0


def test_a_scalar_of_numpy_is_of_rank_0(oracle: Oracle) -> None:
    result = oracle.apply("mul", np.int8(-128), np.int8(-1))
    assert result.shape == ()
    assert result == -128


LAYOUTS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "transposed twice": lambda a: np.ascontiguousarray(a.T).T,
    "reversed": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "both": lambda a: np.asfortranarray(a.astype(a.dtype.newbyteorder())),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "uint64", "float16", "float64", object]
)
def test_layout_does_not_matter(oracle: Oracle, layout: str, dtype: Any) -> None:
    a = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    given = LAYOUTS[layout](a)
    before = given.copy()
    given.setflags(write=False)
    result = oracle.apply("mul", given, LAYOUTS[layout](a * 2))
    assert result.tolist() == (a * a * 2).tolist()
    assert result.dtype == a.dtype
    assert result.flags.writeable
    assert np.array_equal(given, before)


def test_repeated_elements(oracle: Oracle) -> None:
    a = np.broadcast_to(np.array([1, 2], np.int8), (3, 2))
    assert oracle.apply("mul", a, a).tolist() == [[1, 4]] * 3


def test_one_call_needs_no_oracle() -> None:
    assert evaluate("mul", np.array([6], np.int8), np.array([7], np.int8)).tolist() == [42]
