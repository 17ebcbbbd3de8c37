"""The plainest call of an operator: the first thing that an implementation can be asked."""

from fractions import Fraction

import numpy as np

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence, ShapeRule

_OPERANDS = {Presence.REQUIRED: 1, Presence.OPTIONAL: 0, Presence.VARIADIC: 2}


def plainest(instance: Instance) -> Call | None:
    """Ones in tensors of one element; None where an operator asks for more than the rules say."""
    operator = instance.operator
    attributes = operator.least_attributes
    if operator.shape_rule is ShapeRule.OWN or attributes is None:
        return None
    shape = (1, 1) if operator.shape_rule is ShapeRule.MATRIX_PRODUCT else (1,)
    others = () if operator.shape_rule is ShapeRule.SCALAR_BOUNDS else shape
    first, *rest = map(instance.type_of, places(operator))
    operands = (ones(shape, first), *(ones(others, type_) for type_ in rest))
    return Call(operator, operands, attributes)


def places(operator: Operator) -> tuple[Input, ...]:
    """The inputs of a plain call, operand by operand: no optional one, of a variadic one two."""
    return tuple(each for each in operator.inputs for _ in range(_OPERANDS[each.presence]))


def ones(shape: tuple[int, ...], type_: ElementType) -> Array:
    """A tensor of ones, whatever the type of its elements."""
    return np.full(shape, Fraction(1) if type_.family is Family.REAL else 1, type_.dtype)
