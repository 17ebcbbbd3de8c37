"""Preconditions that no proof needs and that stay all the same, each with its reason."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError


@dataclass(frozen=True)
class Justified:
    """A precondition that the source document asks for, though no property needs it."""

    function: str
    """As in the ids of goals: `ops/mul/definition.mlw:Mul.mul`."""
    precondition: str
    reason: str


def justified_path(library: Path) -> Path:
    """Where the table of a library lies."""
    return library / "evidence" / "unused_preconditions.toml"


def read_justified(path: Path) -> list[Justified]:
    """The table; it may be missing. Raises `UserError` when it is not as it should be."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("precondition", [])
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path} is not readable TOML: {error}") from None
    wanted = {"functions", "precondition", "reason"}
    found = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or entry.keys() != wanted or not all(entry.values()):
            raise UserError(
                f"{path}: [[precondition]] {number}: needs {', '.join(sorted(wanted))}, none empty"
            )
        found += [
            Justified(str(function), str(entry["precondition"]), str(entry["reason"]))
            for function in entry["functions"]
        ]
    return found
