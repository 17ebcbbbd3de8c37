"""The formal definitions at work: results computed by the program that Why3 extracts from them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonnx_formal.oracle.definitions import OracleDied, OracleTimeout
    from sonnx_formal.oracle.frames import Inadmissible, OracleError
    from sonnx_formal.oracle.oracle import Oracle, evaluate

__all__ = ["Inadmissible", "Oracle", "OracleDied", "OracleError", "OracleTimeout", "evaluate"]

_ELSEWHERE = {
    "Inadmissible": "frames",
    "Oracle": "oracle",
    "OracleDied": "definitions",
    "OracleError": "frames",
    "OracleTimeout": "definitions",
    "evaluate": "oracle",
}


def __getattr__(name: str) -> Any:
    """Each is imported when it is used: `eval` does without NumPy, a worker without the program."""
    if name in _ELSEWHERE:
        return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
