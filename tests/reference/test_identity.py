"""Identity: the same elements, all their bits, in another array."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.identity import identity
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import element_type_of
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.identity import IDENTITY
from tests.reference.declared import each_instance, expected
from tests.reference.operands import LAYOUTS, layouts
from tests.reference.structural import SHAPES, bits, rejected, tensors


@each_instance(IDENTITY)
@settings(max_examples=20, derandomize=True)
@given(data=st.data())
def test_elements(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    """By the definition, to the bit: the payload of a NaN, too."""
    name, shape = instance.label, data.draw(SHAPES)
    x = data.draw(tensors(name, shape))
    laid_out = LAYOUTS[data.draw(layouts(name))](x)
    result = identity(laid_out)
    defined = expected(oracle, IDENTITY, x)
    assert result.dtype == x.dtype
    assert element_type_of(defined) is instance.types[0]
    assert result.shape == defined.shape == x.shape
    assert bits(result) == bits(defined) == bits(x)
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, laid_out)


def test_types(oracle: Oracle) -> None:
    assert rejected(oracle, IDENTITY, np.array([Fraction(1, 3)])) == "ONNX-IDENTITY-14.V"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.longdouble])
def test_types_that_are_left_out_here(dtype: Any) -> None:
    with pytest.raises(SpecViolation, match=r"ONNX-IDENTITY-14\.V"):
        identity(np.ones(1, dtype))


def test_sparse() -> None:
    sparse: Any = type("SparseTensor", (), {})()
    with pytest.raises(SpecViolation, match=r"ONNX-IDENTITY-14\.V"):
        identity(sparse)
