"""What the declarations of element-wise operators have in common."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from sonnx_formal.spec.element_types import INTEGERS, NUMERICAL, REAL, Family, element_types
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Example,
    Input,
    OnnxNode,
    Operator,
    Output,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)

OPERANDS = (Input("A", "T"), Input("B", "T"))
RESULT = Output("C", "T")
_X = (Input("X", "T"),)
_Y = Output("Y", "T")
OF_REALS = frozenset({Family.REAL})
OF_INTEGERS = frozenset({Family.INTEGER})
OF_FLOATS = frozenset({Family.FLOAT})
OF_ALL_NUMBERS = OF_REALS | OF_INTEGERS | OF_FLOATS

DENSE = Test("tensor.operand.Elementwise.dense")
DENSE_OF_THREE = Test("ops.elementwise.ternary.TernarySignature.dense")
BROADCASTABLE = Test("tensor.broadcast.Broadcast.compatible", ("a.dims", "b.dims"))
_SAME_SHAPE = Test("tensor.operand.Elementwise.same_shape")
_NOT_BROADCAST = Test("tensor.operand.Elementwise.not_broadcast")
_NUMERICAL = Test("tensor.operand.Elementwise.same_numerical_type")
_LISTED = Test("listed", ("a.element",))


def snake_case(name: str) -> str:
    """`leaky_relu` of `LeakyRelu`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def modules(operator: str, name: str) -> Mapping[Family, str]:
    """Where an operator's definitions are by convention: `modules("LeakyRelu", "leaky_relu")`."""
    folder = f"ops.{name}"
    return {
        Family.REAL: f"{folder}.definition.{operator}Rational",
        Family.INTEGER: f"{folder}.definition.{operator}{{T}}",
        Family.BOOLEAN: f"{folder}.definition.{operator}{{T}}",
        Family.FLOAT: f"{folder}.floats.{operator}{{T}}",
    }


def one_document(name: str) -> Mapping[Family, str]:
    return dict.fromkeys((Family.REAL, Family.INTEGER, Family.FLOAT), name)


def float_part_first(name: str) -> Mapping[Family, str]:
    """Of a document in two parts, of which the one over real numbers is not executed."""
    return {Family.FLOAT: f"{name}-FLOAT", Family.REAL: f"{name}-REAL"}


def three_parts(name: str) -> Mapping[Family, str]:
    suffixes = {Family.REAL: "REAL", Family.INTEGER: "INT", Family.FLOAT: "FLOAT"}
    return {family: f"{name}-{suffix}" for family, suffix in suffixes.items()}


@dataclass(frozen=True)
class Layout:
    """What documents of SONNX say in the same words of each of their element-wise operators."""

    inputs: tuple[Input, ...]
    output: Output
    documents: Callable[[str], Mapping[Family, str]]
    numbers: TypeParameter
    restrictions: tuple[Restriction, ...]
    always: tuple[str, ...]
    states: Mapping[Rule, str]

    def operator(
        self,
        stem: str,
        arithmetic: Arithmetic,
        exact: Callable[..., Fraction | None] | None,
        *examples: Example,
        since: int = 14,
    ) -> Operator:
        """The operator that ONNX calls so since an operator set: all names follow from that."""
        name = snake_case(stem)
        return Operator(
            name=name,
            title=f"SONNX {stem}",
            system=System.SONNX,
            documents=self.documents(f"SONNX-{stem.upper()}"),
            inputs=self.inputs,
            output=self.output,
            parameters=(self.numbers,),
            definition=Definition(
                signature=f"ops.{name}.definition.{stem}Signature",
                function=name,
                modules={
                    family: module
                    for family, module in modules(stem, name).items()
                    if any(type_.family is family for type_ in self.numbers.types)
                },
                restrictions=self.restrictions,
            ),
            reference=Reference(name),
            shape_rule=ShapeRule.SAME,
            arithmetic=arithmetic,
            always=self.always,
            states=self.states,
            onnx=OnnxNode(stem, since),
            examples=examples,
            exact=exact,
        )


def of_onnx(operator: Operator) -> Operator:
    """An operator of which ONNX has a document, and SONNX none: under the name that ONNX has."""
    assert operator.onnx
    stem, since = operator.onnx.op_type, operator.onnx.since
    return replace(
        operator,
        title=f"ONNX {stem} {since}",
        system=System.ONNX,
        documents=dict.fromkeys(operator.documents, f"ONNX-{stem.upper()}-{since}"),
    )


# What the tensors are made of comes before their shapes, and shapes that could be broadcast have a
# requirement of their own.
OF_ONE_DOCUMENT = Layout(
    OPERANDS,
    RESULT,
    one_document,
    TypeParameter("T", NUMERICAL),
    restrictions=(
        Restriction("R2", DENSE, "a tensor is sparse"),
        Restriction("R3", _NUMERICAL, "the elements are not of one numerical type"),
        Restriction(
            "R4", _NOT_BROADCAST, "the shapes differ, and nothing is broadcast", given=BROADCASTABLE
        ),
        Restriction("R1", _SAME_SHAPE, "the shapes differ"),
    ),
    always=("R1", "C1", "T"),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "C1"},
)
_ALL_BUT_BFLOAT16 = TypeParameter(
    "T",
    (REAL, *INTEGERS, *element_types("float16", "float32", "float64")),
    beyond=element_types("bfloat16"),
)
OF_THREE_PARTS = Layout(
    OPERANDS,
    RESULT,
    three_parts,
    _ALL_BUT_BFLOAT16,
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", DENSE, "a tensor is sparse"),
        Restriction("T", _LISTED, "the elements are of no type of the document", extended=True),
        # The part for real numbers knows one type only, and leaves this to its list of types.
        Restriction("A.C2", Test("one_type"), "the elements are of two types"),
        Restriction("A.C1", _SAME_SHAPE, "the shapes differ"),
    ),
    always=("A.C1", "B.C1", "C.C1", "T"),
    states={Rule.RESULT_TYPE: "C.C2", Rule.RESULT_SHAPE: "C.C1"},
)
ALONE = Test("dense")
"""That the only operand is dense."""
OF_ONE_OPERAND = Layout(
    _X,
    _Y,
    three_parts,
    _ALL_BUT_BFLOAT16,
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", ALONE, "the tensor is sparse"),
        Restriction(
            "T",
            Test("listed", ("x.element",)),
            "the elements are of no type of the document",
            extended=True,
        ),
    ),
    always=("X.C1", "Y.C1", "T"),
    states={Rule.RESULT_SHAPE: "Y.C1"},
)
