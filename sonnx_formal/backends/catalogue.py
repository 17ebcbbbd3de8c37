"""The implementations by name; those that are no runtimes: ours, a user's function."""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import Form
from sonnx_formal.backends.command import COMMAND_PREFIX, UsersCommand
from sonnx_formal.backends.runtimes import ModelRunner, OnnxReference, OnnxRuntime, OpenVino, Tvm
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.texts import printable
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance, System

OUR_OWN = "reference"
KERNELS, SOFT_KERNELS = "libsonnx", "libsonnx-soft"
OURS = (OUR_OWN, KERNELS, SOFT_KERNELS)
"""What comes with this project: it has the bits of the reference order, or is wrong."""


class ReferenceBackend:
    """`sonnx_formal.reference`: each operator by the function that its declaration names."""

    @property
    def version(self) -> str:
        return backend.version_of("sonnx-formal")

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


def _libsonnx(*, soft: bool = False) -> backend.Backend:
    # Imported only here: a process starts for each implementation, and the others do without.
    from sonnx_formal.backends.libsonnx import Libsonnx  # noqa: PLC0415

    return Libsonnx(soft=soft)


class UsersCallable:
    """`module:function`, called as `function(name, *operands, **attributes)`.

    The name is the operator's, and an optional operand that is left out is None. It is asked for
    the operators of SONNX. Its version is `__version__` of the module, if that has one.
    """

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
        module = sys.modules[name.partition(":")[0]]
        self.version = printable(str(getattr(module, "__version__", "")))

    def supports(self, instance: Instance) -> bool:
        return instance.operator.system is System.SONNX and not backend.has_reals(instance)

    def run(self, call: Call, form: Form) -> Array:
        backend.only_plain(form)
        attributes = call.attributes.as_dict()
        result: Array = self._function(call.operator.name, *call.operands, **attributes)
        return result


RUNTIMES: dict[str, type[ModelRunner]] = {
    "onnx-reference": OnnxReference,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
    "tvm": Tvm,
}
"""Those that are packages of others, and run ONNX models."""

_BY_NAME: dict[str, Callable[[], backend.Backend]] = {
    OUR_OWN: ReferenceBackend,
    KERNELS: _libsonnx,
    SOFT_KERNELS: partial(_libsonnx, soft=True),
    **RUNTIMES,
}
NAMES = tuple(_BY_NAME)


def prepare(names: Iterable[str], say: Callable[[str], None]) -> None:
    """Build what a backend would else build when it starts, for which it has less time."""
    if {KERNELS, SOFT_KERNELS}.isdisjoint(names):
        return
    from sonnx_formal.kernels.build import find_library_files  # noqa: PLC0415 (as above)

    say("libsonnx: extracted and compiled, unless it is in the cache")
    with suppress(UserError):  # the backend says what is missing
        find_library_files()


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


def checked_names(options: Iterable[str]) -> list[str]:
    """The names in texts with commas between them. Raises `UserError` as `check_name`."""
    names: list[str] = []
    for option in options:
        # A command may have commas of its own.
        parts = [option] if option.startswith(COMMAND_PREFIX) else option.split(",")
        names += (part.strip() for part in parts)
    for name in names:
        check_name(name)
    return names


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
