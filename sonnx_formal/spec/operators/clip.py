"""SONNX Clip."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.elementwise import DENSE_OF_THREE, OF_FLOATS, OF_REALS, OF_THREE_PARTS
from sonnx_formal.spec.operator import (
    Arithmetic,
    Example,
    Input,
    Output,
    Restriction,
    Rule,
    ShapeRule,
    Test,
)

_INF, _NAN = float("inf"), float("nan")
_ENDS = [-_INF, 0.0, _INF, _NAN]


def _limited(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return min(max(x, low), high)


_LAYOUT = replace(
    OF_THREE_PARTS,
    inputs=(Input("X", "T"), Input("L", "T"), Input("M", "T")),
    output=Output("Y", "T"),
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", DENSE_OF_THREE, "a tensor is sparse"),
        Restriction(
            "T",
            Test("listed", ("x.element",)),
            "the elements are of no type of the document",
            extended=True,
        ),
        # Only the part for floats has a constraint for it: the others leave it to their types.
        Restriction("X.C2", Test("one_type"), "the elements are of more than one type"),
        Restriction("L.C1", Test("scalar", ("l",)), "L has axes"),
        Restriction("M.C1", Test("scalar", ("m",)), "M has axes"),
    ),
    always=("X.C1", "L.C1", "M.C1", "Y.C1", "T"),
    states={Rule.RESULT_TYPE: "Y.C2", Rule.RESULT_SHAPE: "Y.C1"},
)
CLIP = replace(
    _LAYOUT.operator(
        "Clip",
        Arithmetic.EXACT,
        _limited,
        Example("EX1", ([Fraction("-6.1"), Fraction("9.5"), Fraction("35.7")], 0, 10), OF_REALS),
        Example("EX2", ([Fraction("6.1"), Fraction("9.5"), Fraction("35.7")], 20, 10), OF_REALS),
        Example("EX1", ([-6.3, 9.2, 35.5], 0.5, 10.1), OF_FLOATS),
        Example("EX2", ([6.5, 9.2, 35.1], 20.2, 10.0), OF_FLOATS),
        Example("EX3", (_ENDS, -1.0, _NAN), OF_FLOATS),
        Example("EX4", (_ENDS, _NAN, _NAN), OF_FLOATS),
        since=13,
    ),
    shape_rule=ShapeRule.SCALAR_BOUNDS,
)
OPERATORS = (CLIP,)
