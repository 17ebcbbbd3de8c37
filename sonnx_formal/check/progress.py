"""How far a run is: one live line on a terminal, now and then a plain line in a pipe."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

_PLAIN_SECONDS = 5


class Progress:
    """Shows what is going on until its `with` block ends; to be called with a line of text."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = self._said_at = time.monotonic()
        self._status = Status("", console=console) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, line: str) -> None:
        """Say what is going on now."""
        now = time.monotonic()
        if self._status:
            self._status.update(f"{line}, {now - self._began:.0f} s")
        elif now - self._said_at >= _PLAIN_SECONDS:
            self._said_at = now
            self._console.print(f"{line}, {now - self._began:.0f} s", soft_wrap=True)
