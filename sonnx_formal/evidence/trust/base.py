"""The trusted base as it is, with the reasons that the ledger gives, and how it differs from it.

The ledger is `trusted_base.toml` of a library: what is believed, why, and what would show an error.
Its part `ieee_float`, on the model of Why3's theory of floating-point numbers, is checked by tests.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

from msgspec import Struct, structs
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.documents import Part, Words, read_tables
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import say
from sonnx_formal.evidence.trust.drivers import Driver, read_drivers
from sonnx_formal.evidence.trust.granted import IMPLICIT, Theory, Trusted, granted, theories
from sonnx_formal.evidence.trust.scan import GrantedItem
from sonnx_formal.evidence.trust.tools import TrustedTool, find_tools
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.provenance import BegunRun, MadeDocument
from sonnx_formal.prover.tasks import DRIVER

LEDGER = "trusted_base.toml"


class Symbols(Part, frozen=True):
    """Names of one module that are taken for granted."""

    module: Words
    symbols: tuple[Words, ...]
    reason: Words


class AssumedSymbols(Symbols, frozen=True):
    """Those that are believed: C's own operations, for which no clone puts a definition."""

    detected_by: Words


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
    assumed: tuple[AssumedSymbols, ...] = ()
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


class LedgerDifference(Part, frozen=True):
    """Something that only the library has (unaccounted), or only the ledger (gone)."""

    kind: Literal["unaccounted", "gone"]
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}: {self.remedy}"


class TrustedBase(MadeDocument, frozen=True, tag="sonnx-formal/trusted-base/5"):
    """What is believed without a proof, as far as a program can find it, and the assumptions."""

    command = "trusted-base --json PATH"

    granted: tuple[GrantedItem, ...]
    theories: tuple[Theory, ...]
    drivers: tuple[Driver, ...]
    tools: tuple[TrustedTool, ...]
    assumptions: tuple[TrustedAssumption, ...]
    differences: tuple[LedgerDifference, ...]
    """Between this and the ledger. None: everything is accounted for."""


def trusted_base(library: Path, why3: Why3, ledger: Ledger) -> TrustedBase:
    """What a library, the files of Why3 and this machine ask one to believe. Raises `UserError`."""
    made = BegunRun.of(library)
    parameters, assumed = (_by_symbol(table) for table in (ledger.parameter, ledger.assumed))
    drivers = {
        driver.name: driver
        for start, folder in _drivers(library, why3)
        for driver in read_drivers(start, folder)
    }
    used = theories(library, why3.drivers.with_name("stdlib"))
    base = TrustedBase(
        granted=tuple(
            _granted_for(item, assumed if item.assumed else parameters) for item in granted(library)
        ),
        theories=_explained(used, ledger, "theory"),
        drivers=_explained(drivers.values(), ledger, "driver"),
        tools=_explained(find_tools(why3), ledger, "tool"),
        assumptions=ledger.assumption,
        differences=(),
        made=made.ended(),
    )
    return structs.replace(base, differences=tuple(compare(base, ledger)))


def _drivers(library: Path, why3: Why3) -> Iterator[tuple[Path, Path]]:
    """The drivers to start from, each with the folder of those that are not ours."""
    yield DRIVER, why3.drivers
    folders = [why3.drivers, why3.drivers.with_name("extraction_drivers")]  # Why3 1.5, Why3 1.8
    folder = next((each for each in folders if (each / "ocaml64.drv").is_file()), why3.drivers)
    yield folder / "ocaml64.drv", folder
    for ours in sorted(library.rglob("*.drv")):
        yield folder / "c.drv", folder
        yield ours, folder


_Entry = TypeVar("_Entry", bound=Symbols)


def _by_symbol(entries: Iterable[_Entry]) -> dict[tuple[str, str], _Entry]:
    return {(entry.module, symbol): entry for entry in entries for symbol in entry.symbols}


def _granted_for(item: GrantedItem, entries: Mapping[tuple[str, str], Symbols]) -> GrantedItem:
    match entries.get((item.module, item.name)):
        case AssumedSymbols(reason=reason, detected_by=detected_by):
            return structs.replace(item, reason=reason, detected_by=detected_by)
        case Symbols(reason=reason):
            return structs.replace(item, reason=reason)
        case None:
            return item


