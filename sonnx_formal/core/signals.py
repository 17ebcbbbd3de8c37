"""How SIGINT and SIGTERM end a command: within seconds, with all that it started."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from sonnx_formal.core import processes
from sonnx_formal.core.errors import INTERRUPTED

ENDING = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], Any] | int | None
GRACE_SECONDS = 8
"""After so long a command ends that is not finished with cleaning up: `docker stop` waits 10."""


class Interruption:
    """The signal that ends a command, if one does.

    A thread of its own hears of it through a pipe. The main thread may be in the middle of
    anything: where it waits for a lock, its handler may not run before the lock is free, and where
    it holds one, the handler must not wait for it.
    """

    def __init__(self) -> None:
        self._number: int | None = None
        self._heard, self._told = os.pipe()
        os.set_blocking(self._told, False)
        self._watch = threading.Thread(target=self._end_all, daemon=True)
        self._watch.start()
        self._told_before = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)

    @property
    def status(self) -> int:
        """The exit status of an interrupted command, as shells have it."""
        return INTERRUPTED if self._number is None else 128 + self._number

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal. The first one counts: cleaning up is under way at the next."""
        if self._number is None:
            self._number = number
            processes.interrupt()

    def over(self, before: Mapping[signal.Signals, Handler]) -> None:
        """Put back the handlers; but a program that was told to end is told once."""
        for number, handler in before.items():
            signal.signal(number, handler if self._number is None else signal.SIG_IGN)
        signal.set_wakeup_fd(self._told_before)
        os.close(self._told)
        self._watch.join()
        os.close(self._heard)

    def _end_all(self) -> None:
        """End at the first signal what runs, and after the grace everything."""
        while (told := os.read(self._heard, 1)) and told[0] not in ENDING:
            pass
        if not told:
            return
        deadline = time.monotonic() + GRACE_SECONDS
        processes.end_all()
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._heard], [], [], left)[0] and not os.read(self._heard, 1):
                return
        # Files are written as a whole or not at all, and children die with us.
        os._exit(128 + told[0])


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within it, a signal raises `KeyboardInterrupt` in the main thread; unless it is ignored."""
    processes.begin()
    interruption = Interruption()
    before = {
        number: handler
        for number in ENDING
        if (handler := signal.getsignal(number)) is not signal.SIG_IGN
    }
    for number in before:
        signal.signal(number, interruption)
    try:
        yield interruption
    finally:
        interruption.over(before)
