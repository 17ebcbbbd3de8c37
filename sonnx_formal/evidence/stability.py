"""The command `stability`: does each recorded proof go through with other seeds and other names?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence.inquiry import Effort, End, Question, ask_all, chosen_sources, read_goals
from sonnx_formal.evidence.renaming import renamed
from sonnx_formal.prover.certificate import (
    RecordedGoal,
    RecordedProof,
    change_certificate,
    needed_certificate,
)
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.plan import REPLAY_GUARD_SECONDS, Unit, recorded_unit
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import Answer, Prover, find_provers, versions
from sonnx_formal.prover.sources import library_sources
from sonnx_formal.prover.tasks import GoalForm, Task

SEEDS = (1, 2, 3, 4, 5)
_RENAMED = "renamed"


class UnstableProof(Part, frozen=True):
    """A recorded proof some repetitions of which failed."""

    goal: str
    proof: RecordedProof


class FileStability(Part, frozen=True):
    """How many of the proofs of a file's goals are stable."""

    file: str
    proofs: Count
    stable: Count
    unstable: Count
    untried: Count


class StabilityReport(MadeDocument, frozen=True, tag="sonnx-formal/stability/4"):
    """The proofs of the certificate that depend on seeds or names."""

    command = "stability --json PATH"

    seeds: tuple[Count, ...]
    files: tuple[FileStability, ...]
    unstable: tuple[UnstableProof, ...]
    without_stable_proof: tuple[str, ...]
    """The goals of which no proof is stable; of what was tried."""
    interrupted: bool


@dataclass(frozen=True)
class CertificateProof:
    """A proof that the certificate records, and the prover that found it."""

    goal: str
    recorded: RecordedGoal
    proof: RecordedProof
    prover: Prover | None
    """None: it is not on this machine in this version."""
    unsplit: bool
    """Whether it proves a goal before it is split; the pieces have proofs of their own."""

    @property
    def file(self) -> str:
        return self.goal.partition(":")[0]

    @property
    def name(self) -> str:
        return _name(self.goal, self.proof)

    def unit(self, seconds: int) -> Unit:
        """The proof again, in so much CPU time. Its prover is here."""
        assert self.prover
        return recorded_unit(self.prover, self.recorded, self.proof, seconds)


@dataclass(frozen=True)
class StabilityQuestion(Question[CertificateProof, RecordedProof]):
    """Does the prover find the proof again, whatever the seed and the names?"""

    tasks: Mapping[str, Task]
    """Of the goals, as Why3 words them now."""
    subjects = "proofs"
    finding = "unstable"
    saved_seconds = 60  # it takes about one to write the certificate

    def is_finding(self, answer: RecordedProof) -> bool:
        return bool(answer.failed)

    def ask(self, subject: CertificateProof, launch: Launcher) -> RecordedProof:
        task = task_of(self.tasks, subject.goal, subject.recorded)
        unit = subject.unit(REPLAY_GUARD_SECONDS)
        limits = unit.limits
        failed: dict[str, Answer] = {}
        for variation, varied, seed in variations(unit.given(task)):
            said = launch.answer(unit.prover, varied, limits.steps, limits.seconds, seed)
            if said is not Answer.VALID:
                failed[variation] = said
        return structs.replace(subject.proof, failed=failed)


def _name(goal: str, proof: RecordedProof) -> str:
    return f"{goal} by {proof.prover}" + (", from its core" if proof.from_core else "")


def variations(task: Task) -> Iterator[tuple[str, Task, int | None]]:
    """The repetitions: name, task, and seed."""
    for seed in SEEDS:
        yield f"seed {seed}", task, seed
    yield _RENAMED, renamed(task), None


def find_stability(
    library: Path, files: Sequence[Path], effort: Effort, progress: Progress
) -> StabilityReport:
    """Repeat the proofs that the record does not know.

    :raises UserError: for bad input, a missing tool, no certificate, or one of other goals.
    """
    sources = {source.name: source for source in chosen_sources(library, files)}
    made = effort.provenance(library, [*sources] if files else (), versions(find_provers()))
    proofs = {proof.name: proof for proof in _proofs(library) if proof.file in sources}
    missing = {
        name: each
        for name, each in proofs.items()
        if each.prover and (effort.fresh or each.proof.failed is None)
    }
    goals = (each.goal for each in missing.values())
    question = StabilityQuestion(tasks_of(library, goals, effort, progress))
    save = partial(_record, library, missing)
    answers, end = ask_all(missing, question, save, effort, progress)
    now = [
        replace(each, proof=answers.get(name, each.proof)) for name, each in sorted(proofs.items())
    ]
    tried = [each for each in now if each.proof.failed is not None]
    by_goal = grouped((each for each in tried if not each.unsplit), lambda each: each.goal)
    by_file = grouped(now, lambda each: each.file)
    return StabilityReport(
        effort.ended(made, len(tried) - len(answers)),
        SEEDS,
        tuple(_of_file(file, found) for file, found in sorted(by_file.items())),
        tuple(UnstableProof(each.goal, each.proof) for each in tried if each.proof.failed),
        tuple(goal for goal, of in by_goal.items() if all(each.proof.failed for each in of)),
        end is End.INTERRUPTED,
    )


