"""A record that is kept up to date while results come in."""

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.records.each import End, Launcher, for_each
from sonnx_formal.evidence.records.record import Record, Result, current
from sonnx_formal.evidence.records.selection import Selection
from sonnx_formal.prover.goals import Goal

_SECONDS = 10


class Keeping:
    """Writes a record now and then, and when its `with` block ends, however it ends."""

    def __init__(self, record: Record, selection: Selection, before: dict[str, Result]) -> None:
        """Results about goals of the selected files that are no more are dropped."""
        self._record = record
        self._before = before
        self._written_at = time.monotonic()
        files = (
            {one["goal"].partition(":")[0] for one in before.values()} if selection.whole else ()
        )
        self.results = current(before, selection.goals, {*selection.files, *files})

    def keep(self, goal: Goal, result: Result) -> None:
        """Raises `UserError` when the record cannot be written."""
        self.results[goal.task.sha256] = result
        if time.monotonic() - self._written_at >= _SECONDS:
            self._write()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self.results != self._before:
            self._write()

    def _write(self) -> None:
        self._record.write(self.results)
        self._written_at = time.monotonic()


@dataclass(frozen=True)
class Effort:
    """What a run may take."""

    jobs: int
    budget: float | None
    """Seconds by the clock on the wall."""
    fresh: bool
    """Whether to find out anew what is recorded."""


class Inquiry(Protocol):
    """What is to be found out about each goal."""

    def holds(self, result: Result) -> bool:
        """Whether a recorded result is about the tools that are here."""

    def knows(self, result: Result) -> bool:
        """Whether a result that holds need not be found out again, say with larger limits."""

    def __call__(self, goal: Goal, launch: Launcher) -> Result:
        """Find it out."""


def find_out(
    record: Record, selection: Selection, inquiry: Inquiry, effort: Effort, progress: Progress
) -> tuple[dict[str, Result], End]:
    """The results that hold for the selected goals, by task, and how the run ended.

    Raises `UserError` when the record cannot be read or written.
    """
    before = record.read()
    wanted = selection.tasks()
    recorded = {goal.task.sha256: before.get(goal.task.sha256) for goal in wanted}
    held = {task: one for task, one in recorded.items() if one and inquiry.holds(one)}
    done = {task for task, one in held.items() if not effort.fresh and inquiry.knows(one)}
    open_ = [goal for goal in wanted if goal.task.sha256 not in done]
    with Keeping(record, selection, before) as keeping:

        def keep(goal: Goal, result: Result) -> None:
            held[goal.task.sha256] = result
            done.add(goal.task.sha256)
            keeping.keep(goal, result)
            progress(f"{len(done)}/{len(wanted)} goals", goal.id)

        end = for_each(open_, inquiry, keep, jobs=effort.jobs, seconds=effort.budget)
    return held, end
