"""ONNX Min, of which SONNX has no document."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.element_types import MACHINE
from sonnx_formal.spec.elementwise import OF_ONE_DOCUMENT, of_onnx
from sonnx_formal.spec.operator import (
    Arithmetic,
    Input,
    Output,
    Presence,
    Restriction,
    Rule,
    ShapeRule,
    Test,
    TypeParameter,
)


def _least(*numbers: Fraction) -> Fraction:
    return min(numbers)


_LAYOUT = replace(
    OF_ONE_DOCUMENT,
    inputs=(Input("data_0", "T", Presence.VARIADIC),),
    output=Output("min", "T"),
    numbers=TypeParameter("T", MACHINE),
    restrictions=(
        Restriction("T", Test("dense"), "a tensor is sparse"),
        Restriction("T", Test("all_listed"), "the elements are of no type of the document"),
        Restriction("T", Test("one_type"), "the elements are of more than one type"),
        Restriction("SHAPE", Test("broadcastable"), "the shapes do not go together"),
    ),
    always=("DATA_0.C1", "SHAPE", "T"),
    states={Rule.RESULT_SHAPE: "SHAPE"},
)
MIN = replace(
    of_onnx(_LAYOUT.operator("Min", Arithmetic.EXACT, _least, since=13)),
    shape_rule=ShapeRule.MULTIDIRECTIONAL,
)
OPERATORS = (MIN,)
