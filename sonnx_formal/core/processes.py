"""Child processes: a prover's under limits, and a program that answers messages."""

import math
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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
    worker: str = ""
    """The worker of a cluster on which it ran; empty: this machine."""


class Process:
    """A running process, which any thread may kill. It dies with the thread that started it.

    Input and output are anonymous files in memory: nothing is left on the disk however it ends.
    """

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
    """With pages of 2 MiB for memory, where the kernel has them on demand, and many at a time.

    A prover fills great tables when it starts: most of the time that Z3 takes for an easy task was
    spent on getting pages of 4 KiB.
    """
    pages = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432"
    tunables = [os.environ.get("GLIBC_TUNABLES", ""), pages]
    return os.environ | {"GLIBC_TUNABLES": ":".join(filter(None, tunables))}


@cache
def dies_with_us() -> tuple[str, ...]:
    """In front of a command: it is killed when this program is, even by SIGKILL.

    If this program is killed in the millisecond before that is settled, the command goes on to its
    end, or to that of its limits.
    """
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL") if setpriv else ()


def _within(cpu_seconds: int | None) -> tuple[str, ...]:
    if cpu_seconds is None:
        return ()
    return (shutil.which("prlimit") or "prlimit", f"--cpu={cpu_seconds}:{cpu_seconds + 1}")


