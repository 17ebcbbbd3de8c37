"""What the declarations of structural operators have in common: they move elements, no more."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sonnx_formal.spec.attributes import Attribute
from sonnx_formal.spec.element_types import BOOLEAN, INTEGERS, REAL, TEXT, Family, element_types
from sonnx_formal.spec.elementwise import snake_case
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
    Definition,
    Example,
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
    Test,
    TypeParameter,
)

Shape = tuple[int, ...]
X = Input("X", "T")
Y = Output("Y", "T")
TYPES = TypeParameter(
    "T",
    (REAL, *INTEGERS, *element_types("float16", "float32", "float64"), BOOLEAN, TEXT),
    beyond=element_types("bfloat16"),
)
_FAMILIES = frozenset({Family.REAL, Family.INTEGER, Family.FLOAT, Family.BOOLEAN, Family.TEXT})
_OF_RESULT = {Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"}
OF_NUMBERS = _FAMILIES - {Family.BOOLEAN, Family.TEXT}


def axes_of(rank: int, asked: Shape) -> Shape:
    """The axes of so many that are asked for: negative ones count from the last."""
    return tuple(axis + rank if axis < 0 else axis for axis in asked)


def within(rank: int, asked: Shape) -> bool:
    """Whether there are such axes among so many."""
    return all(-rank <= axis < rank for axis in asked)


def admitted(*inputs: str) -> tuple[Restriction, ...]:
    """That operands of these names are dense, and the first of a type of the document."""
    first, *_ = inputs
    return (
        Restriction("SONNX-GENERAL.GR1", Test("dense", inputs), "a tensor is sparse"),
        Restriction(
            "T",
            Test("listed", (f"{first}.element",)),
            "the elements are of no type of the document",
            extended=True,
        ),
    )


def vector(item: str, name: str) -> Restriction:
    """That an operand has one axis, and elements of int64."""
    return Restriction(
        item,
        Test("tensor.vector.Vector.int64_vector", (name,)),
        f"{name.upper()} is no vector of int64",
    )


def structural(  # noqa: PLR0913 (what structural operators differ in)
    stem: str,
    since: int,
    *,
    inputs: tuple[Input, ...],
    restrictions: tuple[Restriction, ...],
    predicates: Mapping[str, Predicate],
    takes: tuple[str, ...],
    shape: Callable[..., Shape],
    always: tuple[str, ...],
    arrangements: tuple[Arrangement, ...],
    attributes: tuple[Attribute, ...] = (),
    examples: tuple[Example, ...] = (),
    types: tuple[TypeParameter, ...] = (TYPES,),
    states: Mapping[Rule, str] = MappingProxyType(_OF_RESULT),
    output: Output = Y,
) -> Operator:
    """The operator that ONNX calls so since an operator set: all names follow from that.

    :param takes: what `admissible`, `result` and `shape` take.
    :param always: what an accepted case exercises besides what `states` says.
    """
    name = snake_case(stem)
    definition = f"ops.{name}.definition.{stem}"
    return Operator(
        name=name,
        title=f"SONNX {stem}",
        system=System.SONNX,
        documents=dict.fromkeys(_FAMILIES, f"SONNX-{stem.upper()}"),
        inputs=inputs,
        output=output,
        parameters=types,
        definition=Definition(
            signature=f"{definition}Signature",
            function=name,
            modules=dict.fromkeys(_FAMILIES, definition),
            restrictions=restrictions,
            takes=takes,
            arguments=tuple(attribute.name for attribute in attributes),
            predicates=predicates,
            shape=shape,
        ),
        reference=Reference(name),
        shape_rule=ShapeRule.OWN,
        arithmetic=Arithmetic.COPY,
        always=(*states.values(), *always),
        computed=("FUNC", "ACC"),
        attributes=attributes,
        states=states,
        onnx=OnnxNode(stem, since),
        examples=examples,
        arrangements=arrangements,
    )
