"""The ledger `trusted_base.toml` of a library: what is believed, why, and what would show an error.

Its part `ieee_float`, on the model of Why3's theory of floating-point numbers, is checked by tests.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.tables import Words, read_tables


class Symbols(Part, frozen=True):
    """Names of one module that are taken for granted."""

    module: Words
    symbols: tuple[Words, ...]
    reason: Words


class TrustedTheories(Part, frozen=True, rename={"names": "theories"}):
    """Modules of Why3's standard library that are trusted for one purpose."""

    names: tuple[Words, ...]
    trusted_for: Words
    detected_by: Words


class TrustedTools(Part, frozen=True):
    """Programs and packages that are trusted for one purpose."""

    names: tuple[Words, ...]
    trusted_for: Words
    detected_by: Words


class TrustedDriver(Part, frozen=True, kw_only=True):
    """A driver file."""

    name: Words
    sha256: Words | None = None
    """Of a driver of this project; those that come with Why3 differ from version to version."""
    theories: tuple[Words, ...] = ()
    """The mapped theories: all of them for a driver of ours, else those that the library uses."""
    trusted_for: Words
    detected_by: Words


class TrustedAssumption(Part, frozen=True):
    """An assumption about the world, which no program can find."""

    id: Words
    text: Words
    detected_by: Words


class Ledger(
    Struct,
    frozen=True,
    rename={
        "parameters": "parameter",
        "theories": "stdlib",
        "drivers": "driver",
        "tools": "tool",
        "assumptions": "assumption",
    },
):
    """The whole of it."""

    parameters: tuple[Symbols, ...] = ()
    assumed: tuple[Symbols, ...] = ()
    theories: tuple[TrustedTheories, ...] = ()
    drivers: tuple[TrustedDriver, ...] = ()
    tools: tuple[TrustedTools, ...] = ()
    assumptions: tuple[TrustedAssumption, ...] = ()


def ledger_path(library: Path) -> Path:
    """Where the ledger of a library lies."""
    return library / "trusted_base.toml"


def read_ledger(path: Path) -> Ledger:
    """The ledger. Raises `UserError` when it cannot be read, or something is listed twice."""
    ledger = read_tables(path, Ledger)
    _check_unique(path, "theory", [name for entry in ledger.theories for name in entry.names])
    _check_unique(path, "driver", [entry.name for entry in ledger.drivers])
    _check_unique(path, "tool", [name for entry in ledger.tools for name in entry.names])
    _check_unique(path, "assumption", [entry.id for entry in ledger.assumptions])
    return ledger


def _check_unique(path: Path, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{path}: {what} {name} is listed twice: keep one entry")
