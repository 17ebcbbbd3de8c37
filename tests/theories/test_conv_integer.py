"""The definition of ConvInteger beside plain Python, and which operands it accepts."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.theories.evaluator import Evaluator, Operand, Tensor
from tests.theories.test_conv import PLAIN, Shape, W, X, but

PATH = "ops.conv_integer.definition"


def filled(shape: Shape, start: int = 0) -> Tensor[int]:
    """In no order, of both signs."""
    every = product(*map(range, shape))
    return Tensor(shape, tuple(k * 97 % 256 - 128 for k, _ in enumerate(every, start)))


def element(x: Tensor[int], *at: int) -> int | None:
    """None outside of it."""
    offset = 0
    for k, size in zip(at, x.shape, strict=True):
        offset = offset * size + k
    inside = all(0 <= k < size for k, size in zip(at, x.shape, strict=True))
    return x.elements[offset] if inside else None


def test_attributes_that_are_not_set(evaluate: Evaluator) -> None:
    path = "tensor.convolution.ConvolutionDefaults"
    assert evaluate(f"{path}.ints_or", "none", (1, 2)) == (1, 2)
    assert evaluate(f"{path}.ints_or", (3,), (1, 2)) == (3,)
    assert evaluate(f"{path}.int_or", "none", 1) == 1
    assert evaluate(f"{path}.int_or", 0, 1) == 0
    unset = ["none"] * 5
    found = evaluate.text(f"{path}.completed", "NotSet", *unset, "[5;6;2;3]")
    assert found == "{NotSet|[1;1]|[0;0;0;0]|[1;1]|1|[2;3]}"
    given = ("[2;3]", "[1;2;3;4]", "[4;5]", "6", "[7;8]")
    for number, text in enumerate(given):
        values = [*unset[:number], text, *unset[number + 1 :]]
        wanted = ["[1;1]", "[0;0;0;0]", "[1;1]", "1", "[2;3]"]
        wanted[number] = text
        found = evaluate.text(f"{path}.completed", "Valid", *values, "[5;6;2;3]")
        assert found == f"{{Valid|{'|'.join(wanted)}}}"


def test_which_operands_are_accepted(evaluate: Evaluator) -> None:
    path = f"{PATH}.ConvIntegerSignature"
    x, w = Operand("UInt8", "Dense", X), Operand("Int8", "Dense", W)
    of_x, of_w = Operand("UInt8", "Dense", ()), Operand("Int8", "Dense", (2,))
    listed = ("Int8", "UInt8", "Int16", "UInt32", "Real", "Float16", "Boolean")
    assert [evaluate(f"{path}.listed", name) for name in listed] == [True] * 2 + [False] * 5
    each_x: list[Operand | str] = [of_x, "none"]
    each_w: list[Operand | str] = [of_w, Operand("Int8", "Dense", ()), "none"]
    for x_zero, w_zero in product(each_x, each_w):
        assert evaluate(f"{path}.admissible", PLAIN, x, w, x_zero, w_zero) is True
        result = evaluate(f"{path}.result", PLAIN, x, w, x_zero, w_zero)
        assert result == Operand("Int32", "Dense", (1, 2, 2, 2))
    for broken, of, bad_x, bad_w in (
        ("dense", (x, w), Operand("UInt8", "Sparse", ()), of_w),
        ("dense", (x, w), of_x, Operand("Int8", "Sparse", (2,))),
        ("well_formed_dims", (x, w), of_x, Operand("Int8", "Dense", (-1,))),
        ("one_type", (x,), Operand("Int8", "Dense", ()), None),
        ("one_type", (w,), None, Operand("UInt8", "Dense", (2,))),
        ("one_zero_point", (), Operand("UInt8", "Dense", (1,)), None),
        ("scalar_or_vector", (), None, Operand("Int8", "Dense", (2, 1))),
        ("zero_point_each", (w,), None, Operand("Int8", "Dense", (1,))),
    ):
        good = [z for z, bad in ((of_x, bad_x), (of_w, bad_w)) if bad]
        assert evaluate(f"{path}.{broken}", *of, *good) is True
        assert evaluate(f"{path}.{broken}", *of, *(z for z in (bad_x, bad_w) if z)) is False
        zeros = (bad_x or of_x, bad_w or of_w)
        assert evaluate(f"{path}.admissible", PLAIN, x, w, *zeros) is False
    for other in (Operand("Int16", "Dense", X), Operand("UInt8", "Dense", X[:3])):
        assert evaluate(f"{path}.admissible", PLAIN, other, w, "none", "none") is False
    assert evaluate(f"{path}.kernel_not_empty", W) is True
    for empty in ((2, 2, 0, 2), (2, 2, 2, 0)):
        assert evaluate(f"{path}.kernel_not_empty", empty) is False


def test_zero_points(evaluate: Evaluator) -> None:
    path = f"{PATH}.ZeroPoints"
    scalar, each = Tensor((), (5,)), Tensor((2,), (3, -4))
    assert evaluate(f"{path}.zero_of_x", "none") == 0
    assert evaluate(f"{path}.zero_of_x", scalar) == 5
    assert [evaluate(f"{path}.zero_of_w", "none", c) for c in range(2)] == [0, 0]
    assert [evaluate(f"{path}.zero_of_w", scalar, c) for c in range(2)] == [5, 5]
    assert [evaluate(f"{path}.zero_of_w", each, c) for c in range(2)] == [3, -4]
    w = Tensor((2, 1, 1, 2), (1, 2, 3, 4))
    assert evaluate(f"{path}.shifted_x", w, scalar) == Tensor(w.shape, (-4, -3, -2, -1))
    assert evaluate(f"{path}.shifted_w", w, each) == Tensor(w.shape, (-2, -1, 7, 8))


@pytest.mark.parametrize(
    ("attributes", "of_w"),
    [
        (PLAIN, W),
        (but(pads=(1, 0, 0, 1), dilations=(2, 1), strides=(1, 2)), W),
        (but(group=2), (2, 1, 2, 2)),
    ],
)
@pytest.mark.parametrize(
    "zeros", [(None, None), (-7, (100,)), (3, (-128, 127)), (None, (5, 6)), (9, None)]
)
def test_elements(
    evaluate: Evaluator,
    attributes: list[Any],
    of_w: Shape,
    zeros: tuple[int | None, tuple[int, ...] | None],
) -> None:
    """Each sum, term by term; outside of X, nothing is added."""
    _, (s0, s1), (top, left, *_), (d0, d1), group, _ = attributes
    of_x, of_each = zeros
    x, w = filled(X), filled(of_w, 5)
    given: list[Any] = [
        "none" if of_x is None else Tensor((), (of_x,)),
        "none" if of_each is None else Tensor((2,)[: len(of_each) - 1], of_each),
    ]
    less_x = of_x or 0
    less_w = (of_each or (0,)) * 2
    result: Any = evaluate(f"{PATH}.ConvInteger.conv_integer", attributes, x, w, *given)
    shape = evaluate("ops.conv.definition.ConvShape.convolved", attributes, X, of_w)
    assert result.shape == shape
    _, each, rows, columns = of_w
    for at in product(*map(range, result.shape)):
        sample, c, m, n = at
        total = 0
        for i, j, z in product(range(each), range(rows), range(columns)):
            channel = i if group == 1 else c
            there = element(x, sample, channel, m * s0 + j * d0 - top, n * s1 + z * d1 - left)
            weight = element(w, c, i, j, z)
            assert weight is not None
            if there is not None:
                total += (there - less_x) * (weight - less_w[c])
        exact = evaluate(f"{PATH}.ConvInteger.exact_entry", attributes, x, w, *given, at)
        assert exact == element(result, *at) == total


def test_a_sum_that_overflows(evaluate: Evaluator) -> None:
    """Modulo 2^32. The definition has no bound on the elements, so that there need not be many."""
    great = Tensor((1, 3, 1, 1), (30000,) * 3)
    operands: list[Any] = [but(kernel_shape=(1, 1)), great, great, "none", "none"]
    exact: Any = evaluate(f"{PATH}.ConvInteger.exact_entry", *operands, (0,) * 4)
    assert exact == 3 * 30000**2 > 2**31
    wrapped = Tensor((1, 1, 1, 1), (exact - 2**32,))
    assert evaluate(f"{PATH}.ConvInteger.conv_integer", *operands) == wrapped
