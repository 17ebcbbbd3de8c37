"""The command `stability`: does each recorded proof go through with other seeds and other names?"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence import records
from sonnx_formal.evidence.inquiry import Effort, End, Question, ask_all, chosen_sources, read_goals
from sonnx_formal.evidence.renaming import renamed
from sonnx_formal.prover.certificate import (
    RecordedGoal,
    RecordedProof,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.cores import Core
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.plan import REPLAY_GUARD_SECONDS, Unit, recorded_unit
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import (
    Answer,
    Limits,
    Prover,
    answer,
    find_provers,
    steps_used,
    versions,
)
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import GoalForm, Task

SEEDS = (1, 2, 3, 4, 5)
_RENAMED = "renamed"
_PATIENCE_SECONDS = 20
"""CPU time in which a proof is to be found again however many steps it takes."""


class StabilityLine(Part, frozen=True, omit_defaults=True):
    """Which repetitions of a recorded proof failed. It holds for this proof of this task."""

    goal: str
    task: Sha256
    proof: RecordedProof
    failed: dict[str, Answer]
    """What the prover said instead, by what was varied: `seed 3`, `renamed`."""
    core: Core | None = None
    """What the proof was given; None: all assertions."""


class FileStability(Part, frozen=True):
    """How many of the proofs of a file's goals are stable."""

    file: str
    proofs: Count
    stable: Count
    unstable: Count
    untried: Count


class StabilityReport(MadeDocument, frozen=True, tag="sonnx-formal/stability/3"):
    """The proofs of the certificate that depend on seeds or names."""

    command = "stability --json PATH"

    seeds: tuple[Count, ...]
    files: tuple[FileStability, ...]
    unstable: tuple[StabilityLine, ...]
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

    def is_of(self, line: StabilityLine | None) -> bool:
        """Whether a recorded line is about this proof."""
        if line is None:
            return False
        mine = self.recorded.task_sha256, self.proof, self.recorded.given(self.proof)
        return (line.task, line.proof, line.core) == mine


@dataclass(frozen=True)
class StabilityQuestion(Question[CertificateProof, StabilityLine]):
    """Does the prover find the proof again, whatever the seed and the names?"""

    tasks: Mapping[str, Task]
    """Of the goals, as Why3 words them now."""
    subjects = "proofs"
    finding = "unstable"

    def is_finding(self, answer: StabilityLine) -> bool:
        return bool(answer.failed)

    def ask(self, subject: CertificateProof, launch: Launcher) -> StabilityLine:
        task = self.tasks.get(subject.goal)
        if task is None or task.sha256 != subject.recorded.task_sha256:
            raise UserError(
                f"{subject.goal}: changed since the certificate was made: run `sonnx-formal prove`"
            )
        unit = subject.unit(REPLAY_GUARD_SECONDS)
        limits = unit.limits
        failed: dict[str, Answer] = {}
        for variation, varied, seed in _variations(unit.given(task)):
            said = launch.answer(unit.prover, varied, limits.steps, limits.seconds, seed)
            if said is not Answer.VALID:
                failed[variation] = said
        return StabilityLine(subject.goal, task.sha256, subject.proof, failed, unit.core)


def _name(goal: str, proof: RecordedProof) -> str:
    return f"{goal} by {proof.prover}" + (", from its core" if proof.from_core else "")


def _variations(task: Task) -> Iterator[tuple[str, Task, int | None]]:
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
    path = library / "evidence" / "stability.jsonl"
    recorded = {
        _name(line.goal, line.proof): line
        for line in records.read_lines(path, StabilityLine, "stability")
    }
    held = {
        name: line
        for name, line in recorded.items()
        if not (effort.fresh and name in proofs)
        # Of files that were not asked for, it cannot be said whether their lines hold.
        if (name not in proofs and files) or (name in proofs and proofs[name].is_of(line))
    }
    missing = {name: p for name, p in proofs.items() if p.prover and name not in held}

    def save(answers: Mapping[str, StabilityLine]) -> None:
        records.write_lines(path, [line for _name, line in sorted((held | dict(answers)).items())])

    concerned = {proof.file for proof in missing.values()} if effort.budget != 0 else set()
    used = [source for name, source in sources.items() if name in concerned]
    question = StabilityQuestion(_tasks(library, used, effort.jobs, progress))
    answers, end = ask_all(missing, question, save, effort, progress)
    lines = {name: line for name, line in (held | answers).items() if name in proofs}
    by_file = grouped(proofs.values(), lambda proof: proof.file)
    split = [line for name, line in lines.items() if not proofs[name].unsplit]
    by_goal = grouped(split, lambda line: line.goal)
    return StabilityReport(
        effort.ended(made, len(lines.keys() - answers.keys())),
        SEEDS,
        tuple(_of_file(file, found, lines) for file, found in sorted(by_file.items())),
        tuple(line for _name, line in sorted(lines.items()) if line.failed),
        tuple(sorted(goal for goal, of in by_goal.items() if all(line.failed for line in of))),
        end is End.INTERRUPTED,
    )


