"""The formal definitions at work: results computed by the program that Why3 extracts from them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sonnx_formal.oracle.definitions import OracleDied, OracleTimeout
from sonnx_formal.oracle.frames import Inadmissible, OracleError

if TYPE_CHECKING:
    from sonnx_formal.oracle.oracle import Oracle, evaluate

__all__ = ["Inadmissible", "Oracle", "OracleDied", "OracleError", "OracleTimeout", "evaluate"]


def __getattr__(name: str) -> Any:
    """What needs NumPy is imported when it is used: `eval` does without."""
    if name in {"Oracle", "evaluate"}:
        return getattr(import_module(f"{__name__}.oracle"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
