"""SIGINT and SIGTERM end every command that runs long, and all that it started, within seconds.

The signal goes to the command alone, as `docker stop` and CI send it. A Why3 that never ends stands
for whatever takes long: of an empty cache, each command needs Why3 first.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sonnx_formal.cli.main import cli
from sonnx_formal.core.signals import GRACE_SECONDS
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.onnx_model import model
from tests.prover.fakes import assert_gone

MUL = Call(operator("mul"), (np.ones(1, np.int8), np.ones(1, np.int8)))
FILE = Path(__file__).parents[2] / "why3/ops/sub/definition.mlw"
LONG = {
    "certify": ("certify", FILE, "--fresh"),
    "check": ("check", "--backend", "reference", "--op", "sub", "--type", "int8"),
    "eval": ("eval", "sub", "1", "1", "--type", "int8"),
    "exhaustive": ("exhaustive", "--op", "sub"),
    "hypotheses": ("hypotheses", FILE, "--fresh"),
    "kernels": ("kernels", "--out", "kernels"),
    "mutate": ("mutate", FILE),
    "network": ("network", "../model.onnx", "--backend", "reference"),
    "prove": ("prove", FILE),
    "replay": ("prove", "--replay"),
    "report": ("report", "-o", "report"),
    "self-test": ("self-test",),
    "stability": ("stability", FILE, "--fresh"),
    "trace": ("trace",),
    "vacuity": ("vacuity", FILE, "--fresh"),
    "vectors": ("vectors", "--op", "sub", "--type", "int8", "-o", "vectors"),
}
SHORT = {"doctor", "lint", "new-operator", "refinements", "trusted-base"}
"""These take a few seconds, and call neither Why3 nor a prover on goals."""
DRAWN = {"verify-report"}
"""It has documents drawn, and a test of its own."""
WHY3 = """\
#!/bin/sh
case "$1" in -*) exec {why3} "$@";; esac
sleep 1000 &
echo $! >> {folder}/asleep
wait
"""


class Machine:
    """One with a Why3 that falls asleep at work, and a folder to run commands in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.here = folder / "here"
        program = folder / "bin/why3"
        for each in (self.here, program.parent):
            each.mkdir()
        (folder / "model.onnx").write_bytes(model(MUL).SerializeToString())
        program.write_text(WHY3.format(why3=shutil.which("why3"), folder=folder))
        program.chmod(0o755)

    def start(self, *arguments: str | Path) -> "subprocess.Popen[str]":
        path = f"{self._folder / 'bin'}:{os.environ['PATH']}"
        places = {"SONNX_FORMAL_CACHE": "cache", "TMPDIR": "tmp"}
        for name in places.values():
            (self._folder / name).mkdir()
        variables = {name: str(self._folder / place) for name, place in places.items()}
        return subprocess.Popen(
            [sys.executable, "-m", "sonnx_formal", *map(str, arguments)],
            cwd=self.here,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | variables | {"PATH": path},
        )

    def asleep(self) -> list[int]:
        """What Why3 started, as far as it is known."""
        path = self._folder / "asleep"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def left(self) -> list[str]:
        """Files in the folder, and temporary ones."""
        folders = (self.here, self._folder / "tmp")
        return [str(path) for each in folders for path in each.rglob("*") if path.is_file()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def check_ended(
    machine: Machine,
    running: "subprocess.Popen[str]",
    sent: signal.Signals,
    status: int,
    at_work: Callable[[], list[int]] | None = None,
) -> None:
    """Send a signal to a command that waits for others, for Why3 if not said, and see how it ends.

    :param at_work: those others, as far as they run by now.
    """
    at_work = at_work or machine.asleep
    deadline = time.monotonic() + 120
    while not (waited_for := at_work()):
        assert time.monotonic() < deadline
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    running.send_signal(sent)
    began = time.monotonic()
    output, errors = running.communicate(timeout=60)
    assert running.returncode == status
    assert time.monotonic() - began < GRACE_SECONDS, "and not because nobody could wait longer"
    assert "Traceback" not in output + errors
    for pid in waited_for:
        assert_gone(pid)
    assert machine.left() == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGTERM, 143), pytest.param(signal.SIGINT, 130, marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in {"check", "eval", "prove"} else pytest.mark.long)
        for name in LONG
    ],
)
def test_a_signal_ends_it(machine: Machine, name: str, sent: signal.Signals, status: int) -> None:
    check_ended(machine, machine.start(*LONG[name]), sent, status)


def test_no_command_is_forgotten() -> None:
    tried = {arguments[0] for arguments in LONG.values()}
    assert tried.isdisjoint(SHORT | DRAWN)
    assert {*cli.commands} == tried | SHORT | DRAWN
