"""The loop of all slow evidence: a question to each of many subjects, until the time is up.

Processes run side by side, answers are kept as they come, and what is answered is not asked again.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Generic, TypeVar

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process, ProcessEnd
from sonnx_formal.core.progress import Progress
from sonnx_formal.prover import provers
from sonnx_formal.prover.provers import Prover, steps_used
from sonnx_formal.prover.tasks import Task

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


class StoppedError(Exception):
    """The run is over: what is not finished is dropped."""


class Launcher:
    """Starts the processes of a run, and ends them with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._running: set[Process] = set()

    def __call__(self, command: Sequence[str], stdin: str, cpu_seconds: int) -> ProcessEnd:
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

    def answer(self, prover: Prover, task: Task, steps: int, seconds: int) -> provers.Answer:
        """What a prover says of a task within its steps; the seconds only end what counts none.

        :raises StoppedError: when the run is over before.
        """
        ended = self(prover.command_line(steps), task.text, seconds)
        return provers.answer(ended, steps, steps_used(prover, ended))

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()


Subject = TypeVar("Subject")
Answer = TypeVar("Answer")


class Question(ABC, Generic[Subject, Answer]):
    """A question to each subject."""

    subjects: ClassVar[str]
    """The word for them in the progress, such as `goals`."""
    finding: ClassVar[str]
    """The word for an answer that somebody has to look at, such as `refused`."""

    @abstractmethod
    def ask(self, subject: Subject, launch: Launcher) -> Answer:
        """Find it out. Raises `StoppedError`, `UserError`."""

    def is_finding(self, _answer: Answer) -> bool:
        """Whether somebody has to look at the answer."""
        return False


def ask_all(
    subjects: Mapping[str, Subject],
    question: Question[Subject, Answer],
    save: Callable[[Mapping[str, Answer]], None],
    effort: Effort,
    progress: Progress,
) -> tuple[dict[str, Answer], End]:
    """The answers about the subjects, by name as these, and how the run ended.

    :param save: is given all answers so far, now and then and at the end, however it comes.
    :raises Exception: what `ask` or `save` raises; the run ends with it.
    """
    answers: dict[str, Answer] = {}
    findings, saved_at = 0, time.monotonic()
    launcher = Launcher()
    asked = {} if effort.budget == 0 else subjects
    end = End.OUT_OF_TIME if len(asked) < len(subjects) else End.FINISHED
    with ExitStack() as at_the_end:  # from the last to the first
        at_the_end.callback(save, answers)
        pool = at_the_end.enter_context(ThreadPoolExecutor(effort.jobs))
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
                if time.monotonic() - saved_at >= _SAVED_SECONDS:
                    save(answers)
                    saved_at = time.monotonic()
        except TimeoutError:
            end = End.OUT_OF_TIME
            answers |= {name: future.result() for future, name in futures.items() if future.done()}
        except KeyboardInterrupt:
            end = End.INTERRUPTED
    return answers, end
