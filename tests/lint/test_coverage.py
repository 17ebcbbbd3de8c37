"""A model conforms only if each of its nodes was judged; and the same from Python."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from sonnx_formal.lint import lint
from sonnx_formal.lint.model import ModelError
from sonnx_formal.lint.profile import LintVerdict
from tests.lint.conftest import Shell
from tests.lint.models import F32, binary, model, node, save, tensor, value

LAYERS = [
    ("ConvTranspose", (1, 6, 5, 5)), ("Tanh", None), ("LpPool", None),
    ("ConvTranspose", (6, 16, 5, 5)), ("Tanh", None), ("LpPool", None),
    ("ReduceMean", None), ("Einsum", (16, 120)),
    ("Tanh", None), ("Einsum", (120, 84)), ("Tanh", None), ("Einsum", (84, 10)), ("Softmax", None),
]  # fmt: skip
"""Much as those of LeNet-5, but what no document has; and the shapes of their weights."""
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Einsum": {"equation": "ij,jk->ik"},
    "LpPool": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "ReduceMean": {"axes": [2, 3], "keepdims": 0},
}


def _lenet(*more: onnx.NodeProto) -> onnx.ModelProto:
    nodes, weights = [], []
    for number, (operator, shape) in enumerate(LAYERS):
        inputs = [f"x{number}"]
        if shape:
            inputs.append(f"w{number}")
            weights.append(tensor(f"w{number}", np.zeros(shape)))
        nodes.append(node(operator, inputs, [f"x{number + 1}"], **ATTRIBUTES.get(operator, {})))
    return model(
        [*nodes, *more],
        [value("x0", [1, 1, 28, 28])],
        [value("y" if more else f"x{len(LAYERS)}", None, F32)],
        weights,
    )


def test_nothing_of_a_network_is_judged(shell: Shell, tmp_path: Path) -> None:
    save(_lenet(), tmp_path)
    status, out, err = shell("model.onnx", "--json", "out.json", "--sarif", "out.sarif")
    assert (status, err) == (2, "")
    assert out.splitlines()[1:] == [
        "inside the profile: 0 of 13 nodes (0 %); outside by operator: Tanh 4, Einsum 3,"
        " ConvTranspose 2, LpPool 2, ReduceMean 1, Softmax 1",
        "model.onnx: not judged (0 of 13 nodes judged)",
    ]
    written = json.loads((tmp_path / "out.json").read_text())
    assert (written["verdict"], written["judged"], written["total"]) == ("not judged", 0, 13)
    (run,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] == 2
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "0 of 13 nodes judged; outside the scope: Tanh 4, Einsum 3, ConvTranspose 2, LpPool 2,"
        " ReduceMean 1, Softmax 1"
    ]


@pytest.mark.parametrize(
    ("operand", "verdict"),
    [
        ("x13", LintVerdict.NOT_JUDGED),
        ("x12", LintVerdict.NOT_JUDGED),
        ("x9", LintVerdict.VIOLATES),
    ],
)
def test_a_node_that_is_judged_beside_others(operand: str, verdict: LintVerdict) -> None:
    """The last layers have one shape, (1, 10); of the others, that differs."""
    examination = lint(_lenet(node("Mul", ["x13", operand], ["y"], name="n")))
    assert examination.verdict is verdict
    assert examination.coverage == "1 of 14 nodes judged"
    assert not examination.conforms


def test_from_python(tmp_path: Path) -> None:
    path = save(binary("Mul", [2, 3], [3]), tmp_path)
    for given in (path, str(path)):
        examination = lint(given)
        assert str(examination) == (
            "violates  n  (Mul, opset 14)\n"
            "  SONNX-MUL.R4: operands are broadcast to one shape: A is float32 (2, 3), B is float32"
            " (3,)\n"
            "  repair: Make it explicit with Expand (--fix does it where all shapes are known)\n"
            "inside the profile: 0 of 1 nodes (0 %); outside by shape or another constraint: Mul"
            " 1\n"
            f"{path}: violates (1 of 1 nodes judged)"
        )
        assert repr(examination) == f"<{path}: violates, 1 of 1 nodes judged>"
        assert not examination.conforms
    package: Any = sys.modules["sonnx_formal.lint"]
    assert str(package(path)) == str(lint(path))
    conforming = lint(binary("Mul"))
    assert conforming.conforms
    assert str(conforming) == "model: conforms (1 of 1 nodes judged)"


def test_from_python_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        lint(tmp_path / "none.onnx")
    with pytest.raises(ModelError, match="model is no valid ONNX model: "):
        lint(model([node("Mul", ["A"], ["C"])], [value("A")], [value("C")]))
