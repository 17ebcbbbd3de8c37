"""Reads the TOML files of the registry, each by its JSON Schema."""

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import jsonschema

OTHERS = ("findings.toml", "left_out.toml", "operator_goals.toml")
"""The files that are not a source document."""
_LONGEST = 200


def texts_of_documents() -> Iterator[tuple[str, str]]:
    """Name and text of the file of each source document, by name."""
    files = {one.name: one for one in resources.files(__package__).iterdir()}
    for name in sorted(files):
        if name.endswith(".toml") and name not in OTHERS:
            yield name, files[name].read_text(encoding="utf-8")


def text_of(name: str) -> str:
    """The text of one file of the registry."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def read(name: str, text: str, schema: str) -> dict[str, Any]:
    """The table in a file. Raises `ValueError`, which names the file and what is wrong in it."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}: {error}") from None
    flaw = jsonschema.exceptions.best_match(_validator(schema).iter_errors(table))
    if flaw:
        where = _where(table, list(flaw.absolute_path))
        raise ValueError(f"{name}: {where}{_short(flaw.message)}")
    return table


def _where(table: dict[str, Any], path: list[str | int]) -> str:
    """The id of the entry, or its place, and the field."""
    match path:
        case [str() as kind, int() as number, *rest]:
            entry = table[kind][number]
            named = entry.get("id") if isinstance(entry, dict) else None
            start = named if isinstance(named, str) else f"{kind} {number + 1}"
            return ": ".join([start, *map(str, rest)]) + ": "
        case _:
            return "".join(f"{one}: " for one in path)


def _short(message: str) -> str:
    plain = " ".join(message.split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST // 2]} … {plain[-80:]}"


@cache
def _validator(schema: str) -> jsonschema.protocols.Validator:
    return jsonschema.Draft202012Validator(json.loads(text_of(schema)))
