"""A user's own implementation: a Python callable, or a command that reads and writes ONNX files."""

import importlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sonnx_formal.backends.backend import (
    Array,
    CrashedError,
    Form,
    NotApplicableError,
    RefusedError,
    WrongKindError,
    only_plain,
    signal_name,
)
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.oracle.attributes import Attributes
from sonnx_formal.vectors.case import ONNX_MUL, SONNX, Operator


class UsersCallable:
    """`module:function`, called as `function(op, a, b)` with the operator's name and two arrays.

    It is asked for the operators of SONNX.
    """

    version = ""

    def __init__(self, name: str) -> None:
        """Raises `UserError` when there is no such function."""
        module, _, function = name.partition(":")
        sys.path.insert(0, str(Path.cwd()))
        try:
            found: Any = importlib.import_module(module)
            for part in function.split("."):
                found = getattr(found, part)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UserError(
                f"the backend {name} cannot be loaded: {reason}. It is looked for from this folder"
                " and on PYTHONPATH"
            ) from None
        if not callable(found):
            raise UserError(f"the backend {name} is not a function")
        self._function: Callable[..., Any] = found

    def supports(self, operator: Operator, element_type: str) -> bool:
        return element_type != "real" and operator in SONNX

    def run(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Array:
        only_plain(form)
        result: Array = self._function(operator.value, a, b)
        return result


class UsersCommand:
    """A command, called with four files: model.onnx, A.pb and B.pb to read and C.pb to write.

    An exit status other than 0 is a refusal, and the end of standard error its reason.
    """

    version = ""

    def __init__(self, command: str) -> None:
        """Raises `UserError` when there is no such program."""
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise UserError(f"the command {command!r}: {error}") from None
        if not self._command:
            raise UserError("the backend cmd: needs a command behind the colon")
        if shutil.which(self._command[0]) is None:
            raise UserError(f"{self._command[0]} is no program that can be started")
        # Imported only here: who does not need `onnx` starts sooner.
        self._onnx: Any = importlib.import_module("sonnx_formal.backends.onnx_model")

    def supports(self, operator: Operator, element_type: str) -> bool:
        return element_type != "real" and operator in {*SONNX, *ONNX_MUL}

    def run(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Array:
        if form.own_precision:
            raise NotApplicableError("a command is not told in which precision to compute")
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-") as name:
            folder = Path(name)
            model, left, right, output = (
                folder / file for file in ("model.onnx", "A.pb", "B.pb", "C.pb")
            )
            model.write_bytes(
                self._onnx.model(operator, a, b, form, attributes).SerializeToString()
            )
            left.write_bytes(self._onnx.tensor("A", a).SerializeToString())
            right.write_bytes(self._onnx.tensor("B", b).SerializeToString())
            self._call([str(one) for one in (model, left, right, output)])
            if not output.exists():
                raise WrongKindError("the command wrote no output")
            try:
                result: Array = self._onnx.array(output.read_bytes())
            except Exception as error:
                raise WrongKindError(f"the output is no ONNX tensor: {error}") from None
            return result

    def _call(self, files: list[str]) -> None:
        done = subprocess.run(
            [*dies_with_us(), *self._command, *files],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode < 0:
            raise CrashedError(signal_name(-done.returncode))
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise RefusedError(lines[-1] if lines else f"exit status {done.returncode}")
