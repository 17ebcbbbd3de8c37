"""The loop of all slow evidence: a question to each of many subjects, until the time is up.

Processes run side by side, answers are kept as they come, and what is answered is not asked again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import TypeVar

from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.question import Answer, Question, Subject

_SAVED_SECONDS = 10


class End(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Effort:
    """What a run may take."""

    jobs: int
    budget: float | None
    """Seconds by the clock on the wall; with 0 nothing is asked."""
    fresh: bool
    """Whether to ask again what the record knows."""


def ask_all(
    subjects: Sequence[Subject],
    question: Question[Subject, Answer],
    save: Callable[[Mapping[str, Answer]], None],
    effort: Effort,
    progress: Progress,
) -> tuple[dict[str, Answer], End]:
    """The answers about the subjects, by id, and how the run ended.

    :param save: is given all answers so far, now and then and at the end, however it comes.
    :raises Exception: what `ask` or `save` raises; the run ends with it.
    """
    answers: dict[str, Answer] = {}
    findings = 0
    saved_at = time.monotonic()

    def keep(subject: Subject, answer: Answer) -> None:
        nonlocal findings, saved_at
        answers[subject.id] = answer
        findings += question.is_finding(answer)
        done = f"{len(answers)}/{len(subjects)} {question.subjects}"
        progress(f"{done}, {findings} {question.finding}" if findings else done, subject.id)
        if time.monotonic() - saved_at >= _SAVED_SECONDS:
            save(answers)
            saved_at = time.monotonic()

    try:
        end = for_each(subjects, question.ask, keep, effort)
    finally:
        save(answers)
    return answers, end


_Item = TypeVar("_Item")
_Found = TypeVar("_Found")


def for_each(
    items: Sequence[_Item],
    work: Callable[[_Item, Launcher], _Found],
    keep: Callable[[_Item, _Found], None],
    effort: Effort,
) -> End:
    """Work on every item, in order, and hand over what is found as soon as it is.

    :param keep: is called in this thread.
    :raises Exception: what `work` or `keep` raises; the run ends with it.
    """
    if not items or effort.budget == 0:
        return End.OUT_OF_TIME if items else End.FINISHED
    ends_at = None if effort.budget is None else time.monotonic() + effort.budget
    launcher = Launcher()
    done: SimpleQueue[Future[_Found]] = SimpleQueue()
    with ThreadPoolExecutor(effort.jobs) as pool:
        futures = {pool.submit(work, item, launcher): item for item in items}
        try:
            for future in futures:
                future.add_done_callback(done.put)
            for _ in items:
                left = None if ends_at is None else max(0.0, ends_at - time.monotonic())
                future = done.get(timeout=left)
                keep(futures[future], future.result())
        except Empty:
            return End.OUT_OF_TIME
        except KeyboardInterrupt:
            return End.INTERRUPTED
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            launcher.stop()
    return End.FINISHED