_Item = TypeVar("_Item", bound=Trusted)


def _explained(items: Iterable[_Item], ledger: Ledger, kind: str) -> tuple[_Item, ...]:
    entries = dict(ledger.entries()[kind])
    return tuple(
        structs.replace(item, trusted_for=entry.trusted_for, detected_by=entry.detected_by)
        if (entry := entries.get(item.name))
        else item
        for item in items
    )


def compare(base: TrustedBase, ledger: Ledger) -> Iterator[LedgerDifference]:
    """How the ledger differs from what there is."""
    for table, listed, remedy in (
        ("parameter", ledger.parameter, "define it"),
        ("assumed", ledger.assumed, "prove it, or clone its module with a definition"),
    ):
        here = {
            (item.module, item.name): f"{item.kind} {item.name} of {item.module} "
            f"(line {item.line} of {item.module.partition(':')[0]})"
            for item in base.granted
            if item.assumed == (table == "assumed")
        }
        known = {
            (entry.module, symbol): f"{symbol} of {entry.module}"
            for entry in listed
            for symbol in entry.symbols
        }
        yield from _differences(here, known, table, f"{remedy}, or give the reason in {{}}")
    entries = {what: dict(named) for what, named in ledger.entries().items()}
    yield from _names("theory", _named(base.theories), entries["theory"], "stdlib")
    yield from _names("driver", _named(base.drivers), entries["driver"], "driver")
    used = {*IMPLICIT, *_named(base.theories)}
    listed_drivers = {name: entry for entry in ledger.driver for name in entry.names}
    for driver in base.drivers:
        if (entry := listed_drivers.get(driver.name)) is None:
            continue
        if driver.ours and entry.sha256 != driver.sha256:
            yield LedgerDifference(
                "unaccounted",
                f"driver {driver.name} as it is now",
                f"look at what changed, then set its sha256 in [[driver]] of {LEDGER} to "
                f"{driver.sha256}",
            )
        mapped = [name for name in driver.theories() if driver.ours or name in used]
        yield from _names(f"{driver.name} maps theory", mapped, entry.theories, "driver")
    yield from _names("tool", _named(base.tools), entries["tool"], "tool")


def _named(items: Iterable[Trusted]) -> list[str]:
    return [item.name for item in items]


def _names(
    what: str, here: Iterable[str], known: Iterable[str], table: str
) -> Iterator[LedgerDifference]:
    found, listed = ({name: f"{what} {name}" for name in names} for names in (here, known))
    return _differences(found, listed, table, "say in {} what it is trusted for")


_Key = TypeVar("_Key", str, tuple[str, str])


def _differences(
    here: Mapping[_Key, str], known: Mapping[_Key, str], table: str, remedy: str
) -> Iterator[LedgerDifference]:
    where = f"[[{table}]] of {LEDGER}"
    for key in sorted(here.keys() - known.keys()):
        yield LedgerDifference("unaccounted", here[key], remedy.format(where))
    for key in sorted(known.keys() - here.keys()):
        yield LedgerDifference("gone", known[key], f"take it out of {where}")


def print_base(console: Console, base: TrustedBase) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("what", "number", "which"):
        table.add_column(name, header_style="bold", justify="right" if name == "number" else "left")
    for name, which in _rows(base):
        table.add_row(name, str(len(which)), Text(", ".join(which)))
    console.print(table)
    say(console, *map(str, base.differences))
    different = f"{len(base.differences)} differences from the ledger"
    say(console, "", different if base.differences else "the ledger accounts for all of it")


def _rows(base: TrustedBase) -> Iterator[tuple[str, list[str]]]:
    assumed = [item for item in base.granted if item.assumed]
    yield "axioms and assumptions", [f"{item.kind} {item.module} {item.name}" for item in assumed]
    modules = dict.fromkeys(item.module for item in base.granted if not item.assumed)
    yield "modules with parameters", list(modules)
    yield "theories of Why3", _named(base.theories)
    axioms = [theory for theory in base.theories if theory.axioms]
    yield "axioms in them", [f"{theory.name} {theory.axioms}" for theory in axioms]
    yield "drivers", _named(base.drivers)
    yield "tools", [f"{tool.name} {tool.version or '(not here)'}" for tool in base.tools]
    yield "assumptions", [assumption.id for assumption in base.assumptions]
