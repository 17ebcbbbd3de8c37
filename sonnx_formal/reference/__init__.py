"""SONNX operators on NumPy arrays: the implementation that the formal definitions are to judge.

It takes nothing from them: what it computes comes from NumPy and from `fractions`.
"""

from sonnx_formal.reference.div import INFINITY, div
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.reference.mul import mul
from sonnx_formal.reference.onnx_mul import onnx_mul
from sonnx_formal.reference.openvino_multiply import openvino_multiply
from sonnx_formal.reference.violation import SpecViolation

__all__ = [
    "INFINITY",
    "SpecViolation",
    "div",
    "matmul",
    "mul",
    "onnx_mul",
    "openvino_multiply",
]
