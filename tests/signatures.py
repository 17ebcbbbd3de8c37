"""Operators of signatures that no document has yet, declared for tests. None has a definition."""

from typing import Any

from sonnx_formal.spec.attributes import Attribute, AttributeKind
from sonnx_formal.spec.element_types import (
    BOOLEAN,
    FLOATS,
    INTEGERS,
    MACHINE,
    NUMERICAL,
    ElementType,
    element_types,
)
from sonnx_formal.spec.elementwise import OPERANDS, one_document
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Input,
    OnnxNode,
    Operator,
    Output,
    Presence,
    Reference,
    ShapeRule,
    System,
    TypeParameter,
)


def toy(  # noqa: PLR0913 (the ways in which signatures differ)
    name: str,
    inputs: tuple[Input, ...],
    *,
    op_type: str,
    since: int = 13,
    output: str = "T",
    parameters: tuple[TypeParameter, ...] = (),
    types: tuple[ElementType, ...] = NUMERICAL,
    shape_rule: ShapeRule = ShapeRule.SAME,
    arithmetic: Arithmetic = Arithmetic.OTHER,
    attributes: tuple[Attribute, ...] = (),
    **more: Any,
) -> Operator:
    """`toy-NAME`, over all numbers unless it says otherwise; its document is that of Mul."""
    return Operator(
        name=f"toy-{name}",
        title=f"Toy {name}",
        system=System.SONNX,
        documents=one_document("SONNX-MUL"),
        inputs=inputs,
        output=Output("result", output),
        parameters=parameters or (TypeParameter("T", types),),
        definition=Definition(f"toys.{name}", name, {}, ()),
        reference=Reference(f"toy-{name}"),
        shape_rule=shape_rule,
        arithmetic=arithmetic,
        always=("R1",),
        onnx=OnnxNode(op_type, since),
        attributes=attributes,
        **more,
    )


NEG = toy("neg", (Input("X", "T"),), op_type="Neg")
LESS = toy("less", OPERANDS, op_type="Less", output="bool")
WHERE = toy(
    "where",
    (Input("condition", "bool"), Input("X", "T"), Input("Y", "T")),
    op_type="Where",
    since=16,
    types=(*MACHINE, BOOLEAN),
    shape_rule=ShapeRule.MULTIDIRECTIONAL,
)
CLIP = toy(
    "clip",
    (
        Input("input", "T"),
        Input("min", "T", Presence.OPTIONAL),
        Input("max", "T", Presence.OPTIONAL),
    ),
    op_type="Clip",
    types=MACHINE,
    shape_rule=ShapeRule.OWN,
)
CONCAT = toy(
    "concat",
    (Input("inputs", "T", Presence.VARIADIC),),
    op_type="Concat",
    types=(*MACHINE, BOOLEAN),
    shape_rule=ShapeRule.OWN,
    attributes=(Attribute("axis", AttributeKind.INT, "Along which.", required=True),),
)
QUANTIZE = toy(
    "quantize",
    (Input("x", "T1"), Input("y_scale", "T1"), Input("y_zero_point", "T2", Presence.OPTIONAL)),
    op_type="QuantizeLinear",
    output="T2",
    parameters=(
        TypeParameter("T1", element_types("float32", "float16")),
        TypeParameter("T2", element_types("int8", "uint8")),
    ),
    shape_rule=ShapeRule.OWN,
    since=19,
)
RESHAPE = toy(
    "reshape",
    (Input("data", "T"), Input("shape", "int64")),
    op_type="Reshape",
    since=14,
    types=MACHINE,
    shape_rule=ShapeRule.OWN,
    attributes=(Attribute("allowzero", AttributeKind.INT, "Whether 0 is 0."),),
)
EVERY_KIND = toy(
    "every-kind",
    (Input("X", "T"),),
    op_type="EveryKind",
    types=(*INTEGERS, *FLOATS),
    attributes=tuple(Attribute(kind.value, kind, "A value of it.") for kind in AttributeKind),
)
TOYS = (NEG, LESS, WHERE, CLIP, CONCAT, QUANTIZE, RESHAPE, EVERY_KIND)
