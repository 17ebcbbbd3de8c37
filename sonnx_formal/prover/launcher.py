"""The processes that the threads of a run wait for, and which end with the run."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.provers import Answer, Limits, Prover, answer, steps_used
from sonnx_formal.prover.site import Export, Exported, ProgramCall, Running, Site
from sonnx_formal.prover.tasks import Task

_What = TypeVar("_What")
_Ended = TypeVar("_Ended", ProcessEnd, Exported)


class StoppedError(Exception):
    """The run is over: what is not finished is dropped."""


class Launcher:
    """Starts the processes of a run, and ends them with it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = Lock()
        self._stopped = False
        self._running: set[Running[ProcessEnd] | Running[Exported]] = set()

    def __call__(self, call: ProgramCall) -> ProcessEnd:
        """Run a program. Raises `StoppedError` when the run is over before its end, `UserError`."""
        return self._ended(self._site.start, call)

    def export(self, export: Export) -> Exported:
        """Have Why3 read texts. Raises likewise."""
        return self._ended(self._site.export, export)

    def _ended(self, start: Callable[[_What], Running[_Ended]], what: _What) -> _Ended:
        with self._lock:
            if self._stopped:
                raise StoppedError
            running = start(what)
            self._running.add(running)
        ended = running.wait()
        with self._lock:
            self._running.discard(running)
        if ended.cancelled:
            raise StoppedError
        return ended

    def answer(
        self, prover: Prover, task: Task, steps: int | None, seconds: int, seed: int | None = None
    ) -> Answer:
        """What a prover says of a task within its steps; the seconds only end what counts none.

        :raises StoppedError: when the run is over before.
        """
        ended = self(prover.call(task.text, Limits(seconds, steps), seed))
        return answer(ended, steps, steps_used(prover, ended))

    def stop(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._stopped = True
            for running in self._running:
                running.kill()
