"""The tables that people wrote for the report, in the folder `tables`."""

from importlib import resources
from typing import TypeVar

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
    """What a gap is called, and what it means."""

    id: str
    title: str
    text: str
    blocking: bool = False
    always: bool = False
    """Whether no run can close it."""


class Claims(Part, frozen=True):
    """The file `claims.toml`."""

    claims: tuple[Claim, ...] = field(name="claim")
    non_claims: tuple[NonClaim, ...] = field(name="non_claim")
    assumptions: tuple[ReportAssumption, ...] = field(name="assumption")


_Table = TypeVar("_Table")


def claims() -> Claims:
    """Claims, non-claims and assumptions."""
    return _read("claims", Claims)


def tools() -> tuple[ToolNote, ...]:
    """The tools, and what can go wrong with each."""
    return _read("tools", dict[str, tuple[ToolNote, ...]])["tool"]


def standards() -> tuple[Standard, ...]:
    """The standards and their objectives."""
    return _read("standards", dict[str, tuple[Standard, ...]])["standard"]


def gaps() -> tuple[GapText, ...]:
    """The gaps that there may be."""
    return _read("gaps", dict[str, tuple[GapText, ...]])["gap"]


def _read(name: str, type_: type[_Table]) -> _Table:
    file = resources.files(__package__) / "tables" / f"{name}.toml"
    return msgspec.toml.decode(file.read_bytes(), type=type_)
