"""SONNX Max."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.elementwise import OF_THREE_PARTS
from sonnx_formal.spec.operator import (
    Arithmetic,
    Input,
    Output,
    Presence,
    Restriction,
    Rule,
    ShapeRule,
    Test,
)


def _greatest(*numbers: Fraction) -> Fraction:
    return max(numbers)


_LAYOUT = replace(
    OF_THREE_PARTS,
    inputs=(Input("X", "T", Presence.VARIADIC),),
    output=Output("Y", "T"),
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", Test("dense"), "a tensor is sparse"),
        Restriction(
            "T", Test("all_listed"), "the elements are of no type of the document", extended=True
        ),
        Restriction("T", Test("one_type"), "the elements are of more than one type"),
        Restriction("X.C1", Test("broadcastable"), "the shapes do not go together"),
    ),
    always=("X.C1", "X.C2", "Y.C1", "T"),
    states={Rule.RESULT_SHAPE: "Y.C1"},
)
MAX = replace(
    _LAYOUT.operator("Max", Arithmetic.EXACT, _greatest, since=13),
    shape_rule=ShapeRule.MULTIDIRECTIONAL,
)
OPERATORS = (MAX,)
