"""How far a run is: one live line on a terminal; in a pipe what is done, or a line now and then."""

import time
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from sonnx_formal.core.terminal import say

_PLAIN_SECONDS = 30
Step = Callable[[str, str], None]
"""Is told how far it is, and what is going on now, as a `Progress` is."""


class Progress:
    """Shows how far a run is until its `with` block ends; to be called with a line of text."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = self._said_at = time.monotonic()
        self._done = self._current = ""
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def __call__(self, done: str, current: str = "") -> None:
        """Say how far it is, and what is going on now if that is apart; the time goes between."""
        self._done, self._current = done, current
        if self._console.is_terminal:
            if self._live is None:
                # Asked for the line each time, so that the seconds go on when nothing else does.
                self._live = Live(
                    console=self._console,
                    transient=True,
                    refresh_per_second=8,
                    get_renderable=self._line,
                )
                self._live.start()
        elif time.monotonic() - self._said_at >= _PLAIN_SECONDS:
            self._said_at = time.monotonic()
            self._console.print(self._line(), soft_wrap=True)

    def log(self, line: str) -> None:
        """Say that a part is done, where no live line shows it."""
        if not self._console.is_terminal:
            self._said_at = time.monotonic()
            say(self._console, line)

    def warn(self, line: str) -> None:
        say(self._console, line)

    def _line(self) -> Text:
        current = f": {self._current}" if self._current else ""
        line = f"{self._done}, {time.monotonic() - self._began:.0f} s{current}"
        return Text(line, no_wrap=True, overflow="ellipsis")
