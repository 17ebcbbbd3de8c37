"""SONNX Add."""

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


def _sum(a: Fraction, b: Fraction) -> Fraction:
    return a + b


ADD = Operator(
    name="add",
    title="SONNX Add",
    system=System.SONNX,
    documents=three_parts("SONNX-ADD"),
    inputs=OPERANDS,
    output=RESULT,
    parameters=(NUMBERS_OF_THREE_PARTS,),
    definition=Definition(
        signature="ops.add.definition.AddSignature",
        function="add",
        modules=modules("Add"),
        restrictions=CONSTRAINTS_OF_THREE_PARTS,
    ),
    reference=Reference("add"),
    shape_rule=ShapeRule.SAME,
    arithmetic=Arithmetic.SUM,
    exact=_sum,
    always=("A.C1", "B.C1", "C.C1", "T"),
    onnx=OnnxNode("Add", since=14),
    examples=(
        Example("EX1", ([Fraction("6.1"), Fraction("9.5"), Fraction("35.7")], [2, 3, 4]), _REAL),
        Example("EX1", ([6, 200, 35], [3, 100, 5]), _INTEGER, types=frozenset({"uint8"})),
        Example("EX2", ([-6, 100, -100], [-3, 100, -100]), _INTEGER, types=frozenset({"int8"})),
        Example(
            "EX1",
            ([[3.0, 4.5], [16.0, 1.0], [25.5, 24.25]], [[3.0, 2.0], [4.0, 0.0], [5.0, 4.0]]),
            _FLOAT,
        ),
    ),
    states=STATES_OF_THREE_PARTS,
)
OPERATORS = (ADD,)
