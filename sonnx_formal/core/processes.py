"""One prover process under limits: what it printed, how it ended, what it cost.

Input and output are anonymous files in memory: nothing is left on the disk however the run ends.
"""

import math
import os
import select
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO

MEMORY_MIB = 4096
OUTPUT_MIB = 1
WALL_FACTOR, WALL_SLACK_SECONDS = 3, 5


@dataclass(frozen=True)
class ProcessEnd:
    """How a process ended."""

    stdout: str
    stderr: str
    exit_code: int
    """Minus the signal's number where a signal ended it."""
    cpu_seconds: float
    timed_out: bool
    cancelled: bool


class Process:
    """A running process, which any thread may kill. It dies with the thread that started it."""

    def __init__(self, command: Sequence[str], stdin: str, cpu_seconds: int) -> None:
        """Raises `OSError` when the program cannot be started."""
        self._cpu_seconds = cpu_seconds
        # CPU time decides, so that a verdict does not depend on how busy the machine is. The wall
        # clock only ends a process that neither computes nor ends.
        self._wall_seconds = WALL_FACTOR * cpu_seconds + WALL_SLACK_SECONDS
        self._lock = threading.Lock()
        self._cancelled = False
        self._reaped = False
        with ExitStack() as files:
            task, self._stdout, self._stderr = (
                files.enter_context(_memory_file(content)) for content in (stdin, "", "")
            )
            self._popen = subprocess.Popen(
                [*dies_with_us(), *_limited(cpu_seconds), *command],
                stdin=task,
                stdout=self._stdout,
                stderr=self._stderr,
                process_group=0,
                env=_environment(),
            )
            files.pop_all()
        task.close()

    def kill(self) -> None:
        """End the process and its children now. Its `wait` then says that it was cancelled."""
        with self._lock:
            self._cancelled = True
            self._kill_group()

    def wait(self) -> ProcessEnd:
        """Wait for the end of the process; call it once."""
        pid = self._popen.pid
        watch = os.pidfd_open(pid)
        try:
            poll = select.poll()
            poll.register(watch, select.POLLIN)
            ended = bool(poll.poll(self._wall_seconds * 1000))
        finally:
            os.close(watch)
        with self._lock:
            # Before it is reaped, so that the number of the group cannot belong to another.
            self._kill_group()
            _, status, usage = os.wait4(pid, 0)
            self._reaped = True
        exit_code = self._popen.returncode = os.waitstatus_to_exitcode(status)
        cpu_seconds = usage.ru_utime + usage.ru_stime
        return ProcessEnd(
            stdout=_contents(self._stdout),
            stderr=_contents(self._stderr),
            exit_code=exit_code,
            cpu_seconds=cpu_seconds,
            timed_out=not ended
            or exit_code == -signal.SIGXCPU
            or (exit_code == -signal.SIGKILL and math.ceil(cpu_seconds) >= self._cpu_seconds),
            cancelled=self._cancelled,
        )

    def _kill_group(self) -> None:
        if not self._reaped:
            os.killpg(self._popen.pid, signal.SIGKILL)


@cache
def _environment() -> dict[str, str]:
    """With pages of 2 MiB for memory, where the kernel has them on demand.

    A prover fills great tables when it starts: half of the time that Z3 takes for an easy task was
    spent on getting pages of 4 KiB.
    """
    tunables = [os.environ.get("GLIBC_TUNABLES", ""), "glibc.malloc.hugetlb=1"]
    return os.environ | {"GLIBC_TUNABLES": ":".join(filter(None, tunables))}


@cache
def dies_with_us() -> tuple[str, ...]:
    """In front of a command: it is killed when this program is, even by SIGKILL."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL") if setpriv else ()


def _limited(cpu_seconds: int) -> tuple[str, ...]:
    """In front of a command: limits of which the prover cannot free itself.

    A program of its own, though it costs a millisecond: limits that are set from here, on a
    process that runs already, come too late for the children that it may have by then.
    """
    mib = 1024 * 1024
    return (
        shutil.which("prlimit") or "prlimit",
        f"--cpu={cpu_seconds}:{cpu_seconds + 1}",
        f"--as={MEMORY_MIB * mib}",
        f"--fsize={OUTPUT_MIB * mib}",
        "--core=0",
    )


def _memory_file(content: str) -> BinaryIO:
    file = os.fdopen(os.memfd_create("sonnx-formal"), "w+b")
    file.write(content.encode())
    file.seek(0)
    return file


def _contents(file: BinaryIO) -> str:
    with file:
        file.seek(0)
        return file.read().decode(errors="replace")
