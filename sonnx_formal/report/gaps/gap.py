"""Gaps with their titles and texts, and those that are there whatever the documents say."""

from collections.abc import Iterable, Iterator, Mapping

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.report import tables
from sonnx_formal.report.documents import KINDS

Shortfall = tuple[str, Iterable[str]]
"""The id of a gap, and what it is about: without any item, there is no gap."""

_LISTED = 2000
"""Items of a gap; the rest is only counted."""


class Gap(Part, frozen=True):
    """Something that is not shown."""

    id: str
    title: str
    text: str
    """What it means for whoever relies on the evidence."""
    items: tuple[str, ...]
    """What it is about; of thousands, the first."""
    count: Count
    """How many items there are, listed or not."""
    blocking: bool
    """Whether the evidence as a whole fails because of it."""


def gaps(shortfalls: Iterable[Shortfall]) -> tuple[Gap, ...]:
    """The gaps that there are, the blocking ones first, and last those that no run can close."""
    texts = {each.id: each for each in tables.gaps()}
    items = [(identifier, tuple(found)) for identifier, found in shortfalls]
    items = [(identifier, found) for identifier, found in items if found]
    items += [(each.id, ()) for each in texts.values() if each.always]
    made = [
        Gap(name, texts[name].title, texts[name].text, found[:_LISTED], len(found), blocking)
        for name, found in items
        for blocking in [texts[name].blocking]
    ]
    return tuple(sorted(made, key=lambda gap: not gap.blocking))


def missing_documents(present: Mapping[str, object]) -> Iterator[Shortfall]:
    """Documents that nobody gave."""
    yield (
        "missing-evidence",
        [
            f"{kind.name}: {kind.purpose} (`{' '.join(kind.command())}` writes it)"
            for kind in KINDS
            if kind.name not in present
        ],
    )
