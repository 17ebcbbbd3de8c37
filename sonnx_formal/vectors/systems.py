"""Operands and attributes for the multiplications of ONNX and OpenVINO, class by class."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import TypeVar

import numpy as np

from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.vectors.arrays import Operands, Shape, array
from sonnx_formal.vectors.broadcasting import (
    EMPTY,
    EMPTY_MISMATCHED,
    EXPANSIONS,
    NO_ROOM,
    NO_RUNS,
    RANK_PAIRS,
    ROWS,
    Placement,
    ShapePair,
    covering,
    mismatched,
    placements,
)
from sonnx_formal.vectors.case import Array, CaseClass, Operator
from sonnx_formal.vectors.floats import FORMATS, FloatPairs, special_values
from sonnx_formal.vectors.integers import integer_range
from sonnx_formal.vectors.small import small_numbers

_Each = TypeVar("_Each")
Chance = Callable[[CaseClass], random.Random]

WHOLE = "float32"
"""The type over which all shapes are gone through; of the others, each gets a part of them."""

_PARTS = 7
_NONE, _NUMPY = Attributes(auto_broadcast="none"), Attributes(auto_broadcast="numpy")


def system_operands(
    operator: Operator, element_type: str, part: int, chance: Chance
) -> Iterator[Operands]:
    """All operands but the examples.

    :param part: which part of the shapes a type gets that does not get all of them.
    :param chance: gives each class a source of random numbers of its own.
    """
    made = _Made(operator, element_type, part, chance)
    match operator:
        case Operator.ONNX_MUL_6:
            yield from made.legacy(None)
        case Operator.ONNX_MUL_1:
            yield from made.legacy((0, 0))
        case Operator.OV_MULTIPLY_1:
            yield from made.multidirectional(_NUMPY)
            yield from made.rules_of_openvino()
        case _:
            yield from made.multidirectional(UNSET)


class _Made:
    """Operands over one type."""

    def __init__(self, operator: Operator, element_type: str, part: int, chance: Chance) -> None:
        self._document = operator.upper()
        self._type = element_type
        self._part = part
        self._sources = {each: chance(each) for each in CaseClass}

    def multidirectional(self, attributes: Attributes) -> Iterator[Operands]:
        """Shapes of all ranks, broadcast in all directions."""
        for number, ranks in enumerate(RANK_PAIRS):
            pairs = covering(*ranks)
            chosen = pairs if self._whole else [pairs[(self._part + number) % len(pairs)]]
            for pair in chosen:
                yield self._of_shapes(_class(*pair), pair, attributes)
        for pair in EMPTY:
            yield self._of_shapes(CaseClass.ZERO_SIZE, pair, attributes)
        values = self._values()
        column, row = values.reshape(-1, 1), values
        for a, b in [(column, row), (row, column)]:
            yield Operands(self._values_class, a, b, attributes=attributes)
        yield self._drawn((4, 1, 5), (3, 1), attributes)
        yield self._drawn((6,), (2, 3, 6), attributes)
        every = [pair for ranks in RANK_PAIRS for pair in mismatched(*ranks)]
        for pair in [*self._some(every), *EMPTY_MISMATCHED]:
            yield self._of_shapes(CaseClass.REJECTED, pair, attributes)

    def rules_of_openvino(self) -> Iterator[Operands]:
        """The default, which is numpy; none; and rules that the document does not have."""
        yield self._drawn((2, 1, 3), (4, 1), UNSET)
        yield self._of_shapes(CaseClass.REJECTED, ((2,), (3,)), UNSET)
        for shape in self._some([(3,), (), (1,), (2, 3), (2, 3, 4), (2, 1, 2, 3)]):
            yield self._of_shapes(_class(shape, shape), (shape, shape), _NONE)
        yield self._of_shapes(CaseClass.ZERO_SIZE, ((2, 0), (2, 0)), _NONE)
        differing = [pair for ranks in RANK_PAIRS for pair in covering(*ranks)]
        different = [pair for pair in differing if pair[0] != pair[1]]
        for pair in [*different[self._part :: _PARTS * 3], *self._some(EMPTY_MISMATCHED)]:
            yield self._of_shapes(CaseClass.REJECTED, pair, _NONE)
        for rule in ("", "NUMPY", "pdpd"):
            unknown = Attributes(auto_broadcast=rule)
            yield self._of_shapes(CaseClass.REJECTED, ((2,), (2,)), unknown)

    def legacy(self, consumed: tuple[int, ...] | None) -> Iterator[Operands]:
        """Versions 6 and 1.

        :param consumed: of version 1, the attribute without a meaning.
        """
        for shape in [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 2, 2)]:
            for attributes in (
                Attributes(consumed_inputs=consumed),
                Attributes(broadcast=0, axis=1),
            ):
                yield self._of_shapes(_class(shape, shape), (shape, shape), attributes)
        yield self._of_shapes(CaseClass.ZERO_SIZE, ((2, 0), (2, 0)), UNSET)
        for a, b, axis in dict.fromkeys([*self._some([*placements()]), ROWS]):
            case_class = CaseClass.AXIS if axis is not None else _class(a, b)
            if 0 in a:
                case_class = CaseClass.ZERO_SIZE
            yield self._of_shapes(case_class, (a, b), Attributes(axis, 1))
        yield from self._legacy_values()
        yield self._drawn((3, 4, 5), (4,), Attributes(1, 1))
        yield self._drawn((3, 4, 5), (4, 5), Attributes(None, 1, consumed))
        yield from self._legacy_rejections()

    def _legacy_values(self) -> Iterator[Operands]:
        """Each value with each."""
        values = self._values()
        a = np.tile(values.reshape(-1, 1), (1, len(values)))
        yield Operands(self._values_class, a, values, attributes=Attributes(None, 1))

    def _legacy_rejections(self) -> Iterator[Operands]:
        without: list[Placement] = [
            ((2, 3), (3,), None),
            ((2, 3), (3, 2), None),
            ((2, 3), (), 0),
            ((1,), (), None),
            ((2, 3), (2, 1), None),
        ]
        for a, b, axis in without:
            for broadcast in (None, 0):
                attributes = Attributes(axis, broadcast)
                yield self._of_shapes(CaseClass.REJECTED, (a, b), attributes)
        for broadcast in (-1, 2):
            attributes = Attributes(None, broadcast)
            yield self._of_shapes(CaseClass.REJECTED, ((2,), (2,)), attributes)
        for a, b, axis in (*NO_RUNS, *NO_ROOM):
            yield self._of_shapes(CaseClass.REJECTED, (a, b), Attributes(axis, 1))
        for a, b, axis in EXPANSIONS:
            rejected = self._of_shapes(CaseClass.REJECTED, (a, b), Attributes(axis, 1))
            yield replace(rejected, requirements=(f"{self._document}.B.C3",))

    @property
    def _whole(self) -> bool:
        return self._type == WHOLE

    def _some(self, every: Sequence[_Each]) -> list[_Each]:
        return list(every) if self._whole else list(every[self._part % _PARTS :: _PARTS])

    def _of_shapes(
        self, case_class: CaseClass, shapes: ShapePair, attributes: Attributes
    ) -> Operands:
        a, b = (small_numbers(self._type, one, self._sources[case_class]) for one in shapes)
        return Operands(case_class, a, b, attributes=attributes)

    def _drawn(self, a: Shape, b: Shape, attributes: Attributes) -> Operands:
        source = self._sources[CaseClass.RANDOM]
        left, right = (
            array(self._type, [_any_element(self._type, source) for _ in range(prod(one))], one)
            for one in (a, b)
        )
        return Operands(CaseClass.RANDOM, left, right, attributes=attributes)

    @property
    def _values_class(self) -> CaseClass:
        return CaseClass.WRAP if integer_range(self._type) else CaseClass.SPECIAL

    def _values(self) -> Array:
        """Those at which arithmetic changes its course."""
        numbers = integer_range(self._type)
        values = numbers.boundaries() if numbers else special_values(FORMATS[self._type])
        return array(self._type, list(values), (len(values),))


def _any_element(element_type: str, chance: random.Random) -> int:
    """Any integer of a type; of floats, the bit pattern of any number or infinity."""
    numbers = integer_range(element_type)
    if numbers:
        return numbers.any_number(chance)
    return int(FloatPairs(FORMATS[element_type], chance).any_number())


def _class(a: Shape, b: Shape) -> CaseClass:
    """Of shapes that go together."""
    if a != b:
        return CaseClass.BROADCAST
    return CaseClass.NOMINAL if a else CaseClass.RANK_0
