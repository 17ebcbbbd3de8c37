"""Runs two models on the same operands, and tells whether they differ in any bit.

Operands are seeded, with special values among them.
"""

import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, assert_never

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.lint.model import LintError
from sonnx_formal.lint.values import element_dtype, family, typed
from sonnx_formal.spec.element_types import Array, Family

Step = Callable[[str, str], None]
"""Told what is going on: the step, and what of it."""
Feeds = dict[str, Array]
_KINDS = ("ordinary", "special", "small")
_ROUNDS = 2
"""Of each kind of operands."""
_LARGEST_INDEX = 2
"""Inputs that select something are less than this: most models have two of everything."""


class FixError(LintError):
    """The changed model could not be shown to be the same, so that it is not written."""


class Equivalence(Part, frozen=True):
    """On how many runs the models gave the same values."""

    runs: Count
    values: Count
    """How many values, of nodes of the main graph, were compared in each run."""
    not_run: Count
    """Operands that neither model takes."""


def require_same(
    original: onnx.ModelProto, changed: onnx.ModelProto, folder: Path, step: Step
) -> Equivalence:
    """Run both on seeded operands, special values among them, and compare all values by name.

    All NaNs are one value; otherwise, every bit counts.

    :param folder: where external data is.
    :param step: is told what goes on.

    Raises `FixError` where the models differ, or where no run is possible.
    """
    before, after = (_evaluator(model, folder) for model in (original, changed))
    runs = values = failed = 0
    reason = ""
    for kind, operands in feeds(original):
        step("running both models", kind)
        first, second = (_run(evaluator, operands) for evaluator in (before, after))
        if isinstance(first, str):
            if not isinstance(second, str):
                raise FixError(f"on {kind}, only the changed model runs: {first}")
            reason, failed = first, failed + 1
            continue
        if isinstance(second, str):
            raise FixError(f"on {kind}, the changed model does not run: {second}")
        for name in first:
            if name not in second or not same(first[name], second[name]):
                raise FixError(f"on {kind}, {name} is another value: is the model deterministic?")
        runs, values = runs + 1, len(first)
    if not runs:
        raise FixError(f"the reference evaluator of onnx cannot run the model: {reason}")
    return Equivalence(runs, values, failed)


def same(x: Any, y: Any) -> bool:
    """Whether two results are the same: type, shape and bits; NaN is NaN."""
    if isinstance(x, list | tuple) or isinstance(y, list | tuple):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if x is None or y is None:
        return x is y
    a, b = np.asarray(x), np.asarray(y)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject or a.dtype.kind == "U":
        return bool((a == b).all())
    nan = a != a  # noqa: PLR0124 (true of NaN, in every type that has it)
    return bool((nan == (b != b)).all()) and a[~nan].tobytes() == b[~nan].tobytes()  # noqa: PLR0124


def _evaluator(model: onnx.ModelProto, folder: Path) -> ReferenceEvaluator:
    copy = deepcopy(model)
    onnx.load_external_data_for_model(copy, str(folder))
    try:
        return ReferenceEvaluator(copy)
    except Exception as error:
        raise FixError(f"the reference evaluator of onnx cannot run the model: {error}") from None


def _run(evaluator: ReferenceEvaluator, operands: Feeds) -> dict[str, Any] | str:
    """What the nodes of the main graph compute; or why there is nothing."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluator.run(None, dict(operands), intermediate=True)
    except Exception as error:
        return str(error) or type(error).__name__
    assert isinstance(found, dict)  # as it is asked for intermediate values
    return {name: x for name, x in found.items() if name and name not in operands}


def feeds(model: onnx.ModelProto) -> Iterator[tuple[str, Feeds]]:
    """What the operands are, and the operands of one run.

    Raises `FixError` for an input of which no operand can be made.
    """
    values = {tensor.name for tensor in model.graph.initializer}
    inputs: list[tuple[str, str, tuple[int, ...]]] = []
    for operand in map(typed, (x for x in model.graph.input if x.name not in values)):
        shape = operand.static_shape
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
