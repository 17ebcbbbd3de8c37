"""Files that cannot be read: one line each, and exit status 3."""

import os
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import helper

from sonnx_formal.lint.model import LARGEST, NEWEST_OPSET, ModelError, read
from tests.lint.conftest import Shell
from tests.lint.models import F32, binary, model, node, save, tensor, value

Bad = Callable[[Path], object]


def _external(
    folder: Path, location: str, *, length: int | None = 24, offset: int = 0
) -> onnx.ModelProto:
    """A model whose divisor is somewhere else."""
    what = model(
        [node("Div", ["A", "B"], ["C"], name="n")],
        [value("A")],
        [value("C")],
        [tensor("B", [[1, 2, 3], [4, 5, 6]])],
    )
    (divisor,) = what.graph.initializer
    onnx.external_data_helper.set_external_data(divisor, location, offset=offset, length=length)
    divisor.ClearField("raw_data")
    save(what, folder)
    return what


def _cyclic() -> onnx.ModelProto:
    return model(
        [
            node("Mul", ["A", "z"], ["x"], name="first"),
            node("Relu", ["x"], ["y"], name="second"),
            node("Relu", ["y"], ["z"]),
        ],
        [value("A")],
        [value("z")],
    )


def _cyclic_through_a_branch() -> onnx.ModelProto:
    branch = helper.make_graph([node("Relu", ["y"], ["t"])], "then", [], [value("t")])
    other = helper.make_graph([node("Relu", ["A"], ["e"])], "else", [], [value("e")])
    return model(
        [
            node("If", ["c"], ["x"], name="if", then_branch=branch, else_branch=other),
            node("Relu", ["x"], ["y"], name="relu"),
        ],
        [value("c", [], onnx.TensorProto.BOOL), value("A")],
        [value("y")],
    )


def _recursive() -> onnx.ModelProto:
    function = helper.make_function(
        "local",
        "F",
        ["x"],
        ["y"],
        [node("F", ["x"], ["y"], domain="local")],
        [helper.make_opsetid("", 14), helper.make_opsetid("local", 1)],
    )
    return model(
        [node("F", ["A"], ["C"], domain="local")],
        [value("A")],
        [value("C")],
        functions=[function],
        domains=["local"],
    )


def _write(content: bytes) -> Bad:
    return lambda folder: (folder / "model.onnx").write_bytes(content)


def _save(what: onnx.ModelProto) -> Bad:
    return lambda folder: save(what, folder)


def _larger_than_a_message(folder: Path) -> None:
    with (folder / "model.onnx").open("wb") as file:
        file.truncate(LARGEST + 1)


def _link_to_outside(folder: Path) -> None:
    (folder / "weights").symlink_to(os.devnull)
    _external(folder, "weights")


