"""The ledger `trusted_base.toml` of a library: what is believed, why, and what would show an error.

Its part `ieee_float`, on the model of Why3's theory of floating-point numbers, is checked by tests.
"""

from pathlib import Path

from msgspec import Struct

from sonnx_formal.core.documents import Part, Words, read_tables
from sonnx_formal.core.errors import UserError

LEDGER = "trusted_base.toml"
"""Its name in the folder of the library."""


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

    def trusted(self) -> dict[str, dict[str, TrustedTheories | TrustedDriver | TrustedTools]]:
        """What it says of theories, drivers and tools: of each kind, by name."""
        return {
            "theory": {name: entry for entry in self.theories for name in entry.names},
            "driver": {entry.name: entry for entry in self.drivers},
            "tool": {name: entry for entry in self.tools for name in entry.names},
        }


class Trusted(Part, frozen=True, kw_only=True):
    """What is found on a machine, and what the ledger says of it; None: nothing."""

    name: str
    trusted_for: str | None = None
    detected_by: str | None = None


def read_ledger(library: Path) -> Ledger:
    """The ledger. Raises `UserError` when it cannot be read, or something is listed twice."""
    path = library / LEDGER
    ledger = read_tables(path, Ledger)
    for what, listed in {
        "theory": [name for entry in ledger.theories for name in entry.names],
        "driver": [entry.name for entry in ledger.drivers],
        "tool": [name for entry in ledger.tools for name in entry.names],
        "assumption": [entry.id for entry in ledger.assumptions],
    }.items():
        if twice := next((name for name in listed if listed.count(name) > 1), None):
            raise UserError(f"{path}: {what} {twice} is listed twice: keep one entry")
    return ledger
