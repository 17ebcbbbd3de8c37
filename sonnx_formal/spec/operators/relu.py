"""SONNX Relu."""

from dataclasses import replace
from fractions import Fraction

from sonnx_formal.spec.element_types import INTEGERS, REAL, element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_ONE_OPERAND, OF_REALS
from sonnx_formal.spec.operator import Arithmetic, Example, TypeParameter

_TYPES = TypeParameter(
    "T",
    (
        REAL,
        *(type_ for type_ in INTEGERS if type_.signed),
        *element_types("float16", "float32", "float64"),
    ),
    beyond=element_types("bfloat16"),
)


def _positive_part(x: Fraction) -> Fraction:
    return max(x, Fraction(0))


RELU = replace(OF_ONE_OPERAND, numbers=_TYPES).operator(
    "Relu",
    Arithmetic.EXACT,
    _positive_part,
    Example("EX1", ([Fraction("6.1"), Fraction("-9.5"), Fraction("35.7")],), OF_REALS),
    Example("EX1", ([6, -9, 35],), OF_INTEGERS),
    Example("EX1", ([6.1, -9.5, 35.7],), OF_FLOATS),
)
OPERATORS = (RELU,)
