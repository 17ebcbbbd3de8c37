"""The operators with the element types that test vectors are made for."""

from sonnx_formal.ops.element_types import ELEMENT_TYPES
from sonnx_formal.ops.matmul import TYPES as MATMUL_TYPES
from sonnx_formal.vectors.case import Operator

ALL_TYPES = tuple(one.name for one in ELEMENT_TYPES)

_TYPES = {Operator.MUL: ALL_TYPES, Operator.DIV: ALL_TYPES, Operator.MATMUL: MATMUL_TYPES}

COMBINATIONS: tuple[tuple[Operator, str], ...] = tuple(
    (operator, element_type) for operator in Operator for element_type in _TYPES[operator]
)
"""Those of the source documents; and MatMul over bfloat16, which is an extension of ours."""
