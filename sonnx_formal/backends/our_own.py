"""The Python implementation of this project."""

import importlib.metadata

from sonnx_formal import ops
from sonnx_formal.backends.backend import Array, Form, only_plain
from sonnx_formal.vectors.case import Operator


class OurOwn:
    """`sonnx_formal.ops`, which has every type of the source documents, real numbers too."""

    def __init__(self) -> None:
        self.version = importlib.metadata.version("sonnx-formal")

    def supports(self, operator: Operator, element_type: str) -> bool:
        return True

    def run(self, operator: Operator, a: Array, b: Array, form: Form) -> Array:
        only_plain(form)
        match operator:
            case Operator.MUL:
                return ops.mul(a, b)
            case Operator.DIV:
                return ops.div(a, b)
            case Operator.MATMUL:
                return ops.matmul(a, b)
