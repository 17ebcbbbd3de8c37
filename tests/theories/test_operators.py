"""Mul, Div, Add, Sub and MatMul, evaluated against Python's exact integers and fractions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theories.evaluator import (
    INFINITY,
    INTEGER_TYPES,
    MATMUL_TYPES,
    E,
    Element,
    Evaluator,
    Operand,
    Tensor,
)
from tests.theories.test_scalar import boundary_values, truncated, wrapped

Number = TypeVar("Number", int, Fraction)

shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)
# `st.fractions` draws several times as long.
fractions = st.builds(Fraction, st.integers(-50_000, 50_000), st.integers(1, 50))


def tensors(elements: st.SearchStrategy[E], shape: tuple[int, ...]) -> st.SearchStrategy[Tensor[E]]:
    """Tensors of one shape."""
    size = prod(shape)
    return st.lists(elements, min_size=size, max_size=size).map(lambda e: Tensor(shape, tuple(e)))


def pairs(
    left: st.SearchStrategy[E], right: st.SearchStrategy[E]
) -> st.SearchStrategy[tuple[Tensor[E], Tensor[E]]]:
    """Two tensors of one shape, rank 0 and empty ones included."""
    return shapes.flatmap(lambda s: st.tuples(tensors(left, s), tensors(right, s)))


def matrices(elements: st.SearchStrategy[E]) -> st.SearchStrategy[tuple[Tensor[E], Tensor[E]]]:
    """Two matrices that can be multiplied, empty ones included."""
    size = st.integers(0, 4)
    return st.tuples(size, size, size).flatmap(
        lambda d: st.tuples(tensors(elements, (d[0], d[1])), tensors(elements, (d[1], d[2])))
    )


def elementwise(
    a: Tensor[Number], b: Tensor[Number], operation: Callable[[Number, Number], Element]
) -> Tensor[Element]:
    """The operation on each pair of elements."""
    return Tensor(a.shape, tuple(map(operation, a.elements, b.elements)))


def sums_of_products(a: Tensor[Number], b: Tensor[Number]) -> Tensor[Number | int]:
    """The matrix product by the closed sum of the documents."""
    (m, n), p = a.shape, b.shape[1]
    rows = [a.elements[i * n : (i + 1) * n] for i in range(m)]
    columns = [b.elements[j::p] for j in range(p)]
    return Tensor(
        (m, p),
        tuple(
            sum(x * y for x, y in zip(row, column, strict=True))
            for row in rows
            for column in columns
        ),
    )


BOUNDARIES = {name: boundary_values(name) for name in INTEGER_TYPES}
raw = st.integers(-(2**64), 2**65 - 1)
"""What `typed` makes an element of any type of: drawing takes longer than computing."""


def typed(tensor: Tensor[int], name: str) -> Tensor[int]:
    """The tensor with elements of an integer type, its boundaries often."""

    def element(drawn: int) -> int:
        value, is_inside = divmod(drawn, 2)
        boundaries = BOUNDARIES[name]
        return wrapped(value, name) if is_inside else boundaries[value % len(boundaries)]

    return Tensor(tensor.shape, tuple(map(element, tensor.elements)))


def machine(operation: Callable[[int, int], int], name: str) -> Callable[[int, int], int]:
    """The operation modulo the width of an integer type."""
    return lambda x, y: wrapped(operation(x, y), name)


@given(pairs(st.integers(), st.integers()))
def test_mul_int(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    a, b = operands
    assert evaluate("ops.mul.definition.MulInt.mul", a, b) == elementwise(a, b, lambda x, y: x * y)


@given(pairs(raw, raw))
def test_mul_machine(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    for name in INTEGER_TYPES:
        a, b = (typed(operand, name) for operand in operands)
        expected = elementwise(a, b, machine(operator.mul, name))
        assert evaluate(f"ops.mul.definition.Mul{name}.mul", a, b) == expected, name


@given(pairs(fractions, fractions))
def test_mul_rational(
    evaluate: Evaluator, operands: tuple[Tensor[Fraction], Tensor[Fraction]]
) -> None:
    a, b = operands
    assert evaluate("ops.mul.definition.MulRational.mul", a, b) == elementwise(
        a, b, lambda x, y: x * y
    )


SUMS: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "sub": operator.sub}
"""Add and Sub over exact numbers, by the names of the operators."""


@pytest.mark.parametrize("name", SUMS)
@given(pairs(st.integers(), st.integers()))
def test_sums_int(
    evaluate: Evaluator, name: str, operands: tuple[Tensor[int], Tensor[int]]
) -> None:
    expected = elementwise(*operands, SUMS[name])
    assert evaluate(f"ops.{name}.definition.{name.title()}Int.{name}", *operands) == expected


@pytest.mark.parametrize("name", SUMS)
@given(pairs(raw, raw))
def test_sums_machine(
    evaluate: Evaluator, name: str, operands: tuple[Tensor[int], Tensor[int]]
) -> None:
    for element_type in INTEGER_TYPES:
        a, b = (typed(operand, element_type) for operand in operands)
        expected = elementwise(a, b, machine(SUMS[name], element_type))
        module = f"ops.{name}.definition.{name.title()}{element_type}"
        assert evaluate(f"{module}.{name}", a, b) == expected, element_type


@pytest.mark.parametrize("name", SUMS)
@given(pairs(fractions, fractions))
def test_sums_rational(
    evaluate: Evaluator, name: str, operands: tuple[Tensor[Fraction], Tensor[Fraction]]
) -> None:
    expected = elementwise(*operands, SUMS[name])
    assert evaluate(f"ops.{name}.definition.{name.title()}Rational.{name}", *operands) == expected


@given(pairs(st.integers(), st.integers().filter(bool)))
def test_div_int(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    a, b = operands
    assert evaluate("ops.div.definition.DivInt.div", a, b) == elementwise(a, b, truncated)


@given(pairs(raw, raw))
def test_div_machine(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    for name in INTEGER_TYPES:
        a, b = (typed(operand, name) for operand in operands)
        b = Tensor(b.shape, tuple(x or 1 for x in b.elements))
        expected = elementwise(a, b, machine(truncated, name))
        assert evaluate(f"ops.div.definition.Div{name}.div", a, b) == expected, name


@given(pairs(fractions, fractions | st.just(Fraction(0))))
def test_div_rational_by_zero_is_infinity(
    evaluate: Evaluator, operands: tuple[Tensor[Fraction], Tensor[Fraction]]
) -> None:
    a, b = operands
    expected = elementwise(a, b, lambda x, y: x / y if y else INFINITY)
    assert evaluate("ops.div.definition.DivRational.div", a, b) == expected


@given(pairs(fractions, fractions | st.just(Fraction(0))))
def test_div_finite(
    evaluate: Evaluator, operands: tuple[Tensor[Fraction], Tensor[Fraction]]
) -> None:
    a, b = operands
    assert evaluate("ops.div.definition.DivRational.finite", a) == a
    expected = elementwise(a, b, lambda x, y: x / y if y else INFINITY)
    assert evaluate("ops.div.definition.DivRational.div_finite", a, b) == expected


@pytest.mark.parametrize("name", ["Int", *INTEGER_TYPES])
def test_div_domain(evaluate: Evaluator, name: str) -> None:
    a = Tensor((2, 2), (1, 2, 3, 4))
    b = Tensor((2, 2), (1, 0, 2, 2))
    assert evaluate(f"ops.div.definition.Div{name}.is_defined", a, a) is True
    assert evaluate(f"ops.div.definition.Div{name}.is_defined", a, b) is False
    assert evaluate(f"ops.div.definition.Div{name}.defined_from", 1, a, b) is False
    assert evaluate(f"ops.div.definition.Div{name}.defined_from", 2, a, b) is True
    empty: Tensor[int] = Tensor((0, 3), ())
    assert evaluate(f"ops.div.definition.Div{name}.is_defined", empty, empty) is True


@given(matrices(st.integers()))
def test_matmul_int(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    a, b = operands
    assert evaluate("ops.matmul.definition.MatMulInt.matmul", a, b) == sums_of_products(a, b)


@given(matrices(raw))
def test_matmul_machine(evaluate: Evaluator, operands: tuple[Tensor[int], Tensor[int]]) -> None:
    for name in MATMUL_TYPES:
        a, b = (typed(operand, name) for operand in operands)
        exact = sums_of_products(a, b)
        expected = Tensor(exact.shape, tuple(wrapped(x, name) for x in exact.elements))
        assert evaluate(f"ops.matmul.definition.MatMul{name}.matmul", a, b) == expected, name


@given(matrices(fractions))
def test_matmul_rational(
    evaluate: Evaluator, operands: tuple[Tensor[Fraction], Tensor[Fraction]]
) -> None:
    a, b = operands
    assert evaluate("ops.matmul.definition.MatMulRational.matmul", a, b) == sums_of_products(a, b)


@pytest.mark.parametrize("name", ["Int", *MATMUL_TYPES])
def test_matmul_parts(evaluate: Evaluator, name: str) -> None:
    module = f"ops.matmul.definition.MatMul{name}"
    a = Tensor((2, 3), (1, 2, 3, 4, 5, 6))
    b = Tensor((3, 2), (7, 8, 9, 10, 11, 12))
    assert evaluate(f"{module}.sum", 10, 4) == 0 + 10 + 1 + 10 + 4 + 10 + 9 + 10
    assert evaluate(f"{module}.sum", 10, 0) == 0
    assert evaluate(f"{module}.product", a, b, (1, 0), 2) == 6 * 11
    assert evaluate(f"{module}.entry", a, b, 1, 0) == 4 * 7 + 5 * 9 + 6 * 11
    assert evaluate(f"{module}.identity", 2) == Tensor((2, 2), (1, 0, 0, 1))
    assert evaluate(f"{module}.zeros", 1, 2) == Tensor((1, 2), (0, 0))
    assert evaluate(f"{module}.plus", a, a) == Tensor((2, 3), (2, 4, 6, 8, 10, 12))
    assert evaluate(f"{module}.scale", 3, a) == Tensor((2, 3), (3, 6, 9, 12, 15, 18))


def test_signature_predicates(evaluate: Evaluator) -> None:
    dense = Operand("Int8", "Dense", (2, 3))
    negative = Operand("Int8", "Dense", (2, -1))
    sparse = Operand("Int8", "Sparse", (2, 3))
    scalar = Operand("Text", "Dense", ())
    for module, name, a, b, expected in [
        ("tensor.operand.Elementwise", "well_formed_dims", dense, scalar, True),
        ("tensor.operand.Elementwise", "well_formed_dims", dense, negative, False),
        ("tensor.operand.Elementwise", "well_formed_dims", negative, dense, False),
        ("tensor.operand.Elementwise", "same_shape", dense, sparse, True),
        ("tensor.operand.Elementwise", "same_shape", dense, scalar, False),
        ("tensor.operand.Elementwise", "dense", dense, dense, True),
        ("tensor.operand.Elementwise", "dense", dense, sparse, False),
        ("tensor.operand.Elementwise", "same_numerical_type", dense, sparse, True),
        ("tensor.operand.Elementwise", "same_numerical_type", scalar, scalar, False),
        ("tensor.operand.Elementwise", "not_broadcast", dense, sparse, True),
        ("tensor.operand.Elementwise", "not_broadcast", dense, scalar, False),
        ("ops.matmul.definition.MatMulSignature", "inner_dimensions", dense, dense, False),
        ("ops.matmul.definition.MatMulSignature", "same_supported_type", dense, dense, False),
        ("ops.matmul.definition.MatMulSignature", "same_supported_type", GOOD, GOOD, True),
    ]:
        assert evaluate(f"{module}.{name}", a, b) is expected
    assert evaluate("ops.matmul.definition.MatMulSignature.matrix", dense) is True
    assert evaluate("ops.matmul.definition.MatMulSignature.matrix", scalar) is False
    assert evaluate("ops.matmul.definition.MatMulSignature.supported", "Float64") is True
    assert evaluate("ops.matmul.definition.MatMulSignature.supported", "Int8") is False


GOOD = Operand("Int32", "Dense", (2, 2))


@pytest.mark.parametrize(
    ("a", "b", "admissible"),
    [
        (GOOD, GOOD, True),
        (Operand("Float16", "Dense", ()), Operand("Float16", "Dense", ()), True),
        (GOOD, Operand("Int32", "Dense", (2, 1)), False),
        (GOOD, Operand("Int32", "Dense", ()), False),
        (GOOD, Operand("Int32", "Sparse", (2, 2)), False),
        (Operand("Int32", "Sparse", (2, 2)), GOOD, False),
        (GOOD, Operand("Int64", "Dense", (2, 2)), False),
        (Operand("Text", "Dense", (2,)), Operand("Text", "Dense", (2,)), False),
        (Operand("Boolean", "Dense", (2,)), Operand("Boolean", "Dense", (2,)), False),
    ],
)
@pytest.mark.parametrize("name", ["Mul", "Div", "Add", "Sub"])
def test_elementwise_signature(
    evaluate: Evaluator, name: str, a: Operand, b: Operand, admissible: bool
) -> None:
    signature = f"ops.{name.lower()}.definition.{name}Signature"
    assert evaluate(f"{signature}.admissible", a, b) is admissible
    if admissible:
        assert evaluate(f"{signature}.result", a, b) == a


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (GOOD, GOOD, GOOD),
        (
            Operand("Float64", "Dense", (2, 0)),
            Operand("Float64", "Dense", (0, 5)),
            Operand("Float64", "Dense", (2, 5)),
        ),
        (GOOD, Operand("Int32", "Dense", (3, 2)), None),
        (GOOD, Operand("Int32", "Dense", (2,)), None),
        (Operand("Int32", "Dense", (1, 2, 2)), GOOD, None),
        (GOOD, Operand("UInt32", "Dense", (2, 2)), None),
        (GOOD, Operand("Int32", "Sparse", (2, 2)), None),
        (Operand("Int8", "Dense", (2, 2)), Operand("Int8", "Dense", (2, 2)), None),
    ],
)
def test_matmul_signature(
    evaluate: Evaluator, a: Operand, b: Operand, result: Operand | None
) -> None:
    signature = "ops.matmul.definition.MatMulSignature"
    assert evaluate(f"{signature}.admissible", a, b) is (result is not None)
    if result is not None:
        assert evaluate(f"{signature}.result", a, b) == result
