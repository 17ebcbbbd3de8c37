"""Operands of MatMul, class by class."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sonnx_formal.vectors.arrays import Operands, Pair, array
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.floats import FORMATS, FloatPairs, boundaries, special_values
from sonnx_formal.vectors.integers import IntegerRange, integer_range
from sonnx_formal.vectors.reals import BOUNDARIES, any_fraction
from sonnx_formal.vectors.small import small_numbers, whole_numbers
from sonnx_formal.vectors.sums import sum_operands

Chance = Callable[[CaseClass], random.Random]
Sizes = tuple[int, int, int]
"""Rows of A, columns of A, columns of B."""

_NOMINAL: tuple[Sizes, ...] = (
    (1, 1, 1),
    (2, 2, 2),
    (2, 3, 4),
    (4, 3, 2),
    (1, 5, 1),
    (5, 1, 5),
    (1, 4, 6),
    (6, 4, 1),
    (3, 7, 5),
)
_ZERO_SIZE: tuple[Sizes, ...] = (
    (2, 0, 3),
    (1, 0, 1),
    (0, 3, 2),
    (2, 3, 0),
    (0, 0, 0),
    (0, 0, 4),
    (0, 2, 0),
    (3, 0, 0),
)
_RANDOM: tuple[Sizes, ...] = ((3, 4, 5), (1, 33, 1), (8, 8, 8), (2, 17, 3), (7, 2, 9), (1, 1, 1))
_ROUNDS = 3
_CASES = 12
"""So many constructed cases a class."""


def matrix_operands(element_type: str, chance: Chance) -> Iterator[Operands]:
    """All operands of MatMul over one type but the examples.

    :param chance: gives each class a source of random numbers of its own.
    """
    source = chance(CaseClass.NOMINAL)
    for rows, inner, columns in _NOMINAL:
        a = small_numbers(element_type, (rows, inner), source)
        b = small_numbers(element_type, (inner, columns), source)
        yield Operands(CaseClass.NOMINAL, a, b)
    for rows, inner, columns in _ZERO_SIZE:
        a = small_numbers(element_type, (rows, inner), source)
        b = small_numbers(element_type, (inner, columns), source)
        yield Operands(CaseClass.ZERO_SIZE, a, b)
    numbers = integer_range(element_type)
    if numbers:
        yield from _integers(element_type, numbers, chance)
    elif element_type == "real":
        yield from _reals(chance)
    else:
        yield from _floats(element_type, chance)
        yield from sum_operands(element_type, chance)


def _integers(element_type: str, numbers: IntegerRange, chance: Chance) -> Iterator[Operands]:
    every = numbers.boundaries()
    for number in every:
        partners = [other for other in every if number + other in numbers]
        yield _sums(element_type, CaseClass.BOUNDARY, [(number, other) for other in partners])
        wraps = any(number * other not in numbers for other in every)
        case_class = CaseClass.WRAP if wraps else CaseClass.BOUNDARY
        yield _products(element_type, case_class, [number], every)
        beyond = [(number, other) for other in every if number + other not in numbers]
        if beyond:
            yield _sums(element_type, CaseClass.WRAP, beyond)
    # The sum leaves the range and comes back into it.
    down = -1 if numbers.signed else numbers.greatest
    back = [(numbers.greatest, 1, down), (down, numbers.greatest, 1), (1, numbers.greatest, down)]
    yield _sums(element_type, CaseClass.WRAP, back)
    source = chance(CaseClass.RANDOM)
    yield from _random(element_type, lambda: numbers.any_number(source))


def _reals(chance: Chance) -> Iterator[Operands]:
    yield _products("real", CaseClass.BOUNDARY, BOUNDARIES, BOUNDARIES)
    for number in BOUNDARIES:
        yield _sums("real", CaseClass.BOUNDARY, [(number, other) for other in BOUNDARIES])
    source = chance(CaseClass.RANDOM)
    yield from _random("real", lambda: any_fraction(source))


def _floats(element_type: str, chance: Chance) -> Iterator[Operands]:
    form = FORMATS[element_type]
    for case_class, values in [
        (CaseClass.BOUNDARY, boundaries(form)),
        (CaseClass.SPECIAL, special_values(form)),
    ]:
        yield _products(element_type, case_class, values, values)
        for number in values:
            yield _sums(element_type, case_class, [(number, other) for other in values])

    source = FloatPairs(form, chance(CaseClass.TIE))
    for _ in range(_CASES):
        yield _sums(element_type, CaseClass.TIE, [source.tie("add") for _ in range(8)])
        a, b = source.tie("mul")
        yield _products(element_type, CaseClass.TIE, [a], [b])

    source = FloatPairs(form, chance(CaseClass.SUBNORMAL))
    for _ in range(_CASES):
        pairs = [source.near_underflow("mul") for _ in range(4)]
        yield _products(element_type, CaseClass.SUBNORMAL, *_sides(pairs))
        rows = [tuple(source.subnormal() for _ in range(3)) for _ in range(4)]
        yield _sums(element_type, CaseClass.SUBNORMAL, rows)

    source = FloatPairs(form, chance(CaseClass.OVERFLOW))
    for _ in range(_CASES):
        pairs = [source.near_overflow("mul") for _ in range(4)]
        yield _products(element_type, CaseClass.OVERFLOW, *_sides(pairs))
    greatest = form.infinity - 1
    half = (form.emax + form.emax - form.precision) * form.trailing  # half of its last digit
    about = [half - 1, half, half + 1, 2 * form.trailing, greatest]
    rows = [(greatest, other) for other in about]
    yield _sums(element_type, CaseClass.OVERFLOW, rows)
    negative = [tuple(form.sign + one for one in row) for row in rows]
    yield _sums(element_type, CaseClass.OVERFLOW, negative)
    # Infinity on the way, though the exact sum is a number of the format.
    there_and_back = (greatest, greatest, form.sign + greatest)
    yield _sums(element_type, CaseClass.OVERFLOW, list(itertools.permutations(there_and_back)))

    source = FloatPairs(form, chance(CaseClass.RANDOM))
    yield from _random(element_type, source.ordinary)
    yield from _random(element_type, source.any_number)


def _products(
    element_type: str, case_class: CaseClass, column: Sequence[Any], row: Sequence[Any]
) -> Operands:
    """Each element of a column with each of a row."""
    a = array(element_type, column, (len(column), 1))
    return Operands(case_class, a, array(element_type, row, (1, len(row))))


def _sums(element_type: str, case_class: CaseClass, rows: Sequence[tuple[Any, ...]]) -> Operands:
    """The sum of each row: the rows times a column of ones."""
    inner = len(rows[0])
    a = array(element_type, [one for row in rows for one in row], (len(rows), inner))
    return Operands(case_class, a, whole_numbers(element_type, [1] * inner, (inner, 1)))


def _sides(pairs: Sequence[Pair]) -> tuple[list[Any], list[Any]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def _random(element_type: str, draw: Callable[[], Any]) -> Iterator[Operands]:
    for rows, inner, columns in _RANDOM * _ROUNDS:
        a, b = (
            array(element_type, [draw() for _ in range(shape[0] * shape[1])], shape)
            for shape in ((rows, inner), (inner, columns))
        )
        yield Operands(CaseClass.RANDOM, a, b)
