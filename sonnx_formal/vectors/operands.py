"""Operands: how they stand in the places of inputs; those of one shape, class by class."""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod, trunc
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator, Presence
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.elements import (
    Draw,
    FloatPairs,
    Pair,
    Shape,
    any_element,
    array,
    boundaries,
    element,
    of_numbers,
    ordinary_element,
    small_number,
    special_values,
)

Elements = tuple[Any, ...]
"""One of each operand, as `array` takes them."""
_SHAPES_OF_16: tuple[Shape, ...] = ((16,), (4, 4), (2, 2, 4), (8, 2), (1, 4, 1, 4), (2, 2, 2, 2))
"""Shapes of 16 elements, for elements whose place does not matter."""
_AMONG: tuple[tuple[int, int, Shape], ...]
_AMONG = ((0, 0, ()), (0, 0, (1,)), (0, 1, (2,)), (5, 0, (2, 3)), (40, 23, (64,)))
"""How many harmless elements are before and after a hazard, and the shape of them all."""
_MOST_DRAWS = 10_000
NOMINAL_SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (2, 3, 4), (1, 2, 1, 3), (2,) * 5)
ZERO_SIZE_SHAPES: tuple[Shape, ...] = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (1, 0, 1, 5))
RANDOM_SHAPES: tuple[Shape, ...] = ((64,), (7,), (5, 9), (3, 4, 5), (1, 1, 33), (2, 3, 2, 3))
_RANK_0 = ((6, 3), (0, 7), (1, 1), (11, 2))
_ROUNDS = 3
"""So often are the random shapes gone through."""
_TUPLES = 12 * 16
"""So many constructed elements a class."""


@dataclass(frozen=True, eq=False)
class CaseOperands:
    """A case without its result."""

    case_class: CaseClass
    arrays: tuple[Array | None, ...]
    """None where an optional operand is left out."""
    attributes: Attributes = UNSET
    items: tuple[str, ...] = ()
    """Those of the document that the case exercises besides what is declared of all cases."""


def with_attributes(attributes: Attributes, made: Iterable[CaseOperands]) -> Iterator[CaseOperands]:
    return (replace(each, attributes=attributes) for each in made)


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
        return tuple(type_ for type_ in self.inputs if type_ is not None)

    def operands(
        self, case_class: CaseClass, arrays: Iterable[Array], attributes: Attributes = UNSET
    ) -> CaseOperands:
        given = iter(arrays)
        placed = tuple(next(given) if type_ else None for type_ in self.inputs)
        return CaseOperands(case_class, placed, attributes)

    def of_elements(
        self, case_class: CaseClass, block: Sequence[Elements], shape: Shape
    ) -> CaseOperands:
        """Operands of one shape, the elements in row-major order."""
        columns = ([each[k] for each in block] for k in range(len(self.types)))
        return self.operands(case_class, map(array, self.types, columns, itertools.repeat(shape)))

    def blocks(self, case_class: CaseClass, waiting: Iterable[Elements]) -> Iterator[CaseOperands]:
        """Operands of 16 elements each, in shapes that take turns; of fewer at the end."""
        left = iter(waiting)
        for shape in itertools.cycle(_SHAPES_OF_16):
            if not (block := list(itertools.islice(left, 16))):
                return
            fitting = shape if prod(shape) == len(block) else (len(block),)
            yield self.of_elements(case_class, block, fitting)


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


def whole_elements(types: Sequence[ElementType], numbers: tuple[int, int]) -> Elements:
    return tuple(map(element, types, itertools.cycle(numbers)))


