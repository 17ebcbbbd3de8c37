"""How far a run is: one live line on a terminal, now and then a plain line in a pipe."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sonnx_formal.why3.schedule import Snapshot

_PLAIN_SECONDS = 5


class Progress:
    """Shows progress on a console until its `with` block ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._said_at = self._began
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def warn(self, line: str) -> None:
        """Say something beside the progress."""
        self._console.print(Text(line), soft_wrap=True)

    def reading(self, files: int) -> None:
        """Why3 is making the goals."""
        self._show(f"reading {files} file{'s' * (files != 1)} with Why3")

    def update(self, snapshot: Snapshot) -> None:
        """Goals are being proved."""
        done = f"{snapshot.proved + snapshot.unproved}/{snapshot.total} goals"
        unproved = f", {snapshot.unproved} not proved" if snapshot.unproved else ""
        current = ", ".join(snapshot.current)
        line = f"{done}{unproved}, {self._elapsed():.0f} s"
        self._show(f"{line}: {current}" if current else line)

    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    def _show(self, line: str) -> None:
        if self._console.is_terminal:
            if self._live is None:
                self._live = Live(console=self._console, transient=True, refresh_per_second=8)
                self._live.start()
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
        elif time.monotonic() - self._said_at >= _PLAIN_SECONDS:
            self._said_at = time.monotonic()
            self._console.print(Text(line), soft_wrap=True)
