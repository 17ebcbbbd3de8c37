"""Verdicts, and what they rest on."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Part
from sonnx_formal.spec.requirements import requirement

Sentence = Annotated[str, Meta(min_length=1)]


class LintVerdict(StrEnum):
    """The verdict on a requirement, on a node, and on a model; the gravest first."""

    VIOLATES = "violates"
    UNDECIDED = "cannot be decided statically"
    NOT_JUDGED = "not judged"
    """Of a model with nodes that no declaration is about: who knows what these do?"""
    CONFORMS = "conforms"


class NodeFinding(Part, frozen=True):
    """What was found at a node about one requirement.

    One that conforms is a remark: it is allowed, and worth knowing.

    Raises `UnknownRequirementError` if the registry does not have the id.
    """

    requirement: str
    verdict: LintVerdict
    found: Sentence
    advice: Sentence
    """How to repair it or, where it cannot be decided, what would decide it."""

    def __post_init__(self) -> None:
        requirement(self.requirement)


def gravest(verdicts: Iterable[LintVerdict]) -> LintVerdict:
    """The verdict on a whole: one violation is enough, and nothing conforms if nobody knows."""
    return min(verdicts, key=[*LintVerdict].index, default=LintVerdict.CONFORMS)
