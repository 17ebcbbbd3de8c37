"""ONNX Identity, of which SONNX has no document."""

from sonnx_formal.spec.element_types import BOOLEAN, MACHINE, TEXT
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.operator import (
    Arrangement,
    Input,
    Output,
    Restriction,
    Rule,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import structural

_SHAPES = ((2, 3), (4, 8), (6,), (2, 1, 3), (1,), (), (0,), (3, 0, 2))

IDENTITY = of_onnx(
    structural(
        "Identity",
        since=14,
        inputs=(Input("input", "V"),),
        restrictions=(
            Restriction("V", Test("dense"), "a tensor is sparse"),
            Restriction(
                "V",
                Test("listed", ("input.element",)),
                "the elements are of no type of the document",
            ),
        ),
        predicates={},
        takes=("input",),
        shape=lambda x: x.array.shape,
        always=(),
        types=(TypeParameter("V", (*MACHINE, BOOLEAN, TEXT)),),
        states=dict.fromkeys((Rule.LISTED, Rule.RESULT_TYPE), "V") | {Rule.RESULT_SHAPE: "SHAPE"},
        output=Output("output", "V"),
        arrangements=tuple(Arrangement((shape,)) for shape in _SHAPES),
    )
)
OPERATORS = (IDENTITY,)
