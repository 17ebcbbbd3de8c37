"""Findings: where a source document is ambiguous, silent, or wrong."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from sonnx_formal.spec.requirements.files import read, text_of
from sonnx_formal.spec.requirements.notation import all_expanded

NAME = "findings.toml"
_ID = re.compile(r"FINDING-(.+)-[1-9][0-9]*")


class Outcome(StrEnum):
    """What becomes of a sketch in Why3."""

    REJECTED = "rejected"
    """Why3 does not accept it."""
    PROVED = "proved"
    """All its goals are proved; they are what should not be provable."""


@dataclass(frozen=True)
class Sketch:
    """The least text, of our own, that has the same flaw as the Why3 text of a document."""

    outcome: Outcome
    text: str
    message: str
    """In what Why3 says about a rejected one; otherwise empty."""


@dataclass(frozen=True)
class Finding:
    """An ambiguity or an error of a source document, and what was made of it.

    It is shown by goals of the library, by a sketch, or by neither, for a reason.
    """

    id: str
    """FINDING-SONNX-DIV-1."""
    document: str
    """The short name of the source document."""
    section: str
    title: str
    readings: tuple[str, str]
    """The two ways to read the document."""
    requirements: tuple[str, ...]
    """The ids of the requirements concerned."""
    shown_by: tuple[str, ...]
    """Goals of the formal library: `file.mlw:Module.goal`."""
    sketch: Sketch | None
    not_shown: str
    """Why there is no theorem, where there is none."""
    decision: str
    proposal: str
    """What we propose to the authors."""


@cache
def findings() -> tuple[Finding, ...]:
    """All findings, in the order of the file."""
    return parse(NAME, text_of(NAME))


def parse(name: str, text: str) -> tuple[Finding, ...]:
    """The findings in a file. Raises `ValueError`, which names the file and the entry."""
    table = read(name, text, "findings.schema.json")
    seen: set[str] = set()
    for entry in table["finding"]:
        identifier = entry["id"]
        match = _ID.fullmatch(identifier)
        if match is None or match[1] != entry["document"]:
            raise ValueError(f"{name}: {identifier!r} is no id of a finding on {entry['document']}")
        if identifier in seen:
            raise ValueError(f"{name}: {identifier} is there twice")
        seen.add(identifier)
    return tuple(map(_finding, table["finding"]))


def _finding(entry: dict[str, Any]) -> Finding:
    first, second = entry["readings"]
    sketch = entry.get("sketch")
    return Finding(
        id=entry["id"],
        document=entry["document"],
        section=entry["section"],
        title=entry["title"],
        readings=(first, second),
        requirements=all_expanded(entry["requirements"]),
        shown_by=all_expanded(entry.get("shown_by", ())),
        sketch=Sketch(Outcome(sketch["outcome"]), sketch["text"], sketch.get("message", ""))
        if sketch
        else None,
        not_shown=entry.get("not_shown", ""),
        decision=entry["decision"],
        proposal=entry["proposal"],
    )
