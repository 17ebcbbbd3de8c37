"""The formats of 8 bits beside ml_dtypes and fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.float8 import DIGITS, DTYPES, GREATEST, NAMES, UNITS, cast, nearest, numbers, one_nan
from tests.theories.evaluator import NAN, Evaluator, Float, Tensor

FLOAT8 = "scalar.float8"
WIDE: dict[str, Any] = {
    "binary16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "binary32": np.float32,
}

each_name = pytest.mark.parametrize("name", NAMES)


def datum(x: float, units: int) -> Float:
    """A number as the definitions have it, where 1 is so many units."""
    if np.isnan(x):
        return NAN
    negative = bool(np.signbit(x))
    if np.isinf(x):
        return Float(negative, "inf")
    return Float(negative, int(abs(Fraction(x)) * units))


def test_fields(evaluate: Evaluator) -> None:
    for name in NAMES:
        largest = GREATEST[name] * UNITS[name]
        fields = {"top": 2 ** DIGITS[name], "one": UNITS[name], "greatest": largest}
        wanted = {**fields, "infinite": int(name == "float8e5m2")}
        assert evaluate(f"{FLOAT8}.Float8.{name}") == wanted
    assert evaluate(f"{FLOAT8}.Float8.interchange", "3,15") == evaluate(
        f"{FLOAT8}.Float8.float8e5m2"
    )
    assert evaluate(f"{FLOAT8}.Float8.finite_only", "4,7") == evaluate(
        f"{FLOAT8}.Float8.float8e4m3fn"
    )


@each_name
def test_numbers_are_those_of_ml_dtypes(name: str) -> None:
    """What the tests here compare with, by another way to them."""
    every = np.arange(len(numbers(name)) - 1, dtype=np.uint8).view(DTYPES[name])
    assert [Fraction(float(x)) for x in every] == [x for x, _ in numbers(name)[:-1]]


@each_name
def test_all_patterns(evaluate: Evaluator, name: str) -> None:
    """Each is decoded as ml_dtypes does, and comes back, but for NaN."""
    every = np.arange(256, dtype=np.uint8).view(DTYPES[name]).astype(np.float64)
    nan = 0x7F if name == "float8e4m3fn" else 0x7E
    decoded = [evaluate(f"{FLOAT8}.Encoding8.of_bits8", name, b) for b in range(256)]
    assert decoded == [datum(x, UNITS[name]) for x in every]
    for b, x in enumerate(decoded):
        assert evaluate(f"{FLOAT8}.Float8.member8", name, x) is True
        assert evaluate(f"{FLOAT8}.Encoding8.to_bits8", name, x) == (nan if x == NAN else b)
        form = "4,7" if name == "float8e4m3fn" else "3,15"
        if isinstance(x, Float) and isinstance(x.magnitude, int):
            found = evaluate(f"{FLOAT8}.Encoding8.magnitude8", form, b % 128)
            assert found == x.magnitude
        if name == "float8e4m3fn":
            assert evaluate(f"{FLOAT8}.Encoding8.of_bits_finite_only", form, b) == x
            bits = evaluate(f"{FLOAT8}.Encoding8.to_bits_finite_only", form, x)
            assert bits == (nan if x == NAN else b)
    numbers_ = [x for x in decoded if x != NAN]
    assert len(set(numbers_)) == len(numbers_) == (254 if name == "float8e4m3fn" else 250)


@each_name
def test_which_values_there_are(evaluate: Evaluator, name: str) -> None:
    every = {int(x * UNITS[name]) for x, _ in numbers(name)[:-1]}
    largest = GREATEST[name] * UNITS[name]
    tried = [*range(-2, 300), *every, *(k + 1 for k in every), largest + 1, largest * 2]
    for k in tried:
        assert evaluate(f"{FLOAT8}.Float8.member8", name, Float(False, k)) is (k in every)
    infinity = evaluate(f"{FLOAT8}.Float8.member8", name, Float(True, "inf"))
    assert infinity is (name == "float8e5m2")


@each_name
@pytest.mark.parametrize("wide", WIDE)
def test_every_number_has_its_place(evaluate: Evaluator, name: str, wide: str) -> None:
    """All 256 patterns in each wider format, and back, as ml_dtypes has them."""
    every = np.arange(256, dtype=np.uint8).view(DTYPES[name])
    shape = Tensor((256,), tuple(range(256)))
    wider = evaluate(f"{FLOAT8}.Encoding8.widened_patterns", name, wide, shape)
    assert isinstance(wider, Tensor)
    dtype = np.dtype(WIDE[wide])
    found = np.array(wider.elements).astype(f"u{dtype.itemsize}").view(dtype)
    assert np.array_equal(found, every.astype(dtype), equal_nan=True)
    again = evaluate(f"{FLOAT8}.Cast8.cast_patterns", wide, name, False, wider)
    assert isinstance(again, Tensor)
    assert np.array_equal(one_nan(name, again.elements), one_nan(name, range(256)))


@pytest.mark.long
@each_name
@pytest.mark.parametrize("wide", ["binary16", "bfloat16"])
@pytest.mark.parametrize("saturate", [True, False])
def test_all_patterns_of_16_bits(evaluate: Evaluator, name: str, wide: str, saturate: bool) -> None:
    """All are rounded as fractions are, and, without saturation, as ml_dtypes does."""
    every = np.arange(1 << 16, dtype=np.uint16).view(WIDE[wide])
    given = Tensor((1 << 16,), tuple(range(1 << 16)))
    found = evaluate(f"{FLOAT8}.Cast8.cast_patterns", wide, name, saturate, given)
    assert isinstance(found, Tensor)
    ours = one_nan(name, found.elements)
    with np.errstate(invalid="ignore"):
        exact = every.astype(np.float64).tolist()
    assert np.array_equal(ours, [cast(name, saturate, x) for x in exact])
    if not saturate:
        with np.errstate(all="ignore"):
            assert np.array_equal(ours, one_nan(name, every.astype(DTYPES[name]).view(np.uint8)))


def singles(name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Each number and each middle between two, with their neighbours; the ends of float32, what is
    beyond, and others of all sizes."""
    every = [x for x, _ in numbers(name)]
    marks = [*every, *((a + b) / 2 for a, b in pairwise(every)), 3 * every[-1] / 2]
    exact = np.array([float(x) for x in marks], np.float32)
    around = [exact, np.nextafter(exact, np.float32(0)), np.nextafter(exact, np.float32(np.inf))]
    ends = np.array([0x1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000])
    chance = np.random.default_rng(8)
    drawn = chance.integers(0, 1 << 31, 5000)
    near = chance.uniform(-20, 20, 5000).astype(np.float32)
    patterns = np.concatenate([ends, drawn]).astype(np.uint32).view(np.float32)
    positive = np.concatenate([*around, patterns, np.exp2(near)])
    return np.concatenate([positive, -positive]).astype(np.float32)


