"""Whenever a run is killed, what it had finished is kept and nothing of it stays alive."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sonnx_formal.core.errors import INTERRUPTED, TERMINATED
from tests.prover import fakes
from tests.prover.fakes import Workshop, assert_gone

GOALS = 6
TEXT = "module M use int.Int {} end".format(
    " ".join(f"goal g{n}: {n} + 1 = {n + 1}" for n in range(GOALS))
)

# The command with one prover in the place of those of the machine, over a library of its own.
COMMAND = """
import sys
from pathlib import Path
from sonnx_formal.cli import main as cli
from sonnx_formal.prover import prove
from tests.prover.fakes import Workshop
workshop = Workshop(Path(sys.argv.pop(1)))
provers = [workshop.fake("slow", "slow", Path(sys.argv.pop(1)).read_text())]
prove.find_provers = lambda: provers
prove.find_library = lambda: workshop.library
cli.main()
"""


@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_killed_in_the_middle(
    workshop: Workshop, cache: Path, sent: signal.Signals, status: int
) -> None:
    workshop.write("m.mlw", TEXT)
    # Three goals are proved, then the prover hangs, with a child of its own.
    script = workshop.root / "script"
    count = f'$(wc -l < "{workshop.root}/launches")'
    script.write_text(
        f'if [ {count} -gt 3 ]; then echo $$ > "{workshop.root}/pid"; {fakes.HANG}; fi; '
        f"{fakes.UNSAT}"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(workshop.root), str(script), "prove", "--jobs", "1"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    pid = workshop.root / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"))
    running.send_signal(sent)
    output, errors = running.communicate(timeout=20)
    assert running.returncode == status
    assert_gone(int(pid.read_text()))
    assert "Traceback" not in output + errors
    if sent != signal.SIGKILL:
        assert "interrupted: 3 goals are open" in output
    assert not (workshop.library / "proofs.json").exists()
    workshop.launches()

    again = workshop.prove([workshop.fake("slow", "slow", fakes.UNSAT)])
    assert len(again.proved) == GOALS
    assert workshop.launches() == GOALS - 3
    assert "ignored" not in again.said
    assert not [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".json"]


def wait_for(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
