"""SONNX Div."""

from fractions import Fraction

from sonnx_formal.spec.element_types import NUMERICAL, ElementType, Family
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
    Domain,
    Example,
    OnnxNode,
    Operator,
    Reference,
    ShapeRule,
    System,
    TypeParameter,
)

_ALL = frozenset({Family.REAL, Family.INTEGER, Family.FLOAT})
_WITH_A_POINT = frozenset({Family.REAL, Family.FLOAT})


def _quotient(a: Fraction, b: Fraction) -> Fraction | None:
    return a / b if b else None


def _least_by_minus_one(types: tuple[ElementType, ...]) -> tuple[tuple[int, int], ...]:
    """The quotient that processors trap on, because no signed type has it."""
    (type_,) = types
    signed = type_.family is Family.INTEGER and type_.signed
    return ((int(type_.bounds.min), -1),) if signed else ()


DIV = Operator(
    name="div",
    title="SONNX Div",
    system=System.SONNX,
    documents=one_document("SONNX-DIV"),
    inputs=OPERANDS,
    output=RESULT,
    parameters=(TypeParameter("T", NUMERICAL),),
    definition=Definition(
        signature="ops.div.definition.DivSignature",
        function="div",
        modules=modules("Div"),
        restrictions=FOUR_RESTRICTIONS,
        domain=Domain("is_defined", "C2", "the quotient is not defined at each index"),
        extended_reals=True,
        readings={"r5": "R5"},
    ),
    reference=Reference("div"),
    shape_rule=ShapeRule.SAME,
    arithmetic=Arithmetic.QUOTIENT,
    exact=_quotient,
    hazards=_least_by_minus_one,
    always=("R1", "C1", "T"),
    onnx=OnnxNode("Div", since=14),
    examples=(
        Example("EX1", ([6, 9, 35], [3, 3, 5]), _ALL),
        Example("EX2", ([[3, 4], [16, 0], [25, 24]], [[3, 2], [4, 1], [5, 4]]), _ALL),
        # Two NumPy sessions about digits after the point and about infinity.
        Example(
            "EX3", ([[1, 3], [5, 7], [9, 12]], [[11, 22], [33, -44], [-55, 66]]), _WITH_A_POINT
        ),
        Example("EX4", ([[6, 9, 35]], [[3, 3, 0]]), _WITH_A_POINT),
    ),
)
OPERATORS = (DIV,)
