"""The loop of all slow evidence: a question to each of many subjects, until the time is up.

Processes run side by side, answers are kept as they come, and what is answered is not asked again.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Outcome, Process
from sonnx_formal.core.progress import Progress

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


class Named(Protocol):
    """A subject of a question: a goal, a module, a mutant."""

    @property
    def id(self) -> str:
        """Its name, which no other subject has."""


Subject = TypeVar("Subject", bound=Named)
Answer = TypeVar("Answer")
_Subject_contra = TypeVar("_Subject_contra", bound=Named, contravariant=True)
_Answer = TypeVar("_Answer")


class Question(Protocol, Generic[_Subject_contra, _Answer]):
    """What is to be found out about each subject."""

    subjects: str
    """The word for them in the progress, such as `goals`."""
    finding: str
    """The word for an answer that somebody has to look at, such as `refused`."""

    def ask(self, subject: _Subject_contra, launch: "Launcher") -> _Answer:
        """Find it out. Raises `StoppedError`, `UserError`."""

    def is_finding(self, answer: _Answer) -> bool:
        """Whether somebody has to look at the answer."""


class StoppedError(Exception):
    """The run is over: what is not finished is dropped."""


class Launcher:
    """Starts the processes of a run, and ends them with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._running: set[Process] = set()

    def __call__(self, command: Sequence[str], stdin: str, cpu_seconds: int) -> Outcome:
        """Run a program to its end.

        :raises StoppedError: when the run is over before.
        :raises UserError: when it cannot be started.
        """
        with self._lock:
            if self._stopped:
                raise StoppedError
            try:
                process = Process(command, stdin, cpu_seconds)
            except OSError as error:
                raise UserError(f"{command[0]} could not be started: {error}") from None
            self._running.add(process)
        outcome = process.wait()
        with self._lock:
            self._running.discard(process)
        if outcome.cancelled:
            raise StoppedError
        return outcome

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()


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
