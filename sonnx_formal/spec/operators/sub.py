"""SONNX Sub."""

from fractions import Fraction

from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.elementwise import (
    CONSTRAINTS_OF_THREE_PARTS,
    NUMBERS_OF_THREE_PARTS,
    OPERANDS,
    RESULT,
    STATES_OF_THREE_PARTS,
    modules,
    three_parts,
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
)

_REAL, _INTEGER, _FLOAT = (
    frozenset({family}) for family in (Family.REAL, Family.INTEGER, Family.FLOAT)
)


def _difference(a: Fraction, b: Fraction) -> Fraction:
    return a - b


SUB = Operator(
    name="sub",
    title="SONNX Sub",
    system=System.SONNX,
    documents=three_parts("SONNX-SUB"),
    inputs=OPERANDS,
    output=RESULT,
    parameters=(NUMBERS_OF_THREE_PARTS,),
    definition=Definition(
        signature="ops.sub.definition.SubSignature",
        function="sub",
        modules=modules("Sub"),
        restrictions=CONSTRAINTS_OF_THREE_PARTS,
    ),
    reference=Reference("sub"),
    shape_rule=ShapeRule.SAME,
    arithmetic=Arithmetic.DIFFERENCE,
    exact=_difference,
    always=("A.C1", "B.C1", "C.C1", "T"),
    onnx=OnnxNode("Sub", since=14),
    examples=(
        Example("EX1", ([Fraction("6.1"), Fraction("9.5"), Fraction("35.7")], [2, 3, 4]), _REAL),
        Example("EX1", ([6, 100], [3, 200]), _INTEGER, types=frozenset({"uint8"})),
        Example("EX2", ([-6, 10, 10], [-3, 100, -120]), _INTEGER, types=frozenset({"int8"})),
        Example(
            "EX1",
            ([[3.0, 4.5], [16.0, 1.0], [25.5, 24.25]], [[3.0, 2.0], [4.0, 0.0], [5.0, 4.0]]),
            _FLOAT,
        ),
    ),
    states=STATES_OF_THREE_PARTS,
)
OPERATORS = (SUB,)
