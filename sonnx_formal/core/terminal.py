"""What commands print: lines of text, a table with a row a file, and how far a run is."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.texts import one_line, printable

_Entry = TypeVar("_Entry")
_PLAIN_SECONDS = 30
Step = Callable[[str, str], None]
"""Is told how far it is, and what is going on now, as a `Progress` is."""


class PrintableHook(RenderHook):
    """Of whatever a console prints, no text steers the terminal: styles alone do."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(each) for each in renderables]


@dataclass(frozen=True)
class _Printable:
    content: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self.content, options):
            yield Segment(text if control else printable(text), style, control)


def say(console: Console, *lines: str, style: str = "") -> None:
    """Print lines as they are: what looks like markup is data, and no line is broken."""
    for line in lines:
        console.print(Text(line, style), soft_wrap=True)


def print_by_file(
    console: Console,
    entries: Sequence[_Entry],
    name_of: Callable[[_Entry], str],
    row: Callable[[Sequence[_Entry]], Mapping[str, object]],
    files: Sequence[str] = (),
) -> None:
    """A table of the files, with what all of them come to below.

    :param name_of: an entry begins with its file and a colon.
    :param row: what the entries of a file come to, by the name of the column.
    :param files: have a row whether there are entries or not.
    """
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(Text("file", "bold"), "all", overflow="fold")  # numbers are never cut
    for name, footer in row(entries).items():
        heading, number = Text(name.replace("_", " "), "bold"), str(footer)
        table.add_column(heading, number, justify="right", no_wrap=True)
    by_file: dict[str, list[_Entry]] = {file: [] for file in files}
    for entry in entries:
        by_file.setdefault(name_of(entry).partition(":")[0], []).append(entry)
    for file, mine in by_file.items():
        table.add_row(Text(file), *map(str, row(mine).values()))
    console.print(table)


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
        self.pause()

    def pause(self) -> None:
        """Show nothing until it is called again, for what is printed elsewhere meanwhile."""
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
        current = f": {one_line(self._current)}" if self._current else ""  # it goes by no hook
        line = f"{self._done}, {time.monotonic() - self._began:.0f} s{current}"
        return Text(line, no_wrap=True, overflow="ellipsis")
