"""The operators on tensors of every type, shape and layout, against the formal definitions."""

import copy
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance, Operator
from sonnx_formal.spec.operators.matmul import MATMUL
from tests.reference import reference
from tests.reference.declared import (
    EACH_OF_ONE_TYPE,
    EACH_OF_TWO,
    ELEMENTWISE,
    OF_TWO,
    each_instance,
    expected,
    function,
    required,
)
from tests.reference.operands import LAYOUTS, SHAPES, layouts, tensors
from tests.reference.reference import Array, assert_same

MANY_AXES = [(1,) * 30 + (2, 3), (2,) + (1,) * 30 + (3,), (1,) * 32, (0,) + (1,) * 31]
"""Shapes of 32 axes."""

fast = settings(max_examples=20, derandomize=True)


def contents(array: Array) -> tuple[Any, ...]:
    """All that a caller could see change."""
    elements = list(array.ravel()) if array.dtype == object else array.tobytes()
    return array.shape, array.strides, array.dtype, array.flags.writeable, copy.copy(elements)


def check(instance: Instance, operands: Sequence[Array], result: Array) -> None:
    """The result is the expected one, no operand has changed, and no exception has come of it."""
    before = [*map(contents, operands)]
    with np.errstate(all="raise"):
        got = function(instance.operator)(*operands)
    assert_same(instance.type_of(instance.operator.output).name, got, result)
    assert [*map(contents, operands)] == before
    assert not any(np.shares_memory(got, operand) for operand in operands)
    assert got.flags.writeable


