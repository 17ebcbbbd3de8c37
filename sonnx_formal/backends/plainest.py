"""The plainest call of an operator: the first thing that an implementation can be asked."""

from fractions import Fraction
from typing import assert_never

import numpy as np

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence, ShapeRule


def plainest(instance: Instance) -> Call | None:
    """Ones in tensors of one element; None where an operator asks for more than the rules say."""
    operator = instance.operator
    if any(attribute.required for attribute in operator.attributes):
        return None
    match operator.shape_rule:
        case ShapeRule.MATRIX_PRODUCT:
            shape: tuple[int, ...] = (1, 1)
        case (
            ShapeRule.SAME
            | ShapeRule.MULTIDIRECTIONAL
            | ShapeRule.UNIDIRECTIONAL
            | ShapeRule.BY_ATTRIBUTE
        ):
            shape = (1,)
        case ShapeRule.OWN:
            return None
        case _:
            assert_never(operator.shape_rule)
    return Call(
        operator, tuple(ones(shape, instance.type_of(input_)) for input_ in places(operator))
    )


def places(operator: Operator) -> tuple[Input, ...]:
    """The inputs of a plain call, operand by operand: no optional one, of a variadic one two."""
    found: list[Input] = []
    for input_ in operator.inputs:
        match input_.presence:
            case Presence.REQUIRED:
                found.append(input_)
            case Presence.VARIADIC:
                found += [input_, input_]
            case Presence.OPTIONAL:
                pass
            case _:
                assert_never(input_.presence)
    return tuple(found)


def ones(shape: tuple[int, ...], type_: ElementType) -> Array:
    """A tensor of ones, whatever the type of its elements."""
    made: Array = np.ones(shape, type_.dtype)
    if type_.family is Family.REAL:
        made[...] = Fraction(1)
    return made