class Maker:
    """Makes operands for an instance, but its examples: each class by a chance of its own."""

    def __init__(self, instance: Instance, seed: int) -> None:
        self.instance, self.operator = instance, instance.operator
        label = f"{seed} {self.operator} {instance.label}"
        self.chance = {each: random.Random(f"{label} {each}") for each in CaseClass}
        self.ways = all_places(instance)
        self.places = self.ways[0]
        self.types = self.places.types
        declared = self.operator.hazards(instance.types)
        self.hazards = {tuple(map(element, self.types, numbers)) for numbers in declared}

    def class_of(self, elements: Elements) -> CaseClass | None:
        """The class of elements by their exact result; None where they have none.

        Floating-point elements are sorted by other means: here, all but hazards are boundaries.
        """
        if elements in self.hazards:
            return CaseClass.HAZARD
        exact, output = self.operator.exact, self.instance.type_of(self.operator.output)
        if exact is None or any(type_.family is Family.FLOAT for type_ in self.types):
            return CaseClass.BOUNDARY
        result = exact(*map(Fraction, elements))
        if result is None:
            extended = output.family is Family.REAL and self.operator.definition.extended_reals
            return CaseClass.SPECIAL if extended else None
        whole = output.family is Family.INTEGER
        fits = not whole or output.bounds.min <= trunc(result) <= output.bounds.max
        return CaseClass.BOUNDARY if fits else CaseClass.WRAP

    def accepts(self, elements: Elements) -> bool:
        """Whether elements have a result of the type, be it wrapped around, and are no hazard."""
        return self.class_of(elements) in {CaseClass.BOUNDARY, CaseClass.WRAP}

    def of_hazards(self) -> Iterator[CaseOperands]:
        harmless = whole_elements(self.types, (7, 2))
        for hazard, (before, after, shape) in itertools.product(sorted(self.hazards), _AMONG):
            block = [harmless] * before + [hazard] + [harmless] * after
            yield self.places.of_elements(CaseClass.HAZARD, block, shape)

    def small(
        self,
        case_class: CaseClass,
        shapes: Sequence[Shape],
        attributes: Attributes = UNSET,
        *,
        places: Places | None = None,
        chance: random.Random | None = None,
    ) -> CaseOperands:
        """Of small numbers, for which there is a result; what has no shape has one element."""
        exact, places = self.operator.exact, places or self.places

        def is_defined(numbers: Elements) -> bool:
            some = len(numbers) < len(self.types)
            return exact is None or some or exact(*map(Fraction, numbers)) is not None

        drawn = self.filled(
            places.types, shapes, small_number, chance or self.chance[case_class], is_defined
        )
        arrays = (of_numbers(type_, numbers).reshape(shape) for type_, numbers, shape in drawn)
        return places.operands(case_class, arrays, attributes)

    def filled(
        self,
        types: Sequence[ElementType],
        shapes: Sequence[Shape],
        draw: Draw,
        chance: random.Random,
        goes: Callable[[Elements], bool],
    ) -> Iterator[tuple[ElementType, list[Any], Shape]]:
        """Elements for each shape, so drawn that all go together that may meet.

        :raises WrongDeclarationError: when there seem to be none.
        """
        choosy = self.operator.exact is not None or bool(self.hazards)
        made: list[list[Any]] = []
        for type_, shape in zip(types, itertools.chain(shapes, itertools.repeat(())), strict=False):
            last = len(made) + 1 == len(types)  # the last ones have to go with all of the others
            others = set(itertools.product(*map(set, made))) if choosy and last else set()
            drawn = (draw(type_, chance) for _ in range(_MOST_DRAWS + prod(shape)))
            fitting = (each for each in drawn if all(goes((*other, each)) for other in others))
            made.append(list(itertools.islice(fitting, prod(shape))))
            if len(made[-1]) < prod(shape):
                raise WrongDeclarationError(self.operator, "`exact` has hardly any results")
            yield type_, made[-1], shape


