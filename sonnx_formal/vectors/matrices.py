"""Operands of MatMul, class by class."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Arithmetic, Instance
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.elements import (
    NoElementsError,
    any_element,
    array,
    boundaries,
    of_numbers,
    special_values,
)
from sonnx_formal.vectors.floats import FloatPairs, Pair
from sonnx_formal.vectors.operands import (
    CaseOperands,
    Chance,
    WrongDeclarationError,
    all_places,
    small_operands,
)
from sonnx_formal.vectors.sums import sum_operands

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


def matrix_operands(instance: Instance, chance: Chance) -> Iterator[CaseOperands]:
    """All operands of a matrix product but the examples.

    :raises WrongDeclarationError: when the product cannot have two operands alone.
    """
    two = (places for places in all_places(instance) if len(places.types) == len(("A", "B")))
    places = next(two, None)
    if places is None:
        raise WrongDeclarationError(instance.operator, "a matrix product has two operands")
    left, right = places.types
    source = chance(CaseClass.NOMINAL)
    for case_class, every in ((CaseClass.NOMINAL, _NOMINAL), (CaseClass.ZERO_SIZE, _ZERO_SIZE)):
        for rows, inner, columns in every:
            shapes = (rows, inner), (inner, columns)
            small = small_operands(instance, places, shapes, source)
            yield places.operands(case_class, small)
    if left is right:
        made = _of_one_type(left, instance.type_of(instance.operator.output), chance)
    else:
        made = _of_two_types(left, right, chance)
    for operands in made:
        arrays = (array_ for array_ in operands.arrays if array_ is not None)
        yield places.operands(operands.case_class, arrays)


def _of_one_type(type_: ElementType, output: ElementType, chance: Chance) -> Iterator[CaseOperands]:
    match type_.family:
        case Family.INTEGER:
            return _integers(type_, output, chance)
        case Family.FLOAT:
            return itertools.chain(_floats(type_, chance), sum_operands(type_, chance))
        case Family.REAL | Family.BOOLEAN:
            both = _each_with_each(type_, CaseClass.BOUNDARY, boundaries(type_))
            return itertools.chain(both, _anything((type_, type_), chance))
        case Family.TEXT | Family.COMPLEX:
            raise NoElementsError(type_)


def _of_two_types(left: ElementType, right: ElementType, chance: Chance) -> Iterator[CaseOperands]:
    """Each boundary with each, and anything; nothing is known of the sums."""
    sides = boundaries(left), boundaries(right)
    yield _products((left, right), CaseClass.BOUNDARY, *sides)
    yield from _anything((left, right), chance)


def _integers(type_: ElementType, output: ElementType, chance: Chance) -> Iterator[CaseOperands]:
    def fits(number: int) -> bool:
        return bool(output.bounds.min <= number <= output.bounds.max)

    every, greatest = boundaries(type_), int(type_.bounds.max)
    for number in every:
        partners = [other for other in every if fits(number + other)]
        yield _sums(type_, CaseClass.BOUNDARY, [(number, other) for other in partners])
        wraps = not all(fits(number * other) for other in every)
        case_class = CaseClass.WRAP if wraps else CaseClass.BOUNDARY
        yield _products((type_, type_), case_class, [number], every)
        beyond = [(number, other) for other in every if not fits(number + other)]
        if beyond:
            yield _sums(type_, CaseClass.WRAP, beyond)
    if not fits(greatest + 1):  # The sum leaves the range and comes back into it.
        down = -1 if type_.signed else greatest
        back = [(greatest, 1, down), (down, greatest, 1), (1, greatest, down)]
        yield _sums(type_, CaseClass.WRAP, back)
    yield from _anything((type_, type_), chance)


def _floats(type_: ElementType, chance: Chance) -> Iterator[CaseOperands]:
    form, both = type_.format, (type_, type_)
    yield from _each_with_each(type_, CaseClass.BOUNDARY, boundaries(type_))
    yield from _each_with_each(type_, CaseClass.SPECIAL, special_values(type_))

    source = FloatPairs(form, chance(CaseClass.TIE))
    for _ in range(_CASES):
        yield _sums(type_, CaseClass.TIE, [source.tie(Arithmetic.SUM) for _ in range(8)])
        a, b = source.tie(Arithmetic.PRODUCT)
        yield _products(both, CaseClass.TIE, [a], [b])

    source = FloatPairs(form, chance(CaseClass.SUBNORMAL))
    for _ in range(_CASES):
        pairs = [source.near_underflow(Arithmetic.PRODUCT) for _ in range(4)]
        yield _products(both, CaseClass.SUBNORMAL, *_sides(pairs))
        rows = [tuple(source.subnormal() for _ in range(3)) for _ in range(4)]
        yield _sums(type_, CaseClass.SUBNORMAL, rows)

    source = FloatPairs(form, chance(CaseClass.OVERFLOW))
    for _ in range(_CASES):
        pairs = [source.near_overflow(Arithmetic.PRODUCT) for _ in range(4)]
        yield _products(both, CaseClass.OVERFLOW, *_sides(pairs))
    greatest = form.infinity - 1
    half = (form.emax + form.emax - form.precision) * form.trailing  # half of its last digit
    about = [half - 1, half, half + 1, 2 * form.trailing, greatest]
    rows = [(greatest, other) for other in about]
    yield _sums(type_, CaseClass.OVERFLOW, rows)
    negative = [tuple(form.sign + number for number in row) for row in rows]
    yield _sums(type_, CaseClass.OVERFLOW, negative)
    # Infinity on the way, though the exact sum is a number of the format.
    there_and_back = (greatest, greatest, form.sign + greatest)
    yield _sums(type_, CaseClass.OVERFLOW, list(itertools.permutations(there_and_back)))

    source = FloatPairs(form, chance(CaseClass.RANDOM))
    yield from _random(both, lambda _: source.ordinary())
    yield from _random(both, lambda _: source.any_number())


def _each_with_each(
    type_: ElementType, case_class: CaseClass, values: Sequence[Any]
) -> Iterator[CaseOperands]:
    """The products, then the sums."""
    yield _products((type_, type_), case_class, values, values)
    for value in values:
        yield _sums(type_, case_class, [(value, other) for other in values])


def _anything(types: tuple[ElementType, ElementType], chance: Chance) -> Iterator[CaseOperands]:
    source = chance(CaseClass.RANDOM)
    return _random(types, lambda type_: any_element(type_, source))


def _products(
    types: tuple[ElementType, ElementType],
    case_class: CaseClass,
    column: Sequence[Any],
    row: Sequence[Any],
) -> CaseOperands:
    """Each element of a column with each of a row."""
    a = array(types[0], column, (len(column), 1))
    return CaseOperands(case_class, (a, array(types[1], row, (1, len(row)))))


def _sums(
    type_: ElementType, case_class: CaseClass, rows: Sequence[tuple[Any, ...]]
) -> CaseOperands:
    """The sum of each row: the rows times a column of ones."""
    inner = len(rows[0])
    a = array(type_, list(itertools.chain(*rows)), (len(rows), inner))
    return CaseOperands(case_class, (a, of_numbers(type_, [[1]] * inner)))


def _sides(pairs: Sequence[Pair]) -> tuple[list[Any], list[Any]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def _random(
    types: tuple[ElementType, ElementType], draw: Callable[[ElementType], Any]
) -> Iterator[CaseOperands]:
    for rows, inner, columns in _RANDOM * _ROUNDS:
        shapes = (rows, inner), (inner, columns)
        a, b = (
            array(type_, [draw(type_) for _ in range(prod(shape))], shape)
            for type_, shape in zip(types, shapes, strict=True)
        )
        yield CaseOperands(CaseClass.RANDOM, (a, b))
