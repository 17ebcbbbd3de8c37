"""What share of a model is inside the profile, and why the rest is not: in words and as JSON."""

from pathlib import Path
from typing import Any

import onnx
import pytest

from sonnx_formal.core import documents
from sonnx_formal.lint.examination import Examinations
from tests.lint.conftest import Shell
from tests.lint.conv_cases import CASES as CONV
from tests.lint.models import BF16, BOOL, F64, I32, UNKNOWN, binary, model, node, save, unary, value
from tests.lint.onnx_cases import DOCUMENTS
from tests.lint.test_command import SCHEMA, read_json

OTHER = "shape or another constraint"
VERSION = "version of the operator"
_OF_ONNX = {name: what for cases in DOCUMENTS.values() for name, what, _, _ in cases}
_CONV = {name: what for name, what, _, _ in CONV}


def _transposed(**attributes: Any) -> onnx.ModelProto:
    return model(
        [node("Transpose", ["X"], ["Y"], name="n", **attributes)], [value("X")], [value("Y", None)]
    )


def _elsewhere() -> onnx.ModelProto:
    """An operator of another domain, whose result a Mul takes that is of unknown type."""
    return model(
        [node("Mystery", ["A"], ["B"], domain="custom"), node("Mul", ["B", "B"], ["C"])],
        [value("A")],
        [value("C", None)],
        domains=["custom"],
    )


ONE_NODE: list[tuple[str, onnx.ModelProto, str, str]] = [
    ("booleans", binary("Mul", of_a=BOOL), "element type", "violates"),
    ("a type that no document has", unary("Relu", of_x=BF16), "element type", "violates"),
    ("a type that the opset lacks", binary("Mul", of_a=I32, opset=1), "element type", "violates"),
    ("two types", binary("Add", of_a=I32, of_b=F64), "element type", "violates"),
    ("a result of another type", binary("Mul", of_c=F64), "element type", "violates"),
    ("a missing attribute", _CONV["Conv without strides"], "attribute", "violates"),
    ("a bad attribute", _CONV["Conv with automatic padding"], "attribute", "violates"),
    (
        "an attribute that SONNX lacks",
        model(
            [node("Gemm", ["A", "B", "C"], ["Y"], name="n", alpha=0.5)],
            [value("A", (2, 3)), value("B", (3, 4)), value("C", (2, 4))],
            [value("Y", None)],
        ),
        "attribute",
        "violates",
    ),
    ("an attribute that does not fit", _transposed(perm=[0, 0]), "attribute", "violates"),
    ("shapes that differ", binary("Mul", [2, 3], [4, 3]), OTHER, "violates"),
    ("another result shape", _CONV["Conv to another shape"], OTHER, "violates"),
    ("another version", _OF_ONNX["Squeeze, opset 11, of an attribute"], VERSION, "undecided"),
    ("an open dimension", _CONV["Conv of an image of any size"], OTHER, "undecided"),
    ("two symbols", binary("Mul", ["N"], ["M"]), OTHER, "undecided"),
]
_VERDICTS = {"undecided": "cannot be decided statically", "violates": "violates"}


@pytest.mark.parametrize(
    ("what", "reason", "verdict"), [pytest.param(*case, id=name) for name, *case in ONE_NODE]
)
def test_why_a_node_is_not_inside(
    shell: Shell, tmp_path: Path, what: onnx.ModelProto, reason: str, verdict: str
) -> None:
    save(what, tmp_path)
    _, out, _ = shell("model.onnx", "--json", "out.json")
    (operator,) = {each.op_type for each in what.graph.node}
    start = "not decided" if verdict == "undecided" else "outside"
    line = f"inside the profile: 0 of 1 nodes (0 %); {start} by {reason}: {operator} 1"
    assert line in out.splitlines()
    assert read_json(tmp_path / "out.json", SCHEMA)["share"] == {
        "inside": 0,
        "total": 1,
        "outside": [_outside(reason, _VERDICTS[verdict], operator)],
    }


