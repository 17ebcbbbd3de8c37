"""SONNX Sqrt."""

from dataclasses import replace

from sonnx_formal.spec.element_types import element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_ONE_OPERAND, float_part_first
from sonnx_formal.spec.operator import Arithmetic, Example, Rule, TypeParameter

_INF, _NAN = float("inf"), float("nan")


# Roots of fractions are seldom fractions: over the real numbers there is nothing to execute.
_LAYOUT = replace(
    OF_ONE_OPERAND,
    documents=float_part_first,
    numbers=TypeParameter(
        "T", element_types("float16", "float32", "float64"), beyond=element_types("bfloat16")
    ),
    always=("X.C1", "X.C2", "Y.C1", "T"),
    states={Rule.RESULT_SHAPE: "Y.C1"},
)
SQRT = _LAYOUT.operator(
    "Sqrt",
    Arithmetic.OTHER,
    None,
    Example("EX1", ([1.0, 2.0, 4.0],), OF_FLOATS),
    Example("EX2", ([[0.25, -1.0], [0.0, 0.1], [10.0, -1000.0]],), OF_FLOATS),
    Example("EX3", ([_INF, _NAN, -_INF, -0.0],), OF_FLOATS),
    since=13,
)
OPERATORS = (SQRT,)
