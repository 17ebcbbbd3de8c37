"""The command `vacuity`: from a request to a report, with the record kept up to date."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.dispositions import Disposition, read_dispositions, reason_for
from sonnx_formal.evidence.records.each import End, Launcher, for_each
from sonnx_formal.evidence.records.record import Record, Result
from sonnx_formal.evidence.records.selection import select
from sonnx_formal.evidence.vacuity.asking import Asked, Finding, ask
from sonnx_formal.evidence.vacuity.hypotheses import Hypotheses, Scope, contexts, hypotheses_of
from sonnx_formal.evidence.vacuity.witnesses import (
    Witnessed,
    parameters,
    preconditions,
    read_boundaries,
)
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.progress import Progress
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.sources import find_library
from sonnx_formal.prover.whyml.library import Library

RECORD_SCHEMA = "sonnx-formal/vacuity-record/1"
_FIRST = "ops/"
_SAVED_SECONDS = 10.0


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    files: tuple[Path, ...]
    jobs: int
    budget: float | None
    """Seconds after which the rest is left for the next run."""
    fresh: bool


@dataclass(frozen=True)
class Looked:
    """Hypotheses, and what is known about them; None if nobody was asked yet."""

    hypotheses: Hypotheses
    asked: Asked | None
    reason: str | None
    """Why contradictory ones are as they should be."""

    @property
    def is_bad(self) -> bool:
        """Whether a contradiction is unaccounted for, or nobody has looked."""
        contradictory = self.asked is not None and self.asked.finding is Finding.CONTRADICTORY
        return self.asked is None or (contradictory and self.reason is None)


@dataclass(frozen=True)
class Report:
    """What came of it."""

    looked: Sequence[Looked]
    preconditions: Sequence[Witnessed]
    parameters: Sequence[Witnessed]
    stale_dispositions: Sequence[Disposition]
    """They name no contradictory goal."""
    asked_now: int
    end: End
    seconds: float
    why3: str
    provers: dict[str, str]

    @property
    def is_good(self) -> bool:
        """Whether nothing is contradictory without a reason, unasked, or without a witness."""
        return not (
            any(one.is_bad for one in self.looked)
            or self.stale_dispositions
            or any(not one.witnesses for one in (*self.preconditions, *self.parameters))
        )


def look(
    request: Request,
    progress: Progress,
    *,
    library: Path | None = None,
    provers: Sequence[Prover] | None = None,
) -> Report:
    """Ask about the hypotheses that the record does not know; of this library, unless another is.

    Raises `UserError` for bad input or a missing tool.
    """
    began = time.monotonic()
    folder = library or find_library()
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    evidence = folder / "evidence" / "vacuity.toml"
    dispositions = read_dispositions(evidence, "contradictory")
    here = Library.read(folder)
    selection = select(folder, request.files, request.jobs, progress)
    unknown = [file for file in selection.files if file not in here.texts]
    if unknown:
        raise UserError(f"{unknown[0]}: not a file of the library {folder}")
    files = sorted(selection.files, key=lambda file: (not file.startswith(_FIRST), file))
    everything: list[Hypotheses] = []
    by_file = {file: [g for g in selection.goals if g.source.name == file] for file in files}
    for file in files:
        progress("what each module assumes", file)
        everything += contexts(why3, here, file)
        everything += map(hypotheses_of, by_file[file])
    record = Record(evidence.with_suffix(".json"), RECORD_SCHEMA, "vacuity")
    before = record.read()
    known = _known(before, everything, whole=selection.whole)
    results = {} if request.fresh else dict(known)
    unique = {one.task.sha256: one for one in reversed(everything)}
    missing = [one for sha, one in reversed(unique.items()) if sha not in results]
    end = _ask_all(missing, results, record, provers, request, progress)
    kept = known | results  # with --fresh, what was not reached stays as it was recorded
    if kept != before:
        record.write(kept)
    looked = [_looked(one, results.get(one.task.sha256), dispositions) for one in everything]
    return Report(
        looked=looked,
        preconditions=preconditions(here),
        parameters=parameters(here, read_boundaries(evidence)),
        stale_dispositions=_stale(dispositions, looked),
        asked_now=sum(one.task.sha256 in results for one in missing),
        end=end,
        seconds=time.monotonic() - began,
        why3=why3.version,
        provers={prover.name: prover.version for prover in provers},
    )


def _ask_all(  # noqa: PLR0913, PLR0917
    missing: Sequence[Hypotheses],
    results: dict[str, Result],
    record: Record,
    provers: Sequence[Prover],
    request: Request,
    progress: Progress,
) -> End:
    done = contradictory = 0
    saved_at = time.monotonic()

    def work(hypotheses: Hypotheses, launch: Launcher) -> Asked:
        return ask(hypotheses, provers, launch)

    def keep(hypotheses: Hypotheses, asked: Asked) -> None:
        nonlocal done, contradictory, saved_at
        done += 1
        contradictory += asked.finding is Finding.CONTRADICTORY
        results[hypotheses.task.sha256] = {
            "goal": hypotheses.of,
            "finding": str(asked.finding),
            "provers": list(asked.provers),
        }
        progress(f"{done}/{len(missing)} sets, {contradictory} contradictory", hypotheses.of)
        if time.monotonic() - saved_at > _SAVED_SECONDS:
            record.write(record.read() | results)
            saved_at = time.monotonic()

    return for_each(missing, work, keep, jobs=request.jobs, seconds=request.budget)


def _known(
    before: dict[str, Result], everything: Sequence[Hypotheses], *, whole: bool
) -> dict[str, Result]:
    """What holds of what is recorded; of a part of the library, also what is about the rest."""
    here = {one.task.sha256 for one in everything}
    return {sha: result for sha, result in before.items() if sha in here or not whole}


def _looked(
    hypotheses: Hypotheses, result: Result | None, dispositions: Sequence[Disposition]
) -> Looked:
    asked = None
    if result:
        asked = Asked(Finding(result["finding"]), tuple(result["provers"]))
    # No reason makes a context right: each of its goals would be proved of nothing.
    excusable = hypotheses.scope is Scope.GOAL
    return Looked(hypotheses, asked, reason_for(hypotheses.of, dispositions) if excusable else None)


def _stale(dispositions: Sequence[Disposition], looked: Sequence[Looked]) -> list[Disposition]:
    """The dispositions about files that were looked at whole which name nothing contradictory."""
    files: dict[str, bool] = {}
    contradictory = []
    for one in looked:
        file = one.hypotheses.of.partition(":")[0]
        files[file] = files.get(file, True) and one.asked is not None
        if one.asked and one.asked.finding is Finding.CONTRADICTORY:
            contradictory.append(one.hypotheses.of)
    return [
        one
        for one in dispositions
        if files.get(one.pattern.partition(":")[0]) and not any(map(one.names, contradictory))
    ]
