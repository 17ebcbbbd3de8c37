"""SONNX LeakyRelu."""

from dataclasses import replace

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_ONE_OPERAND, float_part_first
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
    Example,
    Restriction,
    Test,
    TypeParameter,
)

_INF, _NAN = float("inf"), float("nan")
_HUNDREDTH = 0.009999999776482582
"""The number of binary32 that is nearest to 0.01."""
_TENTH = 0.10000000149011612
_ENDS = [_INF, _NAN, -_INF, -0.0, 0.0, 1.0, -1.0]


def _with(alpha: float) -> Attributes:
    return Attributes.of({"alpha": alpha})


# A coefficient is a number of binary32, whatever the elements are: over the real numbers, with a
# real coefficient, there is nothing to execute.
_LAYOUT = replace(
    OF_ONE_OPERAND,
    documents=float_part_first,
    numbers=TypeParameter(
        "T", element_types("float16", "float32", "float64"), beyond=element_types("bfloat16")
    ),
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", Test("dense", ("x",)), "the tensor is sparse"),
        *OF_ONE_OPERAND.restrictions[1:],
    ),
    always=("X.C1", "Y.C1", "T", "R1", "ATTR.ALPHA"),
)
_PLAIN = _LAYOUT.operator(
    "LeakyRelu",
    Arithmetic.OTHER,
    None,
    Example("EX1", ([6.1, -9.5, 35.7],), OF_FLOATS, _with(_TENTH)),
    Example("EX2", (_ENDS,), OF_FLOATS, _with(_HUNDREDTH)),
    Example("EX3", (_ENDS,), OF_FLOATS, _with(_NAN)),
    Example("EX4", (_ENDS,), OF_FLOATS, _with(-_INF)),
    since=6,
)
LEAKY_RELU = replace(
    _PLAIN,
    definition=replace(_PLAIN.definition, takes=("x",), arguments=("alpha",)),
    attributes=(
        Attribute(
            "alpha", AttributeKind.FLOAT, "What negative elements are multiplied by.", required=True
        ),
    ),
    arrangements=(
        Arrangement(((2, 3),), _with(_HUNDREDTH)),
        *(
            Arrangement(((18,),), _with(alpha))
            for alpha in (0.0, -0.0, 1.0, -1.0, _TENTH, 2.0**100, 2.0**-140, _INF, -_INF, _NAN)
        ),
    ),
)
OPERATORS = (LEAKY_RELU,)
