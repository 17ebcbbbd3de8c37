"""The operators of one operand, comparisons, Where, Clip and Max, beside plain Python."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.theories.evaluator import NAN, Evaluator, Float, Operand, Tensor

INTEGERS = (-128, -127, -3, 0, 1, 100, 127)
RATIONALS = tuple(map(Fraction, ("-7/2", "-1/3", "0", "1/3", "1/2", "5")))
HALVES = (-math.inf, -65504.0, -1.5, -(2.0**-24), -0.0, 0.0, 2.0**-24, 2.0, 65504.0, math.inf)

NUMBERS = {
    *("Real", "Float16", "Float32", "Float64"),
    *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
}
FLOATS = {"Float16", "Float32", "Float64"}
UNARY = {
    "neg.definition.Neg": {*NUMBERS, "BFloat16"},
    "abs.definition.Abs": NUMBERS,
    "relu.definition.Relu": {name for name in NUMBERS if not name.startswith("U")},
    "sqrt.definition.Sqrt": FLOATS,
    "leaky_relu.definition.LeakyRelu": FLOATS,
}
OTHERS = ("BFloat16", "Boolean", "Text", "Complex64")


def binary(x: float, exponent: int) -> Float:
    """The number `x` as a float of a format whose unit is 2 to the power of `-exponent`."""
    if math.isnan(x):
        return NAN
    negative = math.copysign(1, x) < 0
    return Float(negative, "inf" if math.isinf(x) else int(abs(x) * 2.0**exponent))


def half(x: float) -> Float:
    """The number `x`, rounded to binary16."""
    return binary(struct.unpack("e", struct.pack("e", x))[0], 24)


def single(x: float) -> Float:
    """The number `x`, which is one of binary32."""
    return binary(x, 149)


def vector(*elements: Any) -> Tensor[Any]:
    return Tensor((len(elements),), elements)


KINDS: tuple[tuple[str, str, str, tuple[Any, ...], Callable[[Any], Any]], ...] = (
    ("Rational", "definition", "Rational", RATIONALS, Fraction),
    ("Machine", "definition", "Int8", INTEGERS, int),
    ("Float", "floats", "Float16", HALVES, half),
)
"""Modules of functions on elements, and of operators; elements, and how they are written."""


def wrapped(x: int) -> int:
    return (x + 128) % 256 - 128


def greater(x: float, y: float) -> float:
    return y if (x, math.copysign(1, x)) < (y, math.copysign(1, y)) else x


FUNCTIONS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "neg.{}.Neg{}.neg": ("opposite", "scalar.sign", lambda x: -x),
    "abs.{}.Abs{}.abs": ("absolute", "scalar.sign", abs),
    "relu.{}.Relu{}.relu": ("positive_part", "scalar.sign", lambda x: type(x)(0) if x < 0 else x),
}


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_one_operand(evaluate: Evaluator, operator: str) -> None:
    name, file, function = FUNCTIONS[operator]
    exact = [function(x) for x in RATIONALS]
    machine = [wrapped(function(x)) for x in INTEGERS]
    floats = [*(half(function(x)) for x in HALVES), NAN]
    operands = [*map(half, HALVES), NAN]

    def apply(part: str, element: str, *x: Any) -> Any:
        return evaluate("ops." + operator.format(part, element), vector(*x))

    assert apply("definition", "Rational", *RATIONALS) == vector(*exact)
    assert apply("definition", "Int8", *INTEGERS) == vector(*machine)
    assert apply("floats", "Float16", *operands) == vector(*floats)
    if name != "opposite":
        assert [evaluate(f"{file}.SignRational.{name}", x) for x in RATIONALS] == exact
    assert [evaluate(f"{file}.SignMachine.{name}", x) for x in INTEGERS] == machine
    assert [evaluate(f"{file}.SignFloat.{name}", x) for x in operands] == floats


def test_order(evaluate: Evaluator) -> None:
    """Of elements, and at each index of tensors; NaN is not less than anything."""
    for module, file, element, values, written in KINDS:
        elements = (*values, math.nan) if module == "Float" else values
        pairs = list(product(elements, repeat=2))
        less = [x < y for x, y in pairs]
        a, b = (vector(*(written(pair[k]) for pair in pairs)) for k in (0, 1))
        each = list(zip(a.elements, b.elements, strict=True))
        assert evaluate(f"ops.less.{file}.Less{element}.less", a, b) == vector(*less)
        assert [evaluate(f"scalar.order.Order{module}.less", x, y) for x, y in each] == less


@pytest.mark.parametrize(
    ("module", "x", "y"),
    [
        ("definition.WhereRational", RATIONALS[0], RATIONALS[1]),
        ("definition.WhereInt8", 3, -4),
        ("floats.WhereFloat16", half(-0.0), NAN),
    ],
)
def test_where(evaluate: Evaluator, module: str, x: Any, y: Any) -> None:
    condition = vector(True, False, False)
    chosen = evaluate(f"ops.where.{module}.where", condition, vector(x, x, y), vector(y, y, x))
    assert chosen == vector(x, y, x)


def test_square_root(evaluate: Evaluator) -> None:
    numbers = [*(x for x in HALVES if x >= 0), 2.25, 3.0, 1e-3]
    operands = [*map(half, numbers), half(-1.0), half(-math.inf), NAN]
    halves = [struct.unpack("e", struct.pack("e", x))[0] for x in numbers]
    roots = [*(half(math.sqrt(x)) for x in halves), NAN, NAN, NAN]
    assert evaluate("ops.sqrt.floats.SqrtFloat16.sqrt", vector(*operands)) == vector(*roots)
    assert [evaluate("scalar.square_root.RootFloat.root", x) for x in operands] == roots


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1.0, -3.0, 0.0, -0.0, math.inf, math.nan])
def test_leak(evaluate: Evaluator, alpha: float) -> None:
    """The product with a coefficient of binary32, which is exact in binary64, rounded once."""
    alpha = struct.unpack("f", struct.pack("f", alpha))[0]
    numbers = [x for x in (*HALVES, math.nan) if abs(x) != 65504.0]
    operands = [half(x) for x in numbers]
    products = [half(alpha * x) for x in numbers]
    leaks = [p if x < 0 else half(x) for x, p in zip(numbers, products, strict=True)]
    scaled = "scalar.ieee754.scaling.Scaling.scaled"
    a = single(alpha)
    assert [evaluate(scaled, "binary32", "binary16", a, x) for x in operands] == products
    assert [evaluate("scalar.leak.LeakFloat.leak", a, x) for x in operands] == leaks
    leaky_relu = "ops.leaky_relu.floats.LeakyReluFloat16.leaky_relu"
    assert evaluate(leaky_relu, a, vector(*operands)) == vector(*leaks)


def test_leak_by_one_half(evaluate: Evaluator) -> None:
    numbers = (-3.0, -(2.0**-24), -0.0, 5.0, math.inf, -math.inf)
    leaks = [half(x / 2 if x < 0 else x) for x in numbers]
    module = "ops.leaky_relu.definition.LeakyReluFacts"
    assert [evaluate(f"{module}.leak_by", half(x)) for x in numbers] == leaks
    assert evaluate(f"{module}.apply", vector(*map(half, numbers))) == vector(*leaks)


def limited(x: float, low: float, high: float) -> float:
    low = -math.inf if math.isnan(low) else low
    high = math.inf if math.isnan(high) else high
    if low > high:
        return high
    return low if x < low else high if x > high else x


def test_clamped(evaluate: Evaluator) -> None:
    for module, file, element, values, written in KINDS:
        elements = (*values, math.nan) if module == "Float" else values
        clamped = f"scalar.clamp.Clamp{module}.clamped"
        x = vector(*map(written, elements))
        for low, high in product(elements, repeat=2):
            bounds = written(low), written(high)
            between = [written(limited(each, low, high)) for each in elements]
            assert [evaluate(clamped, each, *bounds) for each in x.elements] == between
            scalars = [Tensor((), (each,)) for each in bounds]
            clip = f"ops.clip.{file}.Clip{element}.clip"
            assert evaluate(clip, x, *scalars) == vector(*between)
    for name, bound in (("lower", -math.inf), ("upper", math.inf)):
        assert evaluate(f"scalar.clamp.ClampFloat.{name}", NAN) == half(bound)
        assert evaluate(f"scalar.clamp.ClampFloat.{name}", half(1.0)) == half(1.0)


def test_larger(evaluate: Evaluator) -> None:
    for module, file, element, values, written in KINDS:
        pairs = list(product(values, repeat=2))
        largest = [written(greater(x, y)) for x, y in pairs]
        a, b = (vector(*(written(pair[k]) for pair in pairs)) for k in (0, 1))
        larger = f"scalar.maximum.Maximum{module}.larger"
        each = zip(a.elements, b.elements, strict=True)
        assert [evaluate(larger, x, y) for x, y in each] == largest
        assert evaluate(f"ops.max.{file}.Max{element}.max", [a, b]) == vector(*largest)
    x, nan = half(1.0), NAN
    assert evaluate("ops.max.floats.MaxFloat16.max", [vector(x, nan), vector(nan, x)]) == (
        vector(nan, nan)
    )


def test_smaller(evaluate: Evaluator) -> None:
    for module, file, element, values, written in KINDS[1:]:
        pairs = list(product(values, repeat=2))
        least = [written(-greater(-x, -y)) for x, y in pairs]
        a, b = (vector(*(written(pair[k]) for pair in pairs)) for k in (0, 1))
        smaller = f"scalar.minimum.Minimum{module}.smaller"
        each = zip(a.elements, b.elements, strict=True)
        assert [evaluate(smaller, x, y) for x, y in each] == least
        assert evaluate(f"ops.min.{file}.Min{element}.min", [a, b]) == vector(*least)
    x, nan = half(1.0), NAN
    assert evaluate("ops.min.floats.MinFloat16.min", [vector(x, nan), vector(nan, x)]) == (
        vector(nan, nan)
    )


def test_operands_of_min(evaluate: Evaluator) -> None:
    """What it shares with Max is tried there."""
    module = "ops.min.definition.MinSignature"
    a, b = Operand("Int8", "Dense", (2, 1)), Operand("Int8", "Dense", (3,))
    for name in (*sorted(NUMBERS), *OTHERS):
        listed = name in NUMBERS - {"Real"} | {"BFloat16"}
        assert evaluate(f"{module}.listed", name) == listed
    assert evaluate(f"{module}.admissible", [a, b])
    assert not evaluate(f"{module}.admissible", [a, Operand("Real", "Dense", (3,))])
    assert evaluate(f"{module}.result", [a, b]) == Operand("Int8", "Dense", (2, 3))


def test_operands_broadcast_together(evaluate: Evaluator) -> None:
    tensors = [Tensor((2, 1), (5, -7)), vector(1, 9, -8), Tensor((), (0,))]
    shapes = [a.shape for a in tensors]
    variadic = "ops.elementwise.variadic."
    assert evaluate("ops.max.definition.MaxInt8.max", tensors) == Tensor((2, 3), (5, 9, 5, 1, 9, 0))
    assert evaluate("ops.max.definition.MaxInt8.max", tensors[:1]) == tensors[0]
    assert evaluate(variadic + "VariadicTensors.shapes", tensors) == shapes
    assert evaluate(variadic + "VariadicTensors.shapes_from", tensors[0], tensors[1:]) == shapes
    assert evaluate(variadic + "VariadicTensors.element_at", tensors[0], (1, 2)) == -7
    assert evaluate(variadic + "VariadicTensors.row", tensors, (1, 2)) == [-7, -8, 0]
    assert evaluate(variadic + "VariadicTensors.row_from", tensors[0], [], (0, 2)) == [5]
    assert evaluate(variadic + "Fold.folded", [-7, -8, 0, -1]) == 0
    assert evaluate(variadic + "Shapes.common_shape", shapes) == (2, 3)
    assert evaluate(variadic + "Shapes.broadcastable", shapes)
    assert not evaluate(variadic + "Shapes.broadcastable", [(2,), (1,), (3,)])


@pytest.mark.parametrize("path", UNARY)
def test_one_admissible_operand(evaluate: Evaluator, path: str) -> None:
    module = f"ops.{path}Signature"
    for name in (*sorted(NUMBERS), *OTHERS):
        operand = Operand(name, "Dense", (2, 0))
        assert evaluate(f"{module}.listed", name) == (name in UNARY[path])
        assert evaluate(f"{module}.admissible", operand) == (name in UNARY[path])
    good = Operand("Float16", "Dense", (2, 0))
    assert evaluate(f"{module}.result", good) == good
    for broken, bad in (
        ("well_formed_dims", Operand("Float16", "Dense", (2, -1))),
        ("dense", Operand("Float16", "Sparse", (2, 0))),
    ):
        assert evaluate(f"{module}.{broken}", good)
        assert not evaluate(f"{module}.{broken}", bad)
        assert not evaluate(f"{module}.admissible", bad)


def test_equal(evaluate: Evaluator) -> None:
    for _, file, element, values, written in KINDS[1:]:
        elements = (*values, math.nan) if element == "Float16" else values
        column, row = [written(x) for x in elements], vector(*map(written, elements))
        a = Tensor((len(column), 1), tuple(column))
        same = tuple(x == y for x, y in product(elements, repeat=2))
        found = evaluate(f"ops.equal.{file}.Equal{element}.equal", a, row)
        assert found == Tensor((len(column), len(column)), same)
    truth = vector(False, True)
    assert evaluate("scalar.truth.Truth.equal", False, False)
    assert not evaluate("scalar.truth.Truth.equal", False, True)
    boolean = "ops.equal.definition.EqualBoolean.equal"
    assert evaluate(boolean, Tensor((), (True,)), truth) == truth


def test_operands_of_equal(evaluate: Evaluator) -> None:
    module = "ops.equal.definition.EqualSignature"
    a, b = Operand("Int8", "Dense", (2, 1)), Operand("Int8", "Dense", (3,))
    for name in (*sorted(NUMBERS), *OTHERS):
        listed = name in NUMBERS - {"Real"} | {"BFloat16", "Boolean"}
        assert evaluate(f"{module}.listed", name) == listed
    assert evaluate(f"{module}.one_type", a, b)
    assert evaluate(f"{module}.admissible", a, b)
    assert evaluate(f"{module}.result", a, b) == Operand("Boolean", "Dense", (2, 3))
    for bad in (
        Operand("Int8", "Dense", (3, 3)),
        Operand("Int8", "Sparse", (3,)),
        Operand("UInt8", "Dense", (3,)),
    ):
        assert evaluate(f"{module}.one_type", a, bad) == (bad.element == "Int8")
        assert not evaluate(f"{module}.admissible", a, bad)


def test_compared_operands(evaluate: Evaluator) -> None:
    module = "ops.less.definition.LessSignature"
    a, b = Operand("Int8", "Dense", (2,)), Operand("UInt8", "Dense", (2,))
    for name in (*sorted(NUMBERS), *OTHERS):
        assert evaluate(f"{module}.listed", name) == (name in NUMBERS)
    assert evaluate(f"{module}.one_type", a, a)
    assert evaluate(f"{module}.admissible", a, a)
    assert not evaluate(f"{module}.one_type", a, b)
    assert not evaluate(f"{module}.admissible", a, b)
    assert evaluate(f"{module}.result", a, a) == Operand("Boolean", "Dense", (2,))


def test_operands_of_where(evaluate: Evaluator) -> None:
    module = "ops.where.definition.WhereSignature"
    truth, x = Operand("Boolean", "Dense", (2,)), Operand("Int8", "Dense", (2,))
    for name in (*sorted(NUMBERS), *OTHERS):
        assert evaluate(f"{module}.listed", name) == (name in NUMBERS)
    assert evaluate(f"{module}.truth", truth)
    assert not evaluate(f"{module}.truth", x)
    assert evaluate(f"{module}.one_type", x, x)
    assert not evaluate(f"{module}.one_type", x, truth)
    assert evaluate(f"{module}.admissible", truth, x, x)
    assert evaluate(f"{module}.result", truth, x, x) == x
    ternary = "ops.elementwise.ternary.TernarySignature"
    for broken, bad in (
        (f"{ternary}.well_formed_dims", Operand("Int8", "Dense", (-1,))),
        (f"{ternary}.dense", Operand("Int8", "Sparse", (2,))),
        (f"{module}.same_shape", Operand("Int8", "Dense", (3,))),
    ):
        assert evaluate(broken, truth, x, x)
        assert not evaluate(broken, truth, x, bad)
        assert not evaluate(f"{module}.admissible", truth, x, bad)


def test_operands_of_clip(evaluate: Evaluator) -> None:
    module = "ops.clip.definition.ClipSignature"
    x, bound = Operand("Int8", "Dense", (2, 0)), Operand("Int8", "Dense", ())
    for name in (*sorted(NUMBERS), *OTHERS):
        assert evaluate(f"{module}.listed", name) == (name in NUMBERS)
    assert evaluate(f"{module}.one_type", x, bound, bound)
    assert evaluate(f"{module}.scalar", bound)
    assert evaluate(f"{module}.admissible", x, bound, bound)
    assert evaluate(f"{module}.result", x, bound, bound) == x
    for bad in (
        Operand("Int8", "Dense", (1,)),
        Operand("Int8", "Sparse", ()),
        Operand("UInt8", "Dense", ()),
    ):
        assert evaluate(f"{module}.scalar", bad) == (bad.dims == ())
        for bounds in ((bound, bad), (bad, bound)):
            assert evaluate(f"{module}.one_type", x, *bounds) == (bad.element == "Int8")
            assert not evaluate(f"{module}.admissible", x, *bounds)


def test_operands_of_max(evaluate: Evaluator) -> None:
    module = "ops.max.definition.MaxSignature"
    a, b = Operand("Int8", "Dense", (2, 1)), Operand("Int8", "Dense", (3,))
    for name in (*sorted(NUMBERS), *OTHERS):
        assert evaluate(f"{module}.listed", name) == (name in NUMBERS)
    assert evaluate(f"{module}.admissible", [a, b])
    assert evaluate(f"{module}.common_dims", [a, b]) == (2, 3)
    assert evaluate(f"{module}.result", [a, b]) == Operand("Int8", "Dense", (2, 3))
    assert evaluate.text(f"{module}.first_type", "{UInt8,Dense,[2]|Int8,Dense,[]}") == "UInt8"
    assert evaluate(f"{module}.all_of", "Int8", [a, b])
    assert not evaluate(f"{module}.all_of", "UInt8", [a, b])
    assert not evaluate(f"{module}.given", [])
    assert not evaluate(f"{module}.admissible", [])
    for broken, bad in (
        ("well_formed_dims", Operand("Int8", "Dense", (-1,))),
        ("dense", Operand("Int8", "Sparse", (3,))),
        ("all_listed", Operand("Boolean", "Dense", (3,))),
        ("one_type", Operand("UInt8", "Dense", (3,))),
        ("broadcastable", Operand("Int8", "Dense", (3, 3))),
    ):
        assert evaluate(f"{module}.{broken}", [a, b])
        assert not evaluate(f"{module}.{broken}", [a, bad])
        assert not evaluate(f"{module}.admissible", [a, bad])
