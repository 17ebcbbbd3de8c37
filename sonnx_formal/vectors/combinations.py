"""The operators with the element types that test vectors are made for."""

from sonnx_formal.spec.element_types import NUMERICAL
from sonnx_formal.spec.operators.matmul import MATMUL
from sonnx_formal.vectors.case import Operator

ALL_TYPES = tuple(type_.name for type_ in NUMERICAL)

MACHINE_TYPES = tuple(name for name in ALL_TYPES if name != "real")

_WIDE = ("int32", "int64", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64")
_TYPES = {
    Operator.MUL: ALL_TYPES,
    Operator.DIV: ALL_TYPES,
    Operator.MATMUL: tuple(i.label for i in MATMUL.instances()),
    Operator.ONNX_MUL_14: MACHINE_TYPES,
    Operator.ONNX_MUL_13: (*_WIDE, *_FLOATS, "bfloat16"),
    Operator.ONNX_MUL_7: (*_WIDE, *_FLOATS),
    Operator.ONNX_MUL_6: (*_WIDE, *_FLOATS),
    Operator.ONNX_MUL_1: _FLOATS,
    Operator.OV_MULTIPLY_1: MACHINE_TYPES,
}

COMBINATIONS: tuple[tuple[Operator, str], ...] = tuple(
    (operator, element_type) for operator in Operator for element_type in _TYPES[operator]
)
"""Those of the source documents; and MatMul over bfloat16, which is an extension of ours."""
