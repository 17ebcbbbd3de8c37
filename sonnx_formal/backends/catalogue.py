"""The implementations by name; those that are no runtimes: ours, a user's function or command."""

import importlib
import importlib.metadata
import pkgutil
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import Form, NoResultError, NotApplicableError, WrongKind
from sonnx_formal.backends.runtimes import OnnxReference, OnnxRuntime, OpenVino, Tvm, model
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us, signal_name
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance, System

OUR_OWN = "reference"
COMMAND_PREFIX = "cmd:"


class ReferenceBackend:
    """`sonnx_formal.reference`: each operator by the function that its declaration names."""

    def __init__(self) -> None:
        self.version = importlib.metadata.version("sonnx-formal")

    def supports(self, instance: Instance) -> bool:
        return True

    def run(self, call: Call, form: Form) -> Array:
        backend.only_plain(form)
        return apply(call)


def apply(call: Call) -> Array:
    """What our own implementation gives for a call. Raises `SpecViolation`."""
    declared = call.operator.reference
    # Imported only here: a function that is not written yet is missed by who asks for it.
    function = getattr(importlib.import_module("sonnx_formal.reference"), declared.function)
    result: Array = function(*call.operands, **call.attributes.as_dict(), **declared.keywords)
    return result


class UsersCallable:
    """`module:function`, called as `function(name, *operands, **attributes)`.

    The name is the operator's, and an optional operand that is left out is None. It is asked for
    the operators of SONNX.
    """

    version = ""

    def __init__(self, name: str) -> None:
        """Raises `UserError` when there is no such function."""
        sys.path.insert(0, str(Path.cwd()))
        try:
            found = pkgutil.resolve_name(name)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UserError(
                f"the backend {name} cannot be loaded: {reason}. It is looked for from this folder"
                " and on PYTHONPATH"
            ) from None
        if not callable(found):
            raise UserError(f"the backend {name} is not a function")
        self._function: Callable[..., Any] = found

    def supports(self, instance: Instance) -> bool:
        return instance.operator.system is System.SONNX and not backend.has_reals(instance)

    def run(self, call: Call, form: Form) -> Array:
        backend.only_plain(form)
        attributes = call.attributes.as_dict()
        result: Array = self._function(call.operator.name, *call.operands, **attributes)
        return result


class UsersCommand:
    """A command, called with files: model.onnx, one an operand to read, and the result to write.

    The files are named as inputs and output of the model: A.pb, B.pb and C.pb. An exit status other
    than 0 is a refusal, and the end of standard error its reason.
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
        self._onnx: Any = importlib.import_module("onnx")
        self._models: Any = importlib.import_module("sonnx_formal.spec.onnx_model")

    def supports(self, instance: Instance) -> bool:
        return instance.operator.onnx is not None and not backend.has_reals(instance)

    def run(self, call: Call, form: Form) -> Array:
        if form.own_precision:
            raise NotApplicableError("a command is not told in which precision to compute")
        made = model(call, form)
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-") as name:
            program = Path(name) / "model.onnx"
            program.write_bytes(made.SerializeToString())
            ports = (*made.graph.input, *made.graph.output)
            *operands, output = [program.with_name(f"{port.name}.pb") for port in ports]
            for path, operand in zip(operands, call.arrays, strict=True):
                path.write_bytes(self._models.tensor(path.stem, operand).SerializeToString())
            self._call([program, *operands, output])
            if not output.exists():
                raise NoResultError(WrongKind("the command wrote no output"))
            try:
                tensor = self._onnx.TensorProto.FromString(output.read_bytes())
                result: Array = self._onnx.numpy_helper.to_array(tensor)
            except Exception as error:
                raise NoResultError(WrongKind(f"the output is no ONNX tensor: {error}")) from None
            return result

    def _call(self, files: list[Path]) -> None:
        done = subprocess.run(
            [*dies_with_us(), *self._command, *files],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode < 0:
            raise NoResultError(backend.Crashed(signal_name(-done.returncode)))
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            said = lines[-1] if lines else f"exit status {done.returncode}"
            raise NoResultError(backend.Refused(said))


_BY_NAME: dict[str, type[backend.Backend]] = {
    OUR_OWN: ReferenceBackend,
    "onnx-reference": OnnxReference,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
    "tvm": Tvm,
}
NAMES = tuple(_BY_NAME)


def check_name(name: str) -> None:
    """Raises `UserError` for what cannot be the name of an implementation."""
    if name in NAMES or ":" in name:
        return
    if name == "numpy":
        raise UserError(f"the backend numpy is now called {OUR_OWN}")
    raise UserError(
        f"there is no backend {name!r}: it is one of {', '.join(NAMES)}, a Python function as"
        " module:function, or a command as cmd:COMMAND"
    )


def load(name: str) -> backend.Backend:
    """The implementation, ready to run; this may import much, and may fail in any way.

    Raises `NoResultError` when it is not installed, `UserError` for a mistake of the user's.
    """
    check_name(name)
    if name in _BY_NAME:
        return _BY_NAME[name]()
    if name.startswith(COMMAND_PREFIX):
        return UsersCommand(name.removeprefix(COMMAND_PREFIX))
    return UsersCallable(name)
