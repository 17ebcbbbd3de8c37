"""The tables that people wrote for the report, in the folder `tables`."""

import tomllib
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct


class Claim(Struct, frozen=True):
    """What the evidence is meant to show."""

    id: str
    text: str
    shown_by: str


class NonClaim(Struct, frozen=True):
    """What it is not."""

    id: str
    text: str


class Assumption(Struct, frozen=True):
    """What it rests on without a proof."""

    id: str
    text: str
    guarded_by: str


class Claims(Struct, frozen=True):
    """The file `claims.toml`."""

    claims: tuple[Claim, ...] = msgspec.field(name="claim")
    non_claims: tuple[NonClaim, ...] = msgspec.field(name="non_claim")
    assumptions: tuple[Assumption, ...] = msgspec.field(name="assumption")


class Tool(Struct, frozen=True):
    """A tool, and what its users need for a classification of their own."""

    name: str
    use: str
    error: str
    detection: str


class Operator(Struct, frozen=True):
    """What belongs to the page of an operator."""

    name: str
    title: str
    documents: tuple[str, ...]
    related: tuple[str, ...]
    listing: str
    """The file that is shown, of the library."""
    modules: tuple[str, ...]
    """The modules of it that define the operator."""
    files: tuple[str, ...]


class Objective(Struct, frozen=True):
    """An objective of a standard, in our own words."""

    id: str
    text: str
    state: str
    evidence: str
    duty: str
    """What is left to whoever uses the evidence."""
    needs: tuple[str, ...] = ()
    """The documents without which the evidence is none."""


class Standard(Struct, frozen=True):
    """A standard through which the evidence can be looked at."""

    id: str
    title: str
    scope: str
    objectives: tuple[Objective, ...] = msgspec.field(name="objective")


def claims() -> Claims:
    """Claims, non-claims and assumptions."""
    return msgspec.convert(_table("claims"), Claims)


def tools() -> tuple[Tool, ...]:
    """The tools, and what can go wrong with each."""
    return msgspec.convert(_table("tools")["tool"], tuple[Tool, ...])


def operators() -> tuple[Operator, ...]:
    """The operators that have a page."""
    return msgspec.convert(_table("operators")["operator"], tuple[Operator, ...])


def standards() -> tuple[Standard, ...]:
    """The standards and their objectives."""
    return msgspec.convert(_table("standards")["standard"], tuple[Standard, ...])


def _table(name: str) -> dict[str, Any]:
    file = resources.files(__package__) / "tables" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
