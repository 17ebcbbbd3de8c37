"""Reshape: the same elements in the same order, all their bits, and which operands are rejected."""

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.reshape import reshape
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.reshape import RESHAPE
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import SHAPES, bits, tensors

FULL = (2, 3)
NULL = (0, 3)


def vector(*entries: int) -> Array:
    return np.array(entries, np.int64)


def rejected(oracle: Oracle, x: Array, s: Array, allowzero: int) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        reshape(x, s, allowzero=allowzero)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, RESHAPE, x, s, allowzero=allowzero)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@st.composite
def asked(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Dimensions with as many elements, perhaps one of them to be inferred."""
    left, entries = prod(shape), []
    if left == 0:
        entries = [0, *draw(st.lists(st.integers(0, 4), max_size=3))]
    while left > 1:
        entries.append(draw(st.sampled_from([n for n in range(2, left + 1) if left % n == 0])))
        left //= entries[-1]
    entries += [1] * draw(st.integers(0, 2))
    found = draw(st.permutations(entries))
    if prod(shape) and found and draw(st.booleans()):
        found[draw(st.integers(0, len(found) - 1))] = -1
    return tuple(found)


@each_instance(RESHAPE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too. And back again."""
    name, shape = instance.label, data.draw(SHAPES)
    x, s = data.draw(tensors(name, shape)), vector(*data.draw(asked(shape)))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = reshape(laid_out, s, allowzero=1)
    defined = expected(oracle, RESHAPE, x, s, allowzero=1)
    assert result.dtype == x.dtype
    assert element_type_of(defined) is instance.types[0]
    assert result.shape == defined.shape
    assert bits(result) == bits(defined) == bits(x)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)
    back = reshape(result, vector(*shape), allowzero=1)
    assert back.shape == shape
    assert bits(back) == bits(x)


@pytest.mark.parametrize(
    ("shape", "entries", "allowzero", "wanted"),
    [
        ((2, 3), (3, 2), 0, (3, 2)),
        ((2, 3), (0, -1), 0, (2, 3)),
        ((2, 3), (0, 0), 0, (2, 3)),
        ((2, 3, 4), (-1, 0), 0, (8, 3)),
        ((2, 3), (), 0, None),
        ((1, 1), (), 0, ()),
        ((), (-1, 1), 0, (1, 1)),
        ((0, 3), (0, 7), 0, (0, 7)),
        ((0, 3), (7, 0), 0, None),
        ((0, 3), (7, 0), 1, (7, 0)),
        ((0, 3), (5, -1), 1, (5, 0)),
        ((2, 3), (-1, 3), 1, (2, 3)),
    ],
)
def test_what_is_asked_for(
    oracle: Oracle,
    shape: tuple[int, ...],
    entries: tuple[int, ...],
    allowzero: int,
    wanted: tuple[int, ...] | None,
) -> None:
    x, s = np.ones(shape, np.int8), vector(*entries)
    if wanted is None:
        assert rejected(oracle, x, s, allowzero) == "SONNX-RESHAPE.X.C1"
        return
    assert reshape(x, s, allowzero=allowzero).shape == wanted
    assert expected(oracle, RESHAPE, x, s, allowzero=allowzero).shape == wanted


