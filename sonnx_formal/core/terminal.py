"""What commands print: lines of text, and a table with a row a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

_Entry = TypeVar("_Entry")


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
