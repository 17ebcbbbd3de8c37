"""Shapes, offsets, tensors and matrices, evaluated against Python's exact integers."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theories.evaluator import DefinitionError, Evaluator, Operand, Tensor

SHAPES = [(), (0,), (1,), (5,), (2, 3), (3, 0, 2), (2, 1, 3), (4, 3, 2, 2)]
shapes = st.lists(st.integers(0, 5), max_size=5).map(tuple)


@pytest.mark.parametrize("shape", SHAPES)
def test_shape(evaluate: Evaluator, shape: tuple[int, ...]) -> None:
    assert evaluate("tensor.shape.Shape.rank", shape) == len(shape)
    assert evaluate("tensor.shape.Shape.size", shape) == prod(shape)
    assert evaluate("tensor.shape.Shape.well_formed", shape) is True
    assert evaluate("tensor.shape.Shape.well_formed", (*shape, -1)) is False


@given(shapes, shapes)
def test_shape_equal(evaluate: Evaluator, s: tuple[int, ...], u: tuple[int, ...]) -> None:
    assert evaluate("tensor.shape.Shape.equal", s, u) is (s == u)
    assert evaluate("tensor.shape.Shape.equal", s, s) is True


@pytest.mark.parametrize("shape", SHAPES)
def test_offset_counts_the_valid_indices_in_row_major_order(
    evaluate: Evaluator, shape: tuple[int, ...]
) -> None:
    for position, index in enumerate(product(*map(range, shape))):
        assert evaluate("tensor.shape.Index.valid", index, shape) is True
        assert evaluate("tensor.offset.Offset.offset", index, shape) == position
        assert evaluate("tensor.offset.Offset.unflatten", position, shape) == index


@pytest.mark.parametrize(
    ("index", "shape"),
    [((), (1,)), ((0,), ()), ((0,), (0,)), ((-1,), (2,)), ((2,), (2,)), ((0, 3), (1, 3))],
)
def test_index_outside_the_shape(
    evaluate: Evaluator, index: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    assert evaluate("tensor.shape.Index.valid", index, shape) is False


def test_map(evaluate: Evaluator) -> None:
    a = Tensor((2, 2), (1, 2, 3, 4))
    b = Tensor((2, 2), (10, 20, 30, 40))
    assert evaluate("tensor.tensor.Map.map", a) == Tensor((2, 2), (-1, -2, -3, -4))
    assert evaluate("tensor.tensor.Map.map2", a, b) == Tensor((2, 2), (-9, -18, -27, -36))


def test_coordinates(evaluate: Evaluator) -> None:
    assert evaluate("tensor.matrix.Coordinates.pair", 4, 7) == (4, 7)
    assert evaluate("tensor.matrix.Coordinates.first", (4, 7)) == 4
    assert evaluate("tensor.matrix.Coordinates.second", (4, 7)) == 7
    assert evaluate("tensor.matrix.Coordinates.first", ()) == 0
    assert evaluate("tensor.matrix.Coordinates.second", (4,)) == 0


def test_transpose(evaluate: Evaluator) -> None:
    a = Tensor((2, 3), (1, 2, 3, 4, 5, 6))
    assert evaluate("tensor.matrix.Transpose.transpose", a) == Tensor((3, 2), (1, 4, 2, 5, 3, 6))


def test_element_types(evaluate: Evaluator) -> None:
    names = (
        "Real Float16 BFloat16 Float32 Float64 Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64"
    )
    numerical = names.split()
    others = ["Boolean", "Text", "Complex64", "Complex128", "Float8E4M3FN", "Float8E5M2"]
    kinds = [*numerical, *others]
    for name in kinds:
        assert evaluate("tensor.operand.ElementType.numerical", name) is (name in numerical)
        for other in kinds:
            assert evaluate("tensor.operand.ElementType.same_type", name, other) is (name == other)
    codes = {evaluate("tensor.operand.ElementType.code", name) for name in kinds}
    assert len(codes) == len(kinds)


def test_the_evaluator_refuses_elements_at_invalid_indices(evaluate: Evaluator) -> None:
    with pytest.raises(DefinitionError, match="index"):
        evaluate("tensor.tensor.Map.map2", Tensor((2,), (1, 2)), Tensor((1,), (1,)))


def test_operand_round_trip(evaluate: Evaluator) -> None:
    a = Operand("Int8", "Dense", (2, 3))
    assert evaluate("ops.mul.definition.MulSignature.result", a, a) == a
