"""SONNX Mul."""

from fractions import Fraction

from sonnx_formal.spec.element_types import NUMERICAL, Family
from sonnx_formal.spec.elementwise import (
    FOUR_RESTRICTIONS,
    OPERANDS,
    RESULT,
    modules,
    one_document,
)
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Example,
    OnnxNode,
    Operator,
    Reference,
    ShapeRule,
    System,
    TypeParameter,
)

_ALL = frozenset({Family.REAL, Family.INTEGER, Family.FLOAT})


def _product(a: Fraction, b: Fraction) -> Fraction:
    return a * b


MUL = Operator(
    name="mul",
    title="SONNX Mul",
    system=System.SONNX,
    documents=one_document("SONNX-MUL"),
    inputs=OPERANDS,
    output=RESULT,
    parameters=(TypeParameter("T", NUMERICAL),),
    definition=Definition(
        signature="ops.mul.definition.MulSignature",
        function="mul",
        modules=modules("Mul"),
        restrictions=FOUR_RESTRICTIONS,
    ),
    reference=Reference("mul"),
    shape_rule=ShapeRule.SAME,
    arithmetic=Arithmetic.PRODUCT,
    exact=_product,
    always=("R1", "C1", "T"),
    onnx=OnnxNode("Mul", since=14),
    examples=(
        Example("EX1", ([2, 3, 7], [3, 3, 5]), _ALL),
        Example("EX2", ([[1, 2], [4, 0], [5, 6]], [[3, 2], [4, 1], [5, 4]]), _ALL),
        Example("EX3", ([[2, 1], [0, 9], [5, 6]], [[1, 3], [0, 6], [5, 6]]), _ALL),
    ),
)
OPERATORS = (MUL,)
