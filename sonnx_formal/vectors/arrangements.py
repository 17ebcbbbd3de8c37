"""Operands for the shapes and attributes that a declaration arranges, class by class."""

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Arrangement, Instance
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import (
    any_element,
    array,
    boundaries,
    element,
    of_numbers,
    small_number,
    special_values,
)
from sonnx_formal.vectors.examples import types_of
from sonnx_formal.vectors.operands import Chance, Operands

_ROUNDS = 4
"""So many cases of a class for an arrangement."""


def arranged_operands(instance: Instance, chance: Chance) -> Iterator[Operands]:
    """Small numbers, boundaries, special values and any numbers in each arrangement."""
    sources = {each: chance(each) for each in CaseClass}
    for arrangement in instance.operator.arrangements:
        for case_class, count in _classes(instance, arrangement):
            source = sources[case_class]

            def draw(
                type_: ElementType, case_class: CaseClass = case_class, source: Any = source
            ) -> Any:
                match case_class:
                    case CaseClass.BOUNDARY:
                        return source.choice(boundaries(type_))
                    case CaseClass.SPECIAL:
                        return source.choice(special_values(type_))
                    case CaseClass.RANDOM:
                        return any_element(type_, source)
                    case _:
                        return element(type_, small_number(type_, source))

            for _ in range(count):
                types = types_of(instance, len(arrangement.operands))
                arrays = (
                    _array(type_, written, draw)
                    for type_, written in zip(types, arrangement.operands, strict=True)
                )
                yield Operands(case_class, tuple(arrays), arrangement.attributes)


def _classes(instance: Instance, arrangement: Arrangement) -> Iterator[tuple[CaseClass, int]]:
    """The classes of an arrangement, and how many cases they get."""
    shapes = [each for each in arrangement.operands if isinstance(each, tuple)]
    if arrangement.broken:
        yield CaseClass.REJECTED, 1
    elif shapes and any(0 in shape for shape in shapes):
        yield CaseClass.ZERO_SIZE, 1
    else:
        yield (CaseClass.NOMINAL if any(shapes) else CaseClass.RANK_0), 1
        if shapes:
            yield CaseClass.BOUNDARY, _ROUNDS
            if any(type_.family is Family.FLOAT for type_ in instance.types):
                yield CaseClass.SPECIAL, _ROUNDS
            yield CaseClass.RANDOM, _ROUNDS


def _array(type_: ElementType, written: Any, draw: Callable[[ElementType], Any]) -> Array | None:
    match written:
        case None:
            return None
        case tuple():
            return array(type_, [draw(type_) for _ in range(prod(written))], written)
    return of_numbers(type_, written)
