"""ONNX Transpose: the same elements at other indices, all their bits, and what is rejected."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.transpose import transpose
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.transpose import TRANSPOSE
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.reference import Array
from tests.reference.structural import SHAPES, bits, tensors


def rejected(oracle: Oracle, data: Array, perm: list[int] | None) -> str:
    """The requirement that both name."""
    with pytest.raises(SpecViolation) as ours:
        transpose(data, perm=perm)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, TRANSPOSE, data, perm=perm)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


@each_instance(TRANSPOSE)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit; and back again by the inverse order."""
    name, shape = instance.label, data.draw(SHAPES)
    x = data.draw(tensors(name, shape))
    perm = data.draw(st.none() | st.permutations(range(len(shape))))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = transpose(laid_out, perm=perm)
    defined = expected(oracle, TRANSPOSE, x, perm=perm)
    assert result.dtype == defined.dtype or name == "string"
    assert result.shape == defined.shape
    assert bits(result) == bits(defined)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)
    inverse = None if perm is None else np.argsort(np.array(perm, int)).tolist()
    back = transpose(result, perm=inverse)
    assert back.shape == shape
    assert bits(back) == bits(x)


def test_one_after_the_other(oracle: Oracle) -> None:
    """Is one: the second order of the axes is of the first one's."""
    x = np.arange(24).reshape(2, 3, 4)
    for p, q in product([[0, 2, 1], [1, 2, 0], [2, 1, 0]], repeat=2):
        twice = transpose(transpose(x, perm=p), perm=q)
        once = expected(oracle, TRANSPOSE, x, perm=[p[k] for k in q])
        assert twice.tolist() == once.tolist()


@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ((2, 3), [-1, 0]),
        ((2, 3), [1, 1]),
        ((2, 3), [0]),
        ((2, 3), [0, 1, 2]),
        ((2, 3), [0, 2]),
        ((2, 3), [2**40, 0]),
        ((2, 3), []),
        ((), [0]),
        ((0, 3), [0, 0]),
    ],
)
def test_rejections(oracle: Oracle, shape: tuple[int, ...], perm: list[int]) -> None:
    assert rejected(oracle, np.ones(shape, np.int8), perm) == "ONNX-TRANSPOSE-13.PERM.C1"


def test_types() -> None:
    """The schema has complex numbers, which have no values here."""
    with pytest.raises(SpecViolation, match=r"ONNX-TRANSPOSE-13\.T"):
        transpose(np.ones(2, np.complex64))


@pytest.mark.parametrize(
    ("shape", "perm", "wanted"),
    [
        ((1, 2, 3), [1, 0, 2], (2, 1, 3)),
        ((1, 2, 3), [1, 2, 0], (2, 3, 1)),
        ((3,), None, (3,)),
        ((), None, ()),
        ((2, 3, 4), None, (4, 3, 2)),
    ],
)
def test_examples(oracle: Oracle, shape: Any, perm: Any, wanted: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    result = transpose(x, perm=perm)
    assert result.shape == wanted
    assert expected(oracle, TRANSPOSE, x, perm=perm).tolist() == result.tolist()
