"""Operands that a declaration writes down: worked examples of the documents, and arrangements."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from random import Random
from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Arrangement, Instance
from sonnx_formal.vectors import elements
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape
from sonnx_formal.vectors.operands import CaseOperands, Maker

_ROUNDS = 4
"""So many cases of a class for an arrangement."""
_Draw = Callable[[ElementType, Random], Any]


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
        for case_class, draw in _fillings(instance, arrangement):
            make = partial(_filled, draw, sources[case_class])
            arrays = _each(instance, arrangement.operands, make)
            yield CaseOperands(case_class, arrays, arrangement.attributes)


def _fillings(instance: Instance, arrangement: Arrangement) -> list[tuple[CaseClass, _Draw]]:
    """The classes of the cases of an arrangement, and the elements of each case."""
    shapes = [each for each in arrangement.operands if isinstance(each, tuple)]
    if arrangement.broken:
        return [(CaseClass.REJECTED, _small)]
    if any(0 in shape for shape in shapes):
        return [(CaseClass.ZERO_SIZE, _small)]
    found: list[tuple[CaseClass, _Draw]]
    found = [(CaseClass.NOMINAL if any(shapes) else CaseClass.RANK_0, _small)]
    if shapes:
        found += [(CaseClass.BOUNDARY, _boundary)] * _ROUNDS
        if any(type_.family is Family.FLOAT for type_ in instance.types):
            found += [(CaseClass.SPECIAL, _special)] * _ROUNDS
        found += [(CaseClass.RANDOM, elements.any_element)] * _ROUNDS
    return found


def _small(type_: ElementType, chance: Random) -> Any:
    return elements.element(type_, elements.small_number(type_, chance))


def _boundary(type_: ElementType, chance: Random) -> Any:
    return chance.choice(elements.boundaries(type_))


def _special(type_: ElementType, chance: Random) -> Any:
    return chance.choice(elements.special_values(type_))


def _filled(draw: _Draw, chance: Random, type_: ElementType, written: Any) -> Array:
    """An array of a shape, or of nested lists of numbers."""
    if not isinstance(written, tuple):
        return elements.of_numbers(type_, written)
    return elements.array(type_, [draw(type_, chance) for _ in range(prod(written))], written)


def _each(
    instance: Instance, written: tuple[Any, ...], make: Callable[[ElementType, Any], Array]
) -> tuple[Array | None, ...]:
    """What is written of each operand as an array; the last input may be variadic."""
    inputs = instance.operator.inputs
    types = map(instance.type_of, itertools.chain(inputs, itertools.repeat(inputs[-1])))
    pairs = zip(types, written, strict=False)
    return tuple(None if each is None else make(type_, each) for type_, each in pairs)


def _counted(type_: ElementType, shape: Shape) -> Array:
    """1, 2, … 11, and again."""
    numbers = np.arange(prod(shape)) % elements.GREATEST_SMALL + 1
    return elements.of_numbers(type_, numbers.tolist()).reshape(shape)
