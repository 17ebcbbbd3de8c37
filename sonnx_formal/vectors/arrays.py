"""Operands: arrays made from elements, and what they are there for."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.case import Array, CaseClass

Shape = tuple[int, ...]
Pair = tuple[Any, Any]
"""An element of A and one of B: integers, fractions; for floating-point types bit patterns."""

SHAPES_OF_16: tuple[Shape, ...] = ((16,), (4, 4), (2, 2, 4), (8, 2), (1, 4, 1, 4), (2, 2, 2, 2))
"""Shapes of 16 elements, for pairs whose place does not matter."""


@dataclass(frozen=True, eq=False)
class Operands:
    """A case without its result."""

    case_class: CaseClass
    a: Array
    b: Array
    requirements: tuple[str, ...] = ()
    """Those that the case exercises besides what its operator and type imply."""
    attributes: Attributes = UNSET


def array(element_type: str, elements: Sequence[Any], shape: Shape) -> Array:
    """An array of elements in row-major order."""
    type_ = NUMERICAL[element_type]
    if type_.kind == "real":
        made = np.empty(len(elements), object)
        made[:] = elements
    elif type_.kind == "float":
        made = np.array(elements, type_.pattern).view(type_.dtype)
    else:
        made = np.array(elements, type_.dtype)
    return made.reshape(shape)


def paired(element_type: str, case_class: CaseClass, pairs: Iterable[Pair]) -> Iterator[Operands]:
    """Operands of 16 pairs each, in shapes that take turns; of fewer at the end."""
    shapes = itertools.cycle(SHAPES_OF_16)
    waiting = iter(pairs)
    while block := list(itertools.islice(waiting, 16)):
        shape = next(shapes)
        yield of_pairs(
            element_type, case_class, block, shape if prod(shape) == len(block) else (len(block),)
        )


def of_pairs(
    element_type: str, case_class: CaseClass, pairs: Sequence[Pair], shape: Shape
) -> Operands:
    """Operands of one shape, the elements in row-major order."""
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    return Operands(case_class, array(element_type, a, shape), array(element_type, b, shape))
