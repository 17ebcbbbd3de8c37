"""The process behind an oracle: it dies, hangs and is interrupted, and nothing is left running."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal.core.processes import Channel
from sonnx_formal.oracle import Oracle, OracleError, OracleTimeout
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.operators.mul import MUL
from tests.oracle.conftest import pid_of

SHORT = np.array([3], np.int8)

# A process that is stopped takes as long as one likes, even to notice that its input has ended.
ENDLESS_CALL = """
import os, signal
import numpy as np
from sonnx_formal.oracle import Oracle

with Oracle() as oracle:
    oracle.apply("mul", np.int8(1), np.int8(1))
    os.kill(oracle._running.pid, signal.SIGSTOP)
    print(oracle._running.pid, flush=True)
    oracle.apply("mul", np.int8(1), np.int8(1))
"""


def soon(condition: Callable[[], bool]) -> bool:
    """Whether it comes true within a few seconds."""
    end = time.monotonic() + 5
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def works(oracle: Oracle) -> bool:
    return bool(oracle.apply("mul", SHORT, SHORT).tolist() == [9])


def test_it_starts_with_the_first_call_and_ends_with_the_block() -> None:
    with Oracle() as oracle:
        assert pid_of(oracle) is None
        assert works(oracle)
        pid = pid_of(oracle)
        assert pid is not None
        assert works(oracle)
        assert pid_of(oracle) == pid
        assert os.getpgid(pid) == pid  # Ctrl-C in a terminal is for the caller alone
    assert not runs(pid)
    assert pid_of(oracle) is None


def test_a_closed_oracle_starts_anew() -> None:
    with Oracle() as oracle:
        assert works(oracle)
        oracle.close()
        assert works(oracle)


def test_a_killed_process_is_started_anew() -> None:
    with Oracle() as oracle:
        assert works(oracle)
        pid = pid_of(oracle)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert soon(lambda: pid_of(oracle) is None)
        assert works(oracle)
        assert pid_of(oracle) not in {None, pid}


@pytest.mark.parametrize("waits", [1, 2])
def test_a_process_that_dies_in_the_middle_of_a_call(
    monkeypatch: pytest.MonkeyPatch, waits: int
) -> None:
    """While the request is written, or when the answer is to come."""
    with Oracle() as oracle:
        assert works(oracle)
        pid = pid_of(oracle)
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        left, limit = [waits], Channel._limit

        def wait(*arguments: Any) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            limit(*arguments)

        monkeypatch.setattr(Channel, "_limit", wait)
        with pytest.raises(OracleError, match="the oracle died: SIGKILL"):
            works(oracle)
        assert works(oracle)


@pytest.mark.parametrize("size", [1, 1 << 18], ids=["fits into a pipe", "does not"])
def test_a_call_that_takes_too_long(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    operand = np.ones(size, np.int8)
    with Oracle(timeout=60) as oracle:
        assert works(oracle)
        pid = pid_of(oracle)
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        with monkeypatch.context() as patched:
            patched.setattr(oracle, "_timeout", 0.2)
            with pytest.raises(OracleTimeout, match=r"no answer within 0\.2 s"):
                oracle.evaluate(Call(MUL, (operand, operand)))
        assert not runs(pid)
        assert works(oracle)


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS_CALL],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as caller:
        assert caller.stdout
        pid = int(caller.stdout.readline())
        time.sleep(0.2)  # until it waits for the answer, more or less
        assert runs(pid)
        caller.send_signal(number)
        _, errors = caller.communicate(timeout=10)
    assert soon(lambda: not runs(pid))
    assert caller.returncode == -number
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)


def test_threads_share_an_oracle() -> None:
    wrong: list[int] = []

    def call(factor: int, oracle: Oracle) -> None:
        for _ in range(20):
            result = oracle.apply("mul", np.int32(factor), np.int32(3))
            if result != 3 * factor:
                wrong.append(factor)

    with Oracle() as oracle:
        assert works(oracle)
        threads = [threading.Thread(target=call, args=(n, oracle)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_thread_that_ends_takes_no_call_of_another_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Linux ends the process with the thread that started it."""
    with Oracle() as oracle:
        end = threading.Event()
        starter = threading.Thread(target=lambda: (works(oracle), end.wait(30)))
        starter.start()
        assert soon(lambda: pid_of(oracle) is not None)
        pid = pid_of(oracle)
        assert pid is not None

        limit = Channel._limit

        def wait(*arguments: Any) -> None:
            if not end.is_set() and threading.current_thread() is not starter:
                end.set()
                starter.join()
                assert soon(lambda: not runs(pid))
            limit(*arguments)

        monkeypatch.setattr(Channel, "_limit", wait)
        assert works(oracle)
        assert pid_of(oracle) != pid


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#!/bin/sh\nexit 3\n", "the oracle died: exit status 3"),
        ("#!/bin/sh\nprintf abc\n", "the oracle died: exit status 0"),
    ],
)
def test_a_program_that_is_no_oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    program = tmp_path / "program"
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setattr("sonnx_formal.oracle.definitions.find_program", lambda: program)
    with Oracle() as oracle, pytest.raises(OracleError, match=message):
        works(oracle)
