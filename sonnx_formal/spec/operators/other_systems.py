"""The multiplications of other systems: ONNX Mul, in each of its versions; OpenVINO Multiply-1."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import FLOATS, MACHINE, ElementType, element_types
from sonnx_formal.spec.elementwise import (
    BROADCASTABLE,
    OF_ALL_NUMBERS,
    OF_REALS,
    OPERANDS,
    RESULT,
    one_document,
)
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

if TYPE_CHECKING:
    from sonnx_formal.spec.element_types import Array

_FLOATS = element_types("float16", "float32", "float64")
_LISTED = (*element_types("int32", "int64", "uint32", "uint64"), *_FLOATS)
_BROKEN_TYPE = "the elements are not of one type of the document, or a tensor is sparse"
_ANY = OF_ALL_NUMBERS - OF_REALS
_AXIS = Attribute("axis", AttributeKind.INT, "The axis of A at which the shape of B begins.")
_BROADCAST = Attribute("broadcast", AttributeKind.INT, "1 if B may be broadcast.")
_AUTO = Attribute(
    "auto_broadcast", AttributeKind.STRING, "none, or numpy: broadcast as NumPy does."
)
_CONSUMED = Attribute("consumed_inputs", AttributeKind.INTS, "It has no meaning.")
_RULES = "systems.openvino_multiply.AutoBroadcast"
_AUTO_DIMS = ("auto_broadcast", "a.dims", "b.dims")
_DIMS = ("legacy", "a.dims", "b.dims")
_LEGACY_RESTRICTIONS = (
    Restriction("T", Test("same_supported_type", ("a", "b")), _BROKEN_TYPE),
    *(
        Restriction(item, Test(f"systems.onnx_mul_legacy.LegacyAttributes.{name}", takes), broken)
        for item, name, takes, broken in (
            ("ATTR.BROADCAST", "is_switch", ("legacy",), "broadcast is neither 0 nor 1"),
            ("B.C1", "same_unless_broadcast", _DIMS, "the shapes differ, and broadcast is not 1"),
            ("ATTR.AXIS", "room_at_axis", _DIMS, "there is no room for B from the axis on"),
            (
                "B.C2",
                "follows_if_broadcast",
                _DIMS,
                "B has neither one element nor a run of the dimensions of A",
            ),
        )
    ),
)
_SHAPES_OF_B = [((), None), ((1, 1), None), ((5,), None), ((4, 5), None), ((3, 4), 1), ((2,), 0)]
"""Of examples, with axis, where A is of shape (2, 3, 4, 5)."""


def _of_shapes(item: str, *shapes: tuple[int, ...]) -> Example:
    return Example(item, shapes, _ANY, types=frozenset({"float32"}))


def _multidirectional(
    version: int, until: int | None, types: tuple[ElementType, ...], *examples: Example
) -> Operator:
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
                Restriction("SHAPE", BROADCASTABLE, "the shapes do not go together"),
            ),
        ),
        reference=Reference("onnx_mul", {"opset": version}),
        shape_rule=ShapeRule.MULTIDIRECTIONAL,
        arithmetic=Arithmetic.PRODUCT,
        always=("SHAPE", "T"),
        onnx=OnnxNode("Mul", version, until),
        examples=examples,
    )


def _exercised(call: Call, result: "Array | None") -> Iterator[str]:
    """Of the attributes and of B what a case depends on."""
    a, b = call.arrays
    attributes = call.attributes
    if result is None:
        if attributes.get("broadcast") == 1 and _is_repeated(a, b, attributes.get("axis")):
            yield "B.C3"
        return
    if attributes.get("consumed_inputs") is not None:
        yield "ATTR.CONSUMED_INPUTS"
    if attributes.get("broadcast") != 1:
        yield "B.C1"
        return
    yield "B.C2"
    if b.size != 1:
        yield from ("B.C3", "ATTR.AXIS")


def _is_repeated(a: "Array", b: "Array", axis: Any) -> bool:
    """Whether a B of several elements would have to be repeated along a dimension of 1."""
    start = a.ndim - b.ndim if axis is None else axis
    run = a.shape[start : start + b.ndim] if start >= 0 else ()
    if len(run) != b.ndim or b.size == 1 or run == b.shape:
        return False
    return all(of_b in {1, of_a} for of_a, of_b in zip(run, b.shape, strict=True))


def _legacy(
    version: int,
    until: int,
    types: tuple[ElementType, ...],
    attributes: tuple[Attribute, ...],
    *arguments: str,
) -> Operator:
    return replace(
        _multidirectional(version, until, types),
        attributes=attributes,
        definition=Definition(
            signature=f"systems.onnx_mul_legacy.OnnxMul{version}Signature",
            function=f"onnx_mul_{version}",
            modules=dict.fromkeys(_ANY, "systems.onnx_mul_legacy.LegacyMul{T}"),
            arguments=("legacy", *arguments),
            restrictions=_LEGACY_RESTRICTIONS,
        ),
        shape_rule=ShapeRule.UNIDIRECTIONAL,
        always=("SHAPE", "T", "ATTR.BROADCAST"),
        also=_exercised,
        examples=tuple(
            Example(
                f"EX{number}",
                ((2, 3, 4, 5), shape),
                _ANY,
                Attributes.of({"axis": axis, "broadcast": 1}),
            )
            for number, (shape, axis) in enumerate(_SHAPES_OF_B, 1)
        ),
    )


OV_MULTIPLY_1 = replace(
    _multidirectional(14, None, MACHINE),
    name="ov-multiply-1",
    title="OpenVINO Multiply-1",
    system=System.OPENVINO,
    documents=one_document("OV-MULTIPLY-1"),
    attributes=(_AUTO,),
    definition=Definition(
        signature="systems.openvino_multiply.MultiplySignature",
        function="multiply",
        modules=dict.fromkeys(_ANY, "systems.openvino_multiply.Multiply{T}"),
        arguments=("auto_broadcast",),
        restrictions=(
            Restriction("T", Test("same_supported_type", ("a", "b")), _BROKEN_TYPE),
            Restriction(
                "ATTR.AUTO_BROADCAST",
                Test(f"{_RULES}.same_if_none", _AUTO_DIMS),
                "the shapes differ, and auto_broadcast is none",
            ),
            Restriction(
                "SHAPE",
                Test(f"{_RULES}.compatible_if_numpy", _AUTO_DIMS),
                "the shapes do not go together",
            ),
        ),
    ),
    reference=Reference("openvino_multiply"),
    shape_rule=ShapeRule.BY_ATTRIBUTE,
    always=("SHAPE", "T", "ATTR.AUTO_BROADCAST"),
    onnx=None,
    examples=(_of_shapes("EX1", (256, 56), (256, 56)), _of_shapes("EX2", (8, 1, 6, 1), (7, 1, 5))),
)
ONNX_MUL = (
    _multidirectional(14, None, MACHINE, _of_shapes("EX1", (3, 4, 5), (5,))),
    _multidirectional(13, 14, (*_LISTED, FLOATS[1])),
    _multidirectional(7, 13, _LISTED),
    _legacy(6, 7, _LISTED, (_AXIS, _BROADCAST)),
    _legacy(1, 6, _FLOATS, (_AXIS, _BROADCAST, _CONSUMED), "consumed_inputs"),
)
OPERATORS = (*ONNX_MUL, OV_MULTIPLY_1)
