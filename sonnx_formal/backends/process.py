"""A worker seen from outside: what becomes of a call, be it a crash or silence."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from multiprocessing import Pipe
from types import TracebackType
from typing import IO, Any, Self

from sonnx_formal.backends.backend import PLAIN, Form, signal_name
from sonnx_formal.backends.wire import decode, encode, travels
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance

CALL_SECONDS = 60.0
_LOAD_SECONDS = 120.0
"""The time that an implementation may take until it is ready."""


@dataclass(frozen=True, eq=False)
class Result:
    """There is an array."""

    array: Array


@dataclass(frozen=True)
class WrongKind:
    """Something came back that is no array of a type of the project."""

    message: str


@dataclass(frozen=True)
class Refused:
    """An error was raised: the implementation knows that it did not compute."""

    message: str
    requirement: str | None
    """The id that the error names, if it does as `SpecViolation` does."""


@dataclass(frozen=True)
class Crashed:
    """The process ended."""

    how: str
    """The name of the signal, or the exit status."""


@dataclass(frozen=True)
class Hung:
    """There was no answer in time."""

    seconds: float


@dataclass(frozen=True)
class NotApplicable:
    """The implementation cannot be put to this form, or it would show nothing here."""

    message: str


CallOutcome = Result | WrongKind | Refused | Crashed | Hung | NotApplicable


class NotAvailableError(Exception):
    """The implementation does not load on this machine; the text says why."""


class Worker:
    """Runs one implementation in a process of its own, which starts anew after its death.

    A context manager: at its end there is no process left.
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
        self._process: _Process | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process. A later call starts it anew."""
        if self._process:
            self._process.close()
            self._process = None

    def version(self) -> str:
        """The version of the implementation.

        :raises NotAvailableError: when it is not installed, or dies or hangs while it is loaded.
        :raises UserError: when its name means nothing.
        """
        return self._running().version

    def supports(self, instance: Instance) -> bool:
        """Whether the operator over these types can be put to it at all.

        :raises NotAvailableError: when it gives no answer.
        """
        if not travels(instance):
            return False
        types = [type_.name for type_ in instance.types]
        header = {"asks": "supports", "operator": instance.operator.name, "types": types}
        process = self._running()
        try:
            reply, _ = process.exchange(encode(header), self._seconds)
        except (EOFError, TimeoutError):
            self.close()
            raise NotAvailableError("it died, or gives no answer") from None
        match reply["status"]:
            case "ready":
                return bool(reply["supports"])
            case "user error":
                raise UserError(reply["message"])
            case _:
                raise NotAvailableError(reply["message"])

    def run(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """What becomes of a call.

        :raises UserError: when a mistake of the user's is behind it.
        """
        process = self._running()
        header = {
            "asks": "run",
            "operator": call.operator.name,
            "form": asdict(form),
            "attributes": call.attributes.as_dict(),
        }
        try:
            reply, arrays = process.exchange(encode(header, call.operands), self._seconds)
        except EOFError:
            ending = process.ending()
            self.close()
            return Crashed(ending)
        except TimeoutError:
            self.close()
            return Hung(self._seconds)
        except BaseException:
            self.close()  # in the middle of an exchange, so of no more use
            raise
        return _outcome(reply, arrays)

    def run_alone(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """`run` in a process that does nothing else before or after."""
        with Worker(self.name, seconds=self._seconds, environment=self._environment) as alone:
            return alone.run(call, form)

    def _running(self) -> "_Process":
        if self._process is None:
            self._process = _Process(self.name, self._environment)
        return self._process


def _outcome(reply: dict[str, Any], arrays: list[Array | None]) -> CallOutcome:
    match reply["status"]:
        case "result":
            (array,) = arrays
            assert array is not None
            return Result(array)
        case "wrong kind":
            return WrongKind(reply["message"])
        case "not applicable":
            return NotApplicable(reply["message"])
        case "crashed":
            return Crashed(reply["message"])
        case "user error":
            raise UserError(reply["message"])
        case "refused":
            return Refused(reply["message"], reply["requirement"])
        case unknown:
            raise ValueError(f"a worker answers {unknown!r}")


class _Process:
    """A worker that has said that it is ready."""

    def __init__(self, name: str, environment: Mapping[str, str] | None) -> None:
        ours, theirs = Pipe()
        self._connection = ours
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        try:
            # In a group of its own: Ctrl-C is ours to handle, and it ends with all its children.
            self._popen = subprocess.Popen(
                [
                    *dies_with_us(),
                    sys.executable,
                    "-P",
                    "-m",
                    "sonnx_formal.backends.worker",
                    name,
                    str(theirs.fileno()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        finally:
            theirs.close()
        try:
            greeting, _ = self._received(_LOAD_SECONDS)
        except (EOFError, TimeoutError) as error:
            why = f"no answer within {_LOAD_SECONDS:g} s"
            if isinstance(error, EOFError):
                why = self.ending()
            self.close()
            raise NotAvailableError(f"it does not load: {why}") from None
        except BaseException:
            self.close()
            raise
        if greeting["status"] != "ready":
            self.close()
            if greeting["status"] == "user error":
                raise UserError(greeting["message"])
            raise NotAvailableError(greeting["message"])
        self.version: str = greeting["version"]

    def exchange(self, request: bytes, seconds: float) -> tuple[dict[str, Any], list[Array | None]]:
        """The answer to a request. Raises `EOFError` or `TimeoutError`."""
        try:
            self._connection.send_bytes(request)
        except OSError:
            raise EOFError from None
        return self._received(seconds)

    def ending(self) -> str:
        """How the process ended: the name of a signal, or an exit status and its last words."""
        code = self._popen.wait()
        if code < 0:
            return signal_name(-code)
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"exit status {code}" + (f" ({words[-1]})" if words else "")

    def close(self) -> None:
        """End the process and its children now."""
        try:
            if self._popen.returncode is None:
                os.killpg(self._popen.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._popen.wait()
        self._connection.close()
        self._errors.close()

    def _received(self, seconds: float) -> tuple[dict[str, Any], list[Array | None]]:
        try:
            if not self._connection.poll(seconds):
                raise TimeoutError
            return decode(self._connection.recv_bytes())
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            raise EOFError from None
