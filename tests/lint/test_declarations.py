"""Operators that only these tests declare: what is judged of them follows from the declaration."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
import pytest
from msgspec import structs

from sonnx_formal.lint.examination import JudgedNode, UnjudgedOperator, examine
from sonnx_formal.lint.fix import fix
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import LintVerdict, application
from sonnx_formal.spec import catalogue
from sonnx_formal.spec.attributes import Attribute, AttributeKind
from sonnx_formal.spec.element_types import NUMERICAL, Family, element_types
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    Domain,
    Input,
    OnnxNode,
    Operator,
    Output,
    Presence,
    Reference,
    Restriction,
    ShapeRule,
    System,
    TypeParameter,
)
from sonnx_formal.spec.operator import Test as Predicate
from sonnx_formal.spec.requirements import registry
from tests.lint.models import (
    BAD,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    OPEN,
    STRING,
    U8,
    model,
    node,
    sparse_value,
    value,
)

_ELEMENTWISE = "tensor.operand.Elementwise"
_T = TypeParameter("T", element_types("int8", "int32", "float32"))
_SHAPE = Restriction("A.C1", Predicate(f"{_ELEMENTWISE}.same_shape"), "the shapes differ")
_TYPE = Restriction("A.C2", Predicate(f"{_ELEMENTWISE}.one_type"), "the types differ")

Verdicts = set[tuple[str, LintVerdict]]
Judge = Callable[..., JudgedNode]


def declared(name: str, *inputs: Input, since: int = 13, **fields: Any) -> Operator:
    """An element-wise operator of SONNX-TOY, or of SONNX-TOY-INT over integers."""
    restrictions, domain = fields.pop("restrictions", (_SHAPE, _TYPE)), fields.pop("domain", None)
    definition = Definition("toy.Toy", "toy", {}, restrictions, domain=domain)
    return Operator(
        name=f"toy-{name.lower()}",
        title=f"Toy {name}",
        system=System.SONNX,
        documents={Family.REAL: "SONNX-TOY", Family.INTEGER: "SONNX-TOY-INT"},
        inputs=inputs,
        output=fields.pop("output", Output("Y", "T")),
        parameters=fields.pop("parameters", (_T,)),
        definition=definition,
        reference=Reference("toy"),
        shape_rule=fields.pop("shape_rule", ShapeRule.SAME),
        arithmetic=fields.pop("arithmetic", Arithmetic.OTHER),
        always=(),
        onnx=OnnxNode(name, since),
        **fields,
    )


NEG = declared("Neg", Input("X", "T"))
WHERE = declared("Where", Input("condition", "bool"), Input("X", "T"), Input("Y", "T"), since=16)
MAX = declared("Max", Input("X", "T", Presence.VARIADIC))
CLIP = declared(
    "Clip", Input("X", "T"), Input("L", "T", Presence.OPTIONAL), Input("H", "T", Presence.OPTIONAL)
)
LESS = declared("Less", Input("A", "T"), Input("B", "T"), output=Output("C", "bool"))
ELU = declared(
    "Elu",
    Input("X", "T"),
    since=6,
    attributes=(Attribute("alpha", AttributeKind.FLOAT, "A factor.", required=True),),
)
RESHAPE = declared(
    "Reshape",
    Input("X", "T"),
    Input("shape", "int64"),
    since=14,
    restrictions=(Restriction("A.C3", Predicate("fits"), "the sizes differ"),),
    shape_rule=ShapeRule.OWN,
)
SQRT = declared(
    "Sqrt",
    Input("X", "T"),
    domain=Domain("is_defined", "A.C4", "an element is negative", frozenset({Family.INTEGER})),
)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Judge:
    """The examination of a node, by an operator and what the node has of it."""
    items = ["T", "FUNC", "A.C1", "A.C2", "A.C3", "A.C4", "ATTR.ALPHA"]
    (some, *_) = registry.requirements().values()
    toys = {
        identifier: structs.replace(some, id=identifier)
        for document in ("SONNX-TOY", "SONNX-TOY-INT")
        for identifier in (f"{document}.{item}" for item in items)
    }
    monkeypatch.setattr(registry, "requirements", lambda: toys)

    def examined(
        operator: Operator,
        *inputs: onnx.ValueInfoProto | None,
        result: onnx.ValueInfoProto | None = None,
        opset: int = 16,
        **attributes: Any,
    ) -> JudgedNode:
        monkeypatch.setattr(catalogue, "operators", lambda: (operator,))
        assert operator.onnx
        names = ["" if each is None else each.name for each in inputs]
        (*_, last) = (each for each in inputs if each is not None)
        output = result or value("Y", None, last.type.tensor_type.elem_type or F32)
        what = model(
            [node(operator.onnx.op_type, names, [output.name], name="n", **attributes)],
            list({each.name: each for each in inputs if each is not None}.values()),
            [output],
            opset=opset,
        )
        (judged,) = examine(what, tmp_path / "model.onnx").nodes
        return judged

    return examined


def verdicts(judged: JudgedNode) -> Verdicts:
    return {(each.requirement, each.verdict) for each in judged.findings}


def bad(*items: str) -> Verdicts:
    return {(f"SONNX-TOY.{item}", BAD) for item in items}


X, Y2 = value("x"), value("y", [2, 4])


@pytest.mark.parametrize(
    ("operator", "inputs", "expected"),
    [
        (NEG, [X], set()),
        (NEG, [value("x", [])], set()),
        (NEG, [value("x", [2], F64)], bad("T")),
        (NEG, [value("x", [2], BOOL)], {("SONNX-TOY-INT.T", BAD)}),
        (NEG, [sparse_value("x")], bad("T")),
        (WHERE, [value("c", [2, 3], BOOL), X, value("y")], set()),
        (WHERE, [value("c", [2, 3], BOOL), X, value("y", [3])], bad("A.C1")),
        (WHERE, [value("c", [4, 5], BOOL), X, value("y")], bad("A.C1")),
        (WHERE, [value("c", [2, 3], I32), X, value("y")], bad("T")),
        (WHERE, [value("c", [2, 3], BOOL), X, value("y", [2, 3], I8)], bad("A.C2", "T")),
        (WHERE, [value("c", [2, 3], BOOL), X, value("y", ["N", 3])], {("SONNX-TOY.A.C1", OPEN)}),
        # What is known for certain of two operands outweighs what is open of a third.
        (WHERE, [value("c", ["N", 3], BOOL), X, Y2], bad("A.C1")),
        (WHERE, [value("c", None, BOOL), X, Y2], bad("A.C1")),
        (MAX, [X], set()),
        (MAX, [X, value("y"), value("z"), value("u")], set()),
        (MAX, [X, value("y"), value("z"), value("u", [1])], bad("A.C1")),
        (MAX, [X, value("y"), value("z", [2, 3], I32)], bad("A.C2", "T")),
        (CLIP, [X], set()),
        (CLIP, [X, None, value("h")], set()),
        (CLIP, [X, value("l"), value("h")], set()),
        (CLIP, [X, None, value("h", [4])], bad("A.C1")),
        (CLIP, [X, value("l", [2, 3], I8)], bad("A.C2", "T")),
    ],
)
def test_operands(
    judge: Judge, operator: Operator, inputs: Sequence[onnx.ValueInfoProto], expected: Verdicts
) -> None:
    assert verdicts(judge(operator, *inputs)) == expected


def test_variadic_operands_are_numbered_and_optional_ones_left_out(judge: Judge) -> None:
    (finding,) = judge(MAX, X, value("y"), value("z", [3])).findings
    assert "X1 is float32 (2, 3), X2 is float32 (2, 3), X3 is float32 (3,)" in finding.found
    (finding,) = judge(CLIP, X, None, value("h", [3])).findings
    assert "X is float32 (2, 3), H is float32 (3,)" in finding.found


def test_the_document_is_that_of_the_type_parameter(judge: Judge) -> None:
    """And not of the condition, which is first."""
    floats = judge(WHERE, value("c", [3], BOOL), X, value("y"))
    integers = judge(WHERE, value("c", [3], BOOL), value("x", [2, 3], I8), value("y", [2, 3], I8))
    assert verdicts(floats) == bad("A.C1")
    assert verdicts(integers) == {("SONNX-TOY-INT.A.C1", BAD)}


def test_a_result_of_another_type_than_the_operands(judge: Judge) -> None:
    a, b = value("a"), value("b")
    assert verdicts(judge(LESS, a, b, result=value("c", [2, 3], BOOL))) == set()
    assert verdicts(judge(LESS, a, b, result=value("c", [2, 3], F32))) == bad("A.C2")
    assert verdicts(judge(LESS, a, b, result=value("c", [3], BOOL))) == bad("A.C1")
    assert verdicts(judge(NEG, X, result=value("y", [2, 3], I8))) == bad("A.C2")


@pytest.mark.parametrize(
    ("attribute", "given", "expected"),
    [
        (Attribute("alpha", AttributeKind.FLOAT, "", required=True), {"alpha": 2.0}, set()),
        (Attribute("alpha", AttributeKind.FLOAT, "", required=True), {}, bad("ATTR.ALPHA")),
        (Attribute("alpha", AttributeKind.FLOAT, ""), {}, set()),
        (Attribute("alpha", AttributeKind.INT, ""), {"alpha": 2.0}, bad("ATTR.ALPHA")),
        (Attribute("alpha", AttributeKind.FLOATS, ""), {"alpha": 2.0}, bad("ATTR.ALPHA")),
        (None, {"alpha": 2.0}, bad("FUNC")),
    ],
)
def test_attributes(
    judge: Judge, attribute: Attribute | None, given: dict[str, Any], expected: Verdicts
) -> None:
    elu = replace(ELU, attributes=(attribute,) if attribute else ())
    assert verdicts(judge(elu, X, **given)) == expected


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (AttributeKind.INT, 1),
        (AttributeKind.FLOAT, 1.5),
        (AttributeKind.STRING, "s"),
        (AttributeKind.INTS, [1, 2]),
        (AttributeKind.FLOATS, [1.5]),
        (AttributeKind.STRINGS, ["a", "b"]),
    ],
)
def test_attributes_of_all_kinds(judge: Judge, kind: AttributeKind, given: Any) -> None:
    for each in AttributeKind:
        elu = replace(ELU, attributes=(Attribute("alpha", each, ""),))
        expected = set() if each is kind else bad("ATTR.ALPHA")
        assert verdicts(judge(elu, X, alpha=given)) == expected


def test_operands_that_are_missing_or_too_many(judge: Judge) -> None:
    """SONNX may ask for what ONNX leaves open, or have fewer: nothing else is judged then."""
    all_three = replace(CLIP, inputs=tuple(Input(name, "T") for name in ("X", "L", "H")))
    entry = replace(CLIP, inputs=(Input("X", "T"),))
    for operator, inputs, said in (
        (all_three, (X,), "the operand L is missing"),
        (all_three, (X, None, value("h")), "the operand L is missing"),
        (entry, (X, value("l", [7])), "there are 2 operands"),
    ):
        judged = judge(operator, *inputs)
        assert verdicts(judged) == bad("FUNC")
        assert said in judged.findings[0].found


def test_shapes_and_restrictions_that_nobody_can_look_at_are_open(judge: Judge) -> None:
    shape = value("s", [2], I64)
    result = value("r", [6])
    judged = judge(RESHAPE, X, shape, result=result)
    assert verdicts(judged) == {("SONNX-TOY.FUNC", OPEN), ("SONNX-TOY.A.C3", OPEN)}
    assert judged.verdict is OPEN
    (nobody,) = (each for each in judged.findings if each.requirement == "SONNX-TOY.A.C3")
    assert nobody.found.startswith("it is not looked at whether the sizes differ: ")
    assert nobody.advice == (
        "The formal definition, for operands of these shapes: sonnx-formal eval"
    )
    wrong = judge(RESHAPE, value("x", [2, 3], F16), shape, result=result)
    assert ("SONNX-TOY.T", BAD) in verdicts(wrong)


def test_what_the_shape_rule_does_not_look_at_is_asked_of_the_predicate(judge: Judge) -> None:
    matrix = Restriction("A.C3", Predicate("matrix", ("x",)), "X has not two axes")
    square = replace(NEG, definition=replace(NEG.definition, restrictions=(_SHAPE, matrix)))
    assert verdicts(judge(square, X)) == set()
    assert verdicts(judge(square, value("x", [6]))) == {("SONNX-TOY.A.C3", BAD)}
    assert verdicts(judge(square, value("x", [2, "N"]))) == set()
    assert ("SONNX-TOY.A.C3", OPEN) in verdicts(judge(square, value("x", None)))


def test_types_of_two_documents(judge: Judge) -> None:
    """The second operand is of a type that the document of the first does not have."""
    judged = judge(MAX, value("x", [2], I32), value("y", [2], F32))
    assert verdicts(judged) == {("SONNX-TOY-INT.T", BAD), ("SONNX-TOY-INT.A.C2", BAD)}


def test_a_domain_that_depends_on_values_is_open(judge: Judge) -> None:
    floats = judge(SQRT, X)
    assert verdicts(floats) == set()
    over_integers = replace(
        SQRT, onnx=OnnxNode("Neg", 13), parameters=(TypeParameter("T", NUMERICAL),)
    )
    integers = judge(over_integers, value("x", [2], I8))
    assert verdicts(integers) == {("SONNX-TOY-INT.A.C4", OPEN)}
    assert verdicts(judge(over_integers, value("x", [0], I8))) == set()


def test_a_type_that_onnx_never_has(judge: Judge) -> None:
    """No newer operator set helps: of Neg over unsigned integers there is none."""
    of_numbers = replace(NEG, parameters=(TypeParameter("T", NUMERICAL),))
    for opset in (5, 14, 20):
        (found,) = judge(of_numbers, value("x", [2], U8), opset=opset).findings
        assert found.advice == "Cast it beforehand: ONNX has no such node"
    (found,) = judge(of_numbers, value("x", [2], I8), opset=5).findings
    assert found.advice == "Convert the model to opset 13 or a newer one"


def test_versions_of_onnx_with_other_types(judge: Judge) -> None:
    """Neg of version 1 is of floating-point types only."""
    assert verdicts(judge(NEG, value("x", [2], I32), opset=6)) == set()
    assert verdicts(judge(NEG, value("x", [2], I32), opset=5)) == {("SONNX-TOY-INT.T", BAD)}


def test_versions_of_onnx_that_are_other_operators(judge: Judge) -> None:
    """The axis of Softmax has another default since version 13; Clip had attributes before 11."""
    softmax = declared(
        "Softmax", Input("X", "T"), attributes=(Attribute("axis", AttributeKind.INT, ""),)
    )
    assert verdicts(judge(softmax, X, opset=13)) == set()
    assert verdicts(judge(softmax, X, opset=12)) == {("SONNX-TOY.FUNC", OPEN)}
    assert verdicts(judge(CLIP, X, opset=11)) == set()
    assert verdicts(judge(CLIP, X, opset=6)) == {("SONNX-TOY.FUNC", OPEN)}
    # What is an operand since version 13 was an attribute: that it is missing is no violation.
    unsqueeze = declared("Unsqueeze", Input("X", "T"), Input("A", "int64"))
    assert verdicts(judge(unsqueeze, X, opset=11)) == {("SONNX-TOY.FUNC", OPEN)}


def test_of_two_declarations_that_of_the_version_counts(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = replace(NEG, name="toy-old", onnx=OnnxNode("Neg", 6, 13))
    judge(NEG, X)
    monkeypatch.setattr(catalogue, "operators", lambda: (NEG, old))
    for opset, name in ((6, "toy-old"), (12, "toy-old"), (13, "toy-neg"), (20, "toy-neg")):
        what = model([node("Neg", ["x"], ["y"])], [X], [value("y")], opset=opset)
        (found,) = find(what, tmp_path, [])
        judged = application(found)
        assert judged
        assert judged.operator.name == name


def test_three_operands_are_made_explicit(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judge(WHERE, value("c", [2, 3], BOOL), X, value("y"))
    what = model(
        [node("Where", ["c", "x", "y"], ["z"], name="n")],
        [value("c", [3], BOOL), value("x", [2, 1]), value("y")],
        [value("z")],
        opset=16,
    )
    _, done = fix(what, tmp_path / "model.onnx", [], tmp_path / "out.onnx", lambda *_: None)
    (after,) = done.nodes
    assert after.verdict is LintVerdict.CONFORMS
    expected = UnjudgedOperator("", "Constant", 2), UnjudgedOperator("", "Expand", 2)
    assert done.others == expected
    *_, where = onnx.load(tmp_path / "out.onnx").graph.node
    assert list(where.input) == ["n_condition_expanded", "n_X_expanded", "y"]


def test_items_that_a_document_lacks(judge: Judge) -> None:
    """Of real numbers, SONNX-ADD has no item about types that are one: its type list says so."""
    items = ("T", "FUNC", "A.C1")
    what = (MAX, value("x", [2], STRING), value("y", [2], BOOL))
    assert ("SONNX-TOY.A.C2", BAD) in verdicts(judge(*what))
    toys = registry.requirements()
    without = {each: toys[each] for each in (f"SONNX-TOY.{item}" for item in items)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "requirements", lambda: without)
        assert verdicts(judge(*what)) == bad("T")
