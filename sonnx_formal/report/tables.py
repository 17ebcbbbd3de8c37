"""The tables that people wrote for the report, in the folder `tables`."""

from importlib import resources

import msgspec
from msgspec import field

from sonnx_formal.core.documents import Part


class Claim(Part, frozen=True):
    """What the evidence is meant to show."""

    id: str
    text: str
    shown_by: str


class NonClaim(Part, frozen=True):
    """What it is not."""

    id: str
    text: str


class ReportAssumption(Part, frozen=True):
    """What it rests on without a proof."""

    id: str
    text: str
    guarded_by: str


class ToolNote(Part, frozen=True):
    """A tool, and what its users need for a classification of their own."""

    name: str
    use: str
    error: str
    detection: str


class Objective(Part, frozen=True):
    """An objective of a standard, in our own words."""

    id: str
    text: str
    state: str
    evidence: str
    duty: str
    """What is left to whoever uses the evidence."""
    needs: tuple[str, ...] = ()
    """The documents without which the evidence is none."""


class Standard(Part, frozen=True):
    """A standard through which the evidence can be looked at."""

    id: str
    title: str
    scope: str
    objectives: tuple[Objective, ...] = field(name="objective")


class GapText(Part, frozen=True):
    id: str
    title: str
    text: str
    blocking: bool = False
    always: bool = False
    """Whether no run can close it."""


class Tables(Part, frozen=True):
    claim: tuple[Claim, ...]
    non_claim: tuple[NonClaim, ...]
    assumption: tuple[ReportAssumption, ...]
    gap: tuple[GapText, ...]
    standard: tuple[Standard, ...]
    tool: tuple[ToolNote, ...]


def tables() -> Tables:
    files = (resources.files(__package__) / "tables").iterdir()
    everything = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return msgspec.toml.decode(everything, type=Tables)