@each_name
@pytest.mark.parametrize("saturate", [True, False])
def test_numbers_of_32_bits(evaluate: Evaluator, name: str, saturate: bool) -> None:
    some = singles(name)
    given = Tensor(some.shape, tuple(some.view(np.uint32).tolist()))
    found = evaluate(f"{FLOAT8}.Cast8.cast_patterns", "binary32", name, saturate, given)
    assert isinstance(found, Tensor)
    ours = one_nan(name, found.elements)
    with np.errstate(invalid="ignore"):
        exact = some.astype(np.float64).tolist()
    assert np.array_equal(ours, [cast(name, saturate, x) for x in exact])
    if not saturate:
        with np.errstate(all="ignore"):
            assert np.array_equal(ours, one_nan(name, some.astype(DTYPES[name]).view(np.uint8)))


TABLE: dict[tuple[str, bool], dict[float, float]] = {
    ("float8e4m3fn", True): {np.inf: 448, -np.inf: -448, 1e30: 448, -465: -448, 464: 448},
    ("float8e5m2", True): {np.inf: 57344, -np.inf: -57344, 1e30: 57344, -61440: -57344},
    ("float8e4m3fn", False): {np.inf: np.nan, -np.inf: np.nan, 465: np.nan, -1e30: np.nan},
    ("float8e5m2", False): {np.inf: np.inf, -np.inf: -np.inf, 61440: np.inf, -1e30: -np.inf},
}
"""Of ONNX's table of Cast: infinities, and what is beyond the largest number when it is rounded."""


