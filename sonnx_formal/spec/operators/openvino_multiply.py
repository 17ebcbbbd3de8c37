"""OpenVINO Multiply-1."""

from sonnx_formal.spec.attributes import Attribute, AttributeKind
from sonnx_formal.spec.element_types import MACHINE
from sonnx_formal.spec.elementwise import OF_ALL_NUMBERS, OF_REALS, OPERANDS, RESULT, one_document
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Example,
    Operator,
    Reference,
    Restriction,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)

_ANY = OF_ALL_NUMBERS - OF_REALS
_FLOAT32 = frozenset({"float32"})
_AUTO = "systems.openvino_multiply.AutoBroadcast"
_DIMS = ("auto_broadcast", "a.dims", "b.dims")

OV_MULTIPLY_1 = Operator(
    name="ov-multiply-1",
    title="OpenVINO Multiply-1",
    system=System.OPENVINO,
    documents=one_document("OV-MULTIPLY-1"),
    inputs=OPERANDS,
    output=RESULT,
    parameters=(TypeParameter("T", MACHINE),),
    attributes=(
        Attribute(
            "auto_broadcast", AttributeKind.STRING, "none, or numpy: broadcast as NumPy does."
        ),
    ),
    definition=Definition(
        signature="systems.openvino_multiply.MultiplySignature",
        function="multiply",
        modules=dict.fromkeys(_ANY, "systems.openvino_multiply.Multiply{T}"),
        arguments=("auto_broadcast",),
        restrictions=(
            Restriction(
                "T",
                Test("same_supported_type", ("a", "b")),
                "the elements are not of one type of the document, or a tensor is sparse",
            ),
            Restriction(
                "ATTR.AUTO_BROADCAST",
                Test(f"{_AUTO}.same_if_none", _DIMS),
                "the shapes differ, and auto_broadcast is none",
            ),
            Restriction(
                "SHAPE",
                Test(f"{_AUTO}.compatible_if_numpy", _DIMS),
                "the shapes do not go together",
            ),
        ),
    ),
    reference=Reference("openvino_multiply"),
    shape_rule=ShapeRule.BY_ATTRIBUTE,
    arithmetic=Arithmetic.PRODUCT,
    always=("SHAPE", "T", "ATTR.AUTO_BROADCAST"),
    examples=(
        Example("EX1", ((256, 56), (256, 56)), _ANY, types=_FLOAT32, shapes_only=True),
        Example("EX2", ((8, 1, 6, 1), (7, 1, 5)), _ANY, types=_FLOAT32, shapes_only=True),
    ),
)
OPERATORS = (OV_MULTIPLY_1,)
