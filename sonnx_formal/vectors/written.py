"""Operands that a declaration writes down: worked examples of the documents, and arrangements."""

from collections.abc import Callable, Iterator
from math import prod
from random import Random
from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Arrangement, Instance, Presence
from sonnx_formal.vectors import elements
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape
from sonnx_formal.vectors.operands import CaseOperands, Maker

_ROUNDS = 4
"""So many cases of a class for an arrangement."""


def examples(instance: Instance) -> Iterator[CaseOperands]:
    """The examples that the document gives for the types of an instance."""
    names = {type_.name for type_ in instance.types}
    for example in instance.operator.examples:
        listed = not example.types or names <= example.types
        if listed and instance.types[0].family in example.families:
            make = _counted if example.shapes_only else elements.of_numbers
            arrays = _each(instance, example.operands, make)
            yield CaseOperands(CaseClass.EXAMPLE, arrays, example.attributes, (example.item,))


def arranged_operands(instance: Instance, seed: int) -> Iterator[CaseOperands]:
    """Small numbers, boundaries, special values and any numbers in each arrangement."""
    sources = Maker(instance, seed).chance
    for arrangement in instance.operator.arrangements:
        for case_class, count, draw in _fillings(instance, arrangement):
            source = sources[case_class]

            def make(
                type_: ElementType, written: Any, draw: _Draw = draw, source: Random = source
            ) -> Array:
                if not isinstance(written, tuple):
                    return elements.of_numbers(type_, written)
                drawn = [draw(type_, source) for _ in range(prod(written))]
                return elements.array(type_, drawn, written)

            for _ in range(count):
                arrays = _each(instance, arrangement.operands, make)
                yield CaseOperands(case_class, arrays, arrangement.attributes)


_Draw = Callable[[ElementType, Random], Any]


def _fillings(
    instance: Instance, arrangement: Arrangement
) -> Iterator[tuple[CaseClass, int, _Draw]]:
    """The classes of an arrangement, how many cases they get, and of what elements."""
    shapes = [each for each in arrangement.operands if isinstance(each, tuple)]
    if arrangement.broken:
        yield CaseClass.REJECTED, 1, _small
    elif any(0 in shape for shape in shapes):
        yield CaseClass.ZERO_SIZE, 1, _small
    else:
        yield CaseClass.NOMINAL if any(shapes) else CaseClass.RANK_0, 1, _small
        if shapes:
            yield CaseClass.BOUNDARY, _ROUNDS, _one_of(elements.boundaries)
            if any(type_.family is Family.FLOAT for type_ in instance.types):
                yield CaseClass.SPECIAL, _ROUNDS, _one_of(elements.special_values)
            yield CaseClass.RANDOM, _ROUNDS, elements.any_element


def _small(type_: ElementType, source: Random) -> Any:
    return elements.element(type_, elements.small_number(type_, source))


def _one_of(values: Callable[[ElementType], list[Any]]) -> _Draw:
    return lambda type_, source: source.choice(values(type_))


def _each(
    instance: Instance, written: tuple[Any, ...], make: Callable[[ElementType, Any], Array]
) -> tuple[Array | None, ...]:
    """What is written of each operand as an array; the last input may be variadic."""
    inputs = list(instance.operator.inputs)
    if inputs[-1].presence is Presence.VARIADIC:
        inputs += [inputs[-1]] * (len(written) - len(inputs))
    pairs = zip(map(instance.type_of, inputs), written, strict=False)
    return tuple(None if each is None else make(type_, each) for type_, each in pairs)


def _counted(type_: ElementType, shape: Shape) -> Array:
    """1, 2, … 11, and again."""
    numbers = np.arange(prod(shape)) % elements.GREATEST_SMALL + 1
    return elements.of_numbers(type_, numbers.tolist()).reshape(shape)
