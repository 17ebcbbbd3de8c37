"""SONNX Neg."""

from operator import neg

from sonnx_formal.spec.element_types import NUMERICAL, Family
from sonnx_formal.spec.elementwise import ALONE, OF_ALL_NUMBERS, OF_INTEGERS, Layout, one_document
from sonnx_formal.spec.operator import (
    Arithmetic,
    Example,
    Input,
    Output,
    Restriction,
    Rule,
    Test,
    TypeParameter,
)

_LAYOUT = Layout(
    (Input("A", "T"),),
    Output("B", "T"),
    one_document,
    TypeParameter("T", NUMERICAL),
    restrictions=(
        Restriction("R2", ALONE, "the tensor is sparse"),
        Restriction(
            "R3",
            Test("tensor.operand.ElementType.numerical", ("a.element",)),
            "the elements are of no numerical type",
        ),
    ),
    always=("R1", "R4", "A.C1", "B.C1", "T"),
    states={Rule.KNOWN_SHAPE: "R1", Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "B.C1"},
)
_SIGNED = frozenset(
    type_.name for type_ in NUMERICAL if type_.family is not Family.INTEGER or type_.signed
)
NEG = _LAYOUT.operator(
    "Neg",
    Arithmetic.EXACT,
    neg,
    Example("EX1", ([2, -3, 7],), OF_ALL_NUMBERS, types=_SIGNED),
    Example("EX2", ([[1, -2], [4, 0], [-5, 6]],), OF_ALL_NUMBERS, types=_SIGNED),
    # A session with NumPy.
    Example("EX3", ([[1, -2], [0, -4], [-8, 4]],), OF_INTEGERS, types=frozenset({"int64"})),
    since=13,
)
OPERATORS = (NEG,)
