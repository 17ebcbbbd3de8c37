"""The multiplications of ONNX and OpenVINO on NumPy arrays: the other systems beside SONNX Mul.

Like `sonnx_formal.ops`, this takes nothing from the formal definitions, which are to judge it.
"""

from sonnx_formal.ops.violation import SpecViolation
from sonnx_formal.systems.onnx_mul import onnx_mul
from sonnx_formal.systems.openvino_multiply import openvino_multiply

__all__ = ["SpecViolation", "onnx_mul", "openvino_multiply"]
