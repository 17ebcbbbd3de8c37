"""Operands on which two models are run: seeded, with special values among them."""

from collections.abc import Iterator
from typing import Any, assert_never

import ml_dtypes
import numpy as np
import onnx

from sonnx_formal.lint.errors import FixError
from sonnx_formal.lint.shapes import static
from sonnx_formal.lint.values import element_dtype, family, typed
from sonnx_formal.spec.element_types import Array, Family

Feeds = dict[str, Array]
_KINDS = ("ordinary", "special", "small")
_ROUNDS = 2
"""Of each kind of operands."""
_LARGEST_INDEX = 2
"""Inputs that select something are less than this: most models have two of everything."""


def feeds(model: onnx.ModelProto) -> Iterator[tuple[str, Feeds]]:
    """What the operands are, and the operands of one run.

    Raises `FixError` for an input of which no operand can be made.
    """
    values = {tensor.name for tensor in model.graph.initializer}
    inputs: list[tuple[str, str, tuple[int, ...]]] = []
    for operand in map(typed, (x for x in model.graph.input if x.name not in values)):
        shape = static(operand.shape)
        if shape is None or operand.sparse or operand.element_type is None:
            raise FixError(
                f"input {operand.name} is {operand}, so that the models cannot be run: fix its"
                " shape with --input"
            )
        inputs.append((operand.name, operand.element_type, shape))
    for kind in _KINDS:
        for seed in range(_ROUNDS):
            random = np.random.default_rng([seed, len(kind)])
            yield (
                f"{kind} operands",
                {name: random.choice(_pool(kind, type_), shape) for name, type_, shape in inputs},
            )


def _pool(kind: str, element_type: str) -> Array:
    """The elements from which operands are drawn."""
    match family(element_type):
        case Family.BOOLEAN:
            return np.array([False, True])
        case Family.TEXT:
            return np.array(["", "a", "1"], object)
        case Family.INTEGER:
            return _integers(kind, element_dtype(element_type))
        case Family.FLOAT:
            return _floats(kind, element_dtype(element_type))
        case Family.COMPLEX | Family.REAL | None:
            raise FixError(f"the models cannot be run: there are no operands of {element_type}")
        case other:
            assert_never(other)


def _integers(kind: str, dtype: np.dtype[Any]) -> Array:
    limits = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    least, greatest = int(limits.min), int(limits.max)
    pool = {
        "ordinary": [*range(max(least, -100), min(greatest, 100))],
        "special": [least, least + 1, 1, 2, 3, greatest - 1, greatest],
        "small": [*range(_LARGEST_INDEX)],
    }
    return np.array(pool[kind], dtype)


def _floats(kind: str, dtype: np.dtype[Any]) -> Array:
    if kind == "small":
        return np.arange(_LARGEST_INDEX).astype(dtype)
    if kind == "ordinary":
        return np.random.default_rng(0).standard_normal(1000).astype(dtype)
    limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    edges = map(float, (limits.max, limits.smallest_normal, limits.smallest_subnormal))
    numbers = [0.0, np.inf, 1.0, 0.5, 3.0, 7.0, *edges]
    with np.errstate(all="ignore"):
        return np.array([np.nan, *numbers, *(-number for number in numbers)]).astype(dtype)
