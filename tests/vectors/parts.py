"""The parts of a case that tests speak of."""

from collections import defaultdict
from functools import cached_property

from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.element_types import Array, ElementType
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator, ShapeRule, System
from sonnx_formal.vectors.manifest import Case

OF_SONNX = [
    each
    for each in instances()
    if each.operator.system is System.SONNX
    and each.operator.arithmetic is not Arithmetic.COPY
    and each.operator.shape_rule is not ShapeRule.OWN
]
"""Those that compute, but for those whose vectors are arrangements alone."""
OF_SYSTEMS = [
    each
    for each in instances()
    if each.operator.system is not System.SONNX and each.operator.arithmetic is Arithmetic.PRODUCT
]
"""The multiplications of other systems. Min and Equal are, with Max, in `test_broadcast_cases`."""
ARRANGED = [each for each in instances() if each.operator.shape_rule is ShapeRule.OWN]
"""Those whose operands are declared."""
STRUCTURAL = [each for each in instances() if each.operator.arithmetic is Arithmetic.COPY]
COMPUTING = [each for each in ARRANGED if each not in STRUCTURAL]
SONNX = [*dict.fromkeys(each.operator.name for each in OF_SONNX)]
BY_NAME = {each.name: each for each in instances()}

OPERATION = {
    Arithmetic.PRODUCT: "mul",
    Arithmetic.QUOTIENT: "div",
    Arithmetic.SUM: "add",
    Arithmetic.DIFFERENCE: "sub",
}
"""The name of the operation of `tests.reference.reference`, if it is not that of the operator."""


def operator_of(case: Case) -> str:
    return case.instance.operator.name


def arithmetic_of(case: Case) -> Arithmetic:
    return case.instance.operator.arithmetic


def operation_of(operator: Operator) -> str:
    """The operation of `tests.reference.reference` that gives each element of the result."""
    return OPERATION.get(operator.arithmetic, operator.name)


def type_of(case: Case) -> ElementType:
    """Of all operands, where they have one type."""
    return case.instance.types[0]


def a_of(case: Case) -> Array:
    return case.call.arrays[0]


def b_of(case: Case) -> Array:
    return case.call.arrays[1]


class Cases(list[Case]):
    """Cases, found by what they are cases of: there are too many to look through for each."""

    def of(self, *instances: Instance) -> list[Case]:
        return [case for instance in instances for case in self._by_name[instance.name]]

    @cached_property
    def _by_name(self) -> defaultdict[str, list[Case]]:
        found = defaultdict(list)
        for case in self:
            found[case.instance.name].append(case)
        return found
