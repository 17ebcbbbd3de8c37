"""The command `vectors` as a user meets it."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TypeVar

import pytest

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Document
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.onnx_model import has_valid_model
from sonnx_formal.vectors.folder import Generation, Verification
from sonnx_formal.vectors.storage import load
from tests.schemas import validate
from tests.vectors.conftest import Shell
from tests.vectors.test_storage import snapshot

_Document = TypeVar("_Document", bound=Document)
ROOT = Path(__file__).parents[2]

TRANSCRIPT = """\
sonnx-formal vectors --op div --type int8 --type real -o out  (version 0.1.0)
operator  cases  of these
div         115  14 nominal, 6 example, 33 boundary, 1 special, 12 zero-size, 8 rank-0, \
5 hazard, 36 random
all         115

115 cases in 2 files, 0.4 MB, seed 0, … s: out
"""


def said(out: str) -> str:
    """What was printed, without the time and the spaces at the ends of lines."""
    lines = "".join(f"{line.rstrip()}\n" for line in out.splitlines())
    return re.sub(r"[0-9.]+ s:", "… s:", lines)


def checked(path: Path, type_: type[_Document]) -> _Document:
    validate(json.loads(path.read_text()), type_)
    return documents.read(path, type_)


def test_made_then_verified(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("--op", "div", "--type", "int8", "--type", "real", "-o", "out")
    assert (code, err) == (0, "")
    assert said(out) == TRANSCRIPT
    assert len(list(load(tmp_path / "out"))) == 115
    code, out, err = shell("--verify", "out")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "sonnx-formal vectors --verify out  (version 0.1.0)",
        "115 of 115 cases are as the oracle says; 0 differences",
    ]


@pytest.mark.long
def test_default_folder_and_json(shell: Shell, tmp_path: Path) -> None:
    code, _, _ = shell("--type", "uint8", "--seed", "5", "--onnx", "onnx", "--json", "made.json")
    assert code == 0
    made = checked(tmp_path / "made.json", Generation)
    assert (made.directory, made.onnx_directory, made.seed) == ("build/vectors", "onnx", 5)
    cases = list(load(tmp_path / "build/vectors"))
    assert made.cases == len(cases)
    assert set(made.classes) == {case.instance.operator.name for case in cases}
    assert set(made.classes) >= {"mul", "div", "onnx-mul-14", "ov-multiply-1"}
    exported = [case for case in cases if not case.violated and has_valid_model(case.instance)]
    assert len(list((tmp_path / "onnx").glob("*/test_*/model.onnx"))) == len(exported)


def test_differences_are_listed(shell: Shell, folder: Path, tmp_path: Path) -> None:
    path = folder / "div-int8.npz"
    data = bytearray(path.read_bytes())
    data[data.find(b"\n") + 1] ^= 1  # the first element of the first operand
    path.write_bytes(data)
    (folder / "notes").write_text("")
    code, out, err = shell("--verify", folder, "--json", "found.json")
    assert (code, err) == (1, "")
    assert out.splitlines()[1:] == [
        "notes: the manifest does not have it",
        "div-int8.npz: div-int8-example-0001: its member a has changed",
        out.splitlines()[-1],
    ]
    assert out.splitlines()[-1].endswith(
        "cases are as the oracle says; 2 differences: not what was generated"
    )
    found = checked(tmp_path / "found.json", Verification)
    assert [each.file for each in found.differences] == ["notes", "div-int8.npz"]
    assert found.verified == found.cases - 1


def test_many_differences_are_cut_short(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oracle, "evaluate", lambda _, call: call.arrays[0])
    code, out, _ = shell("--verify", folder)
    assert code == 1
    assert len(out.splitlines()) == 23
    assert out.splitlines()[-2].endswith("more: --json has them all")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--op", "matmul", "--type", "int8"),
            "no document has matmul over int8: leave --op or --type out",
        ),
        (
            ("--verify", "none"),
            "none/manifest.json: No such file or directory: make test vectors with `sonnx-formal",
        ),
        (("-o", "file"), "is not a folder: choose another name"),
        (("-o", "file/v"), "file is not a folder: choose another name"),
        (("-o", "mine"), "has something else in it (letters)"),
        (("--type", "int8", "-o", "v", "--onnx", "v"), "neither is within the other"),
        (("--type", "int8", "-o", "v", "--onnx", "v/onnx"), "neither is within the other"),
        (("--onnx", "mine"), "has something else in it (letters)"),
        (("--json", "mine"), "mine: is a folder"),
        (("--json", "none/x.json"), "its folder does not exist"),
    ],
)
def test_bad_input(shell: Shell, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letters").write_text("")
    code, out, err = shell(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sonnx-formal: ")
    assert message in err
    assert err.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"file", "mine"}
    assert (tmp_path / "mine/letters").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--op", "frobnicate"),
        ("--type", "int9"),
        ("--seed", "-1"),
        ("--seed", "x"),
        ("--verify", "v", "--op", "mul"),
        ("--verify", "v", "--seed", "0"),
        ("--verify", "v", "-o", "w"),
        ("--verify", "v", "--onnx", "w"),
        ("surplus",),
    ],
)
def test_bad_options(shell: Shell, arguments: tuple[str, ...]) -> None:
    code, out, err = shell(*arguments)
    assert (code, out) == (2, "")
    assert "Error: " in err


def test_help(shell: Shell) -> None:
    code, out, _ = shell("--help")
    assert code == 0
    for text in ("--op", "--type", "--seed", "-o, --output", "--onnx", "--verify", "--json", "130"):
        assert text in out


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_killed_in_the_middle(folder: Path, sent: signal.Signals, status: int) -> None:
    before = snapshot(folder)
    running = subprocess.Popen(
        [sys.executable, "-m", "sonnx_formal", "vectors", "-o", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list(folder.parent.glob(".sonnx-formal-*/new/*.npz"))) < 3:
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(sent)
    out, err = running.communicate(timeout=20)
    assert running.returncode == status
    assert all(line.startswith("generating test vectors, ") for line in out.splitlines())
    assert err.strip() == ""
    assert snapshot(folder) == before
    left = {path.name for path in folder.parent.iterdir()} - {"vectors"}
    assert bool(left) == (sent == signal.SIGKILL)
    assert len(list(load(folder))) > 30
