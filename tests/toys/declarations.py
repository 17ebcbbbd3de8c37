"""Toy operators, one of each kind of signature: `spec/operators/toys.py` of the toy house."""

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import Family, element_types
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
    Definition,
    Input,
    OnnxNode,
    Operator,
    Output,
    Presence,
    Reference,
    Restriction,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)

_OPTIONAL, _VARIADIC = Presence.OPTIONAL, Presence.VARIADIC


def _toy(  # noqa: PLR0913 (what an operator may have)
    name: str,
    inputs: tuple[Input, ...],
    *types: tuple[str, ...],
    output: str = "T",
    rule: ShapeRule = ShapeRule.SAME,
    restrictions: tuple[Restriction, ...] = (),
    attributes: tuple[Attribute, ...] = (),
    takes: tuple[str, ...] = (),
    arithmetic: Arithmetic = Arithmetic.OTHER,
    arrangements: tuple[Arrangement, ...] = (),
) -> Operator:
    parameters = tuple(
        TypeParameter(parameter, element_types(*names))
        for parameter, names in zip(("T", "T2"), types, strict=False)
    )
    title = name.capitalize()
    suffix = "{T}{T2}" if len(types) > 1 else "{T}"
    return Operator(
        name=f"toy-{name}",
        title=f"Toy {title}",
        system=System.SONNX,
        documents=dict.fromkeys((Family.REAL, Family.INTEGER, Family.FLOAT), "SONNX-TOY"),
        inputs=inputs,
        output=Output("Y", output),
        parameters=parameters,
        definition=Definition(
            signature=f"toys.toys.{title}Signature",
            function=name,
            modules=dict.fromkeys((Family.INTEGER, Family.FLOAT), f"toys.toys.{title}{suffix}"),
            restrictions=restrictions,
            takes=takes,
            arguments=tuple(attribute.name for attribute in attributes),
        ),
        reference=Reference(f"toy_{name}"),
        shape_rule=rule,
        arithmetic=arithmetic,
        always=("C1",),
        attributes=attributes,
        arrangements=arrangements,
        onnx=OnnxNode(f"Toy{title}", since=14),
    )


def _listed(first: str) -> Restriction:
    return Restriction("T", Test("listed", (first,)), "not a type of the toy")


def _restriction(predicate: str, *takes: str) -> Restriction:
    return Restriction("R1", Test(f"toys.toys.ToySignature.{predicate}", takes), "a toy is broken")


OPERATORS = (
    _toy("negate", (Input("X", "T"),), ("int8",), restrictions=(_listed("x"),)),
    _toy(
        "select",
        (Input("Condition", "bool"), Input("X", "T"), Input("Y", "T")),
        ("float16",),
        restrictions=(
            _listed("x"),
            _restriction("truth", "condition"),
            _restriction("one_shape", "condition", "x"),
            _restriction("alike", "x", "y"),
        ),
    ),
    _toy(
        "shift",
        (Input("X", "T"), Input("B", "T", _OPTIONAL)),
        ("uint8",),
        restrictions=(_restriction("alike_if_there", "x", "b"),),
    ),
    _toy(
        "total",
        (Input("X", "T", _VARIADIC),),
        ("int16",),
        restrictions=(_restriction("first_alike", "x"),),
    ),
    _toy(
        "mark",
        (Input("X", "T"), Input("Zero", "T2")),
        ("float32",),
        ("int8", "uint8"),
        output="T2",
        restrictions=(_restriction("one_shape", "x", "zero"),),
    ),
    _toy(
        "below",
        (Input("A", "T"), Input("B", "T")),
        ("int8", "float32"),
        output="bool",
        restrictions=(_listed("a"), _restriction("alike", "a", "b")),
    ),
    _toy(
        "scale",
        (Input("X", "T"),),
        ("int32",),
        attributes=(
            Attribute("factor", AttributeKind.INT, "How much of it.", required=True),
            Attribute("gain", AttributeKind.FLOAT, "Adds 1, or 1000 if it is NaN."),
            Attribute("mode", AttributeKind.STRING, "Nothing."),
            Attribute("more", AttributeKind.INTS, "What is added."),
            Attribute("gains", AttributeKind.FLOATS, "Adds 10 each."),
            Attribute("notes", AttributeKind.STRINGS, "Adds 100 each."),
        ),
        arrangements=(
            Arrangement(((2, 3),), Attributes.of({"factor": 3})),
            Arrangement(((4,),), Attributes.of({"factor": 2, "more": (4, -1), "notes": ("a",)})),
            Arrangement(((),), Attributes.of({"factor": 1, "gain": 0.5, "mode": "loud"})),
            Arrangement(((2,),), Attributes.of({"factor": -1}), broken=True),
        ),
        restrictions=(Restriction("ATTR.FACTOR", Test("positive", ("factor",)), "not positive"),),
    ),
    _toy(
        "reshape",
        (Input("Data", "T"), Input("Shape", "int64")),
        ("int8",),
        rule=ShapeRule.OWN,
        takes=("data", "shape.tensor"),
        arrangements=(
            Arrangement(((2, 3), [3, 2])),
            Arrangement(((4,), [2, 1, 2])),
            Arrangement(((), [1])),
            Arrangement(((0, 3), [0])),
            Arrangement(((2, 3), [4]), broken=True),
        ),
        restrictions=(
            Restriction("R1", Test("one_axis", ("shape",)), "the shape is no list of integers"),
            Restriction("R2", Test("same_size", ("data", "shape.tensor")), "the sizes differ"),
        ),
    ),
)
