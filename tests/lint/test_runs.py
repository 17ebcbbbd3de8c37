"""Runs by the reference evaluator: our Conv is its own, and what is slow is done once."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from sonnx_formal.lint import fix, runs
from sonnx_formal.lint.runs import EvaluationError, Evaluator
from tests.lint.models import model, node, save, tensor, value

CHOICES = [
    *itertools.product(
        [1, 2, 4], [None, [1, 1], [2, 1]], [None, [0, 1, 2, 1]], [None, "SAME_UPPER", "SAME_LOWER"]
    )
]


def convolution(**attributes: Any) -> onnx.ModelProto:
    given = {name: x for name, x in attributes.items() if x is not None}
    chance = np.random.default_rng(len(str(given)))
    channels = 4 // attributes.get("group", 1)
    w, b = chance.standard_normal((8, channels, 3, 2)), chance.standard_normal(8)
    return model(
        [node("Conv", ["X", "W", "B"], ["Y"], name="c", **given)],
        [value("X", [2, 4, 7, 6])],
        [value("Y", None)],
        [tensor("W", w), tensor("B", b)],
    )


def compared(what: onnx.ModelProto, folder: Path) -> tuple[Any, Any]:
    """What the evaluator gives with our Conv and with its own."""
    x = np.random.default_rng(1).standard_normal((2, 4, 7, 6)).astype(np.float32)
    x[0, 0, 3, 3] = np.inf
    ours = Evaluator(what, folder, {}).run({"X": x})["Y"]
    theirs: Any = ReferenceEvaluator(what)
    with np.errstate(invalid="ignore"):
        return ours, theirs.run(None, {"X": x})[0]


@pytest.mark.parametrize(("group", "strides", "pads", "auto_pad"), CHOICES)
def test_convolutions_are_those_of_the_evaluator(
    tmp_path: Path, group: int, strides: Any, pads: Any, auto_pad: Any
) -> None:
    what = convolution(
        group=group, strides=strides, pads=None if auto_pad else pads, auto_pad=auto_pad
    )
    ours, theirs = compared(what, tmp_path)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def test_a_convolution_with_gaps(tmp_path: Path) -> None:
    """The evaluator puts zeros into the gaps, so that an infinity becomes NaN: without these."""
    ours, theirs = compared(convolution(dilations=[2, 3]), tmp_path)
    finite = np.isfinite(theirs)
    assert finite.sum() > 10
    np.testing.assert_allclose(ours[finite], theirs[finite], rtol=1e-5)


def _recogniser() -> onnx.ModelProto:
    return model(
        [
            node("Conv", ["X", "W"], ["c"], name="c"),
            node("Mul", ["c", "S"], ["m"], name="m"),
            node("MatMul", ["m", "V"], ["Y"], name="v"),
        ],
        [value("X", [1, 4, 7, 6])],
        [value("Y", None)],
        [
            tensor("W", np.ones((8, 4, 3, 3))),
            tensor("S", np.full((8, 1, 1), 2)),
            tensor("V", np.ones((4, 2))),
        ],
    )


def test_what_is_slow_is_computed_once_for_both_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    compute = runs.Conv._run

    def counted(self: Any, *given: Any, **attributes: Any) -> Any:
        calls.append(given)
        return compute(self, *given, **attributes)

    monkeypatch.setattr(runs.Conv, "_run", counted)
    what = _recogniser()
    done, _ = fix.fix(what, save(what, tmp_path), [], tmp_path / "out.onnx", lambda *_: None)
    assert done.equivalence.runs == len(calls) == 6


def test_a_node_is_named_that_cannot_be_run(tmp_path: Path) -> None:
    what = model(
        [
            node("Identity", ["A"], ["B"], name="i"),
            node("Reshape", ["B", "s"], ["C"], name="shape it"),
        ],
        [value("A")],
        [value("C", None)],
        [tensor("s", [4], np.int64)],
    )
    with pytest.raises(EvaluationError, match="node shape it: cannot reshape"):
        Evaluator(what, tmp_path, {}).run({"A": np.ones((2, 3), np.float32)})


def test_a_node_is_named_that_cannot_be_loaded(tmp_path: Path) -> None:
    what = model(
        [node("Identity", ["A"], ["B"]), helper.make_node("Odd", ["B"], ["C"], "o", domain="own")],
        [value("A")],
        [value("C", None)],
        domains=["own"],
    )
    with pytest.raises(EvaluationError, match="node o: "):
        Evaluator(what, tmp_path, {})
