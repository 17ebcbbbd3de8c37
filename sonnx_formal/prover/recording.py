"""The certificate that a run of the whole library leaves: what proves each goal, cheapest first."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from msgspec.structs import replace

from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import (
    UNRECORDED,
    Certificate,
    RecordedGoal,
    RecordedProof,
    certificate_path,
    change_certificate,
    cheapest_first,
    read_certificate,
)
from sonnx_formal.prover.core_search import CoreSearch
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.plan import GoalRun
from sonnx_formal.prover.provers import Answer, Prover, ProverVerdict
from sonnx_formal.prover.schedule import Disagreement, Schedule
from sonnx_formal.prover.unsplit import UnsplitSearch, pieces


@dataclass(frozen=True)
class Recording:
    """Keeps the certificate of a library up to date."""

    goals: Goals
    provers: Sequence[Prover]
    readers: int
    """How many files Why3 reads at a time."""
    cores: bool
    """Whether cores of all goals are looked for; else, of those that are new or have changed."""
    progress: Progress

    def record(
        self, library_sha256: str, schedule: Schedule, runs: Sequence[GoalRun]
    ) -> tuple[Disagreement | None, bool]:
        """Write what the runs prove, and proofs that take less.

        The second result is False when the user interrupted the search for the latter; what it had
        found is written. Where provers disagree, nothing is.
        """
        path, why3 = certificate_path(self.goals.library), self.goals.why3
        old = read_certificate(path)
        if old and old.why3 != why3.version:
            self.progress.warn(
                f"{path} was made with Why3 {old.why3} and is left alone (delete it to replace it)"
            )
            return None, True
        failed = {run.goal.id for run in schedule.replaced}
        proved = self._proved(old, runs)
        new = Certificate(why3.version, library_sha256, proved, _unsplit(old, proved, failed))
        search = UnsplitSearch(new, self.goals, self.provers)
        unsplit, ended = search.found(
            schedule.sources, schedule.site, schedule.cache, self.readers, self.progress
        )
        new = replace(new, unsplit=unsplit)
        if ended:
            narrowing = CoreSearch(new, self.provers, None if self.cores else old)
            new, ended = narrowing.found(schedule.sources, self.goals, schedule.site, self.progress)
        disagreement = _contradiction(search.refuted, runs)
        if new != old and not disagreement:
            # Repetitions of proofs may have been recorded meanwhile.
            change_certificate(
                self.goals.library, lambda now: new.revised(now.repeated()) if now else new
            )
            self.progress.warn(f"certificate {path}: {_difference(old, new)}")
        return disagreement, ended

    def _proved(self, old: Certificate | None, runs: Sequence[GoalRun]) -> dict[str, RecordedGoal]:
        before = old.goals if old else {}
        recorded = {
            run.goal.id: _recorded(run, before.get(run.goal.id, UNRECORDED), self.provers)
            for run in runs
        }
        return {name: goal for name, goal in recorded.items() if goal.proofs}


def _unsplit(
    old: Certificate | None, proved: dict[str, RecordedGoal], failed: AbstractSet[str]
) -> dict[str, RecordedGoal]:
    """The unsplit goals that stay on record: their pieces are the same, and none has failed."""
    if old is None:
        return {}
    before, now = pieces(old.goals), pieces(proved)
    return {
        name: goal
        for name, goal in old.unsplit.items()
        if name not in failed and before.get(name) == now.get(name)
    }


def _contradiction(
    refuted: Sequence[tuple[Goal, ProverVerdict]], runs: Sequence[GoalRun]
) -> Disagreement | None:
    """A goal that one prover refutes before it is split, and each piece of which is proved."""
    for goal, sat in refuted:
        mine = [run for run in runs if run.goal.id.rpartition(".")[0] == goal.id]
        if mine and all(run.proved for run in mine):
            return Disagreement(goal, goal.task, mine[0].proofs[0], sat)
    return None


def _difference(old: Certificate | None, new: Certificate) -> str:
    before, unsplit = (old.goals, old.unsplit) if old else ({}, {})
    added = sum(before.get(name) != goal for name, goal in new.goals.items())
    gone = len(before.keys() - new.goals.keys())
    other = sum(unsplit.get(name) != new.unsplit.get(name) for name in {**unsplit, **new.unsplit})
    return f"{added} goals new or changed, {gone} gone, {other} unsplit differ"


def _recorded(run: GoalRun, before: RecordedGoal, provers: Sequence[Prover]) -> RecordedGoal:
    """One proof a prover from all assertions and one from some: that recorded, while it holds."""
    task = run.goal.task.sha256
    if before.task_sha256 != task:
        before = RecordedGoal(task, ())
    kept = {(proof.prover, proof.from_core): proof for proof in before.proofs}
    core = before.core
    for verdict in run.verdicts:
        if verdict.unsplit:
            continue
        name = verdict.prover, verdict.core is not None
        old = kept.get(name)
        if verdict.answer is Answer.VALID:
            if verdict.core is not None:
                core = core or verdict.core
                if verdict.core != core:
                    continue  # of an earlier run, and the certificate has a proof from another
            if old is None or old.version != verdict.version:
                prover, from_core = name
                kept[name] = RecordedProof(prover, verdict.version, verdict.steps, from_core)
        elif old and verdict.limits and verdict.limits.steps:
            del kept[name]  # it ran as it is recorded
    if core and not any(from_core for _prover, from_core in kept):
        core = None  # it is not enough any more
    return RecordedGoal(task, cheapest_first([*kept.values()], provers), core)
