"""What commands print of evidence: a table with a row a file, and lines of text."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

_Entry = TypeVar("_Entry")


def print_by_file(  # noqa: PLR0913, PLR0917
    console: Console,
    names: Sequence[str],
    entries: Sequence[_Entry],
    name_of: Callable[[_Entry], str],
    cells: Callable[[Sequence[_Entry]], Sequence[object]],
    files: Sequence[str] = (),
) -> None:
    """A table of the files, with what all of them come to below.

    :param names: of the columns after that of the file.
    :param name_of: an entry begins with its file and a colon.
    :param cells: of a row, from the entries of the file.
    :param files: have a row whether there are entries or not.
    """
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, footer in zip(["file", *names], ["all", *map(str, cells(entries))], strict=True):
        justify: Literal["left", "right"] = "left" if name == "file" else "right"
        table.add_column(name, footer, justify=justify, no_wrap=True, header_style="bold")
    by_file: dict[str, list[_Entry]] = {file: [] for file in files}
    for entry in entries:
        by_file.setdefault(name_of(entry).partition(":")[0], []).append(entry)
    for file, mine in by_file.items():
        table.add_row(Text(file), *map(str, cells(mine)))
    console.print(table)


def say(console: Console, *lines: str) -> None:
    """Text as it stands, however long its lines are."""
    for line in lines:
        console.print(Text(line), soft_wrap=True)
