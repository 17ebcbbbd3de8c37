"""The ledger `trusted_base.toml` of a library: what is believed, why, and what would show an error.

Its part `ieee_float`, on the model of Why3's theory of floating-point numbers, is checked by tests.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.sources import read_source


@dataclass(frozen=True)
class Symbols:
    """Names of one module that are taken for granted."""

    module: str
    symbols: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Trusted:
    """Things that are trusted for one purpose."""

    names: tuple[str, ...]
    trusted_for: str
    detected_by: str


@dataclass(frozen=True)
class TrustedDriver:
    """A driver file."""

    name: str
    sha256: str | None
    """Of a driver of this project; those that come with Why3 differ from version to version."""
    theories: tuple[str, ...]
    """The mapped theories: all of them for a driver of ours, else those that the library uses."""
    trusted_for: str
    detected_by: str


@dataclass(frozen=True)
class Assumption:
    """Something about the world that no program can list."""

    id: str
    text: str
    detected_by: str


@dataclass(frozen=True)
class Ledger:
    """The whole of it."""

    parameters: tuple[Symbols, ...]
    assumed: tuple[Symbols, ...]
    theories: tuple[Trusted, ...]
    drivers: tuple[TrustedDriver, ...]
    tools: tuple[Trusted, ...]
    assumptions: tuple[Assumption, ...]


def ledger_path(library: Path) -> Path:
    """Where the ledger of a library lies."""
    return library / "trusted_base.toml"


def read_ledger(path: Path) -> Ledger:
    """The ledger. Raises `UserError` when it cannot be read, or a field is missing or empty."""
    try:
        text = read_source(path).decode()
        table = tomllib.loads(text)
    except ValueError as error:
        raise UserError(f"{path} is not readable TOML: {error}") from None
    entries = _Entries(path, table)
    ledger = Ledger(
        parameters=_symbols(entries, "parameter"),
        assumed=_symbols(entries, "assumed"),
        theories=tuple(
            Trusted(one.texts("theories"), one.text("trusted_for"), one.text("detected_by"))
            for one in entries("stdlib")
        ),
        drivers=tuple(
            TrustedDriver(
                one.text("name"),
                one.text("sha256") if "sha256" in one else None,
                one.texts("theories") if "theories" in one else (),
                one.text("trusted_for"),
                one.text("detected_by"),
            )
            for one in entries("driver")
        ),
        tools=tuple(
            Trusted(one.texts("names"), one.text("trusted_for"), one.text("detected_by"))
            for one in entries("tool")
        ),
        assumptions=tuple(
            Assumption(one.text("id"), one.text("text"), one.text("detected_by"))
            for one in entries("assumption")
        ),
    )
    _check_unique(path, "theory", [name for one in ledger.theories for name in one.names])
    _check_unique(path, "driver", [one.name for one in ledger.drivers])
    _check_unique(path, "tool", [name for one in ledger.tools for name in one.names])
    _check_unique(path, "assumption", [one.id for one in ledger.assumptions])
    return ledger


def _symbols(entries: "_Entries", key: str) -> tuple[Symbols, ...]:
    return tuple(
        Symbols(one.text("module"), one.texts("symbols"), one.text("reason"))
        for one in entries(key)
    )


def _check_unique(path: Path, what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{path}: {what} {name} is listed twice: keep one entry")


class _Entries:
    """The tables of the file."""

    def __init__(self, path: Path, table: Mapping[str, Any]) -> None:
        self._path = path
        self._table = table

    def __call__(self, key: str) -> list["_Entry"]:
        found = self._table.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise UserError(f"{self._path}: write {key} as tables, [[{key}]]")
        return [_Entry(f"{self._path}: [[{key}]] {n}", one) for n, one in enumerate(found, start=1)]


class _Entry:
    """One table."""

    def __init__(self, where: str, table: Mapping[str, Any]) -> None:
        self._where = where
        self._table = table

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def text(self, key: str) -> str:
        value = self._table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise UserError(f"{self._where}: {key} has to be a text that is not empty")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._table.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise UserError(f"{self._where}: {key} has to be a list of texts")
        return tuple(value)
