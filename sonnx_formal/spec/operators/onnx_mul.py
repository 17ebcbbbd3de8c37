"""ONNX Mul, in each of its versions."""

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import FLOATS, MACHINE, ElementType, Family, element_types
from sonnx_formal.spec.elementwise import OPERANDS, RESULT, one_document
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Example,
    OnnxNode,
    Operator,
    Reference,
    Restriction,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)

_FLOATS = element_types("float16", "float32", "float64")
_LISTED = (*element_types("int32", "int64", "uint32", "uint64"), *_FLOATS)
_BROKEN_TYPE = "the elements are not of one type of the document, or a tensor is sparse"
_ANY = frozenset({Family.INTEGER, Family.FLOAT})
_AXIS = Attribute("axis", AttributeKind.INT, "The axis of A at which the shape of B begins.")
_BROADCAST = Attribute("broadcast", AttributeKind.INT, "1 if B may be broadcast.")
_CONSUMED = Attribute("consumed_inputs", AttributeKind.INTS, "It has no meaning.")
_LEGACY = "systems.onnx_mul_legacy.LegacyAttributes"
_EXAMPLE_SHAPES: tuple[tuple[tuple[int, ...], int | None], ...] = (
    ((), None),
    ((1, 1), None),
    ((5,), None),
    ((4, 5), None),
    ((3, 4), 1),
    ((2,), 0),
)
"""The shapes of B, and axis, with A of shape (2, 3, 4, 5)."""


def _multidirectional(
    version: int, until: int | None, types: tuple[ElementType, ...], *examples: Example
) -> Operator:
    """The version with the shapes of NumPy."""
    document = f"ONNX-MUL-{version}"
    return Operator(
        name=document.lower(),
        title=f"ONNX Mul {version}",
        system=System.ONNX,
        documents=one_document(document),
        inputs=OPERANDS,
        output=RESULT,
        parameters=(TypeParameter("T", types),),
        definition=Definition(
            signature=f"systems.onnx_mul.OnnxMul{version}Signature",
            function="onnx_mul",
            modules=dict.fromkeys(_ANY, "systems.onnx_mul.OnnxMul{T}"),
            restrictions=(
                Restriction("T", Test("same_supported_type"), _BROKEN_TYPE),
                Restriction(
                    "SHAPE",
                    Test("tensor.broadcast.Broadcast.compatible", ("a.dims", "b.dims")),
                    "the shapes do not go together",
                ),
            ),
        ),
        reference=Reference("onnx_mul", {"opset": version}),
        shape_rule=ShapeRule.MULTIDIRECTIONAL,
        arithmetic=Arithmetic.PRODUCT,
        always=("SHAPE", "T"),
        onnx=OnnxNode("Mul", version, until),
        examples=examples,
    )


def _legacy(
    version: int,
    until: int,
    types: tuple[ElementType, ...],
    attributes: tuple[Attribute, ...],
    *arguments: str,
) -> Operator:
    """The version whose attributes say whether B is broadcast."""
    document = f"ONNX-MUL-{version}"
    dims = ("legacy", "a.dims", "b.dims")
    return Operator(
        name=document.lower(),
        title=f"ONNX Mul {version}",
        system=System.ONNX,
        documents=one_document(document),
        inputs=OPERANDS,
        output=RESULT,
        parameters=(TypeParameter("T", types),),
        attributes=attributes,
        definition=Definition(
            signature=f"systems.onnx_mul_legacy.OnnxMul{version}Signature",
            function=f"onnx_mul_{version}",
            modules=dict.fromkeys(_ANY, "systems.onnx_mul_legacy.LegacyMul{T}"),
            arguments=("legacy", *arguments),
            restrictions=(
                Restriction("T", Test("same_supported_type", ("a", "b")), _BROKEN_TYPE),
                Restriction(
                    "ATTR.BROADCAST",
                    Test(f"{_LEGACY}.is_switch", ("legacy",)),
                    "broadcast is neither 0 nor 1",
                ),
                Restriction(
                    "B.C1",
                    Test(f"{_LEGACY}.same_unless_broadcast", dims),
                    "the shapes differ, and broadcast is not 1",
                ),
                Restriction(
                    "ATTR.AXIS",
                    Test(f"{_LEGACY}.room_at_axis", dims),
                    "there is no room for B from the axis on",
                ),
                Restriction(
                    "B.C2",
                    Test(f"{_LEGACY}.follows_if_broadcast", dims),
                    "B has neither one element nor a run of the dimensions of A",
                ),
            ),
        ),
        reference=Reference("onnx_mul", {"opset": version}),
        shape_rule=ShapeRule.UNIDIRECTIONAL,
        arithmetic=Arithmetic.PRODUCT,
        always=("SHAPE", "T", "ATTR.BROADCAST"),
        onnx=OnnxNode("Mul", version, until),
        examples=tuple(
            Example(
                f"EX{number}",
                ((2, 3, 4, 5), shape),
                _ANY,
                Attributes.of({"axis": axis, "broadcast": 1}),
                shapes_only=True,
            )
            for number, (shape, axis) in enumerate(_EXAMPLE_SHAPES, 1)
        ),
    )


OPERATORS = (
    _multidirectional(
        14,
        None,
        MACHINE,
        Example("EX1", ((3, 4, 5), (5,)), _ANY, types=frozenset({"float32"}), shapes_only=True),
    ),
    _multidirectional(13, 14, (*_LISTED, FLOATS[1])),
    _multidirectional(7, 13, _LISTED),
    _legacy(6, 7, _LISTED, (_AXIS, _BROADCAST)),
    _legacy(1, 6, _FLOATS, (_AXIS, _BROADCAST, _CONSUMED), "consumed_inputs"),
)
