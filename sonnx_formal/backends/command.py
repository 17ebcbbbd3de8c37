"""A user's program as a backend: a runner, one process that answers line by line."""

import importlib
import shlex
import shutil
import subprocess
import tempfile
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import Form, NoResultError, NotApplicableError, WrongKind
from sonnx_formal.backends.lines import array_of, call_text, can_be_written
from sonnx_formal.backends.runtimes import model
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us, end_family, signal_name, size, words_since
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance, System

COMMAND_PREFIX = "cmd:"
_GREETING = "sonnx-formal"
_LONGEST_LINE = 1 << 27
"""Characters of an answer."""


class Payload(StrEnum):
    """What a runner is sent, as its first line says."""

    VALUES = "values"
    """The operator, and the elements of its operands."""
    FILES = "files"
    """A folder with a model and its operands, as ONNX lays out its backend tests."""


class UsersCommand:
    """A command that starts a runner. It is started anew when it ended, or made no sense."""

    def __init__(self, command: str) -> None:
        """Raises `UserError` when there is no such program, or it is no runner."""
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise UserError(f"the command {command!r}: {error}") from None
        if not self._command:
            raise UserError("the backend cmd: needs a command behind the colon")
        if shutil.which(self._command[0]) is None:
            raise UserError(f"{self._command[0]} is no program that can be started")
        self._runner: _Runner | None = _Runner(self._command)
        try:
            greeting, _, rest = self._runner.answer().partition(" ")
        except RunnerEndedError as error:
            greeting, rest = str(error), ""
        payload, _, self.version = rest.partition(" ")
        if greeting != _GREETING or payload not in {*Payload}:
            self._runner.close()
            first = " or ".join(f"`{_GREETING} {each}`" for each in Payload)
            raise UserError(
                f"{command}: no runner: {' '.join(greeting.split())!r} in the place of a first line"
                f" {first}: see sonnx_formal/backends/README.md"
            )
        self._payload = Payload(payload)

    def close(self) -> None:
        """End the runner now, as the end of this process does."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def supports(self, instance: Instance) -> bool:
        if backend.has_reals(instance):
            return False
        match self._payload:
            case Payload.VALUES:
                return instance.operator.system is System.SONNX and can_be_written(instance)
            case Payload.FILES:
                return backend.is_in_onnx(instance)
            case _:
                assert_never(self._payload)

    def run(self, call: Call, form: Form) -> Array:
        match self._payload:
            case Payload.VALUES:
                backend.only_plain(form)
                return array_of(self._result(call_text(call)))
            case Payload.FILES:
                if form.own_precision:
                    raise NotApplicableError("a command is not told in which precision to compute")
                return self._result_in_file(call, form)
            case _:
                assert_never(self._payload)

    def _result_in_file(self, call: Call, form: Form) -> Array:
        # Imported only here: who does not need `onnx` starts sooner.
        files: Any = importlib.import_module("sonnx_formal.spec.onnx_files")
        made = model(call, form)
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-") as name:
            folder = Path(name)
            (folder / files.DATA).mkdir()
            for file, content in files.files_of(call, made).items():
                (folder / file).write_bytes(content)
            self._result(name)
            output = folder / files.RESULT
            if not output.exists():
                raise NoResultError(WrongKind(f"the command wrote no {output.name}"))
            try:
                result: Array = files.array_in(output.read_bytes())
            except Exception as error:
                raise NoResultError(WrongKind(f"the output is no ONNX tensor: {error}")) from None
            return result

    def _result(self, request: str) -> str:
        """What the runner says behind `result`. Raises `NoResultError`."""
        running, self._runner = self._runner, None  # until it goes well
        try:
            if running is None:
                running = _Runner(self._command)
                running.answer()
            verb, _, rest = running.answer(request).partition(" ")
            match verb:
                case "result":
                    self._runner = running
                    return rest
                case "refused":
                    self._runner = running
                    reason, said = rest.strip(), running.said()
                    told = backend.Refused(reason, said=said) if reason else backend.Refused(said)
                    raise NoResultError(told)
                case _:
                    what = f"it answers {verb[:80]!r} and not `result` or `refused`"
                    raise NoResultError(WrongKind(what))
        finally:
            if running is not None and self._runner is None:
                running.close()


class RunnerEndedError(NoResultError):
    """The process ended in place of an answer; the text says how."""

    def __init__(self, outcome: backend.Crashed | backend.Refused | WrongKind, how: str) -> None:
        super().__init__(outcome)
        self.how = how

    def __str__(self) -> str:
        return self.how


class _Runner:
    """One process of a runner."""

    def __init__(self, command: list[str]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._asked_at = 0
        self._process = subprocess.Popen(
            [*dies_with_us(), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            errors="replace",
        )

    def answer(self, request: str | None = None) -> str:
        """The next line that it says, after a line to it if there is one."""
        assert self._process.stdin
        assert self._process.stdout
        self._asked_at = size(self._errors.fileno())
        try:
            if request is not None:
                print(request, file=self._process.stdin, flush=True)
            line = self._process.stdout.readline(_LONGEST_LINE)
        except BrokenPipeError:
            line = ""
        if len(line) == _LONGEST_LINE:
            raise NoResultError(WrongKind(f"a line of more than {_LONGEST_LINE} characters"))
        if not line.endswith("\n"):
            raise self._ending()
        return line.rstrip()

    def said(self) -> str:
        """The end of what it wrote to standard error since the last request."""
        return words_since(self._errors.fileno(), self._asked_at)

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        end_family(self._process.pid)
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # of what could not be sent
            self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def _ending(self) -> RunnerEndedError:
        code, said = self._process.wait(), self.said()
        if code < 0:
            last = said.splitlines()[-1:]
            how = signal_name(-code) + "".join(f" ({line})" for line in last)
            return RunnerEndedError(backend.Crashed(how), how)
        how = f"exit status {code}" + (f": {said}" if said else "")
        outcome = backend.Refused(how) if code else WrongKind(f"no answer but {how}")
        return RunnerEndedError(outcome, how)
