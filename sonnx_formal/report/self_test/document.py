"""The document that `self-test --json` writes, which the report reads."""

from msgspec import UNSET, UnsetType

from sonnx_formal.core.documents import Count, Document, Part


class InjectionEntry(Part, frozen=True):
    """Something that was done wrong on purpose."""

    injected: str
    guard: str
    """What is to catch it."""
    caught: bool
    said: str | UnsetType | None = UNSET
    """By the guard, with names of temporary files, so that the report leaves it out."""


class SelfTestSummary(Part, frozen=True):
    """How many there were, and how many were caught."""

    injections: Count
    caught: Count


class SelfTest(Document, frozen=True, tag="sonnx-formal/self-test/2"):
    """What was done wrong on purpose, and whether it was caught."""

    command = "self-test --json PATH"

    injections: tuple[InjectionEntry, ...]
    summary: SelfTestSummary
