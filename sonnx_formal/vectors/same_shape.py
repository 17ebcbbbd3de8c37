"""Operands of one shape for operators that work element by element, class by class."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from math import prod

from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import (
    Shape,
    any_element,
    boundaries,
    element,
    special_values,
)
from sonnx_formal.vectors.floats import FloatPairs, Pair
from sonnx_formal.vectors.operands import (
    Chance,
    Elements,
    Operands,
    all_places,
    class_of,
    hazards,
    rows,
    small_operands,
)

_NOMINAL_SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (2, 3, 4), (1, 2, 1, 3), (2,) * 5)
_ZERO_SIZE_SHAPES: tuple[Shape, ...] = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (1, 0, 1, 5))
_RANDOM_SHAPES: tuple[Shape, ...] = ((64,), (7,), (5, 9), (3, 4, 5), (1, 1, 33), (2, 3, 2, 3))
_RANK_0 = ((6, 3), (0, 7), (1, 1), (11, 2))
_HARMLESS = (7, 2)
_ROUNDS = 3
"""So often are the random shapes gone through."""
_TUPLES = 12 * 16
"""So many constructed elements a class."""
_MOST_DRAWS = 100 * _TUPLES


def operands_of_one_shape(
    instance: Instance, attributes: Attributes, chance: Chance
) -> Iterator[Operands]:
    """All operands of an element-wise operator but the examples."""
    made = _OneShape(instance, attributes, chance)
    yield from made.plain()
    if made.floats:
        yield from made.of_floats()
    else:
        yield from made.of_exact_types()


class _OneShape:
    def __init__(self, instance: Instance, attributes: Attributes, chance: Chance) -> None:
        self._instance = instance
        self._attributes = attributes
        self._chance = chance
        self._places = all_places(instance)[0]
        self._types = self._places.types
        self.floats = any(type_.family is Family.FLOAT for type_ in self._types)

    def plain(self) -> Iterator[Operands]:
        """Small numbers, and no numbers at all, in every way to fill the inputs."""
        nominal = self._chance(CaseClass.NOMINAL)
        for places in all_places(self._instance):
            count = len(places.types)
            for shape in _NOMINAL_SHAPES:
                small = small_operands(self._instance, places, [shape] * count, nominal)
                yield places.operands(CaseClass.NOMINAL, small, self._attributes)
            for shape in _ZERO_SIZE_SHAPES:
                yield places.of_elements(CaseClass.ZERO_SIZE, [], shape, self._attributes)
        for numbers in _RANK_0:
            whole = self._whole(numbers)
            if self._accepts(whole):
                yield self._of(CaseClass.RANK_0, [whole], ())

    def of_exact_types(self) -> Iterator[Operands]:
        """Integers, fractions and truth values: sorted by what is declared of their result."""
        every = list(itertools.chain(*rows([boundaries(type_) for type_ in self._types])))
        for case_class in (CaseClass.BOUNDARY, CaseClass.WRAP, CaseClass.SPECIAL):
            mine = [each for each in every if class_of(self._instance, each) is case_class]
            yield from self._blocks(case_class, mine)
            if mine and case_class is CaseClass.WRAP:
                drawn = itertools.islice(self._drawn(CaseClass.WRAP), _MOST_DRAWS)
                wrapping = (
                    each for each in drawn if class_of(self._instance, each) is CaseClass.WRAP
                )
                yield from self._blocks(CaseClass.WRAP, itertools.islice(wrapping, _TUPLES))
        yield from self._hazards()
        yield from self._random(filter(self._accepts, self._drawn(CaseClass.RANDOM)))

    def of_floats(self) -> Iterator[Operands]:
        """Floating-point numbers, be they among others, at which arithmetic may go wrong."""
        for case_class, values in (
            (CaseClass.BOUNDARY, boundaries),
            (CaseClass.SPECIAL, special_values),
        ):
            for row in rows([values(type_) for type_ in self._types]):
                block = list(filter(self._accepts, row))
                yield self._of(case_class, block, (len(block),))
        if len(self._types) == 2 and len(set(self._types)) == 1:  # noqa: PLR2004 (as declared)
            yield from self._of_float_pairs()
        for numbers in self._float_ranks_0():
            yield self._of(CaseClass.RANK_0, [numbers], ())
        yield from self._hazards()
        source = self._chance(CaseClass.RANDOM)
        ordinary = (
            tuple(
                FloatPairs(type_.format, source).ordinary()
                if type_.family is Family.FLOAT
                else any_element(type_, source)
                for type_ in self._types
            )
            for _ in itertools.count()
        )
        anything = (
            tuple(any_element(type_, source) for type_ in self._types) for _ in itertools.count()
        )
        yield from self._random(filter(self._accepts, ordinary))
        yield from self._random(filter(self._accepts, anything))

    def _of_float_pairs(self) -> Iterator[Operands]:
        arithmetic, form = self._instance.operator.arithmetic, self._types[0].format

        def drawn(
            case_class: CaseClass, *makes: Callable[[FloatPairs], Pair]
        ) -> Iterator[Operands]:
            source = FloatPairs(form, self._chance(case_class))
            pairs = (make(source) for _ in range(_TUPLES // len(makes)) for make in makes)
            return self._blocks(case_class, pairs)

        match arithmetic:
            case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
                return
            case Arithmetic.SUM | Arithmetic.DIFFERENCE:
                yield from drawn(
                    CaseClass.CANCELLATION, lambda source: source.cancelling(arithmetic)
                )
            case Arithmetic.PRODUCT | Arithmetic.QUOTIENT:
                pass
        yield from drawn(CaseClass.TIE, lambda source: source.tie(arithmetic))
        yield from drawn(
            CaseClass.SUBNORMAL,
            lambda source: source.near_underflow(arithmetic),
            lambda source: source.with_subnormal(arithmetic),
            lambda source: (source.subnormal(), source.subnormal()),
        )
        yield from drawn(CaseClass.OVERFLOW, lambda source: source.near_overflow(arithmetic))

    def _float_ranks_0(self) -> Iterator[Elements]:
        """-0, infinity, a subnormal number, NaN; each beside another number."""
        for number in range(4):
            chosen = []
            for k, type_ in enumerate(self._types):
                if type_.family is not Family.FLOAT:
                    chosen.append(element(type_, 1))
                    continue
                form = type_.format
                first = (form.sign, form.infinity, 1, form.nan)
                second = (form.one, 0, form.one - 1, 0)
                chosen.append((first, second)[k % 2][number])
            yield tuple(chosen)

    def _hazards(self) -> Iterator[Operands]:
        """Each hazard: alone, and among elements that are harmless."""
        harmless = self._whole(_HARMLESS)
        for hazard in sorted(hazards(self._instance)):
            placed: list[tuple[list[Elements], Shape]] = [
                ([hazard], ()),
                ([hazard], (1,)),
                ([hazard, harmless], (2,)),
                ([harmless] * 5 + [hazard], (2, 3)),
                ([harmless] * 40 + [hazard] + [harmless] * 23, (64,)),
            ]
            for block, shape in placed:
                yield self._of(CaseClass.HAZARD, block, shape)

    def _whole(self, numbers: tuple[int, int]) -> Elements:
        """Whole numbers, as many as there are operands."""
        return tuple(element(type_, numbers[k % 2]) for k, type_ in enumerate(self._types))

    def _accepts(self, elements: Elements) -> bool:
        """Whether the result is an element, and no hazard."""
        return class_of(self._instance, elements) in {CaseClass.BOUNDARY, CaseClass.WRAP}

    def _drawn(self, case_class: CaseClass) -> Iterator[Elements]:
        source = self._chance(case_class)
        while True:
            yield tuple(any_element(type_, source) for type_ in self._types)

    def _random(self, drawn: Iterator[Elements]) -> Iterator[Operands]:
        for shape in _RANDOM_SHAPES * _ROUNDS:
            yield self._of(CaseClass.RANDOM, list(itertools.islice(drawn, prod(shape))), shape)

    def _blocks(self, case_class: CaseClass, waiting: Iterable[Elements]) -> Iterator[Operands]:
        return self._places.blocks(case_class, waiting, self._attributes)

    def _of(self, case_class: CaseClass, block: list[Elements], shape: Shape) -> Operands:
        return self._places.of_elements(case_class, block, shape, self._attributes)
