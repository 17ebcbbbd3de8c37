"""The committed record of what became of each mutant, `why3/evidence/mutation.json`.

A line a mutant. An entry holds as long as the sources that it depends on are the same; when they
are not, it is as if it were not there.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.evidence.mutation.trial import Outcome, Result

SCHEMA = "sonnx-formal/mutation-record/1"


@dataclass(frozen=True)
class Entry:
    """What became of a mutant of certain sources."""

    result: Result
    sources: str
    """SHA-256 of the files on which it depends."""


@dataclass
class Record:
    """Entries by the id of the mutant; made with this Why3 and these provers."""

    why3: str
    provers: dict[str, str]
    entries: dict[str, Entry] = field(default_factory=dict)


def record_path(library: Path) -> Path:
    """Where the record of a library lies."""
    return library / "evidence" / "mutation.json"


def read_entries(path: Path) -> dict[str, Entry]:
    """The entries that are there. Raises `UserError` when they cannot be read."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["schema"] != SCHEMA:
            raise _unreadable(path, f"its schema is {stored['schema']}, not {SCHEMA}")
        return {str(name): _entry(value) for name, value in stored["mutants"].items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, str(error)) from None


def write_record(path: Path, record: Record) -> None:
    """Write the record, a mutant a line, sorted. Raises `UserError` when it cannot be written."""
    lines = [
        f"    {json.dumps(name, ensure_ascii=False)}: "
        + json.dumps(
            {
                "outcome": entry.result.outcome,
                "by": entry.result.by,
                "tried": entry.result.tried,
                "sources": entry.sources,
            },
            ensure_ascii=False,
        )
        for name, entry in sorted(record.entries.items())
    ]
    mutants = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    text = (
        f'{{\n  "schema": {json.dumps(SCHEMA)},\n'
        f'  "why3": {json.dumps(record.why3)},\n'
        f'  "provers": {json.dumps(record.provers)},\n'
        f'  "mutants": {mutants}\n}}\n'
    )
    try:
        if not (path.is_file() and path.read_text(encoding="utf-8") == text):
            write_atomically(path, text)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None


def _entry(value: dict[str, Any]) -> Entry:
    result = Result(Outcome(value["outcome"]), str(value["by"]), int(value["tried"]))
    return Entry(result, str(value["sources"]))


def _unreadable(path: Path, why: str) -> UserError:
    return UserError(
        f"{path} is not a readable record of mutants ({why}): restore it from version control, "
        "or delete it and run `sonnx-formal mutate`"
    )