@each_instance(*ELEMENTWISE)
@fast
@given(data=st.data())
def test_elementwise(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """Where an operator is not defined for all operands, some draws keep away from zero."""
    name = instance.label
    shape = data.draw(SHAPES | st.sampled_from(MANY_AXES))
    partial = instance.operator.definition.domain and instance.types[0].family is Family.INTEGER
    plain = [data.draw(tensors(name, shape))]
    for _ in instance.operator.inputs[1:]:
        plain.append(data.draw(tensors(name, shape, zero=not partial or data.draw(st.booleans()))))
    operands = [LAYOUTS[data.draw(layouts(name))](each) for each in plain]
    wanted = named(lambda *each: expected(oracle, instance.operator, *each), *plain)
    if isinstance(wanted, str):
        assert partial
        assert named(function(instance.operator), *operands) == wanted
    else:
        check(instance, operands, expected(oracle, instance.operator, *plain))


@each_instance(MATMUL)
@fast
@given(data=st.data())
def test_matmul(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    rows, inner, columns = (data.draw(st.integers(0, 4)) for _ in range(3))
    a = data.draw(tensors(name, (rows, inner)))
    b = data.draw(tensors(name, (inner, columns)))
    result = expected(oracle, MATMUL, a, b)
    layout = LAYOUTS[data.draw(layouts(name))], LAYOUTS[data.draw(layouts(name))]
    check(instance, [layout[0](a), layout[1](b)], result)


@each_instance(*ELEMENTWISE, MATMUL)
def test_each_layout(oracle: Oracle, instance: Instance) -> None:
    """The oracle, too, takes the elements in the order of the indices, not of the memory."""
    name, operator = instance.label, instance.operator
    output = instance.type_of(operator.output).name
    several = [[2, 3, 5, 7], [3, 1, 2, 4]][: len(operator.inputs)]
    operands = [small_numbers(name, each).reshape(2, 2) for each in several]
    result = expected(oracle, operator, *operands)
    for layout in map(LAYOUTS.get, LAYOUTS):
        assert layout
        if name == "real" and layout in {LAYOUTS["byte-swapped"], LAYOUTS["unaligned"]}:
            continue
        laid_out = [*map(layout, operands)]
        check(instance, laid_out, result)
        assert_same(output, expected(oracle, operator, *laid_out), result)


@each_instance(*ELEMENTWISE)
@pytest.mark.parametrize("shape", [(1,) * 30 + (2, 3), (2,) + (1,) * 62 + (3,)], ids=["32", "64"])
def test_many_axes(oracle: Oracle, instance: Instance, shape: tuple[int, ...]) -> None:
    several = [[2, 3, 5, 7, 11, 13], [3, 1, 2, 7, 4, 6]][: len(instance.operator.inputs)]
    operands = [small_numbers(instance.label, each).reshape(shape) for each in several]
    result = expected(oracle, instance.operator, *operands)
    laid_out = [
        LAYOUTS[name](x) for name, x in zip(("reversed", "Fortran"), operands, strict=False)
    ]
    check(instance, laid_out, result)


@each_instance(*OF_TWO, MATMUL)
def test_an_operand_twice(oracle: Oracle, instance: Instance) -> None:
    a = small_numbers(instance.label, [1, 2, 3, 4]).reshape(2, 2)
    for b in (a, a.T):
        check(instance, [a, b], expected(oracle, instance.operator, a, b))


def test_matmul_without_elements_takes_no_time() -> None:
    """The inner dimension may be absurd where the result has no elements."""
    inner = 2**40
    a, b = np.empty((0, inner), np.float32), np.empty((inner, 0), np.float32)
    assert matmul(a, b).shape == (0, 0)


# --- What is excluded: both name one requirement, or both compute ---

NO_NUMBERS: list[Any] = [np.bool_, np.str_, np.complex64, np.complex128]
DTYPES = [*reference.DTYPES.values(), *map(np.dtype, NO_NUMBERS)]


def ones(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    made: Array = np.ones(shape, dtype)
    if dtype.kind == "O":
        made[...] = Fraction(1)
    return made


def named(compute: Callable[..., Array], *operands: Array) -> str | tuple[int, ...]:
    """The requirement that the operands violate; or the shape of the result."""
    try:
        return compute(*operands).shape
    except (SpecViolation, Inadmissible) as error:
        return error.requirement


@EACH_OF_ONE_TYPE
def test_one_requirement_is_named(oracle: Oracle, operator: Operator) -> None:
    """Of operands at random: of many, half of them of the type of the first, or of its shape."""
    chance = random.Random(0)

    def shape() -> tuple[int, ...]:
        return tuple(chance.choices([0, 1, 1, 2, 3], k=chance.randrange(4)))

    for _ in range(300):
        first = ones(chance.choice(DTYPES), shape())
        operands = [first]
        for _ in operator.inputs[1:]:
            dtype = chance.choice([first.dtype, chance.choice(DTYPES)])
            operands.append(ones(dtype, chance.choice([first.shape, shape()])))
        ours = named(function(operator), *operands)
        theirs = named(lambda *each: expected(oracle, operator, *each), *operands)
        assert ours == theirs, [(each.dtype, each.shape) for each in operands]


@EACH_OF_TWO
@pytest.mark.parametrize(
    ("a", "b", "predicate"),
    [
        ((2, 3), (3,), "not_broadcast"),
        ((2,), (), "not_broadcast"),
        ((2, 1), (1, 2), "not_broadcast"),
        ((0,), (1,), "not_broadcast"),
        ((2, 3), (3, 2), "same_shape"),
        ((2,), (3,), "same_shape"),
        ((0,), (2,), "same_shape"),
        ((6,), (2, 3), "same_shape"),
    ],
)
def test_shapes_that_broadcasting_could_bring_together(
    oracle: Oracle, operator: Operator, a: tuple[int, ...], b: tuple[int, ...], predicate: str
) -> None:
    """The item is that of the predicate; or that of all shapes that differ."""
    wanted = required(operator, Family.FLOAT, predicate, "same_shape")
    for first, second in [(a, b), (b, a)]:
        x, y = np.ones(first, ml_dtypes.bfloat16), np.ones(second, ml_dtypes.bfloat16)
        assert named(function(operator), x, y) == wanted
        assert named(lambda p, q: expected(oracle, operator, p, q), x, y) == wanted


def small_numbers(name: str, numbers: list[int]) -> Array:
    """Numbers that every type has."""
    if name == "real":
        return reference.Real().encode([Fraction(x) for x in numbers])
    return np.array(numbers).astype(reference.DTYPES[name])
