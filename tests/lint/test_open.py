"""What a finding says that cannot be decided: which operand is not known, and what to do."""

from pathlib import Path

import onnx
import pytest

from sonnx_formal.lint.examination import examine
from sonnx_formal.lint.profile import LintVerdict
from tests.lint.models import I64, Dims, model, node, tensor, value

DECLARE = "Declare it in the model, or fix the shapes of inputs with --input"
STORE = "Store the elements as a constant: an initializer that is no input, or a Constant"


def _unsqueezed(x: Dims, axes: list[int] | None) -> onnx.ModelProto:
    """A node X, A -> Y with constant axes or, of None, those of an input."""
    inputs = [] if axes is not None else [value("a", [1], I64)]
    return model(
        [node("Unsqueeze", ["x", "a"], ["y"], name="n")],
        [value("x", x), *inputs],
        [value("y", None)],
        [] if axes is None else [tensor("a", axes, "int64")],
    )


def _sliced(x: Dims) -> onnx.ModelProto:
    constants = [
        tensor(name, [entry], "int64") for name, entry in zip("seak", (0, 7, 0, 1), strict=True)
    ]
    return model(
        [node("Slice", ["x", "s", "e", "a", "k"], ["y"], name="n")],
        [value("x", x)],
        [value("y", None)],
        constants,
    )


@pytest.mark.parametrize(
    ("what", "requirement", "lacking", "advice"),
    [
        (
            _unsqueezed([2], None),
            "SONNX-UNSQUEEZE.A.C1",
            "for the elements of A, a, are known only when the model runs: X is float32",
            STORE,
        ),
        (
            _unsqueezed(None, [0]),
            "SONNX-UNSQUEEZE.A.C1",
            "for the shape of X, x, is unknown: X is float32",
            DECLARE,
        ),
        (
            _unsqueezed(None, None),
            "SONNX-UNSQUEEZE.A.C1",
            "for the shape of X, x, is unknown and the elements of A, a, are known only when the"
            " model runs: X is float32",
            f"{DECLARE}; {STORE}",
        ),
        (_sliced(["N"]), "SONNX-SLICE.S.C2", "for dimension 0 of X, x, is N: ", DECLARE),
        (_sliced([None]), "SONNX-SLICE.S.C2", "for dimension 0 of X, x, is ?: ", DECLARE),
        (
            model(
                [
                    node("Mystery", ["x"], ["m"], domain="custom"),
                    node("QuantizeLinear", ["x", "s", "m"], ["y"], name="n"),
                ],
                [value("x"), value("s", [])],
                [value("y", None, onnx.TensorProto.UINT8)],
                opset=21,
                ir_version=10,
                domains=["custom"],
            ),
            "ONNX-QUANTIZELINEAR-21.Y_ZERO_POINT.C2",
            "for the element type of y_zero_point, m, is unknown: ",
            "Declare the element type in the model",
        ),
    ],
)
def test_what_is_not_known(
    tmp_path: Path, what: onnx.ModelProto, requirement: str, lacking: str, advice: str
) -> None:
    (judged,) = examine(what, tmp_path / "model.onnx").nodes
    (found,) = (each for each in judged.findings if each.requirement == requirement)
    assert found.verdict is LintVerdict.UNDECIDED
    assert found.found.startswith("it is not known whether ")
    assert lacking in found.found
    assert found.advice == advice
