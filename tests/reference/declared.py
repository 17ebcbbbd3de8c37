"""The declared operators as the tests here take them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from sonnx_formal import reference
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator, ShapeRule, System
from sonnx_formal.spec.requirements.registry import stated
from tests.quick import each_of, is_telling
from tests.reference.reference import Array

SONNX = tuple(each for each in operators() if each.system is System.SONNX)
ELEMENTWISE = tuple(
    each
    for each in SONNX
    if each.shape_rule is ShapeRule.SAME and len({input_.type for input_ in each.inputs}) == 1
)
"""Those with operands of one type."""
OF_TWO = tuple(each for each in ELEMENTWISE if len(each.inputs) == 2)
OF_ONE = tuple(each for each in ELEMENTWISE if len(each.inputs) == 1)
OPERATIONS = {
    Arithmetic.SUM: "add",
    Arithmetic.DIFFERENCE: "sub",
    Arithmetic.PRODUCT: "mul",
    Arithmetic.QUOTIENT: "div",
}
"""What the implementations call it that ours is compared with."""
COMPARED = {OPERATIONS[each.arithmetic]: each for each in OF_TWO if each.arithmetic in OPERATIONS}
"""The operators that are one of these operations at each index, by its name."""

EACH = pytest.mark.parametrize("operator", SONNX, ids=str)
EACH_ELEMENTWISE = pytest.mark.parametrize("operator", ELEMENTWISE, ids=str)
EACH_OF_ONE_TYPE = pytest.mark.parametrize(
    "operator", [each for each in SONNX if len({x.type for x in each.inputs}) == 1], ids=str
)
EACH_OF_TWO = pytest.mark.parametrize("operator", OF_TWO, ids=str)


def each_instance(
    *chosen: Operator, quick: Callable[[Instance], bool] = is_telling
) -> pytest.MarkDecorator:
    """A test for each of the operators and each of its types."""
    instances = (instance for operator in chosen for instance in operator.instances())
    return each_of("instance", instances, quick)


def some_attributes(operator: Operator) -> dict[str, Any]:
    """Of an operator that requires attributes those of its first arrangement."""
    return (operator.least_attributes or UNSET).as_dict()


def function(operator: Operator) -> Callable[..., Array]:
    """Our own implementation, with some attributes where it requires them."""
    found: Callable[..., Array] = getattr(reference, operator.reference.function)

    @wraps(found)
    def applied(*operands: Any, **attributes: Any) -> Array:
        return found(*operands, **{**some_attributes(operator), **attributes})

    return applied


def expected(
    oracle: Oracle, operator: Operator, *operands: Array | None, **attributes: Any
) -> Array:
    """What the formal definition gives, types beyond the documents included.

    As for `function`, required attributes have some value.
    """
    attributes = {**some_attributes(operator), **attributes}
    beyond = any(parameter.beyond for parameter in operator.parameters)
    reading = "unlisted" if beyond else None
    return oracle.evaluate(Call(operator, operands, Attributes.of(attributes), reading))


def rejected(oracle: Oracle, operator: Operator, *operands: Array) -> str:
    """The requirement that our own implementation and the formal definition both name."""
    with pytest.raises(SpecViolation) as ours:
        function(operator)(*operands)
    with pytest.raises(Inadmissible) as defined:
        expected(oracle, operator, *operands)
    assert ours.value.requirement == defined.value.requirement
    return ours.value.requirement


def required(operator: Operator, family: Family, *predicates: str) -> str:
    """The requirement behind the first restriction that has one of these predicates.

    :param family: of the type of A, which decides about the document.
    """
    for restriction in operator.definition.restrictions:
        if restriction.test.predicate.rpartition(".")[2] in predicates:
            items = operator.items_behind(restriction)
            return stated(operator.document(family), items)
    raise LookupError(f"{operator}: {predicates}")