class OneShape(Maker):
    def all(self) -> Iterator[CaseOperands]:
        yield from self._plain()
        floats = any(type_.family is Family.FLOAT for type_ in self.types)
        yield from self._of_floats() if floats else self._of_exact_types()

    def _plain(self) -> Iterator[CaseOperands]:
        for places in self.ways:
            for shape in NOMINAL_SHAPES:
                yield self.small(CaseClass.NOMINAL, [shape] * len(places.types), places=places)
            for shape in ZERO_SIZE_SHAPES:
                yield places.of_elements(CaseClass.ZERO_SIZE, [], shape)
        for numbers in _RANK_0:
            whole = whole_elements(self.types, numbers)
            if self.accepts(whole):
                yield self.places.of_elements(CaseClass.RANK_0, [whole], ())

    def _of_exact_types(self) -> Iterator[CaseOperands]:
        """Integers, fractions and truth values: sorted by what is declared of their result."""
        every: dict[CaseClass | None, list[Elements]] = defaultdict(list)
        for each in itertools.chain(*rows([boundaries(type_) for type_ in self.types])):
            every[self.class_of(each)].append(each)
        for case_class in (CaseClass.BOUNDARY, CaseClass.WRAP, CaseClass.SPECIAL):
            mine = every[case_class]
            yield from self.places.blocks(case_class, mine)
            if mine and case_class is CaseClass.WRAP:
                some = dict.fromkeys(itertools.islice(self._drawn(case_class), 100 * _TUPLES))
                wraps = (each for each in some if self.class_of(each) is case_class)
                yield from self.places.blocks(case_class, itertools.islice(wraps, _TUPLES))
        yield from self.of_hazards()
        yield from self._random(any_element)

    def _of_floats(self) -> Iterator[CaseOperands]:
        kinds = (CaseClass.BOUNDARY, boundaries), (CaseClass.SPECIAL, special_values)
        for case_class, values in kinds:
            for row in rows([values(type_) for type_ in self.types]):
                block = list(filter(self.accepts, row))
                yield self.places.of_elements(case_class, block, (len(block),))
        if len(self.types) == 2 and len(set(self.types)) == 1:  # noqa: PLR2004 (as declared)
            yield from self._of_float_pairs()
        for special in zip(*map(_rank_0, self.types, itertools.cycle((True, False))), strict=True):
            yield self.places.of_elements(CaseClass.RANK_0, [special], ())
        yield from self.of_hazards()
        for draw in (ordinary_element, any_element):
            yield from self._random(draw)

    def _of_float_pairs(self) -> Iterator[CaseOperands]:
        arithmetic, form = self.operator.arithmetic, self.types[0].format

        def drawn(
            case_class: CaseClass, *makes: Callable[[FloatPairs], Pair]
        ) -> Iterator[CaseOperands]:
            source = FloatPairs(form, self.chance[case_class], arithmetic)
            pairs = (make(source) for _ in range(_TUPLES // len(makes)) for make in makes)
            return self.places.blocks(case_class, pairs)

        match arithmetic:
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.EXACT | Arithmetic.COPY | Arithmetic.OTHER:
                return
            case Arithmetic.SUM | Arithmetic.DIFFERENCE:
                yield from drawn(CaseClass.CANCELLATION, FloatPairs.cancelling)
            case Arithmetic.PRODUCT | Arithmetic.QUOTIENT:
                pass
        yield from drawn(CaseClass.TIE, FloatPairs.tie)
        least = FloatPairs.near_underflow, FloatPairs.with_subnormal, FloatPairs.both_subnormal
        yield from drawn(CaseClass.SUBNORMAL, *least)
        yield from drawn(CaseClass.OVERFLOW, FloatPairs.near_overflow)

    def _drawn(self, case_class: CaseClass, draw: Draw = any_element) -> Iterator[Elements]:
        while True:
            yield tuple(draw(type_, self.chance[case_class]) for type_ in self.types)

    def _random(self, draw: Draw) -> Iterator[CaseOperands]:
        drawn = filter(self.accepts, self._drawn(CaseClass.RANDOM, draw))
        for shape in RANDOM_SHAPES * _ROUNDS:
            block = list(itertools.islice(drawn, prod(shape)))
            yield self.places.of_elements(CaseClass.RANDOM, block, shape)


def _rank_0(type_: ElementType, first: bool) -> tuple[Any, ...]:
    """-0, infinity, a subnormal number, NaN; or the numbers that stand beside them."""
    if type_.family is not Family.FLOAT:
        return (element(type_, 1),) * 4
    form = type_.format
    return (form.sign, form.infinity, 1, form.nan) if first else (form.one, 0, form.one - 1, 0)
