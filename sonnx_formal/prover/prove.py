"""The command `prove`: from a request to a run, with the certificate kept up to date."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec import UNSET

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import Certificate, certificate_path, read_certificate
from sonnx_formal.prover.dependence import StatedGoal, conditional
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.library import Library, relative, rests_on
from sonnx_formal.prover.plan import GoalRun, ProofSearch, replay
from sonnx_formal.prover.provenance import BegunRun, EndedRun, Mode
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.recording import Recording
from sonnx_formal.prover.results import Results
from sonnx_formal.prover.schedule import Disagreement, Schedule
from sonnx_formal.prover.site import Here, Site
from sonnx_formal.prover.sources import Source, find_library, library_sources, named_source
from sonnx_formal.prover.tasks import GoalForm
from sonnx_formal.prover.unsplit import UnsplitGoals


@dataclass(frozen=True)
class ProofRequest:
    """What the user asked for."""

    files: tuple[Path, ...]
    timeout: int
    jobs: int
    """Processes at a time on this machine."""
    mode: Mode
    families: int
    described: bool = True
    """Whether all goals are to have explanations and places; else, those that are not proved."""
    stop_at_first_failure: bool = False
    cores: bool = False
    """Whether to look for cores of all goals that have none; else, of those that are new."""
    cluster: Site | None = None
    """Where the provers run instead of this machine."""

    @property
    def site(self) -> Site:
        return self.cluster or Here(self.jobs)


class UsedFile(Part, frozen=True):
    """A file that is used and was not to be proved: its lemmas and contracts are taken as true."""

    file: str
    proved: bool
    """Whether an earlier run proved all its goals, as they are at present."""


@dataclass(frozen=True)
class ProofRun:
    """What came of it."""

    made: EndedRun
    why3: Why3
    provers: Sequence[Prover]
    runs: Sequence[GoalRun]
    conditional: Mapping[str, str]
    """The goals that are proved, but rest on what is not: by id, with the id of the first such."""
    rests_on: tuple[UsedFile, ...]
    """The other files that these use. Their goals are no part of the run."""
    rejected: tuple[str, ...]
    """What Why3 says of files that it does not accept; none of their goals is among the runs."""
    disagreement: Disagreement | None
    interrupted: bool


def prove(
    request: ProofRequest,
    progress: Progress,
    *,
    provers: Sequence[Prover] | None = None,
    library: Path | None = None,
) -> ProofRun:
    """Prove what is asked for. The machine's provers and library, unless others are given.

    Raises `UserError` for bad input or a missing tool.
    """
    library = library or find_library()
    sources = _sources(library, request.files)
    made = _provenance(request, library, sources)
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    kept = Cache(cache_folder(), progress.warn, readable=request.mode is Mode.NORMAL)
    # A replay keeps what Why3 says, for the commands that come after it, and no verdict.
    cache = None if request.mode is Mode.REPLAY else kept
    certificate = None
    if request.mode is not Mode.FRESH:
        certificate = read_certificate(certificate_path(library))
    if request.mode is Mode.REPLAY and certificate is None:
        raise UserError("there is no certificate to replay: `sonnx-formal prove` makes one")
    goals = Goals(why3, library, kept)
    results = Results(why3, provers, cache)
    if certificate and not request.files:
        _mention(certificate, why3, provers, progress)
    assignment = _Proofs(
        request, goals, results, progress, provers, certificate, made.library_sha256
    )
    schedule = Schedule(
        sources, assignment, request.site, cache, request.families, request.stop_at_first_failure
    )
    interrupted = not schedule.run(request.jobs, progress)
    disagreement = schedule.disagreement
    if disagreement:
        results.forget(disagreement.goal.source)
    by_source: dict[Source, list[GoalRun]] = {source: [] for source in sources}
    for run in schedule.runs:
        if run not in schedule.replaced:
            by_source[run.goal.source].append(run)
    runs = [piece for found in by_source.values() for piece in assignment.by_piece(found)]
    rejected = tuple(dict.fromkeys(schedule.rejected.values()))
    if not (runs or interrupted):
        nothing = "no goal was found in " + ", ".join(source.name for source in sources)
        raise UserError("\n".join(rejected) or nothing)
    _check_complete(None if rejected or interrupted else certificate, request, runs)
    whole = not (request.files or rejected or any(run.open for run in runs))
    if whole and not (interrupted or disagreement or request.mode is Mode.REPLAY):
        recording = Recording(goals, provers, request.jobs, request.cores, progress)
        disagreement, ended = recording.record(made.library_sha256, schedule, runs)
        interrupted = not ended
    used = rests_on(library, sources) if request.files else ()
    return ProofRun(
        made.ended(
            from_cache=sum(each.cached for run in runs for each in run.verdicts),
            elsewhere=dict(request.site.elsewhere) or UNSET,
        ),
        why3,
        provers,
        runs,
        _conditional(runs, [*sources, *used]),
        tuple(UsedFile(each.name, results.proved(each)) for each in used),
        rejected,
        disagreement,
        interrupted,
    )


class _Proofs:
    """What the request asks for, as an assignment to a schedule."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        request: ProofRequest,
        goals: Goals,
        results: Results,
        progress: Progress,
        provers: Sequence[Prover],
        certificate: Certificate | None,
        library: str,
    ) -> None:
        """`library` is its SHA-256."""
        self._request = request
        self._goals = goals
        self._results = results
        self._progress = progress
        self._places: dict[str, int] = {}
        """Of the goals that are described: where each of them is among those of its file."""
        self._plan: Callable[[Goal], GoalRun] = ProofSearch(provers, certificate, request.timeout)
        self._unsplit: UnsplitGoals | None = None
        # Another Why3 words its tasks differently: nothing recorded is about these tasks.
        if certificate and certificate.why3 == goals.why3.version:
            if request.mode is Mode.REPLAY:
                self._plan = partial(
                    replay, provers=provers, certificate=certificate, families=request.families
                )
            # What was edited may have other pieces, and yet the same text unsplit, where Why3
            # simplifies it.
            if request.mode is Mode.REPLAY or certificate.library_sha256 == library:
                self._unsplit = UnsplitGoals(certificate, provers, request.families)

    def read(self, source: Source) -> list[GoalRun]:
        request = self._request
        known = self._results.known(source, request.families, described=request.described)
        if known is not None:
            return known
        if request.described:
            return self._described(source)
        if self._unsplit is None or not self._unsplit.spare_time(source):
            return [self._plan(goal) for goal in self._goals.of(source, GoalForm.SPLIT)]
        unsplit = self._goals.of(source, GoalForm.UNSPLIT)
        runs = self._unsplit.replay(unsplit)
        done = {run.goal.id for run in runs}
        return runs + self._pieces(source, [goal for goal in unsplit if goal.id not in done])

    def _described(self, source: Source) -> list[GoalRun]:
        described = self._goals.of(source)
        self._places |= {goal.id: place for place, goal in enumerate(described)}
        runs: list[GoalRun] = []
        if self._unsplit:
            runs = self._unsplit.replay(self._goals.of(source, GoalForm.UNSPLIT), described)
        done = {piece.id for run in runs for piece in run.pieces or ()}
        return runs + [self._plan(goal) for goal in described if goal.id not in done]

    def _pieces(self, source: Source, unsplit: Sequence[Goal]) -> list[GoalRun]:
        if not unsplit:
            return []
        return [self._plan(goal) for goal in self._goals.of(source, GoalForm.SPLIT, unsplit)]

    def by_piece(self, runs: Iterable[GoalRun]) -> list[GoalRun]:
        """The runs of a file, one a piece; as in the file, if they are described."""
        found = [piece for run in runs for piece in run.by_piece()]
        return sorted(found, key=lambda run: self._places.get(run.goal.id, 0))

    def finished(self, source: Source, runs: Sequence[GoalRun]) -> None:
        found = self.by_piece(runs)
        self._results.keep(source, found, described=self._request.described)
        if found:
            proved = sum(run.proved for run in found)
            self._progress.log(f"{source.name}: {proved} of {len(found)} goals proved")

    def failed(self, run: GoalRun) -> list[GoalRun]:
        source = run.goal.source
        anew = run.pieces is not None and self._request.mode is not Mode.REPLAY
        if anew and not self._request.described:
            return self._pieces(source, [run.goal])
        described = {goal.id: goal for goal in self._goals.of(source)}
        if run.pieces is not None:
            run.pieces = tuple(described.get(piece.id, piece) for piece in run.pieces)
            if anew:
                return [self._plan(piece) for piece in run.pieces]
        run.goal = described.get(run.goal.id, run.goal)
        self._progress.warn(f"not proved: {run.goal}")
        return []

    def refused(self, said: str) -> None:
        self._progress.warn(said)


