"""Test vectors made: operands by rules and as they are written down, results by the oracle."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import ceil, prod
from random import Random
from typing import Any

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Arrangement, Instance, Operator, ShapeRule
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.spec.requirements.registry import FOLDER, files, requirements
from sonnx_formal.vectors import elements
from sonnx_formal.vectors.bounds import ScalarBounds
from sonnx_formal.vectors.broadcast import Broadcast
from sonnx_formal.vectors.manifest import Case, call_of
from sonnx_formal.vectors.matrices import Matrices
from sonnx_formal.vectors.operands import (
    CaseOperands,
    Maker,
    OneShape,
    WrongDeclarationError,
    with_attributes,
)

_CASES = 32
"""So many cases of a class are enough for all arrangements together, if each has one."""
_ROUNDS = 4
"""No more cases of a class than these for one arrangement."""


def generate(instance: Instance, seed: int, oracle: Oracle) -> Iterator[Case]:
    """The cases of an operator over element types. Raises `UserError` where none can be made."""
    numbers: Counter[CaseClass] = Counter()
    for operands in all_operands(instance, seed):
        case_class = operands.case_class
        numbers[case_class] += 1
        call = call_of(instance, operands.arrays, operands.attributes)
        outcome = _outcome(oracle, call, case_class)
        yield Case(
            name=f"{instance.name}-{case_class}-{numbers[case_class]:04d}",
            instance=instance,
            call=call,
            case_class=case_class,
            requirements=_exercised(instance, call, outcome, operands.items),
            outcome=outcome,
        )


def all_operands(instance: Instance, seed: int) -> Iterator[CaseOperands]:
    """The operands of all cases. Raises `WrongDeclarationError` when no rule says what they are."""
    operator = instance.operator
    yield from _examples(instance)
    match operator.shape_rule:
        case ShapeRule.SAME:
            yield from with_attributes(_attributes(operator), OneShape(instance, seed).all())
        case ShapeRule.MULTIDIRECTIONAL:
            broadcast = Broadcast(instance, seed).multidirectional()
            yield from with_attributes(_attributes(operator), broadcast)
        case ShapeRule.UNIDIRECTIONAL:
            yield from Broadcast(instance, seed).unidirectional()
        case ShapeRule.BY_ATTRIBUTE:
            yield from Broadcast(instance, seed).by_attribute()
        case ShapeRule.SCALAR_BOUNDS:
            yield from with_attributes(_attributes(operator), ScalarBounds(instance, seed).all())
        case ShapeRule.MATRIX_PRODUCT:
            yield from with_attributes(_attributes(operator), Matrices(instance, seed).all())
        case ShapeRule.OWN:
            if not operator.arrangements:
                raise WrongDeclarationError(operator, "its own shape rule needs `arrangements`")
    yield from _arranged(instance, seed)


def _attributes(operator: Operator) -> Attributes:
    if (attributes := operator.least_attributes) is None:
        raise WrongDeclarationError(operator, "required attributes need `arrangements`")
    return attributes


def _outcome(oracle: Oracle, call: Call, case_class: CaseClass) -> Array | str:
    """The result or, of what is there to be rejected, the requirement that the oracle names."""
    rejected = case_class is CaseClass.REJECTED
    try:
        result = oracle.evaluate(call)
    except Inadmissible as error:
        if rejected:
            return error.requirement
        what = f"the definition rejects {case_class} operands: {error}"
        raise WrongDeclarationError(call.operator, what) from None
    if rejected:
        what = f"the definition accepts what is there to be rejected: {call}"
        raise WrongDeclarationError(call.operator, what)
    return result


def _exercised(
    instance: Instance, call: Call, outcome: Array | str, items: tuple[str, ...]
) -> tuple[str, ...]:
    """The requirements that the operator's declaration says a case exercises, and further items.

    What forbids operands is exercised by the cases that it rejects, and of these, it alone. An item
    that another part of the document states, but not this one, is none of this part.

    :raises UserError: when the registry does not have one of them.
    """
    known, operator, document = requirements(), instance.operator, instance.document
    found, result = ([outcome], None) if isinstance(outcome, str) else ([], outcome)
    for item in (*_items(instance, call, result), *items):
        parts = {f"{part}.{item}" for part in operator.documents.values()}
        if f"{document}.{item}" in known or parts.isdisjoint(known):
            found.append(f"{document}.{item}")
    for identifier in found:
        if identifier not in known:
            every = files().items()
            stating = (n for n, file in every for each in file.document if each.name == document)
            raise UserError(
                f"{FOLDER}/{next(stating, f'{document.lower()}.toml')}: there is no requirement "
                f"{identifier}: state it, or correct the declaration of {operator}"
            )
    return tuple(dict.fromkeys(found))


def _items(instance: Instance, call: Call, result: Array | None) -> Iterator[str]:
    operator = instance.operator
    if result is not None:
        lists = {each.item for each in operator.definition.restrictions if each.extended}
        beyond = lists if instance.extension else set()
        yield from (item for item in operator.always if item not in beyond)
        if result.size:
            yield from operator.computed
    yield from operator.also(call, result)


def _examples(instance: Instance) -> Iterator[CaseOperands]:
    names = {type_.name for type_ in instance.types}
    for example in instance.operator.examples:
        listed = not example.types or names <= example.types
        if listed and instance.types[0].family in example.families:
            arrays = _each(instance, example.operands, _counted)
            yield CaseOperands(CaseClass.EXAMPLE, arrays, example.attributes, (example.item,))


def _arranged(instance: Instance, seed: int) -> Iterator[CaseOperands]:
    """Small numbers, boundaries, special values and any numbers in each arrangement."""
    sources, names = Maker(instance, seed).chance, {type_.name for type_ in instance.types}
    every = [x for x in instance.operator.arrangements if not x.types or names <= x.types]
    drawn = sum(not x.broken and any(isinstance(y, tuple) for y in x.operands) for x in every)
    rounds = min(_ROUNDS, ceil(_CASES / max(drawn, 1)))
    for arrangement in every:
        for case_class, draw in _fillings(instance, arrangement, rounds):
            make = partial(_filled, draw, sources[case_class])
            arrays = _each(instance, arrangement.operands, make)
            yield CaseOperands(case_class, arrays, arrangement.attributes)


def _fillings(
    instance: Instance, arrangement: Arrangement, rounds: int
) -> list[tuple[CaseClass, elements.Draw]]:
    shapes = [each for each in arrangement.operands if isinstance(each, tuple)]
    if arrangement.broken:
        return [(CaseClass.REJECTED, _small)]
    if any(0 in shape for shape in shapes):
        return [(CaseClass.ZERO_SIZE, _small)]
    found: list[tuple[CaseClass, elements.Draw]]
    found = [(CaseClass.RANK_0 if shapes and not any(shapes) else CaseClass.NOMINAL, _small)]
    if shapes:
        found += [(CaseClass.BOUNDARY, _boundary)] * rounds
        if any(type_.family is Family.FLOAT for type_ in instance.types):
            found += [(CaseClass.SPECIAL, _special)] * rounds
        found += [(CaseClass.RANDOM, elements.any_element)] * rounds
    return found


def _small(type_: ElementType, chance: Random) -> Any:
    return elements.element(type_, elements.small_number(type_, chance))


def _boundary(type_: ElementType, chance: Random) -> Any:
    return chance.choice(elements.boundaries(type_))


def _special(type_: ElementType, chance: Random) -> Any:
    return chance.choice(elements.special_values(type_))


def _filled(draw: elements.Draw, chance: Random, type_: ElementType, written: Any) -> Array:
    if not isinstance(written, tuple):
        return elements.of_numbers(type_, written)
    return elements.array(type_, [draw(type_, chance) for _ in range(prod(written))], written)


def _each(
    instance: Instance, written: tuple[Any, ...], make: Callable[[ElementType, Any], Array]
) -> tuple[Array | None, ...]:
    pairs = zip(instance.operator.ports(len(written)), written, strict=False)
    return tuple(x if x is None else make(instance.type_of(port), x) for (_, port), x in pairs)


def _counted(type_: ElementType, written: Any) -> Array:
    """Of a shape 1, 2, … 11, and again."""
    if not isinstance(written, tuple):
        return elements.of_numbers(type_, written)
    numbers = np.arange(prod(written)) % elements.GREATEST_SMALL + 1
    return elements.of_numbers(type_, numbers.tolist()).reshape(written)