@pytest.mark.parametrize(
    ("shape", "entries", "allowzero", "item"),
    [
        (FULL, (3, 2), 2, "ALLOWZERO.C1"),
        (FULL, (3, 2), -1, "ALLOWZERO.C1"),
        (FULL, (-1, -1), 0, "S.C1"),
        (FULL, (-1, -1, 0), 1, "S.C1"),
        (FULL, (2, 3, 0), 0, "ALLOWZERO.C2"),
        ((), (0,), 0, "ALLOWZERO.C2"),
        (FULL, (-2, -3), 0, "ALLOWZERO.C3"),
        (FULL, (-5,), 1, "ALLOWZERO.C3"),
        (NULL, (-1, 3), 0, "ALLOWZERO.C3"),
        (NULL, (0, -1), 0, "ALLOWZERO.C3"),
        (FULL, (0, -1), 1, "ALLOWZERO.C3"),
        (FULL, (0,), 1, "ALLOWZERO.C3"),
        (NULL, (0, -1), 1, "ALLOWZERO.C3"),
        (FULL, (4, 2), 0, "X.C1"),
        (FULL, (4, -1), 0, "X.C1"),
        (NULL, (3,), 1, "X.C1"),
        (FULL, (2**62, 4), 0, "X.C1"),
        (FULL, (2**32, 2**32, 6), 0, "X.C1"),
    ],
)
def test_rejections(
    oracle: Oracle, shape: tuple[int, ...], entries: tuple[int, ...], allowzero: int, item: str
) -> None:
    """The products of dimensions are exact: none wraps around to what fits."""
    x = np.ones(shape, np.float32)
    assert rejected(oracle, x, vector(*entries), allowzero) == f"SONNX-RESHAPE.{item}"


@settings(max_examples=300, derandomize=True)
@given(data=st.data())
def test_the_first_requirement_is_that_of_the_definition(
    oracle: Oracle, data: st.DataObject
) -> None:
    shape, allowzero = data.draw(SHAPES), data.draw(st.integers(0, 1))
    x, s = np.ones(shape, np.int8), vector(*data.draw(st.lists(st.integers(-2, 4), max_size=4)))
    try:
        defined: Any = expected(oracle, RESHAPE, x, s, allowzero=allowzero).shape
    except Inadmissible as error:
        defined = error.requirement
    try:
        ours: Any = reshape(x, s, allowzero=allowzero).shape
    except SpecViolation as error:
        ours = error.requirement
    assert ours == defined


@pytest.mark.parametrize(
    "s",
    [
        np.array([3, 2], np.int32),
        np.array([3, 2], np.uint64),
        np.array([3.0, 2.0]),
        np.array([[3, 2]], np.int64),
        np.array(6, np.int64),
    ],
    ids=str,
)
def test_s_is_a_vector_of_int64(oracle: Oracle, s: Array) -> None:
    assert rejected(oracle, np.ones(6, np.int8), s, 0) == "SONNX-RESHAPE.S.T"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_types(oracle: Oracle, dtype: Any) -> None:
    assert rejected(oracle, np.ones(6, dtype), vector(2, 3), 0) == "SONNX-RESHAPE.T"


def test_allowzero_has_to_be_set(oracle: Oracle) -> None:
    x, s = np.ones(6, np.int8), vector(2, 3)
    with pytest.raises(TypeError, match="allowzero"):
        reshape(x, s)  # type: ignore[call-arg]
    with pytest.raises(UserError, match="the attribute allowzero is missing"):
        oracle.evaluate(Call(RESHAPE, (x, s)))


@pytest.mark.parametrize("item", ["EX1", "EX2", "EX3", "EX4"])
def test_examples(oracle: Oracle, item: str) -> None:
    """With the shapes that the document prints; the elements stay in their order."""
    printed = {"EX1": (5, 2), "EX2": (2, 6, 2), "EX3": (2, 5), "EX4": (1, 2, 0)}[item]
    example = next(each for each in RESHAPE.examples if each.item == item)
    written, asked = example.operands
    x = np.zeros(written) if isinstance(written, tuple) else np.array(written, np.float64)
    attributes: Any = example.attributes.as_dict()
    result = reshape(x, vector(*asked), **attributes)
    assert result.shape == printed
    assert result.ravel().tolist() == [*range(prod(printed))]
    defined = expected(oracle, RESHAPE, x, vector(*asked), **attributes)
    assert defined.tolist() == result.tolist()
    if item == "EX3":  # as it is printed
        assert rejected(oracle, x, vector(*asked), 1) == "SONNX-RESHAPE.ALLOWZERO.C3"
