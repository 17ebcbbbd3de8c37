"""SONNX Where."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.elementwise import (
    DENSE_OF_THREE,
    OF_FLOATS,
    OF_INTEGERS,
    OF_REALS,
    OF_THREE_PARTS,
)
from sonnx_formal.spec.operator import Arithmetic, Example, Input, Output, Restriction, Rule, Test

_INF, _NAN = float("inf"), float("nan")


def _chosen(condition: Fraction, x: Fraction, y: Fraction) -> Fraction:
    return x if condition else y


_LAYOUT = replace(
    OF_THREE_PARTS,
    inputs=(Input("condition", "bool"), Input("X", "T"), Input("Y", "T")),
    output=Output("Z", "T"),
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", DENSE_OF_THREE, "a tensor is sparse"),
        Restriction(
            "T", Test("truth", ("condition",)), "the condition is not made of truth values"
        ),
        Restriction(
            "T",
            Test("listed", ("x.element",)),
            "the elements are of no type of the document",
            extended=True,
        ),
        # The part for real numbers knows one type only, and leaves this to its list of types.
        Restriction("CONDITION.C2", Test("one_type", ("x", "y")), "the elements are of two types"),
        Restriction("CONDITION.C1", Test("same_shape"), "the shapes differ"),
    ),
    always=("CONDITION.C1", "X.C1", "Y.C1", "Z.C1", "T"),
    states={Rule.RESULT_TYPE: "Z.C2", Rule.RESULT_SHAPE: "Z.C1"},
)
_CONDITION = [[True, True], [True, False], [False, True]]
WHERE = _LAYOUT.operator(
    "Where",
    Arithmetic.EXACT,
    _chosen,
    Example("EX1", ([True, False, True], [9, 8, Fraction("7.1")], [6, 5, 4]), OF_REALS),
    Example("EX2", (_CONDITION, [[1, 2], [3, 4], [5, 6]], [[12, 11], [10, 9], [8, 7]]), OF_REALS),
    Example(
        "EX1",
        (_CONDITION, [[1, 20], [3, 40], [5, 60]], [[12, 110], [10, 90], [8, 70]]),
        OF_INTEGERS,
    ),
    Example("EX1", ([True, False, True], [19.0, 28.0, 37.1], [16.0, 25.0, 34.0]), OF_FLOATS),
    Example(
        "EX2",
        (
            [True, False, True, False, True],
            [0.0, 0.0, _INF, _INF, _NAN],
            [0.0, -0.0, -_INF, -_INF, 1.0],
        ),
        OF_FLOATS,
    ),
    since=9,
)
OPERATORS = (WHERE,)
