"""What a signal does to a program that does not care for it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.prover.fakes import assert_gone

STUBBORN = """
import sys, time
from sonnx_formal.core import signals
signals.GRACE_SECONDS = 0.5
with signals.interruptible():
    while True:
        try:
            print("up", flush=True)
            time.sleep(1000)
        except KeyboardInterrupt:
            print("no", flush=True)
"""
IN_A_THREAD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from sonnx_formal.core.processes import run
from sonnx_formal.core.signals import interruptible
with interruptible() as interruption, ThreadPoolExecutor(1) as pool:
    running = pool.submit(run, ["sleep", "1000"])
    print("up", flush=True)
    try:
        running.result()
    except KeyboardInterrupt:
        pass
    assert isinstance(running.exception(), KeyboardInterrupt)
sys.exit(interruption.status)
"""
# The same, where the main thread waits and does not hear of it: the signal comes to another thread,
# as one comes between the last look for signals and the wait.
UNHEARD = IN_A_THREAD.replace(
    '    print("up", flush=True)\n',
    """\
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    print("up", flush=True)
""",
)


@pytest.mark.parametrize("script", [STUBBORN, IN_A_THREAD, UNHEARD])
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_nevertheless(script: str, sent: signal.Signals, status: int) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout
    assert running.stdout.readline() == "up\n"
    time.sleep(0.1)
    for _ in range(3):
        running.send_signal(sent)
        time.sleep(0.05)
    output, errors = running.communicate(timeout=20)
    assert (running.returncode, errors) == (status, "")
    assert output.count("no") == (script == STUBBORN), "the first signal alone counts"


STARTING = """
import subprocess, sys, time
from sonnx_formal.core import processes
from sonnx_formal.core.signals import interruptible

class Slow(subprocess.Popen):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        print("up", flush=True)
        time.sleep(0.3)

subprocess.Popen = Slow
with interruptible() as interruption:
    try:
        {start}
    except KeyboardInterrupt:
        pass
sys.exit(interruption.status)
"""
PARENT = "['sh', '-c', 'sleep 1000 & echo $! > pid; wait']"


@pytest.mark.parametrize("start", ["run({})", "Responder({}).answer(1000)"])
def test_what_is_just_being_started_ends_with_its_children(tmp_path: Path, start: str) -> None:
    script = STARTING.format(start="processes." + start.format(PARENT))
    running = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert running.stdout
    assert running.stdout.readline() == "up\n"
    while not (tmp_path / "pid").exists() or not (child := (tmp_path / "pid").read_text()):
        time.sleep(0.01)
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=20)
    assert (running.returncode, errors) == (143, "")
    assert_gone(int(child))
