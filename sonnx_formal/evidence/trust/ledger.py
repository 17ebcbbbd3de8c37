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


class Believed(Part, frozen=True, kw_only=True):
    """Theories of Why3's standard library, drivers or tools, and what would show an error."""

    names: tuple[Words, ...]
    trusted_for: Words
    detected_by: Words


class BelievedDriver(Believed, frozen=True, kw_only=True):
    """A driver file."""

    sha256: Words | None = None
    """Of a driver of this project; those that come with Why3 differ from version to version."""
    theories: tuple[Words, ...] = ()
    """The mapped theories: all of them for a driver of ours, else those that the library uses."""


class TrustedAssumption(Part, frozen=True):
    """An assumption about the world, which no program can find."""

    id: Words
    text: Words
    detected_by: Words


class Ledger(Struct, frozen=True):
    """The whole of it."""

    parameter: tuple[Symbols, ...] = ()
    assumed: tuple[Symbols, ...] = ()
    stdlib: tuple[Believed, ...] = ()
    driver: tuple[BelievedDriver, ...] = ()
    tool: tuple[Believed, ...] = ()
    assumption: tuple[TrustedAssumption, ...] = ()

    def entries(self) -> dict[str, list[tuple[str, Believed]]]:
        """What it says of theories, drivers and tools, by what it is called."""
        kinds = {"theory": self.stdlib, "driver": self.driver, "tool": self.tool}
        return {
            kind: [(name, entry) for entry in listed for name in entry.names]
            for kind, listed in kinds.items()
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
    listed = {what: [name for name, _ in named] for what, named in ledger.entries().items()}
    listed["assumption"] = [entry.id for entry in ledger.assumption]
    for what, names in listed.items():
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UserError(f"{path}: {what} {twice} is listed twice: keep one entry")
    return ledger
