"""Runs two models on the same operands, and tells whether they differ in any bit."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.lint.errors import FixError
from sonnx_formal.lint.trials import Feeds, feeds

Step = Callable[[str, str], None]
"""Told what is going on: the step, and what of it."""


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
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
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