def _record(
    library: Path, proofs: Mapping[str, CertificateProof], found: Mapping[str, RecordedProof]
) -> None:
    """Put what was found of proofs in their place, where that is still theirs."""
    changes = {
        subject.recorded.key(subject.proof): found[name]
        for name, subject in proofs.items()
        if name in found
    }
    change_certificate(library, lambda now: now and now.revised(changes))


def _proofs(library: Path) -> list[CertificateProof]:
    certificate = needed_certificate(library)
    here = {(prover.name, prover.version): prover for prover in find_provers()}
    found: list[tuple[int, CertificateProof]] = []
    for unsplit, goals in ((True, certificate.unsplit), (False, certificate.goals)):
        for name, goal in goals.items():
            for place, proof in enumerate(goal.proofs):
                prover = here.get((proof.prover, proof.version))
                found.append((place, CertificateProof(name, goal, proof, prover, unsplit)))
    # What a replay asks for first, then the proofs by a second prover. Of these the short ones come
    # first, so that a budget is enough for many.
    found.sort(key=lambda each: (each[0], each[1].proof.steps))
    return [proof for _place, proof in found]


def tasks_of(
    library: Path, goals: Iterable[str], effort: Effort, progress: Progress
) -> dict[str, Task]:
    """All tasks of the files of goals, as Why3 words them, in pieces and before they are split.

    None where there is no time to ask anything.
    """
    files = {goal.partition(":")[0] for goal in goals} if effort.budget != 0 else set()
    sources = [source for source in library_sources(library) if source.name in files]
    return {
        goal.id: goal.task
        for form in (GoalForm.UNSPLIT, GoalForm.SPLIT)
        for goal in read_goals(library, sources, effort.jobs, progress, form)
    }


def task_of(tasks: Mapping[str, Task], goal: str, recorded: RecordedGoal) -> Task:
    """The task of a goal. Raises `UserError` when it is not the recorded one."""
    task = tasks.get(goal)
    if task is None or task.sha256 != recorded.task_sha256:
        raise UserError(f"{goal}: changed since the certificate was made: run `sonnx-formal prove`")
    return task


def _of_file(file: str, proofs: Sequence[CertificateProof]) -> FileStability:
    failed = [each.proof.failed for each in proofs]
    untried, stable = failed.count(None), failed.count({})
    return FileStability(file, len(failed), stable, len(failed) - stable - untried, untried)


def exit_status(report: StabilityReport) -> int:
    """Zero only if every proof was tried and is stable."""
    if report.interrupted:
        return INTERRUPTED
    return int(any(file.unstable or file.untried for file in report.files))


def print_stability(console: Console, report: StabilityReport) -> None:
    print_by_file(console, report.files, lambda each: each.file, _row)
    for each in report.unstable:
        failed = ", ".join(f"{name}: {said}" for name, said in (each.proof.failed or {}).items())
        say(console, f"unstable: {_name(each.goal, each.proof)} ({failed})")
    found = _row(report.files)
    tried = found["proofs"] - found["untried"]
    say(
        console,
        f"\n{found['stable']} of {tried} recorded proofs go through with {len(report.seeds)} seeds "
        f"and with other names; {len(report.without_stable_proof)} goals have no stable proof",
    )
    for goal in report.without_stable_proof:
        say(console, f"no stable proof: {goal}: `--settle` it, else prove it in smaller steps")
    if found["untried"]:
        end = End.INTERRUPTED if report.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {found['untried']} proofs were not tried")


def _row(files: Sequence[FileStability]) -> dict[str, int]:
    numbers = [structs.asdict(each) for each in files]
    return {
        name: sum(each[name] for each in numbers)
        for name in ("proofs", "stable", "unstable", "untried")
    }
