"""The command `mutate`: from a request to a report, with the record kept up to date."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.dispositions import Disposition, read_dispositions, reason_for
from sonnx_formal.evidence.mutation.mutants import Mutant, mutants
from sonnx_formal.evidence.mutation.proving import Proving
from sonnx_formal.evidence.mutation.record import (
    Entry,
    Record,
    read_entries,
    record_path,
    write_record,
)
from sonnx_formal.evidence.mutation.trial import Outcome, Result, Trial
from sonnx_formal.evidence.records.each import End, Launcher, for_each
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import Certificate, certificate_path, read_certificate
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.sources import find_library, named_source
from sonnx_formal.prover.whyml.library import Library, is_evidence
from sonnx_formal.prover.whyml.workshop import Workshop

OPERATORS = "ops/"
THRESHOLD = 0.9
"""The share of mutants that the goals about an operator have to notice."""
_SAVED_EVERY = 20


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    files: tuple[Path, ...]
    jobs: int
    budget: float | None
    """Seconds after which no further mutant is begun."""
    fresh: bool


@dataclass(frozen=True)
class FileReport:
    """The mutants of a file, and what became of those that were tried."""

    file: str
    mutants: Sequence[Mutant]
    results: dict[str, Result]

    def count(self, outcome: Outcome) -> int:
        return sum(result.outcome is outcome for result in self.results.values())

    @property
    def untried(self) -> int:
        return len(self.mutants) - len(self.results)

    @property
    def score(self) -> float | None:
        """The share of the mutants that mean something else which were noticed."""
        killed = self.count(Outcome.KILLED)
        counted = killed + self.count(Outcome.SURVIVED)
        return killed / counted if counted else None

    @property
    def survivors(self) -> list[Mutant]:
        return [
            mutant
            for mutant in self.mutants
            if (result := self.results.get(mutant.id)) and result.outcome is Outcome.SURVIVED
        ]

    @property
    def is_good_enough(self) -> bool:
        """Whether every mutant was tried and, of an operator, enough of them were noticed."""
        low = self.file.startswith(OPERATORS) and (self.score or 0) < THRESHOLD
        return not self.untried and not (self.score is not None and low)


@dataclass(frozen=True)
class Report:
    """What came of it."""

    files: Sequence[FileReport]
    dispositions: Sequence[Disposition]
    stale_dispositions: Sequence[Disposition]
    """They name no survivor."""
    tried_now: int
    interrupted: bool
    seconds: float
    why3: str
    provers: dict[str, str] = field(default_factory=dict)

    def reason(self, mutant: Mutant) -> str | None:
        """Why a survivor is as it should be."""
        return reason_for(mutant.id, self.dispositions)

    @property
    def unexplained(self) -> list[Mutant]:
        """The survivors that nobody gave a reason for."""
        return [m for file in self.files for m in file.survivors if self.reason(m) is None]

    @property
    def is_good(self) -> bool:
        return (
            all(file.is_good_enough for file in self.files)
            and not self.unexplained
            and not self.stale_dispositions
        )


def mutate(
    request: Request,
    progress: Progress,
    *,
    library: Path | None = None,
    provers: Sequence[Prover] | None = None,
) -> Report:
    """Try the mutants that the record does not know; of this library, unless another is given.

    Raises `UserError` for bad input, a missing tool, or a library that is not proved itself.
    """
    began = time.monotonic()
    folder = library or find_library()
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    here = Library.read(folder)
    path = record_path(folder)
    known = read_entries(path)
    targets = _targets(request.files, folder, here, known)
    certificate = read_certificate(certificate_path(folder))
    if certificate is None:
        raise UserError("there is no certificate of the library: run `sonnx-formal prove` first")
    trial = Trial(here, Proving(provers, certificate))
    asked = {file: mutants(file, here.texts[file]) for file in targets}
    record = Record(why3.version, {prover.name: prover.version for prover in provers})
    record.entries = _holding(known, trial, {} if not request.fresh else asked)
    missing = [m for found in asked.values() for m in found if m.id not in record.entries]
    interrupted = False
    if missing and request.budget != 0:
        files = {name for mutant in missing for name in here.dependents(mutant.file)}
        _check_proved(why3, folder, sorted(files), certificate, request.jobs, progress)
        interrupted = not _try(missing, trial, record, path, request, progress)
    write_record(path, record)
    reports = [
        FileReport(
            file,
            found,
            {m.id: entry.result for m in found if (entry := record.entries.get(m.id))},
        )
        for file, found in asked.items()
    ]
    dispositions = read_dispositions(path.with_suffix(".toml"), "survivor")
    return Report(
        files=reports,
        dispositions=dispositions,
        stale_dispositions=_stale(dispositions, reports),
        tried_now=sum(m.id in record.entries for m in missing),
        interrupted=interrupted,
        seconds=time.monotonic() - began,
        why3=why3.version,
        provers=record.provers,
    )


def _try(  # noqa: PLR0913, PLR0917
    missing: Sequence[Mutant],
    trial: Trial,
    record: Record,
    path: Path,
    request: Request,
    progress: Progress,
) -> bool:
    """Try the mutants; False when the user interrupted it. What is finished is in the record."""
    workshops: SimpleQueue[Workshop] = SimpleQueue()
    made = [Workshop(find_why3(), trial.library.texts) for _ in range(request.jobs)]
    for workshop in made:
        workshops.put(workshop)
    found: list[Outcome] = []

    def one(mutant: Mutant, launch: Launcher) -> Result:
        workshop = workshops.get()
        try:
            return trial.run(mutant, workshop, launch)
        finally:
            workshops.put(workshop)

    def keep(mutant: Mutant, result: Result) -> None:
        found.append(result.outcome)
        survived = found.count(Outcome.SURVIVED)
        progress(f"{len(found)}/{len(missing)} mutants, {survived} survived", mutant.id)
        record.entries[mutant.id] = Entry(result, trial.sources(mutant, result))
        if len(found) % _SAVED_EVERY == 0:
            write_record(path, record)

    try:
        end = for_each(missing, one, keep, jobs=request.jobs, seconds=request.budget)
    finally:
        for workshop in made:
            workshop.close()
        write_record(path, record)
    return end is not End.INTERRUPTED


def _holding(
    known: dict[str, Entry], trial: Trial, but: Mapping[str, Sequence[Mutant]]
) -> dict[str, Entry]:
    """The entries about mutants that there are, whose sources are what they were."""
    left_out = {mutant.id for found in but.values() for mutant in found}
    return {
        mutant.id: entry
        for file in {name.partition(":")[0] for name in known} & trial.library.texts.keys()
        for mutant in mutants(file, trial.library.texts[file])
        if mutant.id not in left_out
        and (entry := known.get(mutant.id))
        and trial.sources(mutant, entry.result) == entry.sources
    }


def _targets(
    given: Sequence[Path], folder: Path, library: Library, known: dict[str, Entry]
) -> list[str]:
    """The files asked for; else those of the operators, and those that the record knows."""
    if given:
        sources = [named_source(folder, path) for path in given]
        for source, path in zip(sources, given, strict=True):
            if source.name not in library.texts:
                raise UserError(f"{path}: not a file of the library {folder}")
        return list(dict.fromkeys(source.name for source in sources))
    recorded = {name.partition(":")[0] for name in known}
    return [
        file
        for file in library.texts
        if not is_evidence(file) and (file.startswith(OPERATORS) or file in recorded)
    ]


def _check_proved(  # noqa: PLR0913, PLR0917
    why3: Why3,
    folder: Path,
    files: Sequence[str],
    certificate: Certificate,
    jobs: int,
    progress: Progress,
) -> None:
    """A goal that is not proved as it stands would kill every mutant."""
    progress(f"reading {len(files)} files with Why3")
    goals = Goals(why3, folder, Cache(cache_folder(), progress.warn))
    sources = [named_source(folder, folder / file) for file in files]
    proved = {goal.task_sha256 for goal in certificate.goals.values() if goal.proofs}
    unproved = [g.id for g in goals.read(sources, jobs) if g.task.sha256 not in proved]
    if unproved:
        raise UserError(
            f"{len(unproved)} goals are not in the certificate, {unproved[0]} first: "
            "run `sonnx-formal prove`, so that a goal that fails fails because of a mutant"
        )


def _stale(dispositions: Sequence[Disposition], reports: Sequence[FileReport]) -> list[Disposition]:
    """The dispositions about files that were tried whole which name no survivor."""
    complete = {report.file for report in reports if not report.untried}
    survivors = [mutant.id for report in reports for mutant in report.survivors]
    return [
        one
        for one in dispositions
        if one.pattern.partition(":")[0] in complete
        and not any(one.names(survivor) for survivor in survivors)
    ]
