"""How a document was made: when, from which sources, by which version, and what from earlier."""

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Self

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict

from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.core.texts import counted
from sonnx_formal.prover.sources import library_sha256


class Mode(StrEnum):
    """What earlier runs may contribute."""

    NORMAL = "normal"
    FRESH = "fresh"
    REPLAY = "replay"


_MODES = {
    Mode.NORMAL: "takes over what earlier runs found",
    Mode.FRESH: "takes over nothing",
    Mode.REPLAY: "runs what the certificate records",
}

_Moment = Annotated[datetime, Meta(tz=True)]
"""By the clock of the machine, whatever SOURCE_DATE_EPOCH says."""


class Provenance(Part, frozen=True, kw_only=True):
    """How a document was made; what does not apply to its command is left out."""

    version: str
    """Of sonnx-formal."""
    library_sha256: Sha256
    """Of the formal library: the names and texts of all its files."""
    tools: dict[str, str] | UnsetType = UNSET
    """The versions of Why3 and of the provers that were asked, unless these stand elsewhere."""
    mode: Mode | UnsetType = UNSET
    files: tuple[str, ...] | UnsetType = UNSET
    """Those that were asked for; none stands for the whole library."""
    families: Count | UnsetType = UNSET
    """Of provers, which were asked for a proof of each goal."""
    elsewhere: dict[str, Count] | UnsetType = UNSET
    """The jobs of provers and of Why3 that workers of a cluster did in the place of this machine:
    how many, by the address of each."""
    from_cache: Count | UnsetType = UNSET
    """Verdicts that an earlier run found out."""
    from_record: Count | UnsetType = UNSET
    """Answers that an earlier run found out and recorded."""
    timeout: Count | UnsetType = UNSET
    """CPU time in seconds that a prover got for a goal; a replay is limited by steps."""
    budget: float | UnsetType | None = UNSET
    """Time for all questions in seconds, if it was limited; with 0 the record was shown."""

    @property
    def by_others(self) -> str:
        """What workers of a cluster did, in words; empty if they did nothing."""
        if not self.elsewhere:
            return ""
        jobs = counted(sum(self.elsewhere.values()), "job")
        return f"{jobs} done by {counted(len(self.elsewhere), 'worker')} of a cluster"

    def __str__(self) -> str:
        """In words, but for the digest."""
        return "; ".join([f"sonnx-formal {self.version}", *self._run()])

    def _run(self) -> Iterator[str]:
        if self.tools:
            yield "with " + ", ".join(f"{name} {version}" for name, version in self.tools.items())
        if self.mode is not UNSET:
            yield f"mode {self.mode}: {_MODES[self.mode]}"
        if self.files:
            yield f"of {counted(len(self.files), 'file')} only"
        if self.families is not UNSET:
            yield f"{counted(self.families, 'family', 'families')} of provers asked for"
        if self.by_others:
            yield self.by_others
        if self.from_cache is not UNSET:
            yield f"{counted(self.from_cache, 'verdict')} from the cache"
        if self.from_record is not UNSET:
            yield f"{counted(self.from_record, 'answer')} from the record"
        if self.timeout is not UNSET:
            yield f"{self.timeout} s for a prover and goal"
        if self.budget is not UNSET:
            yield "no limit of time" if self.budget is None else f"{self.budget:g} s for all of it"


class BegunRun(Provenance, frozen=True, kw_only=True):
    """How a document is made by a run that goes on."""

    began: _Moment

    @classmethod
    def of(cls, library: Path, began: datetime | None = None, **run: Any) -> Self:
        """Of a run on a library as it is now. Raises `UserError` when a file cannot be read.

        :param began: when it began; without this, now.
        """
        began = began or datetime.now(UTC)
        made_by = version("sonnx-formal")
        return cls(version=made_by, library_sha256=library_sha256(library), began=began, **run)

    def ended(self, **run: Any) -> "EndedRun":
        """The same of the run that ends now, with what is known of it at its end."""
        took = (datetime.now(UTC) - self.began).total_seconds()
        return EndedRun(**asdict(self) | run, took=max(0.0, round(took, 3)))


class EndedRun(Provenance, frozen=True, kw_only=True):
    """How a document was made by a run that is over."""

    began: _Moment
    took: Annotated[float, Meta(ge=0)]
    """Seconds from its beginning to its end."""

    def _run(self) -> Iterator[str]:
        yield f"begun at {self.began.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        yield f"took {self.took:,.1f} s"
        yield from super()._run()


class MadeDocument(Document, frozen=True):
    """A document that says how it was made."""

    made: EndedRun
