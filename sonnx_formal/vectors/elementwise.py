"""Operands of Mul and Div, class by class."""

import itertools
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod

import numpy as np

from sonnx_formal.vectors.arrays import Operands, Pair, Shape, array, of_pairs, paired
from sonnx_formal.vectors.case import CaseClass, Operator
from sonnx_formal.vectors.floats import FORMATS, FloatPairs, boundaries, special_values
from sonnx_formal.vectors.integers import IntegerRange, integer_range
from sonnx_formal.vectors.reals import BOUNDARIES, any_fraction
from sonnx_formal.vectors.small import small_numbers, whole_numbers

Chance = Callable[[CaseClass], random.Random]

_NOMINAL_SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (2, 3, 4), (1, 2, 1, 3), (2,) * 5)
_ZERO_SIZE_SHAPES: tuple[Shape, ...] = ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (1, 0, 1, 5))
_RANDOM_SHAPES: tuple[Shape, ...] = ((64,), (7,), (5, 9), (3, 4, 5), (1, 1, 33), (2, 3, 2, 3))
_ROUNDS = 3
"""So often are the random shapes gone through."""
_PAIRS = 12 * 16
"""So many constructed pairs a class."""


def elementwise_operands(
    operator: Operator, element_type: str, chance: Chance
) -> Iterator[Operands]:
    """All operands of Mul or Div over one type but the examples.

    :param chance: gives each class a source of random numbers of its own.
    """
    yield from _of_every_type(operator, element_type, chance)
    numbers = integer_range(element_type)
    if numbers:
        yield from _integers(operator, element_type, numbers, chance)
    elif element_type == "real":
        yield from _reals(operator, chance)
    else:
        yield from _floats(operator, element_type, chance)


def _of_every_type(operator: Operator, element_type: str, chance: Chance) -> Iterator[Operands]:
    divides = operator is Operator.DIV
    nominal = chance(CaseClass.NOMINAL)
    for shape in _NOMINAL_SHAPES:
        a = small_numbers(element_type, shape, nominal)
        b = small_numbers(element_type, shape, nominal, zero=not divides)
        yield Operands(CaseClass.NOMINAL, a, b)
    for shape in _ZERO_SIZE_SHAPES:
        empty = array(element_type, [], shape)
        yield Operands(CaseClass.ZERO_SIZE, empty, empty.copy())
    for a_number, b_number in [(6, 3), (0, 7), (1, 1), (11, 2)]:
        a, b = (whole_numbers(element_type, [one], ()) for one in (a_number, b_number))
        yield Operands(CaseClass.RANK_0, a, b)


def _integers(
    operator: Operator, element_type: str, numbers: IntegerRange, chance: Chance
) -> Iterator[Operands]:
    def tensors(case_class: CaseClass, pairs: Iterator[Pair]) -> Iterator[Operands]:
        return paired(element_type, case_class, pairs)

    every = list(itertools.product(numbers.boundaries(), numbers.boundaries()))
    if operator is Operator.MUL:
        yield from tensors(CaseClass.BOUNDARY, (pair for pair in every if prod(pair) in numbers))
        yield from tensors(CaseClass.WRAP, (pair for pair in every if prod(pair) not in numbers))
        drawn = _pairs_of_integers(numbers, chance(CaseClass.WRAP))
        wrapping = (pair for pair in drawn if prod(pair) not in numbers)
        yield from tensors(CaseClass.WRAP, itertools.islice(wrapping, _PAIRS))
    else:
        yield from tensors(CaseClass.BOUNDARY, (pair for pair in every if numbers.divides(*pair)))
        if numbers.signed:
            yield from _hazards(element_type, numbers)
    source = chance(CaseClass.RANDOM)
    pairs = _pairs_of_integers(numbers, source)
    if operator is Operator.DIV:
        pairs = (pair for pair in pairs if numbers.divides(*pair))
    yield from _random(element_type, pairs)


def _hazards(element_type: str, numbers: IntegerRange) -> Iterator[Operands]:
    """The least number divided by -1: alone, and among quotients that are harmless."""
    hazard, harmless = (numbers.least, -1), (7, 2)
    placed: list[tuple[list[Pair], Shape]] = [
        ([hazard], ()),
        ([hazard], (1,)),
        ([hazard, harmless], (2,)),
        ([harmless] * 5 + [hazard], (2, 3)),
        ([harmless] * 40 + [hazard] + [harmless] * 23, (64,)),
    ]
    for pairs, shape in placed:
        yield of_pairs(element_type, CaseClass.HAZARD, pairs, shape)


def _pairs_of_integers(numbers: IntegerRange, chance: random.Random) -> Iterator[Pair]:
    while True:
        yield numbers.any_number(chance), numbers.any_number(chance)


def _reals(operator: Operator, chance: Chance) -> Iterator[Operands]:
    zeros = [Fraction(0)] if operator is Operator.DIV else []
    every = itertools.product(BOUNDARIES, BOUNDARIES)
    yield from paired("real", CaseClass.BOUNDARY, (pair for pair in every if pair[1] not in zeros))
    if zeros:
        yield from paired("real", CaseClass.SPECIAL, itertools.product(BOUNDARIES, zeros))
    source = chance(CaseClass.RANDOM)
    drawn = iter(lambda: (any_fraction(source), any_fraction(source)), None)
    yield from _random("real", (pair for pair in drawn if pair[1] not in zeros))


def _floats(operator: Operator, element_type: str, chance: Chance) -> Iterator[Operands]:
    form = FORMATS[element_type]

    def drawn(case_class: CaseClass, *makes: Callable[[FloatPairs], Pair]) -> Iterator[Operands]:
        source = FloatPairs(form, chance(case_class))
        pairs = (make(source) for _ in range(_PAIRS // len(makes)) for make in makes)
        return paired(element_type, case_class, pairs)

    for case_class, values in [
        (CaseClass.BOUNDARY, boundaries(form)),
        (CaseClass.SPECIAL, special_values(form)),
    ]:
        for a in values:
            pairs = [(a, b) for b in values]
            yield of_pairs(element_type, case_class, pairs, (len(pairs),))
    yield from drawn(CaseClass.TIE, lambda source: source.tie(operator))
    yield from drawn(
        CaseClass.SUBNORMAL,
        lambda source: source.near_underflow(operator),
        lambda source: source.with_subnormal(operator),
        lambda source: (source.subnormal(), source.subnormal()),
    )
    yield from drawn(CaseClass.OVERFLOW, lambda source: source.near_overflow(operator))
    for pair in [(form.sign, form.one), (form.infinity, 0), (1, form.one - 1), (form.nan, 0)]:
        yield of_pairs(element_type, CaseClass.RANK_0, [pair], ())
    source = FloatPairs(form, chance(CaseClass.RANDOM))
    ordinary = iter(lambda: (source.ordinary(), source.ordinary()), None)
    yield from _random(element_type, ordinary)
    yield from _random(element_type, iter(lambda: (source.any_number(), source.any_number()), None))


def _random(element_type: str, pairs: Iterator[Pair]) -> Iterator[Operands]:
    for shape in _RANDOM_SHAPES * _ROUNDS:
        block = list(itertools.islice(pairs, int(np.prod(shape))))
        yield of_pairs(element_type, CaseClass.RANDOM, block, shape)
