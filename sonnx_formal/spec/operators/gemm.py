"""SONNX Gemm."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.element_types import REAL, element_types
from sonnx_formal.spec.elementwise import DENSE_OF_THREE, modules, one_document
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
    Definition,
    Input,
    OnnxNode,
    Operator,
    Output,
    Predicate,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Terms,
    Test,
    TypeParameter,
)

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_PRODUCT = "ops.matmul.definition.MatMulSignature"
_OF_ONNX = element_types(
    "int32", "int64", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"
)


def _shape_of_product(a: "Operand", b: "Operand", c: "Operand") -> bool:
    """The columns first: those of a model tend to be known."""
    shape = c.array.shape
    return (
        len(shape) == len(("m", "p"))
        and shape[1] == b.array.shape[1]
        and shape[0] == a.array.shape[0]
    )


def _accepted(m: int, n: int, p: int) -> Arrangement:
    return Arrangement(((m, n), (n, p), (m, p)))


def _broken(*shapes: tuple[int, ...]) -> Arrangement:
    return Arrangement(shapes, broken=True)


GEMM = Operator(
    name="gemm",
    title="SONNX Gemm",
    system=System.SONNX,
    documents=one_document("SONNX-GEMM"),
    inputs=(Input("A", "T"), Input("B", "T"), Input("C", "T", item="R4")),
    output=Output("Y", "T"),
    # The document knows real numbers alone; these are the types of ONNX Gemm 13.
    parameters=(TypeParameter("T", (REAL,), beyond=_OF_ONNX),),
    definition=Definition(
        signature="ops.gemm.definition.GemmSignature",
        function="gemm",
        modules=modules("Gemm", "gemm"),
        restrictions=(
            Restriction("SONNX-GENERAL.GR1", DENSE_OF_THREE, "a tensor is sparse"),
            Restriction(
                "T",
                Test("listed", ("a.element",)),
                "the elements are of no type of the document",
                extended=True,
            ),
            Restriction("T", Test("one_type"), "the elements are of more than one type"),
            Restriction("A.C1", Test(f"{_PRODUCT}.matrix", ("a",)), "A has not two axes"),
            Restriction("R1", Test(f"{_PRODUCT}.matrix", ("b",)), "B has not two axes"),
            Restriction(
                "B.SHAPE",
                Test(f"{_PRODUCT}.inner_dimensions", ("a", "b")),
                "A has not as many columns as B has rows",
            ),
            Restriction(
                "R3",
                Test("shape_of_product", ("a", "b", "c")),
                "C has not the shape of the product",
            ),
        ),
        takes=("a", "b", "c"),
        predicates={
            "shape_of_product": Predicate(
                _shape_of_product,
                "give C the rows of A and the columns of B, for example by numpy.broadcast_to",
            )
        },
        shape=lambda a, b, _c: (a.array.shape[0], b.array.shape[1]),
    ),
    reference=Reference("gemm"),
    shape_rule=ShapeRule.OWN,
    kernel=KernelShape(KernelForm.PRODUCT_AND_SUM),
    arithmetic=Arithmetic.SUM_OF_PRODUCTS,
    terms=Terms.MATRICES_AND_ADDEND,
    always=("A.C1", "R1", "B.SHAPE", "C.SHAPE", "Y.SHAPE", "R3", "R4", "T"),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "Y.SHAPE", Rule.ATTRIBUTES: "R2"},
    onnx=OnnxNode("Gemm", since=13),
    arrangements=(
        _accepted(2, 3, 4),
        _accepted(1, 1, 1),
        _accepted(3, 5, 1),
        _accepted(1, 2, 3),
        _accepted(2, 0, 3),
        _accepted(0, 2, 3),
        _accepted(2, 3, 0),
        _broken((2,), (2, 3), (1, 3)),
        _broken((1, 2, 3), (3, 4), (2, 4)),
        _broken((2, 3), (3,), (2, 1)),
        _broken((2, 3), (1, 3, 4), (2, 4)),
        _broken((2, 3), (2, 3), (2, 3)),
        _broken((2, 3), (1, 4), (2, 4)),
        _broken((2, 3), (3, 4), ()),
        _broken((2, 3), (3, 4), (4,)),
        _broken((2, 3), (3, 4), (1, 4)),
        _broken((2, 3), (3, 4), (2, 1)),
        _broken((2, 3), (3, 4), (4, 2)),
        _broken((2, 3), (3, 4), (1, 2, 4)),
    ),
)
OPERATORS = (GEMM,)
