"""Operands: how they stand in the places of inputs, and what they are there for."""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod, trunc
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Instance, Operator, Presence
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import Shape, array, element, of_numbers, small_number

Elements = tuple[Any, ...]
"""One of each operand, as `array` takes them."""
Chance = Callable[[CaseClass], random.Random]
"""Gives each class a source of random numbers of its own."""

SHAPES_OF_16: tuple[Shape, ...] = ((16,), (4, 4), (2, 2, 4), (8, 2), (1, 4, 1, 4), (2, 2, 2, 2))
"""Shapes of 16 elements, for elements whose place does not matter."""
_MOST_DRAWS = 10_000


@dataclass(frozen=True, eq=False)
class CaseOperands:
    """A case without its result."""

    case_class: CaseClass
    arrays: tuple[Array | None, ...]
    """None where an optional operand is left out."""
    attributes: Attributes = UNSET
    items: tuple[str, ...] = ()
    """Those of the document that the case exercises besides what is declared of all cases."""


class WrongDeclarationError(UserError):
    """What is declared of an operator does not fit what it is declared for."""

    def __init__(self, operator: Operator, what: str) -> None:
        super().__init__(f"the declaration of {operator} in sonnx_formal/spec/operators: {what}")


@dataclass(frozen=True)
class Places:
    """One way to fill the inputs: with or without optional ones, with so many variadic ones."""

    inputs: tuple[ElementType | None, ...]
    """None where an operand is left out."""

    @property
    def types(self) -> tuple[ElementType, ...]:
        """Those of the operands that are there."""
        return tuple(type_ for type_ in self.inputs if type_ is not None)

    def operands(
        self, case_class: CaseClass, arrays: Iterable[Array], attributes: Attributes = UNSET
    ) -> CaseOperands:
        """The arrays, one for each operand that is there."""
        given = iter(arrays)
        placed = tuple(None if type_ is None else next(given) for type_ in self.inputs)
        return CaseOperands(case_class, placed, attributes)

    def of_elements(
        self, case_class: CaseClass, block: Sequence[Elements], shape: Shape
    ) -> CaseOperands:
        """Operands of one shape, the elements in row-major order."""
        columns = ([each[k] for each in block] for k in range(len(self.types)))
        made = (array(*each, shape) for each in zip(self.types, columns, strict=True))
        return self.operands(case_class, made)

    def blocks(self, case_class: CaseClass, waiting: Iterable[Elements]) -> Iterator[CaseOperands]:
        """Operands of 16 elements each, in shapes that take turns; of fewer at the end."""
        shapes, left = itertools.cycle(SHAPES_OF_16), iter(waiting)
        while block := list(itertools.islice(left, 16)):
            shape = next(shapes)
            fitting = shape if prod(shape) == len(block) else (len(block),)
            yield self.of_elements(case_class, block, fitting)


@cache
def all_places(instance: Instance) -> tuple[Places, ...]:
    """Every way to fill the inputs: first with all optional operands, and two variadic ones."""
    choices: list[list[tuple[ElementType | None, ...]]] = []
    for input_ in instance.operator.inputs:
        type_ = instance.type_of(input_)
        match input_.presence:
            case Presence.REQUIRED:
                choices.append([(type_,)])
            case Presence.OPTIONAL:
                choices.append([(type_,), (None,)])
            case Presence.VARIADIC:
                choices.append([(type_,) * count for count in (2, 1, 3)])
    return tuple(Places(tuple(itertools.chain(*each))) for each in itertools.product(*choices))


def rows(values: Sequence[Sequence[Any]]) -> Iterator[list[Elements]]:
    """Each value of each operand with each of each other one; a row for each of the first.

    Of three operands and more, the values of two are gone through, and those of the others take
    turns beside them, so that these meet them, too.
    """
    if len(values) == 1:
        yield [(value,) for value in values[0]]
        return
    first, second, *others = sorted(range(len(values)), key=lambda k: -len(values[k]))
    for i, value in enumerate(values[first]):
        row = []
        for j, other in enumerate(values[second]):
            turns = {k: values[k][(i + m * j) % len(values[k])] for m, k in enumerate(others, 1)}
            placed = {first: value, second: other, **turns}
            row.append(tuple(placed[k] for k in range(len(values))))
        yield row


