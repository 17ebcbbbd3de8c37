"""The loop of all slow evidence: a question to each of many subjects, until the time is up.

Processes run side by side, answers are kept as they come, and what is answered is not asked again.
Of goals, what the record knows is taken, and the rest is asked and recorded.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import UNSET

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder, files_below
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.records import Context, GoalRecord
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.provenance import BegunRun, EndedRun, Mode
from sonnx_formal.prover.site import Here, Site
from sonnx_formal.prover.sources import (
    Source,
    library_sha256,
    library_sources,
    named_source,
    reading,
)
from sonnx_formal.prover.tasks import GoalForm, Location, Task

Subject = TypeVar("Subject")
AboutTask = TypeVar("AboutTask", bound=Goal | Context)
Answer = TypeVar("Answer")


class End(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Effort:
    """What a run may take."""

    jobs: int
    """Processes at a time on this machine."""
    budget: float | None
    """Seconds by the clock on the wall; with 0 nothing is asked."""
    fresh: bool
    """Whether to ask again what the record knows."""
    cluster: Site | None = None
    """Who is asked instead of this machine."""
    began: datetime = field(default_factory=partial(datetime.now, UTC))

    @property
    def site(self) -> Site:
        return self.cluster or Here(self.jobs)

    def provenance(
        self, library: Path, files: Sequence[str], provers: Mapping[str, str], **run: Any
    ) -> BegunRun:
        """How what is found of files, of all if none is named, is made. Raises `UserError`.

        :param provers: the versions of those that are asked.
        """
        tools = {"Why3": find_why3().version, **provers}
        mode = Mode.FRESH if self.fresh else Mode.NORMAL
        shared = {"tools": tools, "mode": mode, "files": tuple(files), "budget": self.budget}
        return BegunRun.of(library, self.began, **shared, **run)

    def ended(self, made: BegunRun, from_record: int) -> EndedRun:
        """The same at the end of the run."""
        elsewhere = dict(self.site.elsewhere) or UNSET
        return made.ended(from_record=from_record, elsewhere=elsewhere)


class Question(ABC, Generic[Subject, Answer]):
    """A question to each subject."""

    subjects: ClassVar[str]
    """The word for them in the progress, such as `goals`."""
    finding: ClassVar[str]
    """The word for an answer that somebody has to look at, such as `refused`."""
    saved_seconds: ClassVar[int] = 10
    """After how long answers are saved."""

    @abstractmethod
    def ask(self, subject: Subject, launch: Launcher) -> Answer:
        """Find it out. Raises `StoppedError`, `UserError`."""

    def is_finding(self, _answer: Answer) -> bool:
        return False


class GoalQuestion(Question[AboutTask, Answer]):
    """A question whose answers the record of goals keeps."""

    field: ClassVar[str]
    """Of a line of the record."""

    def text(self, subject: AboutTask) -> Task:
        """What is asked: of subjects with one text, one is asked about."""
        return subject.task

    def holds(self, _answer: Answer) -> bool:
        """Whether a recorded answer is about the tools that are here."""
        return True

    def knows(self, _answer: Answer) -> bool:
        """Whether an answer that holds need not be asked for again, say with larger limits."""
        return True


def ask_all(
    subjects: Mapping[str, Subject],
    question: Question[Subject, Answer],
    save: Callable[[Mapping[str, Answer]], None],
    effort: Effort,
    progress: Progress,
) -> tuple[dict[str, Answer], End]:
    """The answers about the subjects, by name as these, and how the run ended.

    :param save: is given all answers so far, now and then and at the end, however it comes; never
        where there is no time to ask anything.
    :raises Exception: what `ask` or `save` raises; the run ends with it.
    """
    answers: dict[str, Answer] = {}
    findings, saved_at = 0, time.monotonic()
    launcher = Launcher(effort.site)
    asked = {} if effort.budget == 0 else subjects
    end = End.OUT_OF_TIME if len(asked) < len(subjects) else End.FINISHED
    with ExitStack() as at_the_end:  # from the last to the first
        if effort.budget != 0:
            at_the_end.callback(save, answers)
        pool = at_the_end.enter_context(ThreadPoolExecutor(effort.site.width))
        at_the_end.callback(launcher.stop)
        at_the_end.callback(pool.shutdown, wait=False, cancel_futures=True)
        futures = {pool.submit(question.ask, asked[name], launcher): name for name in asked}
        try:
            for future in as_completed(futures, effort.budget):
                name, answer = futures[future], future.result()
                answers[name] = answer
                findings += question.is_finding(answer)
                done = f"{len(answers)}/{len(subjects)} {question.subjects}"
                progress(f"{done}, {findings} {question.finding}" if findings else done, name)
                if time.monotonic() - saved_at >= question.saved_seconds:
                    save(answers)
                    saved_at = time.monotonic()
        except TimeoutError:
            end = End.OUT_OF_TIME
            answers |= {name: future.result() for future, name in futures.items() if future.done()}
        except KeyboardInterrupt:
            end = End.INTERRUPTED
    return answers, end


@dataclass(frozen=True)
class Selection:
    """Files of a library and all their goals."""

    library: Path
    files: tuple[str, ...]
    """By name, as in the ids of goals."""
    goals: tuple[Goal, ...]
    whole: bool
    """Whether these are all the files of the library."""

    @property
    def asked_for(self) -> tuple[str, ...]:
        """The files by name; none stands for the whole library."""
        return () if self.whole else self.files


def chosen_sources(library: Path, files: Sequence[Path]) -> list[Source]:
    """Those of files and folders, or of the library. Raises `UserError` when one is not there."""
    given = [
        path for file in files for path in (files_below(file, ".mlw") if file.is_dir() else [file])
    ]
    if files and not given:
        raise UserError(f"{files[0]}: no .mlw file in this folder")
    named = dict.fromkeys(named_source(library, path) for path in given)
    return list(named) or library_sources(library)


def select(
    library: Path,
    files: Sequence[Path],
    jobs: int,
    progress: Progress,
    known: Callable[[Goal], bool] | None = None,
) -> Selection:
    """The goals of files and folders, or of the library. Raises `UserError`, as without Why3.

    :param known: whether nothing but its digest is wanted of a goal. Files that have no other goals
        are not read where the certificate has these; without this, all files are.
    """
    sources = chosen_sources(library, files)
    recorded = _recorded(library, sources, progress) if known else {}
    goals = {each: mine for each, mine in recorded.items() if known and all(map(known, mine))}
    unread = [source for source in sources if source not in goals]
    read = grouped(read_goals(library, unread, jobs, progress), lambda goal: goal.source)
    found = [goal for each in sources for goal in (goals | read).get(each, ())]
    if not found:
        raise UserError("no goal was found in " + ", ".join(source.name for source in sources))
    names = tuple(source.name for source in sources)
    return Selection(library, names, tuple(found), not files)


def _recorded(
    library: Path, sources: Sequence[Source], progress: Progress
) -> dict[Source, list[Goal]]:
    """The goals by file, without their texts; none where the certificate is of other goals.

    Whether the driver words them otherwise by now, only `prove` says, and the report as a gap.
    """
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        return {}
    if certificate.library_sha256 != library_sha256(library):
        progress.warn("the certificate is of other formal sources: Why3 reads those that are here")
        return {}
    if certificate.why3 != (here := find_why3().version):
        progress.warn(f"the certificate is of Why3 {certificate.why3}: {here} reads the sources")
        return {}
    of_library = {each.name: each for each in sources if each.path.is_relative_to(library)}
    found: dict[Source, list[Goal]] = {source: [] for source in of_library.values()}
    for name, goal in certificate.goals.items():
        file, _, inside = name.partition(":")
        if source := of_library.get(file):
            module, _, piece = inside.partition(".")
            task = Task("", goal.task_sha256)
            place = Location(file, 1, 0)
            found[source].append(
                Goal(module, piece.rpartition(".")[0], "", place, task, source=source, id=name)
            )
    return found


def read_goals(
    library: Path,
    sources: Sequence[Source],
    jobs: int,
    progress: Progress,
    form: GoalForm = GoalForm.SPLIT,
) -> list[Goal]:
    """The goals of files, through the cache. Raises `UserError` for bad input or without Why3."""
    if not sources:
        return []
    progress(what := reading(sources))
    goals = Goals(find_why3(), library, Cache(cache_folder(), progress.warn))
    return goals.read(sources, jobs, lambda number: progress(f"{what}: {number}"), form)


def is_known(
    library: Path, question: GoalQuestion[AboutTask, Answer], effort: Effort
) -> Callable[[AboutTask], bool]:
    """Whether nobody will be asked about a goal. Raises `UserError` for a broken record."""
    held = {} if effort.budget == 0 or effort.fresh else _held(GoalRecord(library), question)
    return lambda goal: effort.budget == 0 or _is_answered(goal, question, held)


def _held(record: GoalRecord, question: GoalQuestion[AboutTask, Answer]) -> Mapping[str, Answer]:
    recorded: dict[str, Answer] = record.answers(question.field)
    return {task: answer for task, answer in recorded.items() if question.holds(answer)}


def _is_answered(
    subject: AboutTask, question: GoalQuestion[AboutTask, Answer], held: Mapping[str, Answer]
) -> bool:
    answer = held.get(subject.task.sha256)
    return answer is not None and question.knows(answer)


@dataclass(frozen=True)
class Inquiry(Generic[Answer]):
    """What is known after a run."""

    answers: Mapping[str, Answer]
    """By task."""
    from_record: int
    """How many of the subjects have an answer that was recorded before."""
    end: End


def inquire(
    selection: Selection,
    subjects: Sequence[AboutTask],
    question: GoalQuestion[AboutTask, Answer],
    effort: Effort,
    progress: Progress,
) -> Inquiry[Answer]:
    """The answers that hold, of the record or found now.

    :param subjects: some of the selected goals, and the modules of the files, or none.
    :raises UserError: when the record cannot be read or written.
    """
    record = GoalRecord(selection.library)
    held = _held(record, question)
    alike: dict[str, list[AboutTask]] = {}
    for subject in subjects:
        if effort.fresh or not _is_answered(subject, question, held):
            # Where nothing is asked, what the question would be is of no use.
            task = subject.task if effort.budget == 0 else question.text(subject)
            alike.setdefault(task.sha256, []).append(subject)
    groups = {group[0].id: group for group in alike.values()}

    def by_task(answers: Mapping[str, Answer]) -> dict[str, Answer]:
        return {s.task.sha256: a for name, a in answers.items() for s in groups[name]}

    def save(answers: Mapping[str, Answer]) -> None:
        files = None if selection.whole else selection.files
        everything: list[Goal | Context] = [*selection.goals, *subjects]
        record.update(everything, files, question.field, by_task(answers))

    asked = {name: group[0] for name, group in groups.items()}
    answers, end = ask_all(asked, question, save, effort, progress)
    found = by_task(answers)
    before = held.keys() - found.keys()
    recorded_before = sum(subject.task.sha256 in before for subject in subjects)
    return Inquiry({**held, **found}, recorded_before, end)
