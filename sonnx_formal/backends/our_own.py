"""The Python implementation of this project."""

import importlib.metadata

from sonnx_formal import reference as ops
from sonnx_formal import reference as systems
from sonnx_formal.backends.backend import Array, Form, only_plain
from sonnx_formal.oracle.attributes import Attributes
from sonnx_formal.vectors.case import ONNX_MUL, Operator


class OurOwn:
    """`sonnx_formal.reference`: each operator over each type that it has."""

    def __init__(self) -> None:
        self.version = importlib.metadata.version("sonnx-formal")

    def supports(self, operator: Operator, element_type: str) -> bool:
        return True

    def run(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Array:
        only_plain(form)
        set_ = attributes.those_set()
        match operator:
            case Operator.MUL:
                return ops.mul(a, b)
            case Operator.DIV:
                return ops.div(a, b)
            case Operator.MATMUL:
                return ops.matmul(a, b)
            case Operator.OV_MULTIPLY_1:
                return systems.openvino_multiply(a, b, **set_)
            case _:
                return systems.onnx_mul(a, b, opset=ONNX_MUL[operator], **set_)