@each_name
@pytest.mark.parametrize("saturate", [True, False])
def test_the_table_of_onnx(evaluate: Evaluator, name: str, saturate: bool) -> None:
    rows = {0.0: 0.0, np.nan: np.nan, **TABLE[name, saturate]}
    inside = {"float8e4m3fn": {464.0: 448.0}, "float8e5m2": {61439.0: 57344.0}}
    rows |= inside[name] | {-x: -y for x, y in inside[name].items()}
    units = 2**149
    for x, y in rows.items():
        found = evaluate(f"{FLOAT8}.Cast8.cast", "binary32", name, saturate, datum(x, units))
        assert found == datum(y, UNITS[name])
    zeros = [evaluate(f"{FLOAT8}.Cast8.cast", "binary32", name, saturate, datum(x, units))
             for x in (0.0, -0.0)]  # fmt: skip
    assert zeros == [Float(False, 0), Float(True, 0)]


@each_name
def test_beyond(evaluate: Evaluator, name: str) -> None:
    path = f"{FLOAT8}.Cast8.beyond"
    for negative in (False, True):
        largest = Float(negative, GREATEST[name] * UNITS[name])
        assert evaluate(path, name, True, negative) == largest
        infinity = Float(negative, "inf") if name == "float8e5m2" else NAN
        assert evaluate(path, name, False, negative) == infinity
        for saturate in (False, True):
            units = UNITS[name]
            for n, d in product((0, 1, 5, 9, 449, 480, 70000), (1, 3, 7)):
                found = evaluate(f"{FLOAT8}.Cast8.rounded8", name, saturate, negative, n * units, d)
                pattern = nearest(name, Fraction(n, d))
                last = len(numbers(name)) - 1
                if pattern < last:
                    number = numbers(name)[pattern][0]
                    assert found == Float(negative, int(number * units))
                else:
                    assert found == evaluate(path, name, saturate, negative)


QUANTIZED: tuple[float, ...] = (0.0, 1.0, -2.5, 0.3, 100.0, -1e4, 6e4, 2.0**-20, np.inf, np.nan)
SCALES: tuple[float, ...] = (1.0, 0.3, -2.0, 2.0**-24, 65504.0, 0.0, -0.0, np.inf, np.nan)


def units_of(wide: str) -> int:
    return {"binary16": 2**24, "bfloat16": 2**133, "binary32": 2**149}[wide]


@each_name
@pytest.mark.parametrize("wide", WIDE)
def test_quantised(evaluate: Evaluator, name: str, wide: str) -> None:
    """NumPy rounds the quotient, and the table says what becomes of it."""
    scalar, units = WIDE[wide], units_of(wide)
    path = "scalar.quantization_float8.QuantizationToFloat8.quantize8"
    type_ = "scalar.quantization_float8.QuantizationToFloat8Type.quantize_float"
    quantizers = "ops.quantize_linear.definition.QuantizeLinearFloat8"
    for x, scale, saturate in product(QUANTIZED, SCALES, (True, False)):
        with np.errstate(all="ignore"):
            operands = scalar(x), scalar(scale)
            quotient = float(scalar(operands[0] / operands[1]))
        given = tuple(datum(float(each), units) for each in operands)
        pattern = cast(name, saturate, quotient)
        found = evaluate(path, wide, name, saturate, *given)
        assert found == evaluate(f"{FLOAT8}.Encoding8.of_bits8", name, pattern)
        if (name, wide) == ("float8e4m3fn", "binary16"):
            assert evaluate(type_, saturate, *given) == pattern
            how = "quantize_saturating" if saturate else "quantize_plainly"
            assert evaluate(f"{quantizers}.{how}", *given, 3) == pattern


