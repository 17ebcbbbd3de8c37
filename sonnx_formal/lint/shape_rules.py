"""What documents ask of shapes, by the shape rule of the operator."""

from collections.abc import Iterator
from itertools import combinations
from typing import TypeGuard, assert_never

from sonnx_formal.lint.finding import NodeFinding
from sonnx_formal.lint.profile import DECLARE, Application, undecided, violates
from sonnx_formal.lint.shapes import (
    Shape,
    ShapeDifference,
    ShapeQuestion,
    compare,
    described,
    described_dimension,
    differ,
)
from sonnx_formal.spec.operator import Rule, ShapeRule
from sonnx_formal.spec.stated import restriction_items, stated

_EXPAND = "Make it explicit with Expand (--fix does it where all shapes are known)"
_RANK = 2
_OF_TYPES = {Rule.DENSE, Rule.NUMERICAL, Rule.ONE_TYPE, Rule.LISTED}
_OF_SHAPES = {
    ShapeRule.SAME: {Rule.SAME_SHAPE, Rule.NO_BROADCAST},
    ShapeRule.MATRIX_PRODUCT: {Rule.MATRIX, Rule.INNER_DIMENSION},
}
"""What is looked at; all else that a document asks for is open."""


def findings(at: Application) -> Iterator[NodeFinding]:
    """What is not as the document asks for, not known to be, or not looked at."""
    match at.operator.shape_rule:
        case ShapeRule.SAME:
            yield from _same(at)
        case ShapeRule.MATRIX_PRODUCT:
            yield from _matrix_product(at)
        case (
            ShapeRule.MULTIDIRECTIONAL
            | ShapeRule.UNIDIRECTIONAL
            | ShapeRule.BY_ATTRIBUTE
            | ShapeRule.OWN
        ):
            yield undecided(
                at.requirement(Rule.RESULT_SHAPE),
                f"of shapes, this is not looked at: {at.operator.shape_rule.value}: {at}",
                "The formal definition, for operands of these shapes: sonnx-formal eval",
            )
        case _:
            assert_never(at.operator.shape_rule)
    looked_at = _OF_TYPES | _OF_SHAPES.get(at.operator.shape_rule, set())
    for restriction in at.operator.definition.restrictions:
        if not restriction.says or not looked_at.issuperset(restriction.says):
            yield undecided(
                stated(at.document, restriction_items(at.operator, restriction)),
                f"whether {restriction.broken} is not looked at: {at}",
                "The formal definition, for operands like these: sonnx-formal eval",
            )


def _same(at: Application) -> Iterator[NodeFinding]:
    operands = [(name, operand.shape) for name, _, operand in at.operands]
    relations = [compare(a, b) for a, b in combinations(operands, 2)]
    different = [each for each in relations if isinstance(each, ShapeDifference)]
    questions = [each.text for each in relations if isinstance(each, ShapeQuestion)]
    if different:
        if at.told_to_broadcast or all(each.broadcastable for each in different):
            yield _broadcast(at)
        else:
            yield violates(
                at.requirement(Rule.SAME_SHAPE), f"the shapes differ: {at}", "Give all one shape"
            )
        untold = at.original_requirement(Rule.SAME_SHAPE)
        if untold and "broadcast" in at.legacy and not at.told_to_broadcast:
            found = f"two shapes, and the attribute broadcast is not 1: {at}"
            yield violates(untold, found, "Give both one shape")
    elif questions:
        question = f"{questions[0]} is unknown: {at}"
        yield undecided(at.requirement(Rule.SAME_SHAPE), question, DECLARE)
    else:
        wanted = operands[0]
        if isinstance(compare(wanted, ("", at.node.outputs[0].shape)), ShapeDifference):
            yield _wrong_result(at, Rule.RESULT_SHAPE, wanted[1])


def _broadcast(at: Application) -> NodeFinding:
    constants = [
        f"{name}, {x.name}, is a constant" for name, _, x in at.operands if x.constant is not None
    ]
    which = f" ({'; '.join(constants)})" if constants else ""
    store = ", or store the constant in the full shape" if constants else ""
    return violates(
        at.requirement(Rule.NO_BROADCAST),
        f"operands are broadcast to one shape: {at}{which}",
        f"{_EXPAND}{store}",
    )


def _wrong_result(at: Application, rule: Rule, wanted: Shape | None) -> NodeFinding:
    name, output = at.operator.output.name, at.node.outputs[0]
    return violates(
        at.requirement(rule),
        f"{name}, {output.name}, is declared {described(output.shape)}: {at}",
        f"Declare it {described(wanted)}",
    )


def _matrix_product(at: Application) -> Iterator[NodeFinding]:
    (left, _, a), (right, _, b) = at.operands[:2]
    for name, operand in ((left, a), (right, b)):
        requirement = at.requirement(Rule.MATRIX, name)
        if operand.shape is None:
            yield undecided(
                requirement, f"the shape of {name}, {operand.name}, is unknown: {at}", DECLARE
            )
        elif len(operand.shape) != _RANK:
            yield violates(
                requirement,
                f"{name}, {operand.name}, has {len(operand.shape)} axes: {at}",
                "Give it two axes by a Reshape or, of a batch, multiply the matrices one by one",
            )
    if not (_is_matrix(a.shape) and _is_matrix(b.shape)):
        return
    columns, rows = a.shape[1], b.shape[0]
    found = (
        f"{left} has {described_dimension(columns)} columns, and {right} has"
        f" {described_dimension(rows)} rows: {at}"
    )
    requirement = at.requirement(Rule.INNER_DIMENSION)
    if differ(columns, rows):
        yield violates(requirement, found, "Does one of them need to be transposed?")
    elif columns is None or columns != rows:
        yield undecided(requirement, found, DECLARE)
    yield from _product(at, (a.shape[0], b.shape[1]))


def _product(at: Application, wanted: Shape) -> Iterator[NodeFinding]:
    shape = at.node.outputs[0].shape
    if shape is not None and len(shape) != _RANK:
        yield _wrong_result(at, Rule.RESULT_RANK, wanted)
    elif shape is not None:
        rules = {
            (True, True): Rule.RESULT_SHAPE,
            (True, False): Rule.RESULT_ROWS,
            (False, True): Rule.RESULT_COLUMNS,
        }
        rule = rules.get((differ(shape[0], wanted[0]), differ(shape[1], wanted[1])))
        if rule:
            yield _wrong_result(at, rule, wanted)


def _is_matrix(shape: Shape | None) -> TypeGuard[Shape]:
    return shape is not None and len(shape) == _RANK