def _sources(library: Path, files: Sequence[Path]) -> list[Source]:
    if not files:
        return library_sources(library)
    sources = {source.path: source for source in (named_source(library, file) for file in files)}
    if len({source.name for source in sources.values()}) < len(sources):
        raise UserError("two of the files have the same name relative to the library and the cwd")
    return list(sources.values())


def _provenance(request: ProofRequest, library: Path, sources: Sequence[Source]) -> BegunRun:
    return BegunRun.of(
        library,
        mode=request.mode,
        files=tuple(source.name for source in sources) if request.files else (),
        families=request.families,
        timeout=UNSET if request.mode is Mode.REPLAY else request.timeout,
    )


def _conditional(runs: Sequence[GoalRun], sources: Sequence[Source]) -> dict[str, str]:
    if all(run.proved for run in runs):
        return {}
    stated = [
        StatedGoal(goal.id, relative(goal.source), goal.module, goal.name, run.proved)
        for run in runs
        for goal in [run.goal]
    ]
    return conditional(stated, Library.of(sources))


def _mention(
    certificate: Certificate, why3: Why3, provers: Sequence[Prover], progress: Progress
) -> None:
    """Say what of the certificate does not fit this machine."""
    if certificate.why3 != why3.version:
        progress.warn(
            f"the certificate was made with Why3 {certificate.why3}, this is {why3.version}: "
            "its entries are hints, every goal is proved anew"
        )
    recorded = {proof.prover for goal in certificate.goals.values() for proof in goal.proofs}
    if missing := recorded - {prover.name for prover in provers}:
        names = ", ".join(sorted(missing))
        progress.warn(f"the certificate records proofs by {names}: not found here")


def _check_complete(
    certificate: Certificate | None, request: ProofRequest, runs: Sequence[GoalRun]
) -> None:
    """Raises `UserError` for a goal that a replay does not meet: nobody else would miss it."""
    if certificate is None or request.mode is not Mode.REPLAY or request.files:
        return
    if not all(run.proved for run in runs):  # then it may not have met all, and says so
        return
    if gone := sorted(certificate.goals.keys() - {run.goal.id for run in runs}):
        raise UserError(
            f"the certificate records {len(gone)} goals that are not in the library, "
            f"{gone[0]} first: `sonnx-formal prove` makes it anew"
        )
