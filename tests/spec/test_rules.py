"""Each rule of each operator has an item, and the registry has it."""

from dataclasses import replace

import pytest

from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.operator import Operator, Restriction, Rule, System
from sonnx_formal.spec.operator import Test as Predicate
from sonnx_formal.spec.requirements.registry import requirements

SONNX = [each for each in operators() if each.system is System.SONNX]


@pytest.mark.parametrize("declared", SONNX, ids=str)
def test_items_of_rules_are_in_the_registry(declared: Operator) -> None:
    """For each rule one of its items, as not each document states each."""
    alternatives = [set(declared.items(rule)) for rule in Rule]
    alternatives += [{f"ATTR.{attribute.name.upper()}"} for attribute in declared.attributes]
    if declared.definition.domain:
        alternatives.append({declared.definition.domain.item})
    for document in set(declared.documents.values()):
        for items in alternatives:
            assert {f"{document}.{item}" for item in items} & requirements().keys()


@pytest.mark.parametrize("declared", SONNX, ids=str)
def test_restrictions_say_what_they_amount_to(declared: Operator) -> None:
    """Or they have a predicate in Python, which the linter asks."""
    for restriction in declared.definition.restrictions:
        name = restriction.test.predicate.rpartition(".")[2]
        assert restriction.says or name in declared.definition.predicates


@pytest.mark.parametrize(
    ("name", "rule", "operand", "item"),
    [
        ("mul", Rule.DENSE, "", "R2"),
        ("mul", Rule.NUMERICAL, "A", "R3"),
        ("mul", Rule.LISTED, "", "T"),
        ("mul", Rule.RESULT_ROWS, "", "C1"),
        ("mul", Rule.KNOWN_SHAPE, "", "FUNC"),
        ("neg", Rule.KNOWN_SHAPE, "", "R1"),
        ("neg", Rule.NUMERICAL, "A", "R3"),
        ("neg", Rule.LISTED, "A", "T"),
        ("matmul", Rule.NUMERICAL, "", "T"),
        ("matmul", Rule.MATRIX, "A", "A.C1"),
        ("matmul", Rule.MATRIX, "B", "B.C1"),
        ("matmul", Rule.NO_BROADCAST, "", "FUNC"),
        ("onnx-mul-6", Rule.SAME_SHAPE, "", "B.C1"),
    ],
)
def test_the_item_of_a_rule(name: str, rule: Rule, operand: str, item: str) -> None:
    assert next(operator(name).items(rule, operand)) == item


def test_what_a_document_does_not_state_follows_from_what_it_states() -> None:
    """As in SONNX-ADD, where two items say everything."""
    restrictions = (
        Restriction("A.C2", Predicate("one_type"), "two types"),
        Restriction("A.C1", Predicate("same_shape"), "two shapes"),
    )
    mul = operator("mul")
    add = replace(mul, states={}, definition=replace(mul.definition, restrictions=restrictions))
    for rule in (Rule.SAME_SHAPE, Rule.NO_BROADCAST, Rule.RESULT_SHAPE, Rule.RESULT_RANK):
        assert next(add.items(rule)) == "A.C1"
    assert list(add.items(Rule.RESULT_TYPE)) == ["A.C2", "T"]
    assert next(add.items(Rule.DENSE)) == next(add.items(Rule.NUMERICAL)) == "T"
