"""The trusted base as it is, and how the ledger differs from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sonnx_formal.core.documents import Part
from sonnx_formal.evidence.trust.drivers import Driver, read_drivers
from sonnx_formal.evidence.trust.ledger import Ledger, Symbols
from sonnx_formal.evidence.trust.library import Theory, granted, theories, used_names
from sonnx_formal.evidence.trust.scan import PARAMETERS, GrantedItem
from sonnx_formal.evidence.trust.tools import TrustedTool, find_tools
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.tasks import DRIVER

EXTRACTION_DRIVER = "ocaml64.drv"


@dataclass(frozen=True)
class TrustedBase:
    """What is believed without a proof, as far as a program can find it."""

    granted: tuple[GrantedItem, ...]
    theories: tuple[Theory, ...]
    drivers: tuple[Driver, ...]
    tools: tuple[TrustedTool, ...]


class LedgerDifference(Part, frozen=True):
    """Something that only the library has (unaccounted), or only the ledger (gone)."""

    kind: Literal["unaccounted", "gone"]
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}: {self.remedy}"


def trusted_base(library: Path, why3: Why3) -> TrustedBase:
    """What a library, the files of Why3 and this machine ask one to believe.

    :raises UserError: when a file cannot be read.
    """
    prove = read_drivers(DRIVER, why3.drivers)
    extract = read_drivers(why3.drivers / EXTRACTION_DRIVER, why3.drivers)
    return TrustedBase(
        granted=tuple(granted(library)),
        theories=tuple(theories(library, why3.drivers.with_name("stdlib"))),
        drivers=tuple({driver.name: driver for driver in [*prove, *extract]}.values()),
        tools=tuple(find_tools(why3)),
    )


def compare(base: TrustedBase, ledger: Ledger, where: str) -> list[LedgerDifference]:
    """How the ledger differs from what there is.

    :param where: the name of the ledger, as the remedies give it.
    """
    return [
        *_symbols(base, ledger, where),
        *_names(
            "theory",
            {theory.name for theory in base.theories},
            {name for entry in ledger.theories for name in entry.names},
            f"[[stdlib]] of {where}",
        ),
        *_drivers(base, ledger, where),
        *_names(
            "tool",
            {tool.name for tool in base.tools},
            {name for entry in ledger.tools for name in entry.names},
            f"[[tool]] of {where}",
        ),
    ]


def _symbols(base: TrustedBase, ledger: Ledger, where: str) -> Iterator[LedgerDifference]:
    for kind, listed, remedy in (
        ("parameter", ledger.parameters, "define it, or give the reason in [[parameter]]"),
        ("assumed", ledger.assumed, "prove it, or give the reason in [[assumed]]"),
    ):
        here = {
            _key(item): item
            for item in base.granted
            if (item.kind in PARAMETERS) == (kind == "parameter")
        }
        known = _keys(listed)
        for key in sorted(here.keys() - known):
            item = here[key]
            file = item.module.partition(":")[0]
            what = f"{item.kind} {item.name} of {item.module} (line {item.line} of {file})"
            yield _unaccounted(what, f"{remedy} of {where}")
        for module, name in sorted(known - here.keys()):
            yield _gone(f"{name} of {module}", f"take it out of [[{kind}]] of {where}")


def _key(item: GrantedItem) -> tuple[str, str]:
    return item.module, item.name


def _keys(listed: tuple[Symbols, ...]) -> set[tuple[str, str]]:
    return {(entry.module, symbol) for entry in listed for symbol in entry.symbols}


def _names(what: str, here: set[str], known: set[str], where: str) -> Iterator[LedgerDifference]:
    for name in sorted(here - known):
        yield _unaccounted(f"{what} {name}", f"say in {where} what it is trusted for")
    for name in sorted(known - here):
        yield _gone(f"{what} {name}", f"take it out of {where}")


def _drivers(base: TrustedBase, ledger: Ledger, where: str) -> Iterator[LedgerDifference]:
    listed = {entry.name: entry for entry in ledger.drivers}
    place = f"[[driver]] of {where}"
    here = {driver.name for driver in base.drivers}
    yield from _names("driver", here, set(listed), place)
    used = set(used_names(list(base.theories)))
    for driver in base.drivers:
        known = listed.get(driver.name)
        if known is None:
            continue
        if driver.ours and known.sha256 != driver.sha256:
            yield _unaccounted(
                f"driver {driver.name} as it is now",
                f"look at what changed, then set its sha256 in {place} to {driver.sha256}",
            )
        mapped = {name for name in driver.theories() if driver.ours or name in used}
        yield from _names(f"{driver.name} maps theory", mapped, set(known.theories), place)


def _unaccounted(what: str, remedy: str) -> LedgerDifference:
    return LedgerDifference("unaccounted", what, remedy)


def _gone(what: str, remedy: str) -> LedgerDifference:
    return LedgerDifference("gone", what, remedy)
