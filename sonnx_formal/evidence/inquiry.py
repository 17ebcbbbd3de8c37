"""A question about goals: what the record knows is taken, the rest is asked and recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.loop import Answer, Effort, End, Question, ask_all
from sonnx_formal.evidence.records import GoalRecord, TaskSubject
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sources import Source, library_sources, named_source, reading
from sonnx_formal.prover.tasks import Task

AboutTask = TypeVar("AboutTask", bound=TaskSubject)


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


@dataclass(frozen=True)
class Selection:
    """Files of a library and all their goals."""

    library: Path
    files: tuple[str, ...]
    """By name, as in the ids of goals."""
    goals: tuple[Goal, ...]
    whole: bool
    """Whether these are all the files of the library."""


def select(library: Path, files: Sequence[Path], jobs: int, progress: Progress) -> Selection:
    """The goals of these files, of the whole library when there are none.

    A folder stands for the files in it. Raises `UserError` for bad input or without Why3.
    """
    given = [
        path
        for file in files
        for path in (sorted(file.rglob("*.mlw")) if file.is_dir() else [file])
    ]
    if files and not given:
        raise UserError(f"{files[0]}: no .mlw file in this folder")
    named = dict.fromkeys(named_source(library, path) for path in given)
    sources = list(named) or library_sources(library)
    if not (found := read_goals(library, sources, jobs, progress)):
        raise UserError("no goal was found in " + ", ".join(source.name for source in sources))
    names = tuple(source.name for source in sources)
    return Selection(library, names, tuple(found), not files)


def read_goals(library: Path, sources: list[Source], jobs: int, progress: Progress) -> list[Goal]:
    """The goals of files, through the cache. Raises `UserError` for bad input or without Why3."""
    progress(reading(sources))
    return Goals(find_why3(), library, Cache(cache_folder(), progress.warn)).read(sources, jobs)


def inquire(
    selection: Selection,
    subjects: Sequence[AboutTask],
    question: GoalQuestion[AboutTask, Answer],
    effort: Effort,
    progress: Progress,
) -> tuple[dict[str, Answer], End]:
    """The answers that hold, by task, and how the run ended.

    :param subjects: some of the selected goals, and the modules of the files, or none.
    :raises UserError: when the record cannot be read or written.
    """
    record = GoalRecord(selection.library)
    recorded: dict[str, Answer] = record.answers(question.field)
    held = {task: answer for task, answer in recorded.items() if question.holds(answer)}
    alike: dict[str, list[AboutTask]] = {}
    for subject in subjects:
        answer = held.get(subject.task.sha256)
        if effort.fresh or answer is None or not question.knows(answer):
            alike.setdefault(question.text(subject).sha256, []).append(subject)
    groups = {group[0].id: group for group in alike.values()}

    def by_task(answers: Mapping[str, Answer]) -> dict[str, Answer]:
        return {s.task.sha256: a for name, a in answers.items() for s in groups[name]}

    def save(answers: Mapping[str, Answer]) -> None:
        files = None if selection.whole else selection.files
        everything: list[TaskSubject] = [*selection.goals, *subjects]
        record.update(everything, files, question.field, by_task(answers))

    asked = {name: group[0] for name, group in groups.items()}
    answers, end = ask_all(asked, question, save, effort, progress)
    return held | by_task(answers), end
