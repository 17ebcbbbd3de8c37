"""A question about goals: what the record knows is taken, the rest is asked and recorded."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence import loop
from sonnx_formal.evidence.goal_record import GoalRecord
from sonnx_formal.evidence.loop import Effort, End
from sonnx_formal.evidence.question import AboutTask, Answer, GoalQuestion, TaskSubject
from sonnx_formal.evidence.selection import Selection


def inquire(  # noqa: PLR0913, PLR0917
    library: Path,
    selection: Selection,
    subjects: Sequence[AboutTask],
    question: GoalQuestion[AboutTask, Answer],
    effort: Effort,
    progress: Progress,
) -> tuple[dict[str, Answer], End]:
    """The answers that hold for the subjects, by task, and how the run ended.

    :param subjects: some of the selected goals, and the modules of the files, or none.
    :raises UserError: when the record cannot be read or written.
    """
    record = GoalRecord(library)
    recorded = record.answers(question.field)
    held: dict[str, Answer] = {}
    alike: dict[str, list[AboutTask]] = {}
    for subject in subjects:
        answer: Answer | None = recorded.get(subject.task.sha256)
        if answer is not None and not question.holds(answer):
            answer = None
        if answer is not None:
            held[subject.task.sha256] = answer
        if effort.fresh or answer is None or not question.knows(answer):
            alike.setdefault(question.text(subject).sha256, []).append(subject)
    asked = {group[0].id: group for group in alike.values()}

    def by_task(answers: Mapping[str, Answer]) -> dict[str, Answer]:
        return {s.task.sha256: a for name, a in answers.items() for s in asked[name]}

    def save(answers: Mapping[str, Answer]) -> None:
        files = None if selection.whole else selection.files
        everything: list[TaskSubject] = [*selection.goals, *subjects]
        record.update(everything, files, question.field, by_task(answers))

    firsts = [group[0] for group in asked.values()]
    answers, end = loop.ask_all(firsts, question, save, effort, progress)
    return held | by_task(answers), end
