"""Small numbers, whose products and short sums are exact in every element type."""

import random
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.arrays import Shape, array
from sonnx_formal.vectors.case import Array

GREATEST = 11


def small_numbers(
    element_type: str, shape: Shape, chance: random.Random, *, zero: bool = True
) -> Array:
    """An array of whole numbers from -11 to 11, from 0 where the type has no others."""
    low = 0 if element_type.startswith("u") else -GREATEST
    numbers: list[int] = []
    while len(numbers) < prod(shape):
        number = chance.randint(low, GREATEST)
        if number or zero:
            numbers.append(number)
    return whole_numbers(element_type, numbers, shape)


def whole_numbers(element_type: str, numbers: Sequence[int], shape: Shape) -> Array:
    """An array of whole numbers that the type has."""
    if element_type == "real":
        elements: list[Any] = [Fraction(number) for number in numbers]
        return array(element_type, elements, shape)
    return np.array(numbers, NUMERICAL[element_type].dtype).reshape(shape)
