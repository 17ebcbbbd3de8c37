"""Structural operators: tensors of every type, their bits, and what becomes of operands."""

from functools import partial
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import BY_NAME, NARROW_FLOATS
from sonnx_formal.spec.operator import Operator
from tests.reference import operands
from tests.reference.declared import expected, function
from tests.reference.reference import Array

SHAPES = operands.SHAPES
NARROW = tuple(type_.name for type_ in NARROW_FLOATS)
"""Floats of 8 bits."""


def tensors(name: str, shape: tuple[int, ...]) -> st.SearchStrategy[Array]:
    """Tensors of a type in native order, of truth values and texts, too."""
    if name == "string":
        texts = st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5
        )
        return st.lists(texts, min_size=prod(shape), max_size=prod(shape)).map(
            lambda drawn: np.array(drawn, np.str_).reshape(shape)
        )
    if name == "bool":
        return hypothesis_numpy.arrays(np.bool_, shape)
    if name in NARROW:
        patterns = hypothesis_numpy.arrays(np.uint8, shape)
        return patterns.map(lambda drawn: drawn.view(BY_NAME[name].dtype))
    return operands.tensors(name, shape)


def bits(array: Array) -> Any:
    """The elements in row-major order, all bits of each."""
    return array.ravel().tolist() if array.dtype.kind in "OU" else array.tobytes()


def vector(*entries: int) -> Array:
    return np.array(entries, np.int64)


def outcomes(oracle: Oracle, operator: Operator, *operands: Array, **attributes: Any) -> list[Any]:
    """Of our implementation and of the definition: the shape, or the requirement that is named."""
    found: list[Any] = []
    for compute in (function(operator), partial(expected, oracle, operator)):
        try:
            found.append(compute(*operands, **attributes).shape)
        except (SpecViolation, Inadmissible) as error:
            found.append(error.requirement)
    return found


def rejected(oracle: Oracle, operator: Operator, *operands: Array, **attributes: Any) -> str:
    """The requirement that both name."""
    ours, defined = outcomes(oracle, operator, *operands, **attributes)
    assert ours == defined
    assert isinstance(ours, str)
    return ours
