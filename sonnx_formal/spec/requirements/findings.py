"""Findings: where a source document is ambiguous, silent, or wrong."""

import re
from dataclasses import dataclass
from functools import cache

from sonnx_formal.spec.requirements.entries import (
    FindingEntry,
    RegistryError,
    RegistryFile,
    Sketch,
    files,
)
from sonnx_formal.spec.requirements.notation import all_expanded

_ID = re.compile(r"FINDING-(.+)-[1-9][0-9]*")


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
    """All findings, in the order of the files."""
    return tuple(finding for name, file in files() for finding in findings_in(name, file))


def findings_in(name: str, file: RegistryFile) -> tuple[Finding, ...]:
    """The findings of a file. Raises `ValueError`, which names the file and the entry."""
    seen: set[str] = set()
    for entry in file.finding:
        match = _ID.fullmatch(entry.id)
        if match is None or match[1] != entry.document:
            raise RegistryError(f"{name}: {entry.id!r} is no id of a finding on {entry.document}")
        if entry.id in seen:
            raise RegistryError(f"{name}: {entry.id} is there twice")
        seen.add(entry.id)
    return tuple(map(_finding, file.finding))


def _finding(entry: FindingEntry) -> Finding:
    return Finding(
        id=entry.id,
        document=entry.document,
        section=entry.section,
        title=entry.title,
        readings=entry.readings,
        requirements=all_expanded(entry.requirements),
        shown_by=all_expanded(entry.shown_by),
        sketch=entry.sketch,
        not_shown=entry.not_shown or "",
        decision=entry.decision,
        proposal=entry.proposal,
    )
