"""The pages of the report follow from the declarations of the operators."""

from dataclasses import replace
from itertools import product

import pytest

from sonnx_formal.report.pages import mathematics, owner, pages
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Arithmetic, Operator, ShapeRule


def declared(name: str) -> Operator:
    return next(each for each in operators() if each.name == name)


def test_each_operator_has_one_page() -> None:
    found = pages(operators())
    assert len({page.name for page in found}) == len(found)
    for operator in operators():
        file = operator.definition.signature.rpartition(".")[0].replace(".", "/") + ".mlw"
        (page,) = (each for each in found if each.listing == file)
        assert operator.title in page.title
        assert set(operator.documents.values()) <= set(page.documents)
        assert operator.definition.signature.rpartition(".")[2] in page.modules
        assert owner(page.listing, found) == page


def test_a_new_operator_has_a_page_without_an_edit() -> None:
    mul = declared("mul")
    new = replace(
        mul,
        name="new",
        title="SONNX New",
        documents=dict.fromkeys(mul.documents, "SONNX-NEW"),
        definition=replace(
            mul.definition,
            signature="ops.new.definition.NewSignature",
            modules={
                family: module.replace("mul", "new").replace("Mul", "New")
                for family, module in mul.definition.modules.items()
            },
        ),
    )
    found = pages((*operators(), new))
    (page,) = (each for each in found if each.name == "new")
    assert (page.title, page.documents) == ("SONNX New", ("SONNX-NEW",))
    assert (page.listing, page.modules) == ("ops/new/definition.mlw", ("NewSignature", "New"))
    assert page.theories == ("tensor/operand.mlw",)
    assert owner("ops/new/examples.mlw", found) == page


def test_files_belong_to_the_page_with_the_longest_name() -> None:
    found = pages(operators())
    expected = {
        "ops/mul/witnesses.mlw": "mul",
        "systems/onnx_mul_examples.mlw": "onnx_mul",
        "systems/onnx_mul_legacy.mlw": "onnx_mul_legacy",
        "systems/refinement_examples.mlw": "refinement",
        "accuracy/matmul_accuracy.mlw": "matmul",
        "ops/multiple/definition.mlw": None,
        "tensor/shape.mlw": None,
    }
    owners = {file: owner(file, found) for file in expected}
    assert {file: page.name if page else None for file, page in owners.items()} == expected


def test_other_systems_are_related_to_the_operator_of_sonnx() -> None:
    found = {page.name: page for page in pages(operators())}
    theirs = [each for each in operators() if each.name.startswith(("onnx-mul", "ov-multiply"))]
    names = {name for each in theirs for name in each.documents.values()}
    assert set(found["mul"].related) == names
    assert found["matmul"].related == ()


@pytest.mark.parametrize(("rule", "arithmetic"), [*product(ShapeRule, Arithmetic)])
def test_every_kind_of_operator_has_its_mathematics(
    rule: ShapeRule, arithmetic: Arithmetic
) -> None:
    (page,) = pages([replace(declared("mul"), shape_rule=rule, arithmetic=arithmetic)])[:1]
    text = " ".join(mathematics(page))
    assert "`A`" in text
    assert "`C`" in text or "`C[i" in text
    assert text.count("`") % 2 == 0
