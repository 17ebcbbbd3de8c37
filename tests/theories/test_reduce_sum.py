"""The definition of ReduceSum beside plain Python and MPFR, and which operands it accepts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

import pytest

from sonnx_formal.spec.element_types import Format
from tests.theories.evaluator import MATMUL_TYPES, Evaluator, Float, Operand, Tensor
from tests.theories.test_float_operators import TYPES, computed, random_tensor
from tests.theories.test_scalar import boundary_values, wrapped

PATH = "ops.reduce_sum.definition"
Shape = tuple[int, ...]
SHAPES: list[Shape] = [(), (0,), (4,), (2, 3), (3, 0, 2), (2, 2, 3), (1, 3, 1, 2)]
Sums = Callable[[list[Any]], Any]


def choices(rank: int) -> Iterator[Shape]:
    """Some sequences of distinct axes, each counted from either end."""
    yield ()
    for count in range(1, rank + 1):
        for axes in permutations(range(rank), count):
            yield axes
            yield tuple(axis - rank if axis % 2 else axis for axis in axes)


def reduced(x: Tensor[Any], axes: Shape, keepdims: int, of: Sums) -> Tensor[Any]:
    """What `of` makes of the elements of each block, in row-major order."""
    indices = [*product(*map(range, x.shape))]
    rank = len(x.shape)
    along = {axis % rank for axis in axes}
    blocks: dict[Shape, list[Any]] = {
        index: []
        for index in product(*(range(1 if k in along else n) for k, n in enumerate(x.shape)))
    }
    for index, element in zip(indices, x.elements, strict=True):
        blocks[tuple(0 if k in along else n for k, n in enumerate(index))].append(element)
    kept = tuple(1 if k in along else n for k, n in enumerate(x.shape))
    shape = kept if keepdims else tuple(n for k, n in enumerate(x.shape) if k not in along)
    return Tensor(shape, tuple(map(of, blocks.values())))


def cases(shape: Shape) -> Iterator[tuple[list[int], Any, Shape | None]]:
    """Attributes, axes, and the axes that are reduced; None where nothing is."""
    rank = len(shape)
    for keepdims, noop in product((0, 1), repeat=2):
        attributes = [keepdims, noop]
        every = None if noop else tuple(range(rank))
        yield attributes, "none", every
        for axes in choices(rank):
            yield attributes, Tensor((len(axes),), axes), axes or every


def check(evaluate: Evaluator, module: str, make: Callable[[Shape], Tensor[Any]], of: Sums) -> None:
    for shape in SHAPES:
        for attributes, axes, along in cases(shape):
            x = make(shape)
            wanted = x if along is None else reduced(x, along, attributes[0], of)
            assert evaluate(f"{module}.reduce_sum", attributes, x, axes) == wanted


@pytest.mark.parametrize("name", ["Int", *MATMUL_TYPES])
def test_integers(evaluate: Evaluator, name: str) -> None:
    chance = random.Random(3)
    values = [*boundary_values("Int64" if name == "Int" else name)]

    def make(shape: Shape) -> Tensor[int]:
        return Tensor(shape, tuple(chance.choice(values) for _ in range(prod(shape))))

    def of(block: list[int]) -> int:
        return sum(block) if name == "Int" else wrapped(sum(block), name)

    check(evaluate, f"{PATH}.ReduceSum{name}", make, of)


def test_rationals(evaluate: Evaluator) -> None:
    """Of one denominator each, so that one number is one fraction."""
    chance = random.Random(4)

    def make(shape: Shape) -> Tensor[Fraction]:
        return Tensor(shape, tuple(Fraction(chance.randint(-9, 9)) for _ in range(prod(shape))))

    check(evaluate, f"{PATH}.ReduceSumRational", make, lambda block: sum(block, Fraction(0)))


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_floats(evaluate: Evaluator, name: str, form: Format) -> None:
    """From +0, one after the other, each sum rounded by MPFR."""
    chance = random.Random(5)

    def of(block: list[Float]) -> Float:
        total = Float(False, 0)
        for each in block:
            total = computed(form, "add", total, each)
        return total

    module = f"ops.reduce_sum.floats.ReduceSum{name}"
    for shape in SHAPES:
        for attributes, axes, along in cases(shape):
            if chance.random() < 0.5:
                continue
            x = random_tensor(form, shape, chance)
            wanted = x if along is None else reduced(x, along, attributes[0], of)
            assert evaluate(f"{module}.reduce_sum", attributes, x, axes) == wanted


def test_terms(evaluate: Evaluator) -> None:
    """Along the first and the last axis: the last one goes first."""
    axes, shape = (0, 2), (2, 3, 2)
    x = Tensor(shape, tuple(map(Fraction, range(12))))
    path = f"{PATH}.ReducedAxes"
    assert evaluate(f"{path}.block", axes, shape) == (2, 2)
    assert evaluate(f"{path}.terms", axes, shape) == 4
    sources = [(0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)]
    for k, wanted in enumerate(sources):
        assert evaluate(f"{path}.source", axes, shape, (1,), k) == wanted
        at = wanted[0] * 6 + wanted[1] * 2 + wanted[2]
        assert evaluate(f"{PATH}.ReduceSumRational.term", axes, x, (1,), k) == at
    assert evaluate(f"{PATH}.ReduceSumRational.entry", axes, x, (1,)) == 2 + 3 + 8 + 9
    for attributes, index in (([0, 0], (1,)), ([1, 0], (0, 1, 0))):
        assert evaluate(f"{PATH}.ReduceSumRational.element", attributes, axes, x, index) == 22
    assert evaluate(f"{PATH}.ReduceSumRational.element", [1, 1], (), x, (1, 2, 0)) == 10
    assert evaluate(f"{PATH}.ReduceSumRational.asked_of", "none") == ()
    assert evaluate(f"{PATH}.ReduceSumRational.asked_of", Tensor((2,), (0, -1))) == (0, -1)


def test_parts_of_sequences(evaluate: Evaluator) -> None:
    path = f"{PATH}.ReducedAxes"
    assert evaluate(f"{path}.taken_from", 0, (2, 0), (5, 6, 7)) == (5, 7)
    assert evaluate(f"{path}.taken_from", 2, (2, 0), (5, 6, 7)) == (5,)
    assert evaluate(f"{path}.merged_from", 0, 4, (2, 0), (8, 9), (5, 7)) == (5, 8, 7, 9)
    assert evaluate(f"{path}.merged_from", 2, 4, (2, 0), (8,), (5,)) == (5, 8)
    assert evaluate(f"{path}.merged_from", 0, 2, (0,), (), ()) == ()
    assert evaluate(f"{path}.merged_from", 0, 2, (0,), (), (3,)) == (3,)
    assert [evaluate(f"{path}.numbered", (2, 3), k) for k in (-1, 4, 6)] == [(), (1, 1), ()]
    assert evaluate(f"{path}.numbered", (), 0) == ()


def test_attributes(evaluate: Evaluator) -> None:
    path = f"{PATH}.ReduceSumShape"
    numbers: list[Any] = ["none", 0, 1, 7]
    for keepdims, noop in product(numbers, repeat=2):
        found = evaluate("tensor.reduction.ReductionAttributes.reduction_of", keepdims, noop)
        assert found == [1 if keepdims == "none" else keepdims, 0 if noop == "none" else noop]
    for number in (-1, 0, 1, 2):
        assert evaluate(f"{path}.known_keepdims", [number, 5]) is (number in {0, 1})
        assert evaluate(f"{path}.known_noop", [5, number]) is (number in {0, 1})


def test_shapes(evaluate: Evaluator) -> None:
    path = f"{PATH}.ReduceSumShape"
    assert evaluate(f"{path}.axes_exist", (2, 3), (-2, 1)) is True
    assert evaluate(f"{path}.axes_exist", (2, 3), (-3,)) is False
    assert evaluate(f"{path}.axes_exist", (2, 3), (2,)) is False
    assert evaluate(f"{path}.axes_distinct", (2, 3), (0, -1)) is True
    assert evaluate(f"{path}.axes_distinct", (2, 3), (0, -2)) is False
    assert evaluate(f"{path}.untouched", [1, 1], ()) is True
    assert evaluate(f"{path}.untouched", [1, 1], (0,)) is False
    assert evaluate(f"{path}.untouched", [1, 0], ()) is False
    assert evaluate(f"{path}.reduced_axes", [1, 0], (4, 5, 6), ()) == (0, 1, 2)
    assert evaluate(f"{path}.reduced_axes", [1, 1], (4, 5, 6), ()) == ()
    assert evaluate(f"{path}.reduced_axes", [1, 1], (4, 5, 6), (-1, 0)) == (2, 0)
    assert evaluate(f"{path}.result_shape", [1, 0], (2, 0), (4, 5, 6)) == (1, 5, 1)
    assert evaluate(f"{path}.result_shape", [0, 0], (2, 0), (4, 5, 6)) == (5,)
    assert evaluate(f"{path}.kept", [1, 0], (2, 0), (0, 3, 0)) == (3,)
    assert evaluate(f"{path}.kept", [0, 0], (2, 0), (3,)) == (3,)
    for attributes, dims, asked, fits in (
        ([1, 0], (2, 3), (0, -1), True),
        ([2, 0], (2, 3), (0,), False),
        ([1, 2], (2, 3), (0,), False),
        ([1, 0], (2, -3), (0,), False),
        ([1, 0], (2, 3), (2,), False),
        ([1, 0], (2, 3), (0, 0), False),
    ):
        assert evaluate(f"{path}.accepted", attributes, dims, asked) is fits


def test_which_operands_are_accepted(evaluate: Evaluator) -> None:
    path = f"{PATH}.ReduceSumSignature"
    listed = {"Int32", "Int64", "UInt32", "UInt64", "Float16", "BFloat16", "Float32", "Float64"}
    for name in (*listed, "Real", "Int8", "UInt16", "Boolean", "Text", "Complex64"):
        assert evaluate(f"{path}.listed", name) is (name in listed)
    assert evaluate(f"{path}.asked_for", "none") == ()
    assert evaluate(f"{path}.asked_for", (1, 2)) == (1, 2)
    data, axes = Operand("Float32", "Dense", (2, 3)), Operand("Int64", "Dense", (1,))
    plain = [1, 0]
    assert evaluate(f"{path}.admissible", plain, data, "none", "none") is True
    assert evaluate(f"{path}.result", plain, data, "none", "none") == Operand(
        "Float32", "Dense", (1, 1)
    )
    assert evaluate(f"{path}.result", [0, 0], data, axes, (-1,)) == Operand(
        "Float32", "Dense", (2,)
    )
    for predicate, bad_data, bad_axes in (
        ("dense", Operand("Float32", "Sparse", (2, 3)), axes),
        ("dense", data, Operand("Int64", "Sparse", (1,))),
        ("well_formed_dims", Operand("Float32", "Dense", (2, -3)), axes),
        ("well_formed_dims", data, Operand("Int64", "Dense", (-1,))),
    ):
        assert evaluate(f"{path}.{predicate}", data, axes) is True
        assert evaluate(f"{path}.{predicate}", data, "none") is True
        assert evaluate(f"{path}.{predicate}", bad_data, bad_axes) is False
        assert evaluate(f"{path}.admissible", plain, bad_data, bad_axes, (0,)) is False
    assert evaluate(f"{path}.axes_vector", "none") is True
    for bad in (Operand("Int32", "Dense", (1,)), Operand("Int64", "Dense", (1, 1))):
        assert evaluate(f"{path}.axes_vector", bad) is False
        assert evaluate(f"{path}.admissible", plain, data, bad, (0,)) is False
    for asked, exist, once in (((0, 1), True, True), ((0, -2), True, False), ((2,), False, True)):
        assert evaluate(f"{path}.in_range", data, asked) is exist
        assert evaluate(f"{path}.each_once", data, asked) is once
        assert evaluate(f"{path}.admissible", plain, data, axes, asked) is (exist and once)
    for attributes in ([2, 0], [1, 2]):
        assert evaluate(f"{path}.admissible", attributes, data, axes, (0,)) is False
