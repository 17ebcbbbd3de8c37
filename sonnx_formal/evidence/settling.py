"""The option `--settle` of `stability`: stable proofs in the place of unstable ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from msgspec import structs

from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.inquiry import Effort, End, Question, ask_all, chosen_sources
from sonnx_formal.evidence.stability import SEEDS, task_of, tasks_of, variations
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    RecordedProof,
    change_certificate,
    cheapest_first,
    needed_certificate,
)
from sonnx_formal.prover.core_search import proof_and_core, proof_in
from sonnx_formal.prover.cores import Core, restricted
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.provers import Limits, Prover, find_provers
from sonnx_formal.prover.tasks import Task

_PATIENCE_SECONDS = 20
"""CPU time in which a proof is to be found again however many steps it takes."""
_CORE_SECONDS = 10
"""CPU time in which a core is to be found, under a seed."""
_FROM_CORE_SECONDS = 5
"""CPU time in which a proof from a core is to be found: most take a hundredth of that."""


@dataclass(frozen=True)
class UnstableGoal:
    """A goal of the certificate with proofs that are unstable."""

    name: str
    recorded: RecordedGoal
    unsplit: bool


@dataclass(frozen=True)
class SettleQuestion(Question[UnstableGoal, RecordedGoal]):
    """What proves the goal whatever the seed and the names?"""

    tasks: Mapping[str, Task]
    """Of the goals, as Why3 words them now."""
    provers: Sequence[Prover]
    subjects = "goals with unstable proofs"
    finding = "left without a stable proof"
    saved_seconds = 60  # it takes about one to write the certificate

    def is_finding(self, answer: RecordedGoal) -> bool:
        return not _is_safe(answer.proofs)

    def ask(self, subject: UnstableGoal, launch: Launcher) -> RecordedGoal:
        recorded = subject.recorded
        task = task_of(self.tasks, subject.name, recorded)
        held, core = [each for each in recorded.proofs if not each.failed], recorded.core
        if not _is_safe(held) and (found := self._from_core(task, recorded, launch)):
            # It takes less than the lucky proofs, whatever these take at their unluckiest.
            stable, core = found
            held = [*(proof for proof in held if not proof.from_core), *stable]
        else:
            lucky = [proof for proof in recorded.proofs if proof.failed]
            held += filter(None, (self._settled(each, task, recorded, launch) for each in lucky))
        if not (subject.unsplit or _is_safe(held)):
            return recorded
        if core and not any(proof.from_core for proof in held):
            core = ()
        return RecordedGoal(task.sha256, cheapest_first(held, self.provers), core)

    def _settled(
        self, proof: RecordedProof, task: Task, goal: RecordedGoal, launch: Launcher
    ) -> RecordedProof | None:
        """The proof with what it takes at its unluckiest; None if it fails then."""
        core = goal.given(proof)
        given = task if core is None else restricted(task, core)
        for prover in self.provers:
            if (prover.name, prover.version) == (proof.prover, proof.version):
                return _steady(prover, given, _PATIENCE_SECONDS, launch, from_core=proof.from_core)
        return proof  # its prover is not here

    def _from_core(
        self, task: Task, recorded: RecordedGoal, launch: Launcher
    ) -> tuple[list[RecordedProof], Core] | None:
        """A stable proof from a core by each family that has one.

        The core is one that some prover finds: with any seed, if it has proved the goal.
        """
        tried: set[Core] = set()
        names = {proof.prover for proof in recorded.proofs}
        lucky = [prover for prover in self.provers if prover.name in names]
        seeds = [(each, None) for each in self.provers] + [*product(lucky, SEEDS)]
        for prover, seed in seeds:
            found = proof_and_core(task, prover, Limits(_CORE_SECONDS), launch, seed)
            if found is None or found[1] in tried:
                continue
            core = found[1]
            tried.add(core)
            part, steady = restricted(task, core), dict[str, RecordedProof]()
            for other in self.provers:
                if other.family not in steady:
                    proof = _steady(other, part, _FROM_CORE_SECONDS, launch, from_core=True)
                    steady |= {other.family: proof} if proof else {}
            if steady:
                return [*steady.values()], core
        return None


def _is_safe(proofs: Iterable[RecordedProof]) -> bool:
    """Whether one of them is stable."""
    return any(proof.stable for proof in proofs)


def _steady(
    prover: Prover, given: Task, seconds: int, launch: Launcher, *, from_core: bool
) -> RecordedProof | None:
    """The prover's stable proof, with the steps that it takes at its unluckiest."""
    found = []
    for task, seed in ((given, None), *((varied, seed) for _, varied, seed in variations(given))):
        ended = launch(prover.call(task.text, Limits(seconds), seed))
        proof = proof_in(prover, ended, from_core=from_core)
        if proof is None:
            return None
        found.append(proof)
    return structs.replace(max(found, key=lambda proof: proof.steps or 0), failed={})


def settle(library: Path, files: Sequence[Path], effort: Effort, progress: Progress) -> None:
    """Have stable proofs recorded of the goals that have unstable ones.

    Where none is stable, one from a core is looked for, and takes the place of those that are not.
    Else the steps are recorded that these take at their unluckiest; and if they fail then, too,
    they are left out, where another is stable. An unsplit goal is left without a proof rather than
    with a lucky one: its pieces have theirs.

    :raises UserError: for bad input, a missing tool, no certificate, or one of other goals.
    :raises KeyboardInterrupt: what is finished is kept.
    """
    sources = {source.name for source in chosen_sources(library, files)}
    certificate = needed_certificate(library)
    subjects = {
        name: UnstableGoal(name, goal, unsplit)
        for unsplit, goals in ((False, certificate.goals), (True, certificate.unsplit))
        for name, goal in goals.items()
        if name.partition(":")[0] in sources and any(proof.failed for proof in goal.proofs)
    }
    provers = sorted(find_provers(), key=lambda prover: prover.start_seconds)
    question = SettleQuestion(tasks_of(library, subjects, effort, progress), provers)
    _found, end = ask_all(subjects, question, partial(_record, library, subjects), effort, progress)
    if end is End.INTERRUPTED:
        raise KeyboardInterrupt


def _record(
    library: Path, goals: Mapping[str, UnstableGoal], found: Mapping[str, RecordedGoal]
) -> None:
    """Put what was found in the place of what was recorded, where that is still there."""

    def changed(recorded: Mapping[str, RecordedGoal]) -> dict[str, RecordedGoal]:
        return {
            name: found[name] if name in found and goal == goals[name].recorded else goal
            for name, goal in recorded.items()
        }

    def change(now: Certificate | None) -> Certificate | None:
        return now and structs.replace(now, goals=changed(now.goals), unsplit=changed(now.unsplit))

    change_certificate(library, change)
