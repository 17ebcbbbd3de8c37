"""What the declarations of SONNX's element-wise operators with two operands have in common."""

from collections.abc import Mapping

from sonnx_formal.spec.element_types import INTEGERS, REAL, Family, element_types
from sonnx_formal.spec.operator import Input, Output, Restriction, Rule, Test, TypeParameter

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
STATES = {Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "C1"}
"""What SONNX-MUL and SONNX-DIV say of C."""

NUMBERS_OF_THREE_PARTS = TypeParameter(
    "T",
    (REAL, *INTEGERS, *element_types("float16", "float32", "float64")),
    beyond=element_types("bfloat16"),
)
"""The types of documents with a part each for real numbers, integers and floats."""
CONSTRAINTS_OF_THREE_PARTS = (
    Restriction(
        "SONNX-GENERAL.GR1", Test("tensor.operand.Elementwise.dense"), "a tensor is sparse"
    ),
    Restriction(
        "T",
        Test("listed", ("a.element",)),
        "the elements are of no type of the document",
        extended=True,
    ),
    # The part for real numbers knows one type only, and leaves this to its list of types.
    Restriction("A.C2", Test("one_type"), "the elements are of two types"),
    Restriction("A.C1", Test("tensor.operand.Elementwise.same_shape"), "the shapes differ"),
)
STATES_OF_THREE_PARTS = {Rule.RESULT_TYPE: "C.C2", Rule.RESULT_SHAPE: "C.C1"}


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


def three_parts(name: str) -> Mapping[Family, str]:
    """A document with a part for each kind of numbers."""
    return {
        Family.REAL: f"{name}-REAL",
        Family.INTEGER: f"{name}-INT",
        Family.FLOAT: f"{name}-FLOAT",
    }
