"""How a document was made: from which sources, by which version, and what it took from earlier."""

from collections.abc import Iterator
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType

from sonnx_formal.core.documents import Count, Part, Sha256
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
    from_cache: Count | UnsetType = UNSET
    """Verdicts that an earlier run found out."""
    from_record: Count | UnsetType = UNSET
    """Answers that an earlier run found out and recorded."""
    timeout: Count | UnsetType = UNSET
    """CPU time in seconds that a prover got for a goal; a replay is limited by steps."""
    budget: float | UnsetType | None = UNSET
    """Time for all questions in seconds, if it was limited; with 0 the record was shown."""

    @staticmethod
    def of(library: Path, **run: Any) -> "Provenance":
        """Of a run on a library as it is now. Raises `UserError` when a file cannot be read."""
        made_by = version("sonnx-formal")
        return Provenance(version=made_by, library_sha256=library_sha256(library), **run)

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
        if self.from_cache is not UNSET:
            yield f"{counted(self.from_cache, 'verdict')} from the cache"
        if self.from_record is not UNSET:
            yield f"{counted(self.from_record, 'answer')} from the record"
        if self.timeout is not UNSET:
            yield f"{self.timeout} s for a prover and goal"
        if self.budget is not UNSET:
            yield "no limit of time" if self.budget is None else f"{self.budget:g} s for all of it"