def class_of(instance: Instance, elements: Elements) -> CaseClass | None:
    """The class of elements by their exact result; None where they have none.

    Floating-point elements are sorted by other means: here, all but hazards are boundaries.
    """
    operator = instance.operator
    if elements in hazards(instance):
        return CaseClass.HAZARD
    types = all_places(instance)[0].types
    if operator.exact is None or any(type_.family is Family.FLOAT for type_ in types):
        return CaseClass.BOUNDARY
    result = operator.exact(*map(Fraction, elements))
    output = instance.type_of(operator.output)
    if result is None:
        extended = output.family is Family.REAL and operator.definition.extended_reals
        return CaseClass.SPECIAL if extended else None
    if output.family is Family.INTEGER:
        fits = output.bounds.min <= trunc(result) <= output.bounds.max
        return CaseClass.BOUNDARY if fits else CaseClass.WRAP
    return CaseClass.BOUNDARY


@cache
def hazards(instance: Instance) -> frozenset[Elements]:
    """The elements that are declared to be hazards."""
    types = all_places(instance)[0].types
    declared = instance.operator.hazards(instance.types)
    return frozenset(tuple(map(element, types, numbers)) for numbers in declared)


def hazard_operands(instance: Instance) -> Iterator[CaseOperands]:
    """Each hazard: alone, and among elements that are harmless."""
    places = all_places(instance)[0]
    harmless = whole_elements(places.types, (7, 2))
    for hazard in sorted(hazards(instance)):
        placed: list[tuple[list[Elements], Shape]] = [
            ([hazard], ()),
            ([hazard], (1,)),
            ([hazard, harmless], (2,)),
            ([harmless] * 5 + [hazard], (2, 3)),
            ([harmless] * 40 + [hazard] + [harmless] * 23, (64,)),
        ]
        for block, shape in placed:
            yield places.of_elements(CaseClass.HAZARD, block, shape)


def whole_elements(types: Sequence[ElementType], numbers: tuple[int, int]) -> Elements:
    """Two whole numbers in turns, as many as there are operands."""
    return tuple(element(type_, numbers[k % 2]) for k, type_ in enumerate(types))


def accepts(instance: Instance, elements: Elements) -> bool:
    """Whether elements have a result of the type, be it wrapped around, and are no hazard."""
    return class_of(instance, elements) in {CaseClass.BOUNDARY, CaseClass.WRAP}


def small_operands(
    instance: Instance, places: Places, shapes: Sequence[Shape], chance: random.Random
) -> list[Array]:
    """An array of small whole numbers of each shape; the result is defined for any of them."""
    exact = instance.operator.exact

    def is_defined(numbers: Elements) -> bool:
        every = len(numbers) == len(all_places(instance)[0].types)
        return exact is None or not every or exact(*map(Fraction, numbers)) is not None

    drawn = filled(
        instance, places.types, shapes, lambda type_: small_number(type_, chance), is_defined
    )
    made = map(of_numbers, places.types, drawn)
    return [array_.reshape(shape) for array_, shape in zip(made, shapes, strict=True)]


def filled(
    instance: Instance,
    types: Sequence[ElementType],
    shapes: Sequence[Shape],
    draw: Callable[[ElementType], Any],
    goes: Callable[[Elements], bool],
) -> list[list[Any]]:
    """Elements for each shape, so drawn that all go together that may meet.

    :raises WrongDeclarationError: when there seem to be none.
    """
    choosy = instance.operator.exact is not None or bool(hazards(instance))
    made: list[list[Any]] = []
    before: set[Elements] = {()}
    for type_, shape in zip(types, shapes, strict=True):
        last = len(made) + 1 == len(types)
        elements: list[Any] = []
        draws = 0
        while len(elements) < prod(shape):
            element_ = draw(type_)
            if not (choosy and last) or all(goes((*others, element_)) for others in before):
                elements.append(element_)
            elif (draws := draws + 1) > _MOST_DRAWS:
                raise WrongDeclarationError(instance.operator, "`exact` has hardly any results")
        made.append(elements)
        before = (
            {(*others, each) for others in before for each in set(elements)} if choosy else {()}
        )
    return made
