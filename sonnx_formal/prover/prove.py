"""The command `prove`: from a request to a run, with the certificate kept up to date."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    RecordedProof,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.plan import GoalRun, cheapest_first, replay, search
from sonnx_formal.prover.provers import Answer, Prover, find_provers
from sonnx_formal.prover.schedule import Disagreement, Schedule
from sonnx_formal.prover.sources import Source, find_library, library_sources, named_source, reading


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


@dataclass(frozen=True)
class ProofRun:
    """What came of it."""

    why3: Why3
    provers: Sequence[Prover]
    runs: Sequence[GoalRun]
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
    progress(reading(sources))
    found = goals.read(sources, request.jobs, described=request.described)
    if not found:
        raise UserError("no goal was found in " + ", ".join(source.name for source in sources))
    if certificate:
        _mention(certificate, why3, provers, progress)
    # Another Why3 words its tasks differently: nothing recorded is about these tasks.
    if request.mode is Mode.REPLAY and certificate and certificate.why3 == why3.version:
        runs = [replay(goal, provers, certificate, request.families) for goal in found]
    else:
        runs = search(found, provers, certificate, request.timeout)
    schedule = Schedule(runs, goals.restate, cache, request.families)
    interrupted = not schedule.run(request.jobs, progress)
    if not (request.files or interrupted or schedule.disagreement or request.mode is Mode.REPLAY):
        _update_certificate(certificate_path(library), why3, provers, runs, progress)
    if not (request.described or all(run.proved for run in runs)):
        described = {goal.id: goal for goal in goals.read(sources, request.jobs)}
        for run in runs:
            run.goal = described[run.goal.id]
    seconds = time.monotonic() - began
    return ProofRun(why3, provers, runs, schedule.disagreement, interrupted, seconds)


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
                kept[name] = RecordedProof(name, verdict.version, verdict.strategy, verdict.steps)
        elif old and old.strategy == verdict.strategy and verdict.limits and verdict.limits.steps:
            del kept[name]  # it ran as it is recorded
    return list(kept.values())
