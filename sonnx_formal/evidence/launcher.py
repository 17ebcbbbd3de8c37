"""Processes that end with the run that started them."""

import threading
from collections.abc import Sequence

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process, ProcessEnd


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

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()
