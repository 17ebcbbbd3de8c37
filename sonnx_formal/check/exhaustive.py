"""All combinations of elements, where these are few enough to try every one."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, assert_never

from sonnx_formal.backends.plainest import places, plainest
from sonnx_formal.check.elements import filled
from sonnx_formal.check.trial import Trial, posed
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Instance, ShapeRule

MOST = 1 << 17
"""So many combinations are tried at most: a condition and two numbers of 8 bits."""
_NAMES = {1: "all-elements", 2: "all-pairs"}


@dataclass(frozen=True)
class Exhaustive:
    """The trials of all combinations of elements, or why there are none."""

    trials: tuple[Trial, ...] = ()
    why_not: str | None = None

    @property
    def combinations(self) -> int:
        """How many combinations of elements there are in the trials."""
        return sum(trial.call.arrays[0].size for trial in self.trials)


def exhaustive(oracle: Oracle, instance: Instance) -> Exhaustive:
    """Each element with each, of an element-wise operator over types of few elements.

    What may kill an implementation is a trial of its own, and so is what has no result.
    """
    operator = instance.operator
    if operator.shape_rule in {ShapeRule.MATRIX_PRODUCT, ShapeRule.OWN}:
        return Exhaustive(why_not="it is not element by element")
    if plainest(instance) is None:
        return Exhaustive(why_not="it has attributes that have to be chosen")
    types = [instance.type_of(input_) for input_ in places(operator)]
    every = [_all_elements(type_) for type_ in types]
    if not all(every) or prod(map(len, every)) > MOST:
        return Exhaustive(why_not="there are too many combinations of elements")
    if operator.definition.domain and operator.exact is None:
        return Exhaustive(why_not="where it is defined is not declared")
    combinations = list(itertools.product(*every))
    hazards = set(operator.hazards(instance.types))
    outside = {elements for elements in combinations if is_outside(instance, elements)}
    parts = {
        "": [elements for elements in combinations if elements not in hazards | outside],
        "-hazards": sorted(hazards - outside),
        "-outside-domain": sorted(outside),
    }
    name = f"{instance.name}-{_NAMES.get(len(types), 'all-combinations')}"
    trials = tuple(
        posed(oracle, f"{name}{suffix}", instance, combined(instance, part), alone=bool(suffix))
        for suffix, part in parts.items()
        if part
    )
    if trials[0].violated is not None:
        raise UserError(
            f"{instance}: {trials[0].violated} excludes elements that the declaration takes to be"
            " inside the domain"
        )
    return Exhaustive(trials)


def combined(instance: Instance, combinations: list[tuple[Any, ...]]) -> Call:
    """The call of an element-wise operator on combinations of elements, one after the other."""
    columns = zip(places(instance.operator), zip(*combinations, strict=True), strict=True)
    operands = (filled(column, instance.type_of(input_)) for input_, column in columns)
    return Call(instance.operator, tuple(operands))


def is_outside(instance: Instance, elements: tuple[Any, ...]) -> bool:
    """Whether integers or truth values are declared to have no result."""
    operator = instance.operator
    if operator.definition.domain is None or operator.exact is None:
        return False
    types = [instance.type_of(input_) for input_ in places(operator)]
    whole = all(type_.family in {Family.INTEGER, Family.BOOLEAN} for type_ in types)
    if not whole or len(types) != len(elements):
        return False
    return operator.exact(*(Fraction(int(element)) for element in elements)) is None


def _all_elements(type_: ElementType) -> list[Any]:
    """The elements of a type of 8 bits at most; none of all other types."""
    match type_.family:
        case Family.BOOLEAN:
            return [False, True]
        case Family.INTEGER if type_.dtype.itemsize == 1:
            return [*range(type_.bounds.min, type_.bounds.max + 1)]
        case Family.INTEGER | Family.REAL | Family.FLOAT | Family.TEXT | Family.COMPLEX:
            return []
        case _:
            assert_never(type_.family)
