"""Unsqueeze: the same elements in the same order, all their bits, and which A are rejected."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.unsqueeze import unsqueeze
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.unsqueeze import UNSQUEEZE
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import SHAPES, bits, outcomes, rejected, tensors, vector

FULL = (2, 3)


@st.composite
def new_axes(draw: st.DrawFn, rank: int) -> list[int]:
    """Distinct axes of a result, in any order, each counted from either end."""
    count = draw(st.integers(0, 3))
    total = rank + count
    chosen = draw(st.permutations(range(total)))[:count]
    return [draw(st.sampled_from([axis, axis - total])) for axis in chosen]


@each_instance(UNSQUEEZE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too."""
    name, shape = instance.label, data.draw(SHAPES)
    x, a = data.draw(tensors(name, shape)), vector(*data.draw(new_axes(len(shape))))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = unsqueeze(laid_out, a)
    defined = expected(oracle, UNSQUEEZE, x, a)
    assert result.dtype == x.dtype
    assert element_type_of(defined) is instance.types[0]
    assert result.shape == defined.shape
    assert bits(result) == bits(defined) == bits(x)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)


@pytest.mark.parametrize(
    ("shape", "asked", "wanted"),
    [
        (FULL, (), (2, 3)),
        (FULL, (0,), (1, 2, 3)),
        (FULL, (-1,), (2, 3, 1)),
        (FULL, (3, 0), (1, 2, 3, 1)),
        (FULL, (0, 3), (1, 2, 3, 1)),
        (FULL, (-2, 1), (2, 1, 1, 3)),
        ((), (), ()),
        ((), (0,), (1,)),
        ((), (-1, 0), (1, 1)),
        ((0,), (1,), (0, 1)),
    ],
)
def test_shapes(
    oracle: Oracle, shape: tuple[int, ...], asked: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    x, a = np.ones(shape, np.int8), vector(*asked)
    assert unsqueeze(x, a).shape == expected(oracle, UNSQUEEZE, x, a).shape == wanted


@pytest.mark.parametrize(
    ("shape", "asked", "item"),
    [
        (FULL, (3,), "A.C1"),
        (FULL, (-4,), "A.C1"),
        (FULL, (0, 4), "A.C1"),
        (FULL, (0, 0, -6), "A.C1"),
        ((), (1,), "A.C1"),
        (FULL, (-(2**63),), "A.C1"),
        (FULL, (0, 0), "A.C2"),
        (FULL, (1, -3), "A.C2"),
        ((), (0, -2), "A.C2"),
    ],
)
def test_rejections(
    oracle: Oracle, shape: tuple[int, ...], asked: tuple[int, ...], item: str
) -> None:
    x = np.ones(shape, np.float32)
    assert rejected(oracle, UNSQUEEZE, x, vector(*asked)) == f"SONNX-UNSQUEEZE.{item}"


@settings(max_examples=200, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    x = np.ones(data.draw(SHAPES), np.int8)
    asked = data.draw(st.lists(st.integers(-4, 4), max_size=3))
    ours, defined = outcomes(oracle, UNSQUEEZE, x, vector(*asked))
    assert ours == defined


@pytest.mark.parametrize(
    "a",
    [
        np.array([0], np.int32),
        np.array([0], np.uint64),
        np.array([0.0]),
        np.array([[0]], np.int64),
        np.array(0, np.int64),
    ],
    ids=str,
)
def test_a_is_a_vector_of_int64(oracle: Oracle, a: Array) -> None:
    assert rejected(oracle, UNSQUEEZE, np.ones(6, np.int8), a) == "SONNX-UNSQUEEZE.A.T"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, UNSQUEEZE, np.ones(6, dtype), vector(0)) == "SONNX-UNSQUEEZE.T"


@pytest.mark.parametrize("item", ["EX1", "EX2", "EX3", "EX4"])
def test_examples(oracle: Oracle, item: str) -> None:
    """With the shapes that the document prints; the elements stay in their order."""
    printed = {
        "EX1": (1, 2, 3, 4),
        "EX2": (2, 3, 4, 1),
        "EX3": (1, 1, 2, 3, 4),
        "EX4": (2, 1, 1, 3, 4),
    }[item]
    example = next(each for each in UNSQUEEZE.examples if each.item == item)
    x, a = np.array(example.operands[0], np.float64), vector(*example.operands[1])
    result = unsqueeze(x, a)
    assert result.shape == printed
    assert result.ravel().tolist() == [*range(24)]
    assert expected(oracle, UNSQUEEZE, x, a).tolist() == result.tolist()
