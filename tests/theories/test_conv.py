"""The definition of Conv beside plain Python, and which operands it accepts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.theories.evaluator import Evaluator, Operand, Tensor

PATH = "ops.conv.definition"
PLAIN: list[Any] = ["NotSet", (1, 1), (0, 0, 0, 0), (1, 1), 1, (2, 2)]
X, W = (1, 2, 3, 3), (2, 2, 2, 2)
Shape = tuple[int, ...]


def but(**changed: Any) -> list[Any]:
    """The plain attributes, some of them changed."""
    names = ("auto_pad", "strides", "pads", "dilations", "group", "kernel_shape")
    return [changed.get(name, each) for name, each in zip(names, PLAIN, strict=True)]


def counted(shape: Shape, start: int = 1) -> Tensor[Fraction]:
    every = product(*map(range, shape))
    return Tensor(shape, tuple(Fraction(k, 2) for k, _ in enumerate(every, start)))


def element(x: Tensor[Fraction], *at: int) -> Fraction:
    inside = all(0 <= k < size for k, size in zip(at, x.shape, strict=True))
    offset = 0
    for k, size in zip(at, x.shape, strict=True):
        offset = offset * size + k
    return x.elements[offset] if inside else Fraction(0)


def test_elements_of_sequences(evaluate: Evaluator) -> None:
    assert evaluate("tensor.images.Images.quad", 1, 2, 3, 4) == (1, 2, 3, 4)
    assert evaluate("tensor.images.Images.spatial", (1, 2, 3, 4)) == (3, 4)
    assert evaluate("tensor.images.Images.spatial", (1,)) == ()
    assert evaluate("tensor.images.Images.third", (1, 2, 3, 4)) == 3
    assert evaluate("tensor.images.Images.fourth", (1, 2, 3, 4)) == 4
    assert evaluate("tensor.images.Images.fourth", (1, 2)) == 0


def test_numbers(evaluate: Evaluator) -> None:
    path = f"{PATH}.Kernel"
    for k, n in product(range(-5, 8), range(4)):
        quotient = k // n if n else 0
        assert evaluate(f"{path}.quotient", k, n) == quotient
        assert evaluate(f"{path}.remainder", k, n) == k - quotient * n
    assert evaluate(f"{path}.count", 2, 3, 5) == 30
    assert evaluate(f"{path}.position", 3, 2, 1, 4, 5) == 4 * 3 + 5 * 2 - 1
    assert [evaluate(f"{path}.in_group", 6, 3, 2, c, 1) for c in range(6)] == [1, 1, 3, 3, 5, 5]
    order = product(range(2), range(3), range(2))
    for k, place in enumerate(order):
        found = [evaluate(f"{path}.{name}", 3, 2, k) for name in ("channel_at", "row_at")]
        assert (*found, evaluate(f"{path}.column_at", 2, k)) == place


@pytest.mark.parametrize(
    ("broken", "attributes", "x", "w"),
    [
        ("known_padding", but(auto_pad="Other"), X, W),
        ("explicit_padding", but(auto_pad="Valid"), X, W),
        ("explicit_padding", but(auto_pad="SameUpper"), X, W),
        ("explicit_padding", but(auto_pad="SameLower"), X, W),
        ("strides_positive", but(strides=(1, 0)), X, W),
        ("strides_positive", but(strides=(1,)), X, W),
        ("pads_each", but(pads=(0, 0)), X, W),
        ("pads_not_negative", but(pads=(0, 0, 0, -1)), X, W),
        ("dilations_each", but(dilations=(1, 1, 1)), X, W),
        ("dilations_positive", but(dilations=(0, 1)), X, W),
        ("group_positive", but(group=0), X, W),
        ("groups_equal", but(group=2), (1, 3, 3, 3), W),
        ("groups_equal", but(group=2), X, (3, 1, 2, 2)),
        ("standard_or_depthwise", but(group=2), (1, 4, 3, 3), W),
        ("channels_of_group", but(group=1), X, (2, 1, 2, 2)),
        ("channel_by_channel", but(group=2), X, (4, 1, 2, 2)),
        ("kernel_positive", but(kernel_shape=(2, 0)), X, (2, 2, 2, 0)),
        ("kernel_of_w", but(kernel_shape=(1, 2)), X, (2, 2, 2, 1)),
        ("kernel_fits", but(dilations=(3, 1)), X, W),
        ("two_spatial_axes", PLAIN, (1, 2, 3), W),
        ("kernel_axes", PLAIN, X, (2, 2, 2, 2, 1)),
    ],
)
def test_constraints(
    evaluate: Evaluator, broken: str, attributes: list[Any], x: Shape, w: Shape
) -> None:
    takes: dict[str, Any] = {
        **dict.fromkeys(("groups_equal", "channels_of_group"), (x, w)),
        **dict.fromkeys(("channel_by_channel", "kernel_fits"), (x, w)),
        "standard_or_depthwise": (x,),
        "kernel_of_w": (w,),
    }
    alone = {"two_spatial_axes": x, "kernel_axes": w}
    given = [alone[broken]] if broken in alone else [attributes, *takes.get(broken, ())]
    assert evaluate(f"{PATH}.ConvShape.{broken}", *given) is False
    assert evaluate(f"{PATH}.ConvShape.accepted", attributes, x, w) is False
    assert evaluate(f"{PATH}.ConvShape.accepted", PLAIN, X, W) is True


def test_sizes(evaluate: Evaluator) -> None:
    path = f"{PATH}.ConvShape"
    assert evaluate(f"{path}.padded_size", 5, 1, 2) == 8
    for k, d in product(range(1, 4), range(1, 4)):
        reach = evaluate(f"{path}.extent", k, d)
        assert reach == len(range(0, k * d, d)[:1]) + (k - 1) * d
        for size, step in product(range(k * d, k * d + 6), range(1, 4)):
            places = [m for m in range(0, size, step) if m + (k - 1) * d < size]
            assert evaluate(f"{path}.applications", size, reach, step) == len(places)
    attributes = but(strides=(2, 1), pads=(1, 0, 0, 2), dilations=(1, 2))
    assert evaluate(f"{path}.convolved", attributes, (3, 2, 4, 5), W) == (3, 2, 2, 5)


def test_which_operands_are_accepted(evaluate: Evaluator) -> None:
    path = f"{PATH}.ConvSignature"
    x, w, b = (Operand("Float32", "Dense", shape) for shape in (X, W, (2,)))
    listed = ("Real", "Float16", "Float32", "Float64", "BFloat16", "Int8")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 4 + [False] * 2
    for bias in (b, "none"):
        assert evaluate(f"{path}.admissible", PLAIN, x, w, bias) is True
        result = evaluate(f"{path}.result", PLAIN, x, w, bias)
        assert result == Operand("Float32", "Dense", (1, 2, 2, 2))
    for broken, bad in (
        ("dense", Operand("Float32", "Sparse", (2,))),
        ("one_type", Operand("Float64", "Dense", (2,))),
        ("well_formed_dims", Operand("Float32", "Dense", (-1,))),
        ("bias_vector", Operand("Float32", "Dense", (2, 1))),
        ("bias_each", Operand("Float32", "Dense", (3,))),
    ):
        takes = {"bias_vector": (), "bias_each": (w,)}.get(broken, (x, w))
        assert evaluate(f"{path}.{broken}", *takes, b) is True
        assert evaluate(f"{path}.{broken}", *takes, bad) is False
        assert evaluate(f"{path}.admissible", PLAIN, x, w, bad) is False
    assert evaluate(f"{path}.dense_one", Operand("Real", "Sparse", ())) is False


@pytest.mark.parametrize(
    ("attributes", "of_x", "of_w"),
    [
        (PLAIN, X, W),
        (but(pads=(1, 0, 0, 1), dilations=(2, 1), strides=(1, 2)), X, W),
        (but(group=2), X, (2, 1, 2, 2)),
    ],
)
def test_elements(evaluate: Evaluator, attributes: list[Any], of_x: Shape, of_w: Shape) -> None:
    """Each sum, term by term; then the bias."""
    _, (s0, s1), (top, left, *_), (d0, d1), group, _ = attributes
    x, w, b = counted(of_x), counted(of_w, 3), counted(of_w[:1], 7)
    result: Any = evaluate(f"{PATH}.ConvRational.conv", attributes, x, w, b)
    plain: Any = evaluate(f"{PATH}.ConvRational.conv", attributes, x, w, "none")
    assert (
        result.shape
        == plain.shape
        == evaluate(f"{PATH}.ConvShape.convolved", attributes, of_x, of_w)
    )
    _, each, rows, columns = of_w
    assert evaluate(f"{PATH}.ConvPlaces.terms", of_w) == each * rows * columns
    for at in product(*map(range, result.shape)):
        sample, c, m, n = at
        total = Fraction(0)
        for k, (i, j, z) in enumerate(product(range(each), range(rows), range(columns))):
            channel = i if group == 1 else c
            row, column = m * s0 + j * d0 - top, n * s1 + z * d1 - left
            places = f"{PATH}.ConvPlaces"
            assert evaluate(f"{places}.source_channel", attributes, of_w, c, i) == channel
            assert evaluate(f"{places}.source_row", attributes, m, j) == row
            assert evaluate(f"{places}.source_column", attributes, n, z) == column
            there, weight = element(x, sample, channel, row, column), element(w, c, i, j, z)
            of = f"{PATH}.ConvRational"
            assert evaluate(f"{of}.padded", x, (sample, channel, row, column)) == there
            assert evaluate(f"{of}.under", attributes, x, of_w, at, k) == there
            assert evaluate(f"{of}.weight", w, c, k) == weight
            assert evaluate(f"{of}.term", attributes, x, w, at, k) == there * weight
            total += there * weight
        assert evaluate(f"{of}.entry", attributes, x, w, at) == element(plain, *at) == total
        assert evaluate(f"{of}.biased", total, b, c) == element(result, *at)
        assert evaluate(f"{of}.biased", total, "none", c) == total
        assert element(result, *at) == total + b.elements[c]
