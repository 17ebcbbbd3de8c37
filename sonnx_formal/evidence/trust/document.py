"""The trusted base as a table in words and as JSON, with the reasons that the ledger gives."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.evidence.trust.comparison import Difference, TrustedBase
from sonnx_formal.evidence.trust.drivers import Driver
from sonnx_formal.evidence.trust.ledger import Ledger, Symbols
from sonnx_formal.evidence.trust.scan import PARAMETERS

SCHEMA = "sonnx-formal/trusted-base/1"


def as_json(base: TrustedBase, ledger: Ledger, differences: Sequence[Difference]) -> dict[str, Any]:
    """The trusted base as `trusted_base.schema.json` describes it."""
    theories = {name: one for one in ledger.theories for name in one.names}
    drivers = {one.name: one for one in ledger.drivers}
    tools = {name: one for one in ledger.tools for name in one.names}
    return {
        "schema": SCHEMA,
        "granted": [
            {
                "module": item.module,
                "kind": item.kind,
                "name": item.name,
                "line": item.line,
                "reason": _reason(ledger, item.module, item.name),
            }
            for item in base.granted
        ],
        "theories": [
            {
                "name": one.name,
                "axioms": one.axioms,
                "lemmas": one.lemmas,
                "symbols": one.symbols,
                **_why(theories.get(one.name)),
            }
            for one in base.theories
        ],
        "drivers": [_driver(one) | _why(drivers.get(one.name)) for one in base.drivers],
        "tools": [
            {"name": one.name, "version": one.version, "sha256": one.sha256}
            | _why(tools.get(one.name))
            for one in base.tools
        ],
        "assumptions": [
            {"id": one.id, "text": one.text, "detected_by": one.detected_by}
            for one in ledger.assumptions
        ],
        "differences": [
            {"kind": "gone" if one.accounted else "unaccounted", "what": one.what,
             "remedy": one.remedy}
            for one in differences
        ],
    }  # fmt: skip


def print_base(
    console: Console, base: TrustedBase, ledger: Ledger, differences: Sequence[Difference]
) -> None:
    """What is believed, a line a kind, and every difference from the ledger."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("what", "number", "which"):
        table.add_column(name, header_style="bold", justify="right" if name == "number" else "left")
    for name, which in _rows(base, ledger):
        table.add_row(name, str(len(which)), Text(", ".join(which)))
    console.print(table)
    for difference in differences:
        console.print(Text(str(difference)), soft_wrap=True)
    verdict = "the ledger accounts for all of it"
    if differences:
        verdict = f"{len(differences)} differences from the ledger"
    console.print(Text(f"\n{verdict}"), soft_wrap=True)


def _rows(base: TrustedBase, ledger: Ledger) -> Iterator[tuple[str, list[str]]]:
    assumed = [one for one in base.granted if one.kind not in PARAMETERS]
    yield "axioms and assumptions", [f"{one.kind} {one.module} {one.name}" for one in assumed]
    modules = dict.fromkeys(one.module for one in base.granted if one.kind in PARAMETERS)
    yield "modules with parameters", list(modules)
    yield "theories of Why3", [one.name for one in base.theories]
    yield "axioms in them", [f"{one.name} {one.axioms}" for one in base.theories if one.axioms]
    yield "drivers", [one.name for one in base.drivers]
    yield "tools", [f"{one.name} {one.version or '(not here)'}" for one in base.tools]
    yield "assumptions", [one.id for one in ledger.assumptions]


def _driver(driver: Driver) -> dict[str, Any]:
    return {
        "name": driver.name,
        "sha256": driver.sha256,
        "from": "sonnx-formal" if driver.ours else "Why3",
        "mappings": [vars(mapping) for mapping in driver.mappings],
    }


def _reason(ledger: Ledger, module: str, name: str) -> str | None:
    entries: tuple[Symbols, ...] = (*ledger.parameters, *ledger.assumed)
    return next(
        (one.reason for one in entries if one.module == module and name in one.symbols), None
    )


def _why(entry: Any) -> dict[str, str | None]:
    return {
        "trusted_for": entry.trusted_for if entry else None,
        "detected_by": entry.detected_by if entry else None,
    }
