"""ONNX Equal, of which SONNX has no document."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.element_types import BOOLEAN, MACHINE
from sonnx_formal.spec.elementwise import BROADCASTABLE, DENSE, OF_ONE_DOCUMENT, of_onnx
from sonnx_formal.spec.operator import (
    Arithmetic,
    Output,
    Restriction,
    Rule,
    ShapeRule,
    Test,
    TypeParameter,
)


def _equal(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a == b)


_LAYOUT = replace(
    OF_ONE_DOCUMENT,
    output=Output("C", "bool"),
    numbers=TypeParameter("T", (BOOLEAN, *MACHINE)),
    restrictions=(
        Restriction("T", DENSE, "a tensor is sparse"),
        Restriction("T", Test("listed", ("a.element",)), "the elements are of no type listed"),
        Restriction("T", Test("one_type"), "the elements are of two types"),
        Restriction("SHAPE", BROADCASTABLE, "the shapes do not go together"),
    ),
    always=("SHAPE", "T"),
    states={Rule.RESULT_SHAPE: "SHAPE"},
)
EQUAL = replace(
    of_onnx(_LAYOUT.operator("Equal", Arithmetic.EXACT, _equal, since=13)),
    shape_rule=ShapeRule.MULTIDIRECTIONAL,
)
OPERATORS = (EQUAL,)