def _outside(
    reason: str, verdict: str, operator: str, count: int = 1, domain: str = ""
) -> dict[str, Any]:
    return {
        "reason": reason,
        "verdict": verdict,
        "domain": domain,
        "operator": operator,
        "count": count,
    }


def test_an_unknown_operator_and_an_unknown_type(shell: Shell, tmp_path: Path) -> None:
    save(_elsewhere(), tmp_path)
    _, out, _ = shell("model.onnx", "--json", "out.json")
    assert (
        "inside the profile: 0 of 2 nodes (0 %); outside by operator: custom::Mystery 1;"
        " not decided by element type: Mul 1"
    ) in out.splitlines()
    assert read_json(tmp_path / "out.json", SCHEMA)["share"]["outside"] == [
        _outside("operator", "not judged", "Mystery", domain="custom"),
        _outside("element type", "cannot be decided statically", "Mul"),
    ]


def test_a_model_inside(shell: Shell, tmp_path: Path) -> None:
    save(binary("Mul"), tmp_path)
    _, out, _ = shell("model.onnx", "--json", "out.json")
    assert "inside the profile" not in out
    share = read_json(tmp_path / "out.json", SCHEMA)["share"]
    assert share == {"inside": 1, "total": 1, "outside": []}


def _mixed() -> onnx.ModelProto:
    """Of eight nodes, two inside; each reason has at least one of the others."""
    nodes = [
        node("Mul", ["A", "A"], ["a"]),
        node("Relu", ["A"], ["b"]),
        *[node(UNKNOWN, ["A"], [f"c{n}"]) for n in range(2)],
        node("Mul", ["B", "B"], ["d"]),
        node("Flatten", ["A"], ["e"]),
        node("Mul", ["A", "C"], ["f"]),
        node("Mul", ["A", "N"], ["g"]),
    ]
    inputs = [value("A"), value("B", [2], BOOL), value("C", [4, 3]), value("N", ["N", 3])]
    return model(nodes, inputs, [value("a", None)])


def test_several_models_have_a_line_each_and_one_of_all(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    save(_mixed(), tmp_path / "m", "a.onnx")
    save(_elsewhere(), tmp_path / "m", "b.onnx")
    save(binary("Mul"), tmp_path / "m", "c.onnx")
    _, out, _ = shell("m", "--json", "out.json")
    lines = out.splitlines()
    assert [line for line in lines if "inside the profile" in line] == [
        f"a.onnx: inside the profile: 2 of 8 nodes (25 %); outside by operator: {UNKNOWN} 2; by"
        f" element type: Mul 1; by attribute: Flatten 1; by {OTHER}: Mul 1; not decided by {OTHER}:"
        " Mul 1",
        "b.onnx: inside the profile: 0 of 2 nodes (0 %); outside by operator: custom::Mystery 1;"
        " not decided by element type: Mul 1",
        f"all 3 models: inside the profile: 3 of 11 nodes (27 %); outside by operator: {UNKNOWN} 2,"
        f" custom::Mystery 1; by element type: Mul 1; by attribute: Flatten 1; by {OTHER}: Mul 1;"
        f" not decided by element type: Mul 1; by {OTHER}: Mul 1",
    ]
    written = read_json(tmp_path / "out.json", documents.schema(Examinations))
    assert [(each["share"]["inside"], each["share"]["total"]) for each in written["models"]] == [
        (2, 8),
        (0, 2),
        (1, 1),
    ]
    assert (written["share"]["inside"], written["share"]["total"]) == (3, 11)
    assert written["share"]["outside"] == [
        _outside("operator", "not judged", UNKNOWN, 2),
        _outside("operator", "not judged", "Mystery", domain="custom"),
        _outside("element type", "violates", "Mul"),
        _outside("attribute", "violates", "Flatten"),
        _outside(OTHER, "violates", "Mul"),
        _outside("element type", "cannot be decided statically", "Mul"),
        _outside(OTHER, "cannot be decided statically", "Mul"),
    ]
    for name, share in {"a.onnx": "25 %", "b.onnx": "0 %", "c.onnx": "100 %"}.items():
        (row,) = (line for line in lines if line.startswith(f"{name} "))
        assert f" {share}  " in row