@dataclass(frozen=True)
class StepsQuestion(Question[CertificateProof, RecordedProof | None]):
    """What does a proof take at its unluckiest? None if it fails then, too."""

    tasks: Mapping[str, Task]
    subjects = "unstable proofs"
    finding = "left as they are"

    def is_finding(self, answer: RecordedProof | None) -> bool:
        return answer is None

    def ask(self, subject: CertificateProof, launch: Launcher) -> RecordedProof | None:
        taken = []
        unit = subject.unit(_PATIENCE_SECONDS)
        prover = unit.prover
        for _varied, varied, seed in _variations(unit.given(self.tasks[subject.goal])):
            ended = launch(prover.call(varied.text, Limits(_PATIENCE_SECONDS), seed))
            steps = steps_used(prover, ended)
            if steps is None or answer(ended, None, steps) is not Answer.VALID:
                return None
            taken.append(steps)
        return structs.replace(subject.proof, steps=max(taken))


def settle(
    library: Path, unstable: Collection[StabilityLine], effort: Effort, progress: Progress
) -> None:
    """Record of unstable proofs what they take at their unluckiest, which a replay allows for.

    One that fails then, too, is left out of the certificate, where the goal has another, or is not
    split. Raises `UserError`.
    """
    failed = {(line.goal, line.proof) for line in unstable}
    subjects = {
        proof.name: proof
        for proof in _proofs(library)
        if (proof.goal, proof.proof) in failed and proof.prover
    }
    files = [library / name for name in dict.fromkeys(each.file for each in subjects.values())]
    sources = chosen_sources(library, files) if files else []
    tasks = _tasks(library, sources, effort.jobs, progress)
    found, _end = ask_all(subjects, StepsQuestion(tasks), lambda _answers: None, effort, progress)
    path = certificate_path(library)
    certificate = read_certificate(path)
    assert certificate, "which the proofs are of"

    def settled(name: str, goal: RecordedGoal) -> RecordedGoal:
        tried = ((proof, _name(name, proof)) for proof in goal.proofs)
        proofs = (found.get(key, proof) for proof, key in tried)
        return structs.replace(goal, proofs=tuple(proof for proof in proofs if proof))

    goals = {
        name: kept if (kept := settled(name, goal)).proofs else goal
        for name, goal in certificate.goals.items()
    }
    unsplit = {name: settled(name, goal) for name, goal in certificate.unsplit.items()}
    write_certificate(path, structs.replace(certificate, goals=goals, unsplit=unsplit))


def _proofs(library: Path) -> list[CertificateProof]:
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        raise UserError("there is no certificate of the library: run `sonnx-formal prove` first")
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


def _tasks(
    library: Path, sources: Sequence[Source], jobs: int, progress: Progress
) -> dict[str, Task]:
    """The goals of files as Why3 words them, both in pieces and before they are split."""
    return {
        goal.id: goal.task
        for form in (GoalForm.UNSPLIT, GoalForm.SPLIT)
        for goal in read_goals(library, sources, jobs, progress, form)
    }


def _of_file(
    file: str, proofs: Sequence[CertificateProof], lines: Mapping[str, StabilityLine]
) -> FileStability:
    tried = [line for proof in proofs if (line := lines.get(proof.name))]
    unstable = sum(bool(line.failed) for line in tried)
    return FileStability(
        file, len(proofs), len(tried) - unstable, unstable, len(proofs) - len(tried)
    )


def exit_status(report: StabilityReport) -> int:
    """Zero only if every proof was tried and is stable."""
    if report.interrupted:
        return INTERRUPTED
    return int(any(file.unstable or file.untried for file in report.files))


def print_stability(console: Console, report: StabilityReport) -> None:
    print_by_file(console, report.files, lambda each: each.file, _row)
    for line in report.unstable:
        failed = ", ".join(f"{name}: {said}" for name, said in line.failed.items())
        say(console, f"unstable: {_name(line.goal, line.proof)} ({failed})")
    found = _row(report.files)
    tried = found["proofs"] - found["untried"]
    say(
        console,
        f"\n{found['stable']} of {tried} recorded proofs go through with {len(report.seeds)} seeds "
        f"and with other names; {len(report.without_stable_proof)} goals have no stable proof",
    )
    for goal in report.without_stable_proof:
        say(console, f"no stable proof: {goal}: prove it in smaller steps")
    if found["untried"]:
        end = End.INTERRUPTED if report.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {found['untried']} proofs were not tried")


def _row(files: Sequence[FileStability]) -> dict[str, int]:
    numbers = [structs.asdict(each) for each in files]
    return {
        name: sum(each[name] for each in numbers)
        for name in ("proofs", "stable", "unstable", "untried")
    }
