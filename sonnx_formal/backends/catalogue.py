"""The implementations by name."""

from sonnx_formal.backends.backend import Backend
from sonnx_formal.backends.own import ReferenceBackend, UsersCallable, UsersCommand
from sonnx_formal.backends.runtimes import OnnxReference, OnnxRuntime, OpenVino, Tvm
from sonnx_formal.core.errors import UserError

OUR_OWN = "reference"
COMMAND_PREFIX = "cmd:"

_BY_NAME: dict[str, type[Backend]] = {
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


def load(name: str) -> Backend:
    """The implementation, ready to run; this may import much, and may fail in any way.

    Raises `NoResultError` when it is not installed, `UserError` for a mistake of the user's.
    """
    check_name(name)
    if name in _BY_NAME:
        return _BY_NAME[name]()
    if name.startswith(COMMAND_PREFIX):
        return UsersCommand(name.removeprefix(COMMAND_PREFIX))
    return UsersCallable(name)
