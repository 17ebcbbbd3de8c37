"""The command `check`: what it says, what it writes, how it ends."""

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.cli import main as cli
from sonnx_formal.core import documents
from tests.check.conftest import FAKES, REPOSITORY
from tests.schemas import validate

ENVIRONMENT = os.environ | {"PYTHONPATH": f"{FAKES}:{REPOSITORY}"}


class Shell:
    """Runs the command in this process; its workers find the fakes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.find_modules_in(FAKES)

    def find_modules_in(self, folder: Path) -> None:
        self._monkeypatch.setenv("PYTHONPATH", f"{folder}:{REPOSITORY}")

    def __call__(self, *arguments: str | Path, command: str = "check") -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        self._monkeypatch.setattr(sys, "argv", ["sonnx-formal", command, *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = self._capsys.readouterr()
        return int(exit_.value.code or 0), out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    before = signal.getsignal(signal.SIGTERM)
    yield Shell(monkeypatch, capsys)
    signal.signal(signal.SIGTERM, before)


def counts(path: Path) -> dict[tuple[str, str], dict[Verdict, int]]:
    """Of a report that is as its schema says: the matrix, by backend and type."""
    validate(json.loads(path.read_text()), CheckReport)
    report = documents.read(path, CheckReport)
    return {(row.backend, row.element_type): dict(row.counts) for row in report.matrix}


def test_all_passes_and_json(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "check.json"
    backends = ["--backend", "reference,fakes:right"]
    status, out, err = shell(*backends, "--op", "mul", "--type", "uint16", "--json", path)
    assert (status, err) == (0, "")
    assert "reference 0." in out
    matrix = counts(path)
    assert [*matrix] == [("reference", "uint16"), ("fakes:right", "uint16")]
    for row in matrix.values():
        assert sum(row.values()) == row[Verdict.PASS] > 50


def test_divergence_of_a_required_backend(shell: Shell, tmp_path: Path) -> None:
    path, name = tmp_path / "check.json", "fakes:loses_the_sign_of_zero"
    what = ["--op", "mul", "--type", "float32", "--type", "real", "--json", str(path)]
    status, out, err = shell("--require", name, "--backend", "reference", *what)
    assert (status, err) == (1, "")
    assert f"{name}: mul float32 diverges: sign of zero" in out
    assert "expected = [-0]  bits [0x80000000]" in out
    assert "got      = [0]  bits [0x00000000]" in out
    assert f"had to pass and did not: {name}" in out
    matrix = counts(path)
    assert matrix[name, "float32"][Verdict.NOT_SUPPORTED] == 0
    assert matrix[name, "real"][Verdict.NOT_SUPPORTED] > 0
    (finding,) = json.loads(path.read_text())["findings"]
    assert finding["example"]["expected"]["bits"] == ["0x80000000"]
    assert finding["example"]["expected"]["decimal"] == ["-0"]
    rows = {
        (row["backend"], row["element_type"]): row for row in json.loads(path.read_text())["matrix"]
    }
    assert rows["reference", "float32"]["not_passed"] == rows[name, "real"]["not_passed"] == {}
    diverging = rows[name, "float32"]["not_passed"]
    assert finding["example"]["found_in"] in diverging
    assert [*diverging.values()] == ["diverges"] * finding["cases"]


def test_who_is_required_runs_alone(shell: Shell, tmp_path: Path) -> None:
    path, junit = tmp_path / "check.json", tmp_path / "check.xml"
    what = ["--op", "mul", "--type", "uint16", "--json", str(path), "--junit", str(junit)]
    status, out, err = shell("--require", "fakes:right", "--only-failures", *what)
    assert (status, err) == (0, "")
    assert [*counts(path)] == [("fakes:right", "uint16")]
    assert "reference" not in out
    (suite,) = ET.parse(junit).getroot()
    assert (suite.get("name"), suite.get("failures"), suite.get("errors")) == (
        "fakes:right", "0", "0"
    )  # fmt: skip
    assert [line for line in out.splitlines() if line][1:] == [out.splitlines()[-1]]


def test_what_is_not_installed_is_recorded_and_no_pass(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "openvino.py").write_text("raise ImportError('nowhere')")
    shell.find_modules_in(tmp_path)
    path = tmp_path / "check.json"
    what = ["--op", "matmul", "--type", "uint64", "--json", str(path)]
    status, out, _ = shell("--backend", "reference,openvino", *what)
    assert status == 0
    assert "openvino: not installed: nowhere; get it with: pip install openvino" in out
    row = counts(path)["openvino", "uint64"]
    assert sum(row.values()) == row[Verdict.NOT_INSTALLED] > 50
    status, _, err = shell("--require", "openvino")
    assert (status, "openvino, which is required, is not installed" in err) == (2, True)
    status, _, err = shell("--backend", "openvino")
    assert (status, "there is nothing to check" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--backend", "numpi"], "there is no backend 'numpi'"),
        (["--backend", "numpy"], "the backend numpy is now called reference"),
        (["--backend", "no_such_module:f"], "No module named 'no_such_module'"),
        (["--op", "matmul", "--type", "int8"], "no document has matmul over int8"),
        (
            ["--vectors", "/no/such/folder"],
            "/no/such/folder/manifest.json: No such file or directory: make test vectors with"
            " `sonnx-formal vectors -o /no/such/folder`",
        ),
        (["--timeout", "0"], "--timeout"),
        (["--timeout", "nan"], "nan is no time"),
        (["--seed", "-1"], "--seed"),
        (["--backend", "reference", "--json", "/no/such/folder/x.json"], "cannot be written to"),
    ],
)
def test_mistakes(shell: Shell, arguments: list[str], words: str) -> None:
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


@pytest.mark.long
def test_stored_vectors(shell: Shell, tmp_path: Path) -> None:
    chosen = ["--op", "mul", "--type", "int32"]
    status, _, err = shell(*chosen, "-o", tmp_path / "vectors", command="vectors")
    assert (status, err) == (0, "")
    path = tmp_path / "check.json"
    rows = []
    for source in (["--vectors", str(tmp_path / "vectors")], ["--seed", "0"]):
        status, _, err = shell("--backend", "reference", *chosen, *source, "--json", path)
        assert (status, err) == (0, "")
        rows.append(counts(path)["reference", "int32"])
    assert rows[0] == rows[1]
    assert rows[0][Verdict.PASS] > 50
    # What is not in the folder is not asked for.
    status, _, err = shell(
        "--vectors", tmp_path / "vectors", "--backend", "reference", "--json", path
    )
    assert (status, err) == (0, "")
    assert [*counts(path)] == [("reference", "int32")]
    manifest = (tmp_path / "vectors/manifest.json").read_bytes()
    named = json.loads(path.read_text())["manifest_sha256"]
    assert named == hashlib.sha256(manifest).hexdigest()
    status, _, err = shell("--vectors", tmp_path / "vectors", "--op", "div")
    assert (status, "no test vectors there are of what is asked for" in err) == (2, True)


def alive(marker: str) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if marker in line and " -eo " not in line]


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_interrupted_in_the_middle(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    marker = f"sleep {10_000_000 + os.getpid()}.{int(sent)}"  # no one else's
    # Nobody is left to end the children of a command that is killed with everything else.
    script = f"exec {marker}" if sent is signal.SIGKILL else f"{marker}; true"
    backend = "cmd:" + shlex.join(["sh", "-c", script])
    arguments = ["--backend", backend, "--op", "mul", "--type", "int64"]
    path = tmp_path / "check.json"
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "sonnx_formal", "check", *arguments, "--json", str(path)],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not alive(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive(marker)
    running.send_signal(sent)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == status
    assert "Traceback" not in errors
    assert not path.exists()
    deadline = time.monotonic() + 5
    while alive(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive(marker) == []
