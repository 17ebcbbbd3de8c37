"""The definitions of QuantizeLinear and DequantizeLinear beside fractions and NumPy's scalars."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.theories.evaluator import NAN, Evaluator, Float, Operand, Tensor

ELEMENTS, AXES = "scalar.quantization", "tensor.per_axis.PerAxis"
GRANULARITY = "tensor.granularity.Granularity"
Q, D = "ops.quantize_linear", "ops.dequantize_linear"
Shape = tuple[int, ...]
ONE = 2**149
"""The number 1 in units of binary32."""
SCALES = (1.0, 0.1, 3.0, 2.0**-149, 1e-40, 2.0**127, 3.4028234663852886e38, -0.75)


def datum(x: float, units: int = ONE) -> Float:
    """A number of float32 as the definitions have it; of another format, the number 1 in units."""
    number = np.float32(x)
    if np.isnan(number):
        return NAN
    negative = bool(np.signbit(number))
    if np.isinf(number):
        return Float(negative, "inf")
    return Float(negative, int(abs(Fraction(float(number))) * units))


def test_nearest_integers(evaluate: Evaluator) -> None:
    """As Python rounds fractions: half-way to the even integer."""
    for n, d in product(range(-41, 42), (1, 2, 3, 4, 6, 10)):
        assert evaluate(f"{ELEMENTS}.NearestEven.nearest_even", n, d) == round(Fraction(n, d))
    for quarters in range(-20, 21):
        units = abs(quarters) * ONE // 4
        found = evaluate(f"{ELEMENTS}.NearestOfFloat.nearest_of", quarters < 0, units)
        assert found == round(Fraction(quarters, 4))


def test_saturated(evaluate: Evaluator) -> None:
    for k in (-300, -129, -128, -127, 0, 126, 127, 128, 300):
        assert evaluate(f"{ELEMENTS}.Saturation.saturated", -128, 127, k) == min(max(k, -128), 127)


def quantized(x: float, scale: float, zero: int, low: int, high: int) -> int:
    """The quotient by NumPy, and fractions from there on."""
    with np.errstate(all="ignore"):
        quotient = np.float32(x) / np.float32(scale)
    if np.isnan(quotient):
        return low
    if np.isinf(quotient):
        return low if quotient < 0 else high
    return min(max(round(Fraction(float(quotient))) + zero, low), high)


NUMBERS = (
    *(0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, -128.5, 254.5, 0.3, -77.7, 1e-45, -3e-39),
    *(1e38, -1e38, float("inf"), float("-inf"), float("nan")),
)


def test_elements(evaluate: Evaluator) -> None:
    scales = (*SCALES, 0.0, -0.0, float("inf"), float("nan"))
    for x, scale, zero in product(NUMBERS, scales, (-128, -1, 0, 127)):
        wanted = quantized(x, scale, zero, -128, 127)
        operands = (datum(x), datum(scale), zero)
        assert evaluate(f"{ELEMENTS}.Quantization.quantize", -128, 127, *operands) == wanted
        found = evaluate(f"{ELEMENTS}.QuantizationToMachine.quantize_float", *operands)
        assert found == wanted
        if scale == 1.0:
            assert evaluate(f"{ELEMENTS}.Quantization.placed", -128, 127, datum(x), zero) == wanted


INTEGERS = (0, 1, -1, 127, 255, -255, 2**24, 2**24 + 1, 2**25 - 1, 2**31 - 1, -(2**31))


def test_integers(evaluate: Evaluator) -> None:
    for n in INTEGERS:
        assert evaluate(f"{ELEMENTS}.Single.single", n) == datum(n)
        for scale, zero in product(SCALES, (0, 7, 255)):
            wanted = quantized(n, scale, zero, 0, 255)
            path = f"{ELEMENTS}.QuantizationToMachine.quantize_integer"
            assert evaluate(path, n, datum(scale), zero) == wanted


FORMATS: dict[str, tuple[Any, int]] = {
    "binary16": (np.float16, 2**24),
    "bfloat16": (ml_dtypes.bfloat16, 2**133),
}
"""The scalars of NumPy and ml_dtypes, which round each quotient, and 1 in units of the format."""
OF_FORMATS = (*NUMBERS, 1.0, 2.0**-24, 3e-8, 65504.0, 2.0**-133, 3e38)


@pytest.mark.parametrize("name", FORMATS)
def test_elements_of_other_formats(evaluate: Evaluator, name: str) -> None:
    """The quotient is that of the format; from there on, it is like one of float32."""
    scalar, units = FORMATS[name]
    path = "scalar.quantization_formats"
    with np.errstate(all="ignore"):
        for x, scale in product(map(scalar, OF_FORMATS), map(scalar, OF_FORMATS)):
            wanted = quantized(float(x / scale), 1.0, 3, -128, 127)
            operands = (datum(float(x), units), datum(float(scale), units), 3)
            found = evaluate(f"{path}.QuantizationOfFormat.quantize_of", name, -128, 127, *operands)
            assert found == wanted
            if name == "binary16":
                found = evaluate(f"{path}.QuantizationOfFormatToMachine.quantize_float", *operands)
                assert found == wanted


@pytest.mark.parametrize("name", FORMATS)
def test_differences_to_other_formats(evaluate: Evaluator, name: str) -> None:
    """The product is one of float32, and is rounded again."""
    scalar, units = FORMATS[name]
    to_halves = f"{D}.definition.DequantizeLinearFloat16.product"
    with np.errstate(all="ignore"):
        for q, scale, zero in product((*INTEGERS, 65535, -32768), OF_FORMATS, (0, -3)):
            s = scalar(scale)
            wanted = datum(float(scalar(np.float32(q - zero) * np.float32(s))), units)
            operands = (q, datum(float(s), units), zero)
            path = "scalar.quantization_formats.DequantizationToFormat.dequantize_to"
            assert evaluate(path, name, *operands) == wanted
            if name == "binary16":
                assert evaluate(to_halves, *operands) == wanted


@pytest.mark.parametrize("zero", [-128, 0, 3])
def test_differences(evaluate: Evaluator, zero: int) -> None:
    """NumPy rounds the difference, and the product."""
    for q, scale in product(INTEGERS, (*SCALES, 0.0, -0.0, float("inf"), float("nan"))):
        with np.errstate(all="ignore"):
            wanted = np.float32(q - zero) * np.float32(scale)
        found = evaluate(f"{ELEMENTS}.Dequantization.dequantize", q, datum(scale), zero)
        assert found == datum(float(wanted))


def test_axes(evaluate: Evaluator) -> None:
    """The axis by its number, as Python counts from the end."""
    for r, axis in product(range(4), (None, *range(-5, 6))):
        asked = "none" if axis is None else axis
        number = 1 if axis is None else axis
        among = evaluate(f"{AXES}.axis_among", r, asked)
        assert among == (number + r if number < 0 else number)
        dims: Shape = (2, 3, 4)[:r]
        exists = -r <= number < r
        for p in ((), (1,), (2,), (3,), (4,), (2, 3)):
            good = not p or exists
            assert evaluate(f"{AXES}.scalar_or_vector", p) is (len(p) <= 1)
            assert evaluate(f"{AXES}.axis_exists", asked, dims, p) is good
            if not good:
                continue
            each = not p or dims[number] == p[0]
            assert evaluate(f"{AXES}.element_each", asked, dims, p) is each
            assert evaluate(f"{AXES}.fits", asked, dims, p) is (len(p) <= 1 and each)
            index = tuple(range(r))
            if len(p) <= 1:
                place = (index[number],) if p else ()
                assert evaluate(f"{AXES}.place", asked, dims, p, index) == place


def test_granularity(evaluate: Evaluator) -> None:
    """Blocks as slices of Python are: the last one has what is left."""
    assert evaluate(f"{GRANULARITY}.granularity_of", -1, "none") == [-1, 0]
    assert evaluate(f"{GRANULARITY}.granularity_of", "none", 3) == ["none", 3]
    shapes = [(), (1,), (3,), (4,), (2, 3), (2, 4), (1, 4), (2, 1), (2, 2), (2, 4, 1), (2, 0)]
    for axis, block in product((None, -3, -2, -1, 0, 1, 2), (-1, 0, 1, 2, 3, 5)):
        g = ["none" if axis is None else axis, block]
        number = 1 if axis is None else axis
        assert evaluate(f"{GRANULARITY}.sized", g) is (block >= 0)
        for x, p in product(shapes, shapes):
            exists = not p or -len(x) <= number < len(x)
            blocked = block > 0 and 0 < len(p) == len(x)
            assert evaluate(f"{GRANULARITY}.blocked", g, x, p) is blocked
            assert evaluate(f"{GRANULARITY}.has_axis", g, x, p) is exists
            some = len(p) <= 1 if block == 0 else blocked
            assert evaluate(f"{GRANULARITY}.some_granularity", g, x, p) is some
            if not exists or not some:
                assert evaluate(f"{GRANULARITY}.fits", g, x, p) is False
                continue
            wanted = [*x]
            if blocked:
                wanted[number] = len([*range(0, x[number], block)])
                assert evaluate(f"{GRANULARITY}.blocks", x[number], block) == wanted[number]
                assert evaluate(f"{GRANULARITY}.block_dims", g, x) == tuple(wanted)
            there = not p or ([*p] == wanted if blocked else p[0] == x[number])
            assert evaluate(f"{GRANULARITY}.elements_there", g, x, p) is there
            assert evaluate(f"{GRANULARITY}.fits", g, x, p) is (there and block >= 0)


def test_replaced(evaluate: Evaluator) -> None:
    path = "tensor.granularity.Replaced.replaced"
    for k in range(-2, 5):
        wanted = tuple(9 if j == k else x for j, x in enumerate((4, 5, 6)))
        assert evaluate(path, k, 9, (4, 5, 6)) == wanted
    assert evaluate(path, 0, 9, ()) == ()


def test_places(evaluate: Evaluator) -> None:
    x = (3, 5)
    for block, axis in product((1, 2, 4, 7), (0, 1, -1)):
        g = [axis, block]
        p = [*x]
        p[axis] = -(-x[axis] // block)
        for index in product(range(3), range(5)):
            wanted = [*index]
            wanted[axis] = index[axis] // block
            assert evaluate(f"{GRANULARITY}.block_place", g, x, index) == tuple(wanted)
            assert evaluate(f"{GRANULARITY}.place", g, x, tuple(p), index) == tuple(wanted)
            assert evaluate(f"{GRANULARITY}.place", g, x, (x[axis],), index) == (index[axis],)
            assert evaluate(f"{GRANULARITY}.place", g, x, (), index) == ()


def test_elements_for_each_place(evaluate: Evaluator) -> None:
    path = "tensor.granularity.GranularTensor"
    of_all, of_each = Tensor((), (7,)), Tensor((3,), (4, 5, 6))
    of_blocks = Tensor((2, 2), (1, 2, 3, 4))
    assert evaluate(f"{path}.element_at", ["none", 0], (2, 3), of_all, (1, 2)) == 7
    assert evaluate(f"{path}.element_at", ["none", 0], (2, 3), of_each, (1, 2)) == 6
    assert evaluate(f"{path}.element_at", ["none", 2], (2, 3), of_blocks, (1, 2)) == 4
    assert evaluate(f"{path}.element_at", [-2, 0], (3, 2), of_each, (1, 0)) == 5
    assert evaluate(f"{path}.zero_at", ["none", 0], (2, 3), of_each, (1, 0)) == 4
    assert evaluate(f"{path}.zero_at", ["none", 2], (2, 3), of_blocks, (1, 1)) == 3
    assert evaluate(f"{path}.zero_at", ["none", 0], (2, 3), "none", (1, 0)) == 0


def test_tensors(evaluate: Evaluator) -> None:
    """Scales and zero points for each column, and for all."""
    x = Tensor((2, 3), tuple(map(datum, (1.0, -3.0, 2.5, 300.0, 0.5, -7.0))))
    scale, zero = Tensor((3,), tuple(map(datum, (2.0, 1.0, 0.5)))), Tensor((3,), (0, 1, -2))
    path = f"{Q}.floats.QuantizeLinearFloat32ToInt8.quantize_linear"
    assert evaluate(path, NONE, x, scale, zero) == Tensor((2, 3), (0, -2, 3, 127, 1, -16))
    assert evaluate(path, [5, 0], x, Tensor((), (datum(2.0),)), "none") == Tensor(
        (2, 3), (0, -2, 1, 127, 0, -4)
    )
    halves = Tensor((2, 2), tuple(map(datum, (2.0, 1.0, 0.5, 4.0))))
    points = Tensor((2, 2), (0, 1, -2, 3))
    found = evaluate(path, [1, 2], x, halves, points)
    assert found == Tensor((2, 3), (0, -2, 3, 127, -1, 1))
    path = f"{Q}.definition.QuantizeLinearInt32ToUInt8.quantize_linear"
    whole = Tensor((2,), (5, -1000))
    assert evaluate(path, NONE, whole, Tensor((), (datum(2.0),)), Tensor((), (1,))) == Tensor(
        (2,), (3, 0)
    )
    path = f"{Q}.floats.QuantizeLinearFloat16ToInt8.quantize_linear"
    half = Tensor((2,), (datum(5.0, 2**24), datum(-1.0, 2**24)))
    two = Tensor((), (datum(2.0, 2**24),))
    assert evaluate(path, NONE, half, two, Tensor((), (1,))) == Tensor((2,), (3, 1))
    path = f"{D}.definition.DequantizeLinearFloat16.dequantize_linear"
    found = evaluate(path, NONE, Tensor((2,), (5, -1)), two, "none")
    assert found == Tensor((2,), (datum(10.0, 2**24), datum(-2.0, 2**24)))
    path = f"{D}.definition.DequantizeLinearFloat32.dequantize_linear"
    found = evaluate(path, [-1, 0], Tensor((1, 3), (1, 2, -3)), scale, zero)
    assert found == Tensor((1, 3), tuple(map(datum, (2.0, 1.0, -0.5))))


FLOAT8 = ("Float8E4M3FN", "Float8E5M2")
NONE = ["none", 0]
"""Neither an axis nor blocks."""
X, SCALE = Operand("Float32", "Dense", (2, 3)), Operand("Float32", "Dense", (3,))
ZERO = Operand("Int8", "Dense", (3,))
WRONG = {
    "dense": Operand("Float32", "Sparse", (3,)),
    "well_formed_dims": Operand("Float32", "Dense", (-3,)),
    "type": Operand("Float64", "Dense", (3,)),
}


def test_which_operands_are_quantised(evaluate: Evaluator) -> None:
    path = f"{Q}.definition.QuantizeLinearSignature"
    listed = ("Float32", "Int32", "Float16", "BFloat16", "Float64", "Int8", "Real")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 4 + [False] * 3
    for name in listed[:4]:
        wanted = "Float32" if name == "Int32" else name
        assert evaluate.text(f"{path}.scale_type", name) == wanted
        for other in listed:
            x, scale = Operand(name, "Dense", (2, 3)), Operand(other, "Dense", (3,))
            good = other == wanted
            assert evaluate(f"{path}.scale_of_type", x, scale) is good
            assert evaluate(f"{path}.admissible", NONE, "none", x, scale, ZERO, "none") is good
    for zero, wanted in ((ZERO, "Int8"), ("none", "UInt8")):
        assert evaluate.text(f"{path}.quantized_type", "none", str_of(zero)) == wanted
        assert evaluate(f"{path}.narrow_zero_point", zero) is True
        assert evaluate(f"{path}.admissible", NONE, "none", X, SCALE, zero, "none") is True
        result = evaluate(f"{path}.result", NONE, "none", X, SCALE, zero, "none")
        assert result == Operand(wanted, "Dense", (2, 3))
    assert evaluate(f"{path}.stored_densely", X) is True
    assert evaluate(f"{path}.stored_densely", WRONG["dense"]) is False
    for name, wrong in WRONG.items():
        operands = (X, SCALE, ZERO)
        if name != "type":
            assert evaluate(f"{path}.{name}", *operands) is True
            for place in range(3):
                changed = [*operands[:place], wrong, *operands[place + 1 :]]
                assert evaluate(f"{path}.{name}", *changed) is False
        assert evaluate(f"{path}.admissible", NONE, "none", X, wrong, ZERO, "none") is False
    assert evaluate(f"{path}.float8_zero_point", "none") is False
    assert evaluate(f"{path}.zero_values", "none", Tensor((3,), (1, 1, 1))) is True
    for name in ("Int8", "UInt8", "Int16", "UInt16", *FLOAT8):
        zero = Operand(name, "Dense", (3,))
        assert evaluate(f"{path}.narrow", name) is True
        assert evaluate(f"{path}.narrow_zero_point", zero) is True
        assert evaluate(f"{path}.float8_zero_point", zero) is (name in FLOAT8)
        for values in ((0, 0, 0), (0, 128, 0), (0, 1, 0)):
            zeros = not any(values) or (name in FLOAT8 and 1 not in values)
            points = Tensor((3,), values)
            assert evaluate(f"{path}.zero_values", zero, points) is zeros
            good = zeros or name not in FLOAT8
            assert evaluate(f"{path}.admissible", NONE, "none", X, SCALE, zero, points) is good
    for name in ("Int32", "Float32", "UInt32"):
        zero = Operand(name, "Dense", (3,))
        assert evaluate(f"{path}.narrow", name) is False
        assert evaluate(f"{path}.narrow_zero_point", zero) is False
        assert evaluate(f"{path}.admissible", NONE, "none", X, SCALE, zero, "none") is False
    for shape in ((), (2,), (3, 1)):
        zero = Operand("Int8", "Dense", shape)
        assert evaluate(f"{path}.one_shape", SCALE, zero) is False
        assert evaluate(f"{path}.admissible", NONE, "none", X, SCALE, zero, "none") is False
    assert evaluate(f"{path}.one_shape", SCALE, "none") is True
    assert evaluate(f"{path}.admissible", [0, 0], "none", X, SCALE, ZERO, "none") is False
    assert evaluate(f"{path}.admissible", [2, 0], "none", X, SCALE, ZERO, "none") is False
    assert evaluate(f"{path}.admissible", ["none", -1], "none", X, SCALE, ZERO, "none") is False


def test_types_that_are_asked_for(evaluate: Evaluator) -> None:
    """By the numbers of `TensorProto.DataType`."""
    path = f"{Q}.definition.QuantizeLinearSignature"
    numbers = {2: "UInt8", 3: "Int8", 4: "UInt16", 5: "Int16"}
    numbers |= {17: "Float8E4M3FN", 19: "Float8E5M2"}
    for output in ("none", *range(-3, 30)):
        known = output in {"none", 0, *numbers}
        wanted = numbers.get(output, "UInt8") if isinstance(output, int) else "UInt8"
        assert evaluate(f"{path}.known_output", output) is known
        assert evaluate(f"{path}.admissible", NONE, output, X, SCALE, "none", "none") is known
        assert evaluate(f"{path}.one_output", output, "none") is True
        assert evaluate.text(f"{path}.quantized_type", str(output), "none") == wanted
        if isinstance(output, int):
            assert evaluate.text(f"{path}.type_of_number", str(output)) == wanted
        if not known:
            continue
        for name in numbers.values():
            zero = Operand(name, "Dense", (3,))
            fits = output in {"none", 0} or numbers[int(output)] == name
            assert evaluate(f"{path}.one_output", output, zero) is fits
            assert evaluate(f"{path}.admissible", NONE, output, X, SCALE, zero, "none") is fits
            assert evaluate.text(
                f"{path}.quantized_type", str(output), f"{name},Dense,[3]"
            ) == name  # fmt: skip


def str_of(zero: Operand | str) -> str:
    return zero if isinstance(zero, str) else f"{zero.element},{zero.storage},[3]"


def test_which_operands_are_dequantised(evaluate: Evaluator) -> None:
    path = f"{D}.definition.DequantizeLinearSignature"
    listed = ("Int8", "UInt8", "Int16", "UInt16", "Int32", *FLOAT8, "Int64", "UInt32", "Float32")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 7 + [False] * 3
    some, nothing = Tensor((3,), (0, 1, 0)), Tensor((3,), (0, 0, 0))
    for name in listed[:7]:
        x, zero = Operand(name, "Dense", (2, 3)), Operand(name, "Dense", (3,))
        wide = name in {"Int32", *FLOAT8}
        assert evaluate(f"{path}.only_zero", name) is wide
        for operand, values, good in (
            ("none", "none", True),
            (zero, nothing, True),
            (zero, some, not wide),
        ):
            found = evaluate(f"{path}.admissible", NONE, x, SCALE, operand, values)
            assert found is good
        result = evaluate(f"{path}.result", NONE, x, SCALE, zero, nothing)
        assert result == Operand("Float32", "Dense", (2, 3))
        for of_scale in ("Float16", "BFloat16"):
            scale = Operand(of_scale, "Dense", (3,))
            assert evaluate(f"{path}.float_scale", scale) is True
            assert evaluate(f"{path}.admissible", NONE, x, scale, zero, nothing) is True
            result = evaluate(f"{path}.result", NONE, x, scale, zero, nothing)
            assert result == Operand(of_scale, "Dense", (2, 3))
        assert evaluate(f"{path}.one_type", x, zero) is True
        assert evaluate(f"{path}.one_type", x, "none") is True
        other = Operand("Int64", "Dense", (3,))
        assert evaluate(f"{path}.one_type", x, other) is False
        assert evaluate(f"{path}.admissible", NONE, x, SCALE, other, nothing) is False
        for broken, wrong in WRONG.items():
            assert evaluate(f"{path}.admissible", NONE, x, wrong, zero, nothing) is False
            if broken == "type":
                assert evaluate(f"{path}.float_scale", wrong) is False
                assert evaluate(f"{path}.float_scale", SCALE) is True
            else:
                assert evaluate(f"{path}.{broken}", x, wrong, zero) is False
                assert evaluate(f"{path}.{broken}", x, SCALE, zero) is True
        assert evaluate(f"{path}.one_shape", SCALE, zero) is True
        assert evaluate(f"{path}.one_shape", SCALE, Operand(name, "Dense", ())) is False
        assert evaluate(f"{path}.admissible", [0, 0], x, SCALE, zero, nothing) is False


def test_which_zero_points_are_zero(evaluate: Evaluator) -> None:
    """Of floats of 8 bits, by their bit patterns: -0 is one, too."""
    path = f"{Q}.definition.ZeroPoint"
    for name in ("Int8", "Int32", "UInt16", "Float32", *FLOAT8):
        of_floats = name in FLOAT8
        assert evaluate(f"{path}.float8", name) is of_floats
        for k in (0, 1, 127, 128, 129, 256, -1, -128):
            wanted = k == 0 or (of_floats and k == 128)
            assert evaluate(f"{path}.zero_element", name, k) is wanted
            assert evaluate(f"{path}.zeros", name, Tensor((), (k,))) is wanted
            assert evaluate(f"{path}.zeros", name, Tensor((3,), (0, k, 0))) is wanted
        assert evaluate(f"{path}.zeros", name, "none") is True
        assert evaluate(f"{path}.zeros", name, Tensor((0,), ())) is True
        blocks = Tensor((2, 3), (0, 128, 0, 0, 5, 0))
        assert evaluate(f"{path}.zeros", name, blocks) is False
        assert evaluate(f"{path}.zeros", name, Tensor((2, 3), (0,) * 6)) is True
        for k, n in product(range(7), repeat=2):
            values = blocks.elements[k:n]
            wanted = 5 not in values and (of_floats or 128 not in values)
            assert evaluate(f"{path}.zeros_from", name, k, n, blocks) is wanted
