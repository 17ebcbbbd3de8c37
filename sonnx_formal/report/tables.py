"""The tables that people wrote for the report, in the folder `tables`."""

from enum import StrEnum
from functools import cache
from importlib import resources
from typing import assert_never

import msgspec
from msgspec import field

from sonnx_formal.core.documents import Part, Words


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


class GapClass(StrEnum):
    """What an assessor does with a gap: there is no other class, and each gap has one."""

    DEVIATION = "deviation"
    OPEN_ITEM = "open item"
    LIMITATION = "limitation"

    @property
    def meaning(self) -> str:
        match self:
            case GapClass.DEVIATION:
                return (
                    "Something is not as it has to be. It has to be corrected, or somebody has to "
                    "answer for it, before the evidence is relied on for it."
                )
            case GapClass.OPEN_ITEM:
                return (
                    "Work is not done, or a question has no answer. It may turn out well or badly, "
                    "and can be closed. Until then it supports nothing."
                )
            case GapClass.LIMITATION:
                return (
                    "The method, the tools or the scope reach no farther. It stays, and whoever "
                    "relies on the evidence accepts it or covers it by other means."
                )
            case _:
                assert_never(self)


class GapText(Part, frozen=True, kw_only=True):
    """A kind of gap."""

    id: str
    gap_class: GapClass = field(name="class")
    title: str
    text: str
    """What is not shown."""
    consequence: str
    """What follows for whoever relies on the evidence."""
    against: str = ""
    """What stands against it here; empty where nothing does."""
    section: str
    """The id of where the report has more about it."""
    blocking: bool = False
    """Whether the evidence as a whole fails because of it."""
    always: bool = False
    """Whether no run can close it."""


class Hazard(Part, frozen=True, kw_only=True):
    """A way in which something that is trusted may be wrong."""

    id: Words
    title: Words
    of: tuple[Words, ...]
    """Entries of the ledger of trust: theories, drivers, tools, assumptions."""
    cause: Words
    effect: Words
    detected_by: Words
    documents: tuple[Words, ...] = ()
    """Of the report, in which the error would show."""
    tests: tuple[Words, ...] = ()
    """Which show that the error is noticed: `tests/file.py::test_name`."""
    injections: tuple[Words, ...] = ()
    """Errors of this kind that the self-test makes on purpose."""
    residual: Words

    @property
    def detectable(self) -> bool:
        """Whether there is anything that would detect it."""
        return bool(self.documents or self.tests or self.injections)


class ArgumentKind(StrEnum):
    """The elements of GSN that people write; solutions follow from the evidence."""

    GOAL = "goal"
    STRATEGY = "strategy"
    CONTEXT = "context"
    ASSUMPTION = "assumption"


class Argument(Part, frozen=True, kw_only=True):
    """An element of the assurance case."""

    id: Words
    kind: ArgumentKind
    text: Words
    parts: tuple[Words, ...] = ()
    """What supports it, and its context."""
    documents: tuple[Words, ...] = ()
    sources: tuple[Words, ...] = ()
    hazards: bool = False
    """Whether it needs that each trusted step has a hazard analysis."""
    gaps: tuple[Words, ...] = ()
    """Which count against it."""
    left_to: str = ""
    """Who has to develop it, and how; empty for what is developed here."""


class StepDuration(Part, frozen=True):
    """How long a step of a report takes."""

    step: str
    """A document, or `pages`."""
    seconds: float


class Tables(Part, frozen=True):
    claim: tuple[Claim, ...]
    non_claim: tuple[NonClaim, ...]
    assumption: tuple[ReportAssumption, ...]
    gap: tuple[GapText, ...]
    standard: tuple[Standard, ...]
    tool: tuple[ToolNote, ...]
    hazard: tuple[Hazard, ...]
    argument: tuple[Argument, ...]
    duration: tuple[StepDuration, ...]


@cache
def tables() -> Tables:
    """All of them; they are read once."""
    folder = resources.files(__package__) / "tables"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    everything = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return msgspec.toml.decode(everything, type=Tables)
