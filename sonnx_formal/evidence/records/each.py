"""Something done for each of many tasks, by processes side by side, until the time is up."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Generic, TypeVar

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Outcome, Process

Item = TypeVar("Item")
Found = TypeVar("Found")


class End(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    INTERRUPTED = "interrupted"


class StoppedError(Exception):
    """The run is over: what is not finished is dropped."""


class Launcher:
    """Starts processes for a run, and ends them with it."""

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


class _Run(Generic[Item, Found]):
    """The threads of a run; each takes the next item when it has done with one."""

    def __init__(
        self, items: Sequence[Item], work: Callable[[Item, Launcher], Found], jobs: int
    ) -> None:
        self._work = work
        self._launcher = Launcher()
        self._waiting: queue.SimpleQueue[Item] = queue.SimpleQueue()
        for item in items:
            self._waiting.put(item)
        self.found: queue.SimpleQueue[tuple[Item, Found] | BaseException] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._go_on, daemon=True) for _ in range(min(jobs, len(items)))
        ]

    @contextmanager
    def started(self) -> Iterator[None]:
        """Runs while the block does."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._launcher.stop()
            for thread in self._threads:
                thread.join()

    def _go_on(self) -> None:
        try:
            while True:
                item = self._waiting.get_nowait()
                self.found.put((item, self._work(item, self._launcher)))
        except (queue.Empty, StoppedError):
            return
        except BaseException as error:  # raised again where it is taken out
            self.found.put(error)


def for_each(
    items: Sequence[Item],
    work: Callable[[Item, Launcher], Found],
    keep: Callable[[Item, Found], None],
    *,
    jobs: int,
    seconds: float | None,
) -> End:
    """Work on every item, in order, and hand over what is found as soon as it is.

    :param keep: is called in this thread.
    :param seconds: at most, by the clock on the wall.
    :raises Exception: what `work` or `keep` raises; the run ends with it.
    """
    ends_at = None if seconds is None else time.monotonic() + seconds
    run = _Run(items, work, jobs)
    try:
        with run.started():
            for _ in items:
                left = None if ends_at is None else ends_at - time.monotonic()
                if left is not None and left <= 0:
                    return End.OUT_OF_TIME
                found = run.found.get(timeout=left)
                if isinstance(found, BaseException):
                    raise found
                keep(*found)
    except queue.Empty:
        return End.OUT_OF_TIME
    except KeyboardInterrupt:
        return End.INTERRUPTED
    return End.FINISHED
