"""How fast the oracle is, through its Python interface."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.oracle.oracle import Oracle
from sonnx_formal.spec.element_types import BY_NAME, ElementType

ELEMENTS = 1 << 16
SIDE = 48
TYPES = ("float16", "bfloat16", "float32", "float64", "int8", "int64")
_RUNS = 3


@dataclass(frozen=True)
class Speed:
    """The speed of an operator on arrays of a type."""

    operator: str
    type: str
    rate: int
    """Elements of the result a second; of matmul, products that were added up a second."""


def measure(oracle: Oracle, elements: int = ELEMENTS, side: int = SIDE) -> Iterator[Speed]:
    """Time each operator on arrays of any bits: the best of a few runs, by the clock on the wall.

    :param elements: of each operand of mul and div.
    :param side: the rows and columns of each operand of matmul.
    """
    for name in TYPES:
        type_ = BY_NAME[name]
        a, b = (_any_bits(type_, (elements,), seed) for seed in (1, 2))
        yield Speed("mul", name, round(elements / _seconds(oracle, "mul", a, b)))
        yield Speed("div", name, round(elements / _seconds(oracle, "div", a, b)))
        if name != "int8":  # no document has matrices of it
            a, b = (_any_bits(type_, (side, side), seed) for seed in (1, 2))
            yield Speed("matmul", name, round(side**3 / _seconds(oracle, "matmul", a, b)))


def _any_bits(type_: ElementType, shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    greatest = np.iinfo(type_.pattern).max
    patterns = np.random.default_rng(seed).integers(1, greatest, shape, type_.pattern)
    return patterns.view(type_.dtype)


def _seconds(oracle: Oracle, op: str, a: NDArray[Any], b: NDArray[Any]) -> float:
    times = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        oracle.apply(op, a, b, reading="unlisted" if op == "matmul" else None)
        times.append(time.perf_counter() - began)
    return min(times)