def test_integers_quantised(evaluate: Evaluator) -> None:
    path = "scalar.quantization_float8.QuantizationToFloat8Type.quantize_integer"
    for n, scale, saturate in product((0, 1, -7, 2**24 + 1, -(2**31)), SCALES, (True, False)):
        with np.errstate(all="ignore"):
            quotient = np.float32(n) / np.float32(scale)
        found = evaluate(path, saturate, n, datum(float(np.float32(scale)), 2**149))
        wanted = cast("float8e5m2", saturate, float(quotient))
        assert one_nan("float8e5m2", [found]) == [wanted]


@each_name
@pytest.mark.parametrize("wide", WIDE)
def test_dequantised(evaluate: Evaluator, name: str, wide: str) -> None:
    """NumPy rounds the product of float32, and this to the type of the scale."""
    scalar, units = WIDE[wide], units_of(wide)
    path = "scalar.quantization_float8.DequantizationOfFloat8.dequantize8"
    type_ = "scalar.quantization_float8.DequantizationOfFloat8Type.dequantize"
    every = np.arange(256, dtype=np.uint8).view(DTYPES[name]).astype(np.float32)
    for scale, (pattern, q) in product(SCALES, enumerate(every)):
        s = scalar(scale)
        with np.errstate(all="ignore"):
            wanted = datum(float(scalar(q * np.float32(s))), units)
        given = datum(float(q), UNITS[name]), datum(float(s), units)
        assert evaluate(path, name, wide, *given) == wanted
        if (name, wide) == ("float8e5m2", "binary16"):
            for far in (0, 256, -512):
                assert evaluate(type_, pattern + far, given[1], 0) == wanted


def test_saturation_is_what_is_not_0(evaluate: Evaluator) -> None:
    path = "ops.quantize_linear.definition.SaturateAttribute.saturates"
    assert [evaluate(path, each) for each in ("none", 0, 1, -1, 2)] == [
        True, False, True, True, True,
    ]  # fmt: skip


def test_tensors(evaluate: Evaluator) -> None:
    """Scales for each column; the zero point is not added."""
    none = ["none", 0]
    x = Tensor((2, 2), tuple(datum(each, 2**24) for each in (1.0, -1000.0, 0.0, 3.0)))
    scale = Tensor((2,), tuple(datum(each, 2**24) for each in (2.0, 0.5)))
    path = "ops.quantize_linear.floats.QuantizeLinearFloat16ToFloat8E4M3FN.quantize_linear"
    zeros: tuple[str | Tensor[int], ...] = ("none", Tensor((2,), (0, 128)))
    ends: dict[str | int, int] = {"none": 0xFE, 1: 0xFE, 0: 0x7F}
    for saturate, end in ends.items():
        for zero in zeros:
            found = evaluate(path, none, saturate, x, scale, zero)
            assert found == Tensor((2, 2), (0x30, end, 0x00, 0x4C))
    path = "ops.quantize_linear.definition.QuantizeLinearInt32ToFloat8E5M2.quantize_linear"
    whole = Tensor((3,), (3, -3, 1 << 30))
    two = Tensor((), (datum(2.0, 2**149),))
    assert evaluate(path, none, 0, whole, two, "none") == Tensor((3,), (0x3E, 0xBE, 0x7C))
    half = Tensor((), (datum(2.0, 2**24),))
    found = evaluate("ops.quantize_linear.dequantize_linear", none, Tensor((2,), (0x3E, 0xFC)),
                     half, "none")  # fmt: skip
    assert found == Tensor((2,), (datum(3.0, 2**24), Float(True, "inf")))
