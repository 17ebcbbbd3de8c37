"""SONNX MatMul."""

from sonnx_formal.spec.element_types import element_types
from sonnx_formal.spec.elementwise import (
    DENSE,
    OF_ALL_NUMBERS,
    OF_FLOATS,
    OPERANDS,
    modules,
    three_parts,
)
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Example,
    OnnxNode,
    Operator,
    Output,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Terms,
    Test,
    TypeParameter,
)

_INF, _NAN = float("inf"), float("nan")
_EXACT = OF_ALL_NUMBERS - OF_FLOATS
_TYPES = element_types(
    "real", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64"
)

_SAME_TYPE = Test("same_supported_type")
_RESTRICTIONS = (
    Restriction("T", _SAME_TYPE, "the elements are not of one type of the document", extended=True),
    Restriction("T", DENSE, "a tensor is sparse"),
    Restriction("A.C1", Test("matrix", ("a",)), "A has not two axes"),
    Restriction("B.C1", Test("matrix", ("b",)), "B has not two axes"),
    Restriction("A.C2", Test("inner_dimensions"), "A has not as many columns as B has rows"),
)

MATMUL = Operator(
    name="matmul",
    title="SONNX MatMul",
    system=System.SONNX,
    documents=three_parts("SONNX-MATMUL"),
    inputs=OPERANDS,
    output=Output("Y", "T"),
    parameters=(TypeParameter("T", _TYPES, beyond=element_types("bfloat16")),),
    definition=Definition(
        signature="ops.matmul.definition.MatMulSignature",
        function="matmul",
        modules=modules("MatMul", "matmul"),
        restrictions=_RESTRICTIONS,
    ),
    reference=Reference("matmul"),
    shape_rule=ShapeRule.MATRIX_PRODUCT,
    arithmetic=Arithmetic.SUM_OF_PRODUCTS,
    terms=Terms.MATRICES,
    always=("A.C1", "A.C2", "A.C3", "B.C1", "B.C2", "B.C3", "Y.C1", "Y.C2", "T"),
    computed=("FUNC", "ACC"),
    states={
        Rule.RESULT_RANK: "Y.C1",
        Rule.RESULT_SHAPE: "Y.C2",
        Rule.RESULT_ROWS: "A.C3",
        Rule.RESULT_COLUMNS: "B.C3",
    },
    onnx=OnnxNode("MatMul", since=13),
    examples=(
        Example("EX1", ([[1, 2], [3, 4]], [[5, 6], [7, 8]]), OF_ALL_NUMBERS),
        Example("EX2", ([[1, 2], [3, 4], [5, 6]], [[7, 8, 9], [10, 11, 12]]), _EXACT),
        Example(
            "EX2", ([[_INF, -_INF, _NAN], [_NAN, _INF, -_INF]], [[1, 2], [4, 5], [7, 8]]), OF_FLOATS
        ),
        Example("EX3", ([[_INF, _INF], [_NAN, _INF]], [[1, 2, 3, 4], [4, 5, 6, 7]]), OF_FLOATS),
    ),
)
OPERATORS = (MATMUL,)
