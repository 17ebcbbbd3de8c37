"""A running oracle program, and the exchange of frames with it under a time limit."""

import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.oracle.frames import LONGEST, OracleError, tables_digest


class OracleDied(OracleError):
    """The process ended in the middle of a call."""


class OracleTimeout(OracleError):
    """The answer did not come within the time limit."""


class Connection:
    """A running program. It does not outlive an exchange that fails, or the thread it began in."""

    def __init__(self, program: Path, digest: str, seconds: float) -> None:
        """Start the program, and agree with it on what the names of the tables mean.

        :param digest: of the tables that requests are made by.
        :param seconds: the time in which the program has to have named its own.
        :raises OracleError: when it cannot be started, or was built from other tables.
        """
        try:
            # In a group of its own, so that Ctrl-C is ours to handle.
            self._popen = subprocess.Popen(
                [*dies_with_us(), str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
                bufsize=0,
            )
        except OSError as error:
            raise OracleError(f"{program} could not be started: {error.strerror}") from None
        assert self._popen.stdin
        assert self._popen.stdout
        self._in = self._popen.stdin.fileno()
        self._out = self._popen.stdout.fileno()
        os.set_blocking(self._in, False)
        self.pid = self._popen.pid
        self.starter = threading.current_thread()
        try:
            found = tables_digest(self._answer(seconds))
            if found != digest:
                raise OracleError(
                    f"{program}: built from other declarations of operators: its tables are"
                    f" {found[:12]}…, ours {digest[:12]}…; remove its folder, and it is built anew"
                )
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the program still runs."""
        return self._popen.poll() is None

    def exchange(self, request: bytes, seconds: float) -> memoryview:
        """The payload of the answer to a request.

        :raises OracleTimeout: when it does not come within the time.
        :raises OracleDied: when the program ends instead.
        :raises OracleError: when the request is too long.
        """
        if len(request) > LONGEST:
            large = f"{len(request)} bytes, more than {LONGEST}"
            raise OracleError(f"the operands are too large: {large}")
        return self._answer(seconds, len(request).to_bytes(8, "little") + request)

    def close(self) -> None:
        """End the program now."""
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.communicate()

    def _answer(self, seconds: float, frame: bytes = b"") -> memoryview:
        """The payload of the next frame, after what is to be written before."""
        deadline = time.monotonic() + seconds
        try:
            self._write(frame, deadline)
            size = int.from_bytes(self._read(8, deadline), "little")
            return self._read(size, deadline)
        except TimeoutError:
            self.close()
            raise OracleTimeout(f"no answer within {seconds:g} s") from None
        except (EOFError, BrokenPipeError):
            self.close()
            code = self._popen.returncode
            ending = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            raise OracleDied(f"the oracle died: {ending}") from None
        except BaseException:
            self.close()  # in the middle of a frame, so of no more use
            raise

    def _write(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            _wait(self._in, select.POLLOUT, deadline)
            rest = rest[os.write(self._in, rest) :]

    def _read(self, size: int, deadline: float) -> memoryview:
        data = memoryview(bytearray(size))
        at = 0
        while at < size:
            _wait(self._out, select.POLLIN, deadline)
            count = os.readv(self._out, [data[at:]])
            if count == 0:
                raise EOFError
            at += count
        return data


def _wait(descriptor: int, event: int, deadline: float) -> None:
    """Wait until the descriptor is ready. Raises `TimeoutError`."""
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError
