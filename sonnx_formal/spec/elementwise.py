"""What the declarations of SONNX's element-wise operators with two operands have in common."""

from collections.abc import Mapping

from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Input, Output, Restriction, Test

OPERANDS = (Input("A", "T"), Input("B", "T"))
RESULT = Output("C", "T")

_BROADCASTABLE = Test("tensor.broadcast.Broadcast.compatible", ("a.dims", "b.dims"))

FOUR_RESTRICTIONS = (
    Restriction("R2", Test("tensor.operand.Elementwise.dense"), "a tensor is sparse"),
    Restriction(
        "R3",
        Test("tensor.operand.Elementwise.same_numerical_type"),
        "the elements are not of one numerical type",
    ),
    Restriction(
        "R4",
        Test("tensor.operand.Elementwise.not_broadcast"),
        "the shapes differ, and nothing is broadcast",
        given=_BROADCASTABLE,
    ),
    Restriction("R1", Test("tensor.operand.Elementwise.same_shape"), "the shapes differ"),
)
"""R1 to R4 of SONNX-MUL and SONNX-DIV: what the tensors are made of comes before their shapes, and
shapes that could be broadcast have a requirement of their own."""


def modules(operator: str) -> Mapping[Family, str]:
    """Where an operator's definitions are by convention: `modules("Mul")`."""
    folder = f"ops.{operator.lower()}"
    return {
        Family.REAL: f"{folder}.definition.{operator}Rational",
        Family.INTEGER: f"{folder}.definition.{operator}{{T}}",
        Family.FLOAT: f"{folder}.floats.{operator}{{T}}",
    }


def one_document(name: str) -> Mapping[Family, str]:
    """A document that speaks of all numbers."""
    return dict.fromkeys((Family.REAL, Family.INTEGER, Family.FLOAT), name)
