"""How SIGINT and SIGTERM end a command: within seconds, with all that it started."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from sonnx_formal.core import processes
from sonnx_formal.core.errors import INTERRUPTED

Handler = Callable[[int, FrameType | None], Any] | int | None
GRACE_SECONDS = 8
"""After so long a command ends that is not finished with cleaning up: `docker stop` waits 10."""


class Interruption:
    """The signal that ends a command, if one does."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._timer = threading.Timer(GRACE_SECONDS, self._give_up)
        self._timer.daemon = True

    @property
    def status(self) -> int:
        """The exit status of an interrupted command, as shells have it."""
        return INTERRUPTED if self._number is None else 128 + self._number

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal. The first one counts: cleaning up is under way at the next."""
        if self._number is None:
            self._number = number
            self._timer.start()
            processes.end_all()
            raise KeyboardInterrupt

    def over(self, before: Mapping[signal.Signals, Handler]) -> None:
        """Put back the handlers; but a program that was told to end is told once."""
        self._timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler if self._number is None else signal.SIG_IGN)

    def _give_up(self) -> None:
        # Files are written as a whole or not at all, and children die with us.
        os._exit(self.status)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Within it, a signal raises `KeyboardInterrupt` in the main thread; unless it is ignored."""
    processes.begin()
    interruption = Interruption()
    before = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if (handler := signal.getsignal(number)) is not signal.SIG_IGN
    }
    for number in before:
        signal.signal(number, interruption)
    try:
        yield interruption
    finally:
        interruption.over(before)
