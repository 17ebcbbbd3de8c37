"""The definition of MaxPool beside plain Python, and which operands it accepts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.theories.evaluator import NAN, Evaluator, Float, Operand, Tensor
from tests.theories.test_conv import Shape

PATH = "ops.max_pool.definition"
PLAIN: list[Any] = ["NotSet", 0, 0, (2, 2), (1, 1), (1, 1), (0, 0, 0, 0)]
X = (1, 2, 3, 3)
INFINITY = 10**9
MOVED: dict[str, Any] = {
    "kernel_shape": (2, 3),
    "dilations": (2, 1),
    "strides": (1, 2),
    "pads": (1, 0, 0, 1),
}
"""Two windows along the three rows, of which the first starts in the padding, and one along the
three columns."""


def but(**changed: Any) -> list[Any]:
    """The plain attributes, some of them changed."""
    names = ("auto_pad", "ceil_mode", "storage_order", "kernel_shape", "dilations", "strides")
    return [changed.get(name, each) for name, each in zip((*names, "pads"), PLAIN, strict=True)]


def filled(shape: Shape, element: Callable[[int], Any]) -> Tensor[Any]:
    """In no order: neighbours are greater by turns."""
    every = product(*map(range, shape))
    return Tensor(shape, tuple(element(k * 7 % 11 - 5) for k, _ in enumerate(every)))


def under(attributes: list[Any], x: Tensor[Any], at: Shape) -> list[list[Any]]:
    """The elements under a window, row by row of the kernel; None is the padding."""
    *_, (rows, columns), (d0, d1), (s0, s1), (top, left, *_) = attributes
    sample, channel, m, n = at
    _, channels, height, width = x.shape

    def element(i: int, j: int) -> Any:
        inside = 0 <= i < height and 0 <= j < width
        offset = ((sample * channels + channel) * height + i) * width + j
        return x.elements[offset] if inside else None

    return [
        [element(m * s0 + h * d0 - top, n * s1 + w * d1 - left) for w in range(columns)]
        for h in range(rows)
    ]


def greatest(elements: list[Any], key: Callable[[Any], Any]) -> Any:
    return max((each for each in elements if each is not None), key=key, default="none")


def rank(x: Float) -> tuple[bool, int, bool]:
    """NaN above all; +0 above -0."""
    if x.magnitude == "nan":
        return True, 0, False
    size = INFINITY if x.magnitude == "inf" else x.magnitude
    return False, -size if x.negative else size, not x.negative


@pytest.mark.parametrize(
    ("broken", "attributes", "x"),
    [
        ("known_padding", but(auto_pad="Other"), X),
        *(
            ("explicit_padding", but(auto_pad=each), X)
            for each in ("Valid", "SameUpper", "SameLower")
        ),
        ("known_rounding", but(ceil_mode=2), X),
        ("rounded_down", but(ceil_mode=1), X),
        ("row_major", but(storage_order=1), X),
        ("kernel_each", but(kernel_shape=(2,)), X),
        ("kernel_positive", but(kernel_shape=(2, 0)), X),
        ("dilations_each", but(dilations=(1, 1, 1)), X),
        ("dilations_positive", but(dilations=(0, 1)), X),
        ("strides_each", but(strides=(1,)), X),
        ("strides_positive", but(strides=(1, 0)), X),
        ("pads_each", but(pads=(0, 0)), X),
        ("pads_not_negative", but(pads=(0, 0, 0, -1)), X),
        ("less_padding", but(pads=(0, 2, 0, 0)), X),
        ("less_padding", but(pads=(0, 0, 2, 0)), X),
        ("fits", but(kernel_shape=(2, 5)), X),
        ("no_empty_window", but(dilations=(3, 1), pads=(2, 0, 2, 0)), (1, 2, 1, 3)),
        ("two_spatial_axes", PLAIN, (1, 2, 3)),
    ],
)
def test_constraints(evaluate: Evaluator, broken: str, attributes: list[Any], x: Shape) -> None:
    path = f"{PATH}.MaxPoolShape"
    of_both = broken in {"less_padding", "fits", "no_empty_window"}
    given = [x] if broken == "two_spatial_axes" else [attributes, x] if of_both else [attributes]
    assert evaluate(f"{path}.{broken}", *given) is False
    assert evaluate(f"{path}.accepted", attributes, x) is False
    assert evaluate(f"{path}.accepted", PLAIN, X) is True


def test_windows(evaluate: Evaluator) -> None:
    path, shape = "tensor.window.Window", f"{PATH}.MaxPoolShape"
    rows, columns = [3, 1, 0, 2, 1, 2], [3, 0, 1, 3, 2, 1]
    assert evaluate(f"{shape}.rows", but(**MOVED), X) == rows
    assert evaluate(f"{shape}.columns", but(**MOVED), X) == columns
    for length, before, after, kernel, stride, dilation in product(
        range(4), range(3), range(2), range(1, 4), range(1, 3), range(1, 4)
    ):
        window = [length, before, after, kernel, stride, dilation]
        padded, span = length + before + after, (kernel - 1) * dilation + 1
        assert evaluate(f"{path}.padded", window) == padded
        assert evaluate(f"{path}.span", window) == span
        longer = before < span and after < span
        assert evaluate(f"{shape}.longer_than_padding", window) is longer
        starts = list(range(0, max(0, padded - span + 1), stride))
        if padded >= span:
            assert evaluate(f"{path}.places", window) == len(starts)
        met = []
        for m, start in enumerate(starts):
            places = [start + h * dilation - before for h in range(kernel)]
            found = [evaluate(f"{path}.position", window, m, h) for h in range(kernel)]
            assert found == places
            inside = [0 <= p < length for p in places]
            assert [evaluate(f"{path}.inside", window, p) for p in places] == inside
            for h in range(kernel):
                assert evaluate(f"{path}.meets_from", window, m, h) is any(inside[h:])
            met.append(any(inside))
            assert evaluate(f"{path}.meets", window, m) is met[-1]
            assert evaluate(f"{path}.each_meets", window, m + 1) is all(met)


def test_which_operands_are_accepted(evaluate: Evaluator) -> None:
    path = f"{PATH}.MaxPoolSignature"
    listed = ("Real", "Float16", "Float32", "Float64", "Int8", "UInt8", "BFloat16", "Int32")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 6 + [False] * 2
    x = Operand("UInt8", "Dense", X)
    assert evaluate(f"{path}.admissible", PLAIN, x) is True
    assert evaluate(f"{path}.result", PLAIN, x) == Operand("UInt8", "Dense", (1, 2, 2, 2))
    assert evaluate(f"{path}.dense", x) is True
    for bad in (Operand("Int32", "Dense", X), Operand("UInt8", "Sparse", X)):
        assert evaluate(f"{path}.admissible", PLAIN, bad) is False
    assert evaluate(f"{path}.dense", bad) is False


@pytest.mark.parametrize("attributes", [PLAIN, but(**MOVED)])
def test_elements(evaluate: Evaluator, attributes: list[Any]) -> None:
    """The greatest of each window, row by row of the kernel."""
    of = f"{PATH}.MaxPoolRational"
    x = filled(X, lambda k: Fraction(k, 3))
    result: Any = evaluate(f"{of}.max_pool", attributes, x)
    assert result.shape == evaluate(f"{PATH}.MaxPoolShape.pooled", attributes, X)
    found = []
    for at in product(*map(range, result.shape)):
        rows = under(attributes, x, at)
        for h, row in enumerate(rows):
            sampled = [evaluate(f"{of}.sampled", attributes, x, at, h, w) for w in range(len(row))]
            assert sampled == ["none" if each is None else each for each in row]
            assert evaluate(f"{of}.in_row", attributes, x, at, h) == greatest(row, Fraction)
            assert evaluate(f"{of}.greatest", sampled, len(row)) == greatest(row, Fraction)
        wanted = greatest([each for row in rows for each in row], Fraction)
        for name in ("under", "under_at", "element_at"):
            assert evaluate(f"{of}.{name}", attributes, x, at) == wanted
        found.append(wanted)
    assert result.elements == tuple(found)


def test_padding_adds_nothing(evaluate: Evaluator) -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert evaluate(f"{PATH}.MaxPoolRational.joined", third, half) == half
    assert evaluate(f"{PATH}.MaxPoolRational.joined", third, "none") == third
    assert evaluate(f"{PATH}.MaxPoolRational.joined", "none", half) == half
    assert evaluate(f"{PATH}.MaxPoolRational.joined", "none", "none") == "none"
    assert evaluate(f"{PATH}.MaxPoolRational.greatest", ["none", "none"], 2) == "none"


@pytest.mark.parametrize("attributes", [PLAIN, but(**MOVED)])
@pytest.mark.parametrize("path", [f"{PATH}.MaxPoolInt8", "ops.max_pool.floats.MaxPoolFloat16"])
def test_other_types(evaluate: Evaluator, path: str, attributes: list[Any]) -> None:
    """Negative numbers beside padding; both zeros, infinities and NaN."""
    special = [NAN, Float(True, "inf"), Float(False, "inf"), Float(True, 0), Float(False, 0)]
    numbers = {k: Float(k < 0, abs(k)) for k in range(-5, 6)} | dict(
        zip((-5, -4, 5, -1, 0), special, strict=True)
    )
    integer = path.endswith("Int8")
    x = filled(X, (lambda k: k - 20) if integer else numbers.__getitem__)
    result: Any = evaluate(f"{path}.max_pool", attributes, x)
    for at, found in zip(product(*map(range, result.shape)), result.elements, strict=True):
        elements = [each for row in under(attributes, x, at) for each in row]
        assert found == greatest(elements, int if integer else rank)
