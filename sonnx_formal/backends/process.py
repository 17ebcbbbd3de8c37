"""A worker seen from outside: what becomes of a call, be it a crash or silence."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO

from sonnx_formal.backends.backend import (
    PLAIN,
    CallOutcome,
    Crashed,
    Form,
    Hung,
    Refused,
    signal_name,
)
from sonnx_formal.backends.wire import REPLIES, Reply, Request, UsersMistake, encode, travels
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.operator import Instance

CALL_SECONDS = 60.0
_LOAD_SECONDS = 120.0
"""The time that an implementation may take until it is ready."""


class NotAvailableError(Exception):
    """The implementation does not load on this machine; the text says why."""


class Worker(AbstractContextManager["Worker"]):
    """Runs one implementation in a process of its own, which starts anew after its death.

    A context manager: at its end there is no process left. Each method raises `UserError` when a
    mistake of the user's is behind it, such as a name that means nothing, and `NotAvailableError`
    when the implementation is not installed, or dies or hangs while it is loaded.
    """

    def __init__(
        self,
        name: str,
        *,
        seconds: float = CALL_SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """:param seconds: the time that a call may take.
        :param environment: replaces that of this process.
        """
        self.name = name
        self._seconds = seconds
        self._environment = environment
        self._process = ExitStack()
        self._version: str | None = None  # until there is a process
        self._popen: subprocess.Popen[bytes]
        self._connection: Connection
        self._errors: IO[bytes]

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and its children now. A later call starts it anew."""
        self._process.close()
        self._version = None

    def version(self) -> str:
        """The version of the implementation."""
        if self._version is None:
            self._start()
            match self._exchange(b"", _LOAD_SECONDS):
                case str(version):
                    self._version = version
                case Crashed(how):
                    raise NotAvailableError(f"it does not load: {how}")
                case Hung(seconds):
                    raise NotAvailableError(f"it does not load: no answer within {seconds:g} s")
                case Refused(message):
                    self.close()
                    raise NotAvailableError(message)
                case unknown:
                    raise ValueError(f"a worker answers {unknown!r}")
        return self._version

    def supports(self, instance: Instance) -> bool:
        """Whether the operator over these types can be put to it at all.

        :raises NotAvailableError: also when it gives no answer.
        """
        if not travels(instance):
            return False
        types = tuple(type_.name for type_ in instance.types)
        match self._reply(Request(instance.operator.name, types)):
            case bool(answer):
                return answer
            case Refused(message):
                raise NotAvailableError(message)
            case _:
                raise NotAvailableError("it died, or gives no answer")

    def run(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """What becomes of a call."""
        request = Request(call.operator.name, (), call.operands, call.attributes, form)
        reply = self._reply(request)
        assert isinstance(reply, CallOutcome)
        return reply

    def run_alone(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """`run` in a process that does nothing else before or after."""
        with Worker(self.name, seconds=self._seconds, environment=self._environment) as alone:
            return alone.run(call, form)

    def _start(self) -> None:
        ours, theirs = Pipe()
        self._connection = self._process.enter_context(ours)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process.enter_context(self._errors)
        program = [sys.executable, "-P", "-m", "sonnx_formal.backends.worker"]
        with theirs:
            # In a group of its own: Ctrl-C is ours to handle, and it ends with all its children.
            popen = subprocess.Popen(
                [*dies_with_us(), *program, self.name, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=self._environment,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._popen = self._process.enter_context(popen)
        self._process.callback(self._kill)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            if self._popen.returncode is None:
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _reply(self, request: Request) -> Reply:
        self.version()
        return self._exchange(encode(request), self._seconds)

    def _exchange(self, request: bytes, seconds: float) -> Reply:
        with ExitStack() as failing:
            failing.callback(self.close)  # in the middle of an exchange, so of no more use
            try:
                if request:
                    self._connection.send_bytes(request)
                if not self._connection.poll(seconds):
                    return Hung(seconds)
                reply = REPLIES.decode(self._connection.recv_bytes())
            except (EOFError, OSError):
                return Crashed(self._ending())
            if isinstance(reply, UsersMistake):
                raise UserError(reply.message)
            failing.pop_all()
            return reply

    def _ending(self) -> str:
        """How the process ended: the name of a signal, or an exit status and its last words."""
        code = self._popen.wait()
        if code < 0:
            return signal_name(-code)
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"exit status {code}" + (f" ({words[-1]})" if words else "")
