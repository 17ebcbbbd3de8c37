"""Operands on which two models are run: seeded, with special values among them."""

import re
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import onnx

from sonnx_formal.lint.errors import FixError
from sonnx_formal.lint.operand import Array, element_dtype, typed
from sonnx_formal.lint.shapes import static

Feeds = dict[str, Array]
ROUNDS = 2
"""Of each kind of operands."""
_LARGEST_INDEX = 2
"""Inputs that select something are less than this: most models have two of everything."""


def feeds(model: onnx.ModelProto) -> Iterator[tuple[str, Feeds]]:
    """What the operands are, and the operands of one run.

    Raises `FixError` for an input of which no operand can be made.
    """
    values = {one.name for one in model.graph.initializer}
    inputs = [typed(one) for one in model.graph.input if one.name not in values]
    for one in inputs:
        if static(one.shape) is None or one.sparse or one.element_type is None:
            raise FixError(
                f"input {one.name} is {one}, so that the models cannot be run: fix its shape with"
                " --input"
            )
    for kind in ("ordinary", "special", "small"):
        for seed in range(ROUNDS):
            random = np.random.default_rng([seed, len(kind)])
            yield (
                f"{kind} operands",
                {
                    one.name: _elements(kind, one.element_type, static(one.shape) or (), random)
                    for one in inputs
                    if one.element_type is not None
                },
            )


def _elements(
    kind: str, element_type: str, shape: tuple[int, ...], random: np.random.Generator
) -> Array:
    dtype = element_dtype(element_type)
    match re.sub(r"\d.*", "", element_type):
        case "bool":
            return random.integers(0, 2, shape).astype(np.bool_)
        case "string":
            return random.choice(np.array(["", "a", "1"], object), shape)
        case "int" | "uint" if dtype is not None:
            return random.choice(_integers(kind, dtype), shape)
        case "float" | "bfloat" if dtype is not None:
            if kind == "ordinary":
                return np.asarray(random.standard_normal(shape)).astype(dtype)
            return random.choice(_floats(kind, dtype), shape)
        case _:
            raise FixError(f"the models cannot be run: there are no operands of {element_type}")


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
    limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    edges = [float(one) for one in (limits.max, limits.smallest_normal, limits.smallest_subnormal)]
    numbers = [0.0, np.inf, 1.0, 0.5, 3.0, 7.0, *edges]
    with np.errstate(all="ignore"):
        return np.array([np.nan, *numbers, *(-one for one in numbers)]).astype(dtype)
