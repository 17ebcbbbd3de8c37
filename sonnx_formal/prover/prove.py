"""The command `prove`: from a request to a run, with the certificate kept up to date."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    RecordedProof,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.library import rests_on
from sonnx_formal.prover.plan import GoalRun, ProofSearch, cheapest_first, replay
from sonnx_formal.prover.provers import Answer, Prover, find_provers
from sonnx_formal.prover.results import Results
from sonnx_formal.prover.schedule import Disagreement, Schedule
from sonnx_formal.prover.sources import Source, find_library, library_sources, named_source


class Mode(StrEnum):
    """What earlier runs may contribute."""

    NORMAL = "normal"
    FRESH = "fresh"
    REPLAY = "replay"


@dataclass(frozen=True)
class ProofRequest:
    """What the user asked for."""

    files: tuple[Path, ...]
    timeout: int
    jobs: int
    mode: Mode
    families: int
    described: bool = True
    """Whether all goals are to have explanations and places; else, those that are not proved."""
    stop_at_first_failure: bool = False


class UsedFile(Part, frozen=True):
    """A file that is used and was not to be proved: its lemmas and contracts are taken as true."""

    file: str
    proved: bool
    """Whether an earlier run proved all its goals, as they are at present."""


@dataclass(frozen=True)
class ProofRun:
    """What came of it."""

    why3: Why3
    provers: Sequence[Prover]
    runs: Sequence[GoalRun]
    rests_on: tuple[UsedFile, ...]
    rejected: tuple[str, ...]
    """What Why3 says of files that it does not accept; none of their goals is among the runs."""
    disagreement: Disagreement | None
    interrupted: bool
    seconds: float


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
    began = time.monotonic()
    library = library or find_library()
    sources = _sources(library, request.files)
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    cache = certificate = None
    if request.mode is not Mode.REPLAY:
        readable = request.mode is Mode.NORMAL
        cache = Cache(cache_folder(), progress.warn, readable=readable)
    if request.mode is not Mode.FRESH:
        certificate = read_certificate(certificate_path(library))
    if request.mode is Mode.REPLAY and certificate is None:
        raise UserError("there is no certificate to replay: `sonnx-formal prove` makes one")
    goals = Goals(why3, library, cache)
    results = Results(why3, provers, cache)
    if certificate and not request.files:
        _mention(certificate, why3, provers, progress)
    # Another Why3 words its tasks differently: nothing recorded is about these tasks.
    plan: Callable[[Goal], GoalRun] = ProofSearch(provers, certificate, request.timeout)
    if request.mode is Mode.REPLAY and certificate and certificate.why3 == why3.version:
        plan = partial(replay, provers=provers, certificate=certificate, families=request.families)

    def read(source: Source) -> list[GoalRun]:
        known = results.known(source, request.families, described=request.described)
        if known is not None:
            return known
        return [plan(goal) for goal in goals.of(source, described=request.described)]

    def finished(source: Source, runs: Sequence[GoalRun]) -> None:
        if not schedule.disagreement:
            results.keep(source, runs, described=request.described)
        if runs:
            proved = sum(run.proved for run in runs)
            progress.log(f"{source.name}: {proved} of {len(runs)} goals proved")

    def failed(run: GoalRun) -> None:
        described = {goal.id: goal for goal in goals.of(run.goal.source)}
        run.goal = described.get(run.goal.id, run.goal)
        progress.warn(f"not proved: {run.goal}")

    schedule = Schedule(
        sources,
        read,
        finished,
        failed,
        progress.warn,
        cache,
        request.families,
        request.stop_at_first_failure,
    )
    interrupted = not schedule.run(request.jobs, progress)
    if schedule.disagreement:
        results.forget(schedule.disagreement.goal.source)
    order = {source: place for place, source in enumerate(sources)}
    runs = sorted(schedule.runs, key=lambda run: order[run.goal.source])
    rejected = tuple(dict.fromkeys(schedule.rejected.values()))
    if not (runs or interrupted):
        nothing = "no goal was found in " + ", ".join(source.name for source in sources)
        raise UserError("\n".join(rejected) or nothing)
    whole = not (request.files or rejected or any(run.open for run in runs))
    if whole and not (interrupted or schedule.disagreement or request.mode is Mode.REPLAY):
        _update_certificate(certificate_path(library), why3, provers, runs, progress)
    used = rests_on(library, sources) if request.files else ()
    return ProofRun(
        why3,
        provers,
        runs,
        tuple(UsedFile(each.name, results.proved(each)) for each in used),
        rejected,
        schedule.disagreement,
        interrupted,
        time.monotonic() - began,
    )


def _sources(library: Path, files: Sequence[Path]) -> list[Source]:
    if not files:
        return library_sources(library)
    sources = {source.path: source for source in (named_source(library, file) for file in files)}
    if len({source.name for source in sources.values()}) < len(sources):
        raise UserError("two of the files have the same name relative to the library and the cwd")
    return list(sources.values())


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


def _update_certificate(
    path: Path, why3: Why3, provers: Sequence[Prover], runs: Sequence[GoalRun], progress: Progress
) -> None:
    """Record what proved each goal; goals that are gone go. Another Why3's record is left alone."""
    old = read_certificate(path)
    if old and old.why3 != why3.version:
        progress.warn(
            f"{path} was made with Why3 {old.why3} and is left alone (delete it to replace it)"
        )
        return
    before = old.goals if old else {}
    goals = {}
    for run in runs:
        proofs = cheapest_first(_recorded(run, before.get(run.goal.id)), provers)
        if proofs:
            goals[run.goal.id] = RecordedGoal(run.goal.task.sha256, proofs)
    if (new := Certificate(why3.version, goals)) != old:
        write_certificate(path, new)
        added = sum(before.get(name) != goal for name, goal in goals.items())
        gone = len(before.keys() - goals.keys())
        progress.warn(f"certificate {path}: {added} goals new or changed, {gone} gone")


def _recorded(run: GoalRun, before: RecordedGoal | None) -> list[RecordedProof]:
    """One proof a prover: the one already recorded, as long as it holds, else the new one."""
    kept = {}
    if before and before.task_sha256 == run.goal.task.sha256:
        kept = {proof.prover: proof for proof in before.proofs}
    for verdict in run.verdicts:
        name = verdict.prover
        old = kept.get(name)
        if verdict.answer is Answer.VALID:
            if old is None or old.version != verdict.version:
                kept[name] = RecordedProof(name, verdict.version, verdict.steps)
        elif old and verdict.limits and verdict.limits.steps:
            del kept[name]  # it ran as it is recorded
    return list(kept.values())
