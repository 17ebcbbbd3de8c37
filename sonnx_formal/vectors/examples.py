"""The operands of the worked examples in the source documents."""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import Array, ElementType
from sonnx_formal.spec.operator import Instance, Presence
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import GREATEST_SMALL, Shape, of_numbers
from sonnx_formal.vectors.operands import Operands


def examples(instance: Instance) -> Iterator[Operands]:
    """The examples that the document gives for the types of an instance."""
    operator = instance.operator
    names = {type_.name for type_ in instance.types}
    for example in operator.examples:
        if instance.types[0].family not in example.families:
            continue
        if example.types and not names <= example.types:
            continue
        make = counted if example.shapes_only else of_numbers
        arrays = tuple(
            None if written is None else make(type_, written)
            for type_, written in zip(
                types_of(instance, len(example.operands)), example.operands, strict=True
            )
        )
        yield Operands(CaseClass.EXAMPLE, arrays, example.attributes, (example.item,))


def types_of(instance: Instance, count: int) -> list[ElementType]:
    """The element types of so many operands; the last one of a variadic input, again and again."""
    inputs = instance.operator.inputs
    last = inputs[-1]
    more = count - len(inputs) if last.presence is Presence.VARIADIC else 0
    return [instance.type_of(input_) for input_ in (*inputs, *[last] * more)][:count]


def counted(type_: ElementType, shape: Shape) -> Array:
    """1, 2, … 11, and again."""
    numbers: Any = np.arange(prod(shape)) % GREATEST_SMALL + 1
    return of_numbers(type_, numbers.tolist()).reshape(shape)