def _other_link_to_outside(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.write_bytes(bytes(24))
    (folder / "weights").symlink_to(outside)
    _external(folder, "weights")


def _short(folder: Path) -> None:
    (folder / "weights").write_bytes(bytes(23))
    _external(folder, "weights")


def _beyond(folder: Path) -> None:
    (folder / "weights").write_bytes(bytes(24))
    _external(folder, "weights", length=None, offset=25)


WHOLE = binary("Mul").SerializeToString()
BAD: dict[str, tuple[Bad, str]] = {
    "missing": (lambda _: None, "No such file"),
    "folder": (lambda folder: (folder / "model.onnx").mkdir(), "is a folder"),
    "pipe": (lambda folder: os.mkfifo(folder / "model.onnx"), "not a regular file"),
    "no bytes": (_write(b""), "is empty"),
    "text": (_write(b"# a model\n"), "is no ONNX model, or was cut off"),
    "another format": (_write(b"PK\x03\x04" + bytes(60)), "is no ONNX model, or was cut off"),
    "cut off": (_write(WHOLE[:-9]), "is no ONNX model, or was cut off"),
    "cut off before the graph": (_write(WHOLE[:2]), "is no ONNX model, or was cut off"),
    "names that are no UTF-8": (
        _write(binary("Mul").SerializeToString().replace(b"Mul", b"M\xfful"[:3])),
        "no ONNX model",
    ),
    "no IR version": (_save(model([], [], [], ir_version=0)), "is no ONNX model"),
    "more than 2 GB": (_larger_than_a_message, "as external data"),
    "unknown opset": (
        _save(binary("Mul", opset=NEWEST_OPSET + 1)),
        f"uses opset {NEWEST_OPSET + 1}, which is unknown",
    ),
    "opset 0": (_save(binary("Mul", opset=0)), "uses opset 0, which is unknown"),
    "empty graph": (_save(model([], [value("A")], [value("A")])), "has an empty graph"),
    "cyclic": (_save(_cyclic()), "cyclic graph: first -> second -> Relu:z -> first"),
    "cyclic through a branch": (
        _save(_cyclic_through_a_branch()),
        "cyclic graph: if -> relu -> if",
    ),
    "a function that calls itself": (_save(_recursive()), "must not be recursive"),
    "undefined input": (
        _save(model([node("Mul", ["A", "B"], ["C"])], [value("A")], [value("C")])),
        "is no valid ONNX model: ",
    ),
    "one operand": (
        _save(model([node("Mul", ["A"], ["C"])], [value("A")], [value("C")])),
        "is no valid ONNX model: ",
    ),
    "unknown operator": (
        _save(model([node("Mull", ["A"], ["C"])], [value("A")], [value("C")])),
        "is no valid ONNX model: No Op registered for Mull",
    ),
    "an attribute of before": (
        _save(binary("Mul", broadcast=1)),
        "is no valid ONNX model: Unrecognized attribute: broadcast",
    ),
    "external data that is not there": (lambda it: _external(it, "weights"), "is not there"),
    "external data in a folder above": (
        lambda it: _external(it, "../weights"),
        "outside the folder of the model",
    ),
    "external data in the root": (
        lambda it: _external(it, "/etc/passwd"),
        "outside the folder of the model",
    ),
    "external data by an absolute path": (
        lambda it: _external(it, str(it / "model.onnx"), length=0),
        "outside the folder of the model",
    ),
    "external data without a name": (
        lambda it: _external(it, ""),
        "outside the folder of the model",
    ),
    "external data by a link": (_other_link_to_outside, "a link to outside the folder"),
    "external data that is a device": (_link_to_outside, "is not there"),
    "external data that was cut off": (_short, "which is too short"),
    "external data from beyond the end": (_beyond, "which is too short"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_line_and_exit_status_3(shell: Shell, tmp_path: Path, name: str) -> None:
    make, message = BAD[name]
    make(tmp_path)
    status, out, err = shell("model.onnx", "--json", "out.json", "--sarif", "out.sarif")
    assert (status, out) == (3, "")
    assert err.startswith("sonnx-formal: model.onnx")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path / "out.sarif").exists()


def test_every_way_to_cut_a_model_off_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    complaints = 0
    for length in range(len(WHOLE)):
        path.write_bytes(WHOLE[:length])
        with pytest.raises(ModelError) as caught:
            read(path)
        complaints += 1
        assert "\n" not in str(caught.value)
    assert complaints == len(WHOLE) > 80


def test_external_data_in_a_folder_below_is_fine(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/weights").write_bytes(bytes(30))
    _external(tmp_path, "data/../data/weights", offset=6)
    assert read(tmp_path / "model.onnx").graph.initializer[0].name == "B"


def test_what_the_checker_is_too_strict_about(tmp_path: Path) -> None:
    """Outputs without a shape; initializers that are no inputs, in a file of before IR 4."""
    what = model(
        [node("Mul", ["A", "B"], ["C"])],
        [value("A")],
        [value("C", None, F32)],
        [tensor("B", [[1, 2, 3], [4, 5, 6]])],
        ir_version=3,
    )
    assert read(save(what, tmp_path)) == what
