"""What people decided about findings: patterns of their ids, each with a reason."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Part, Words


class Disposition(Part, frozen=True):
    """Why the findings that some patterns name are as they should be."""

    ids: Annotated[tuple[Words, ...], Meta(min_length=1)]
    """Ids of findings, where `*` stands for anything."""
    reason: Words

    def names(self, finding: str) -> bool:
        """Whether it is about this finding."""
        return any(_matches(pattern, finding) for pattern in self.ids)


def reason_for(finding: str, dispositions: Iterable[Disposition]) -> str | None:
    """The first reason given for a finding; None if there is none."""
    return next((d.reason.strip() for d in dispositions if d.names(finding)), None)


def stale(
    dispositions: Iterable[Disposition], findings: Sequence[str], files: Collection[str]
) -> tuple[str, ...]:
    """The patterns that name no finding, of those about files of which all findings are known."""
    return tuple(
        pattern
        for disposition in dispositions
        for pattern in disposition.ids
        if pattern.partition(":")[0] in files
        and not any(_matches(pattern, finding) for finding in findings)
    )


def _matches(pattern: str, finding: str) -> bool:
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(".*".join(parts), finding) is not None
