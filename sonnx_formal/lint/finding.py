"""Verdicts, and what they rest on."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.spec.requirements import requirement


class Verdict(StrEnum):
    """On a requirement, on a node, and on a model."""

    CONFORMS = "conforms"
    VIOLATES = "violates"
    UNDECIDED = "cannot be decided statically"


@dataclass(frozen=True)
class Finding:
    """What was found at a node about one requirement.

    One that conforms is a remark: it is allowed, and worth knowing.

    Raises `UnknownRequirementError` if the registry does not have the id.
    """

    requirement: str
    verdict: Verdict
    found: str
    advice: str
    """How to repair it or, where it cannot be decided, what would decide it."""

    def __post_init__(self) -> None:
        requirement(self.requirement)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on a whole: one violation is enough, and nothing conforms if nobody knows."""
    seen = set(verdicts)
    for verdict in (Verdict.VIOLATES, Verdict.UNDECIDED):
        if verdict in seen:
            return verdict
    return Verdict.CONFORMS
