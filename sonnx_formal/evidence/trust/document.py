"""The trusted base as a document and in words, with the reasons that the ledger gives."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.documents import Document
from sonnx_formal.evidence.tables import say
from sonnx_formal.evidence.trust.comparison import LedgerDifference, TrustedBase
from sonnx_formal.evidence.trust.drivers import Driver
from sonnx_formal.evidence.trust.ledger import (
    Ledger,
    TrustedAssumption,
    TrustedDriver,
    TrustedTheories,
    TrustedTools,
)
from sonnx_formal.evidence.trust.library import Theory
from sonnx_formal.evidence.trust.scan import PARAMETERS, GrantedItem
from sonnx_formal.evidence.trust.tools import TrustedTool


class GrantedEntry(GrantedItem, frozen=True):
    """What the library declares without a definition or a proof; None: nobody says why."""

    reason: str | None


class TheoryEntry(Theory, frozen=True):
    """A module of Why3's standard library, and what the ledger says of it."""

    trusted_for: str | None
    detected_by: str | None


class DriverEntry(Driver, frozen=True):
    """How Why3 writes for a prover or a language, and what the ledger says of it."""

    trusted_for: str | None
    detected_by: str | None


class ToolEntry(TrustedTool, frozen=True):
    """A tool of this machine, and what the ledger says of it."""

    trusted_for: str | None
    detected_by: str | None


class TrustedBaseDocument(Document, frozen=True, tag="sonnx-formal/trusted-base/2"):
    """What is believed without a proof."""

    command = "trusted-base --json PATH"

    granted: tuple[GrantedEntry, ...]
    theories: tuple[TheoryEntry, ...]
    drivers: tuple[DriverEntry, ...]
    tools: tuple[ToolEntry, ...]
    assumptions: tuple[TrustedAssumption, ...]
    differences: tuple[LedgerDifference, ...]
    """Between this and the ledger. None: everything is accounted for."""


def documented(
    base: TrustedBase, ledger: Ledger, differences: Sequence[LedgerDifference]
) -> TrustedBaseDocument:
    """The trusted base, with what the ledger says of each part."""
    reasons = {
        (entry.module, symbol): entry.reason
        for entry in (*ledger.assumed, *ledger.parameters)
        for symbol in entry.symbols
    }
    theories = {name: entry for entry in ledger.theories for name in entry.names}
    drivers = {entry.name: entry for entry in ledger.drivers}
    tools = {name: entry for entry in ledger.tools for name in entry.names}
    return TrustedBaseDocument(
        granted=tuple(
            GrantedEntry(**structs.asdict(item), reason=reasons.get((item.module, item.name)))
            for item in base.granted
        ),
        theories=tuple(TheoryEntry(**_said(theory, theories)) for theory in base.theories),
        drivers=tuple(DriverEntry(**_said(driver, drivers)) for driver in base.drivers),
        tools=tuple(ToolEntry(**_said(tool, tools)) for tool in base.tools),
        assumptions=ledger.assumptions,
        differences=tuple(differences),
    )


def print_base(console: Console, base: TrustedBaseDocument) -> None:
    """What is believed, a line a kind, and every difference from the ledger."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("what", "number", "which"):
        table.add_column(name, header_style="bold", justify="right" if name == "number" else "left")
    for name, which in _rows(base):
        table.add_row(name, str(len(which)), Text(", ".join(which)))
    console.print(table)
    say(console, *map(str, base.differences))
    verdict = "the ledger accounts for all of it"
    if base.differences:
        verdict = f"{len(base.differences)} differences from the ledger"
    say(console, f"\n{verdict}")


def _rows(base: TrustedBaseDocument) -> Iterator[tuple[str, list[str]]]:
    assumed = [item for item in base.granted if item.kind not in PARAMETERS]
    yield "axioms and assumptions", [f"{item.kind} {item.module} {item.name}" for item in assumed]
    modules = dict.fromkeys(item.module for item in base.granted if item.kind in PARAMETERS)
    yield "modules with parameters", list(modules)
    yield "theories of Why3", [theory.name for theory in base.theories]
    axioms = [theory for theory in base.theories if theory.axioms]
    yield "axioms in them", [f"{theory.name} {theory.axioms}" for theory in axioms]
    yield "drivers", [driver.name for driver in base.drivers]
    yield "tools", [f"{tool.name} {tool.version or '(not here)'}" for tool in base.tools]
    yield "assumptions", [assumption.id for assumption in base.assumptions]


def _said(
    item: Theory | Driver | TrustedTool,
    ledger: Mapping[str, TrustedTheories | TrustedDriver | TrustedTools],
) -> dict[str, Any]:
    entry = ledger.get(item.name)
    return structs.asdict(item) | {
        "trusted_for": entry.trusted_for if entry else None,
        "detected_by": entry.detected_by if entry else None,
    }