def _limited(cpu_seconds: int) -> tuple[str, ...]:
    """In front of a command: limits of which the prover cannot free itself.

    A program of its own, though it costs a millisecond: limits that are set from here, on a
    process that runs already, come too late for the children that it may have by then.
    """
    mib = 1024 * 1024
    return (
        *_within(cpu_seconds),
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


class _Interruption(threading.local):
    """Whether this thread must not be interrupted now, and would have been."""

    deferred = False
    pending = False


_interruption = _Interruption()


def interrupt() -> None:
    """Raise `KeyboardInterrupt` in this thread; where a program is being started, once it is known.

    Of a program that has started, and is not known yet, the children would go on.
    """
    if _interruption.deferred:
        _interruption.pending = True
    else:
        raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What is done within is finished before this thread is interrupted."""
    _interruption.deferred = True
    try:
        yield
    finally:
        _interruption.deferred = False
        pending, _interruption.pending = _interruption.pending, False
    if pending:
        raise KeyboardInterrupt


_running: set["subprocess.Popen[str]"] = set()
_change = threading.RLock()  # which the handler of a signal takes in any line of its thread
_ended = threading.Event()


def run(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float | None = None,
    cpu_seconds: int | None = None,
) -> "subprocess.CompletedProcess[str]":
    """What a program prints, and how it ends; any thread may call it.

    :param seconds: after which it is killed.
    :param cpu_seconds: of the processor, after which SIGXCPU ends it: what else the machine does
        does not count.
    :raises OSError: when it cannot be started.
    :raises subprocess.TimeoutExpired: after `seconds`.
    :raises KeyboardInterrupt: when `end_all` ended it.
    """
    with uninterrupted(), _change:
        if _ended.is_set():
            raise KeyboardInterrupt
        process = subprocess.Popen(
            [*dies_with_us(), *_within(cpu_seconds), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=folder,
            env=environment,
            process_group=0,
        )
        _running.add(process)
    try:
        with process:
            try:
                output, errors = process.communicate(timeout=seconds)
            finally:
                _kill(process)
    finally:
        _running.discard(process)
    if _ended.is_set():
        raise KeyboardInterrupt
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def begin() -> None:
    """Programs may run, until `end_all`."""
    _ended.clear()


def end_all() -> None:
    """End what `run` runs, in whichever thread, and let it run nothing more."""
    _ended.set()
    with _change:
        for process in [*_running]:
            _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


LONGEST_MESSAGE = 1 << 32
"""Bytes of a message, where whoever takes it says nothing else."""


class GarbledError(Exception):
    """Something came that is no answer; the text says what."""


class Channel:
    """One end of a socket for messages: the length in 8 bytes, little-endian, then the bytes."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def send(self, message: bytes, deadline: float | None = None) -> None:
        """Raises `ConnectionError` when nobody is there, `TimeoutError` at the deadline."""
        self._limit(deadline)
        self._socket.sendall(len(message).to_bytes(8, "little") + message)

    def receive(self, deadline: float | None = None, longest: int = LONGEST_MESSAGE) -> memoryview:
        """Raises `EOFError` at the end, `ConnectionError`, `TimeoutError`, `GarbledError`."""
        length = int.from_bytes(self._read(8, deadline), "little")
        if length > longest:
            raise GarbledError(f"a message of {length} bytes, of which {longest} are the most")
        return self._read(length, deadline)

    def _read(self, size: int, deadline: float | None) -> memoryview:
        data, at = memoryview(bytearray(size)), 0
        while at < size:
            self._limit(deadline)
            count = self._socket.recv_into(data[at:])
            if count == 0:
                raise EOFError
            at += count
        return data

    def _limit(self, deadline: float | None) -> None:
        left = None if deadline is None else max(deadline - time.monotonic(), 1e-6)
        self._socket.settimeout(left)  # 0 would mean not to wait at all


class EndedError(Exception):
    """The program ended in place of an answer; the text says how."""


class Responder:
    """A running program that answers messages: a channel is its standard input and output.

    It does not outlive an exchange that fails, or the thread that started it. With it end all that
    it started, and its temporary files are gone.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        """Raises `OSError` when the program cannot be started."""
        self.starter = threading.current_thread()
        with ExitStack() as files:
            folder = files.enter_context(
                tempfile.TemporaryDirectory(prefix="sonnx-formal-", ignore_cleanup_errors=True)
            )
            ours, theirs = (files.enter_context(end) for end in socket.socketpair())
            self._errors = files.enter_context(tempfile.TemporaryFile())
            # The name of its folder is that of nobody else.
            self._mark = f"{_FAMILY_VARIABLE}={folder}"
            own = {"TMPDIR": folder, _FAMILY_VARIABLE: folder}
            # In a group of its own: Ctrl-C is ours to handle, and it ends with all its children.
            with uninterrupted():
                self._popen = subprocess.Popen(
                    [*dies_with_us(), *command],
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=self._errors,
                    env={**(os.environ if environment is None else environment), **own},
                    process_group=0,
                )
                self.pid = self._popen.pid
                files.callback(self._end)
            theirs.close()
            self._channel = Channel(ours)
            self._files = files.pop_all()

    @property
    def alive(self) -> bool:
        return self._popen.poll() is None

    def answer(
        self, seconds: float, message: bytes | None = None, longest: int = LONGEST_MESSAGE
    ) -> memoryview:
        """What it says next, after a message to it if there is one.

        :param longest: bytes of the answer.
        :raises EndedError: when it ends instead.
        :raises GarbledError: when what it says is longer.
        :raises TimeoutError: when nothing comes within the time.
        """
        deadline = time.monotonic() + seconds
        with ExitStack() as failing:
            failing.callback(self.close)  # in the middle of an exchange, so of no more use
            try:
                if message is not None:
                    self._channel.send(message, deadline)
                said = self._channel.receive(deadline, longest)
            except (EOFError, ConnectionError):
                raise EndedError(self._ending()) from None
            failing.pop_all()
            return said

    def close(self) -> None:
        """End the program, and all that it started, now."""
        self._files.close()

    def _end(self) -> int:
        if self._popen.returncode is None:
            with suppress(ProcessLookupError):  # another thread saw its end
                os.kill(self.pid, signal.SIGSTOP)  # it starts nothing more
                end_family(self.pid, self._mark)
                os.kill(self.pid, signal.SIGKILL)
        code = self._popen.wait()
        end_family(self.pid, self._mark)  # if it had ended itself, what it left behind
        return code

    def _ending(self) -> str:
        """The name of a signal, or an exit status and the last words."""
        code = self._end()
        if code < 0:
            return signal_name(-code)
        words = words_since(self._errors.fileno(), 0).splitlines()
        return f"exit status {code}" + (f" ({words[-1]})" if words else "")


_FAMILY_VARIABLE = "SONNX_FORMAL_FAMILY"
"""In the environment of what a program starts, whoever its parent is by then."""
_LAST_WORDS = 4096
"""Bytes of the end of what a program wrote to standard error."""
_ROUNDS = 100
"""Of a family that starts new members while it ends; then it is left to itself."""


def end_family(pid: int, mark: str = "") -> None:
    """End all processes that descend from one, but not itself; those with the mark, too.

    :param mark: what the environment of those that detached themselves has in it.
    """
    for _ in range(_ROUNDS):
        if not (living := _family(pid, mark.encode())):
            return
        for each in living:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.001)


def _family(pid: int, mark: bytes) -> set[int]:
    parents: dict[int, int] = {}
    found = set()
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with suppress(OSError):  # it ended, or is another user's
                state, parent, *_ = (path / "stat").read_bytes().rpartition(b")")[2].split()
                if state != b"Z":
                    parents[int(path.name)] = int(parent)
                    if mark and mark in (path / "environ").read_bytes().split(b"\0"):
                        found.add(int(path.name))
    found.add(pid)
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def become_reaper() -> None:
    """From now on, what detaches itself below this process stays below it."""
    import ctypes  # noqa: PLC0415 (an evaluation does without)

    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


_PR_SET_CHILD_SUBREAPER = 36


def signal_name(number: int) -> str:
    """The name of a signal; of one without a name, its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def size(descriptor: int) -> int:
    """Of a file; 0 of what is none."""
    return os.fstat(descriptor).st_size


def words_since(descriptor: int, start: int) -> str:
    """The end of what was written to a file behind a place; nothing of what is no file."""
    if (end := size(descriptor)) <= start:
        return ""
    # Not by a seek, which would move the place where another process writes.
    words = os.pread(descriptor, _LAST_WORDS, max(start, end - _LAST_WORDS))
    return words.decode(errors="replace").strip()
