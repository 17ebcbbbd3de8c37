"""What the commands have in common: options, how they end, what they print and write."""

import functools
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from sonnx_formal.core import documents
from sonnx_formal.core.errors import INTERNAL, INTERRUPTED, TERMINATED, UNREAD, UserError
from sonnx_formal.core.files import why_not_writable

if TYPE_CHECKING:
    from rich.console import Console

STANDARD_OUTPUT = Path("-")
CORES = len(os.sched_getaffinity(0))
_WIDTH_OF_A_PIPE = 120

_Document = TypeVar("_Document", bound=documents.Document)
Option = Callable[[Callable[..., Any]], Callable[..., Any]]
_Work = TypeVar("_Work", bound=Callable[..., Any])


@dataclass(frozen=True)
class CommandOutcome(Generic[_Document]):
    document: _Document
    """What `--json` writes."""
    show: Callable[["Console", _Document], None]
    status: int


def reporting(text: str) -> Callable[[Callable[..., CommandOutcome[Any]]], Callable[..., int]]:
    """The command has a `progress`; what came of it is printed and, with `--json`, written."""

    def decorate(work: Callable[..., CommandOutcome[Any]]) -> Callable[..., int]:
        @json_option(text)
        @functools.wraps(work)
        def command(*, json_path: Path | None, **given: Any) -> int:
            from sonnx_formal.core.terminal import Progress  # noqa: PLC0415 (as below)

            console = standard_output()
            with Progress(console) as progress:
                outcome = work(progress=progress, **given)
            say_command(console)
            outcome.show(console, outcome.document)
            if json_path:
                documents.write(json_path, outcome.document)
            return outcome.status

        return command

    return decorate


def exit_codes(  # noqa: PLR0913 (a parameter a code)
    holds: str,
    fails: str = "",
    *,
    bad: str = "bad input, or a tool is missing",
    special: str = "",
    interrupted: str = "interrupted",
    heading: str = "Exit status",
) -> Callable[[_Work], _Work]:
    """The help ends with what each code means; an empty text is for a code that there is not."""
    meanings = {0: holds, 1: fails, 2: bad, 3: special}
    meanings[INTERNAL] = "an error of this program: please report it"
    meanings |= {INTERRUPTED: interrupted, UNREAD: "nobody reads the output any more"}
    meanings[TERMINATED] = "interrupted by SIGTERM"

    def decorate(work: _Work) -> _Work:
        lines = (f"  {code:<4} {meaning}" for code, meaning in meanings.items() if meaning)
        work.__doc__ = "\n".join((cleandoc(work.__doc__ or ""), "\n\b", f"{heading}:", *lines))
        return work

    return decorate


def standard_output() -> "Console":
    """Standard output; in a pipe, wide enough that a table keeps its rows on a line each."""
    from rich.console import Console  # noqa: PLC0415 (commands that print a line do without)

    from sonnx_formal.core.terminal import PrintableHook  # noqa: PLC0415 (likewise)

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDTH_OF_A_PIPE)
    console.push_render_hook(PrintableHook())
    return console


def say_command(console: "Console") -> None:
    """Above the results: what was called, of which version."""
    import importlib.metadata  # noqa: PLC0415 (as above)

    from sonnx_formal.core.terminal import say  # noqa: PLC0415

    command = shlex.join(["sonnx-formal", *sys.argv[1:]])
    say(console, f"{command}  (version {importlib.metadata.version('sonnx-formal')})")


def path_option(names: str, metavar: str, text: str, **settings: Any) -> Option:
    """An option that names a file or a folder; its own names and the argument's are one text."""
    given: dict[str, Any] = {"type": click.Path(path_type=Path), "show_default": True} | settings
    return click.option(*names.split(), metavar=metavar, help=text, **given)


def written_option(names: str, metavar: str, text: str, *, dash: bool = False) -> Option:
    """An option for a file to write, looked at before the work; with `dash`, - is allowed."""

    def checked(_context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
        if path is None or (dash and path == STANDARD_OUTPUT):
            return path
        if why := why_not_writable(path):
            raise UserError(f"{path}: {why}: {option.opts[0]} needs the name of a file")
        return path

    type_ = click.Path(path_type=Path, allow_dash=dash)
    return path_option(names, metavar, text, type=type_, callback=checked)


def json_option(text: str, *, dash: bool = False) -> Option:
    """`--json PATH`, as `json_path`."""
    return written_option("--json json_path", "PATH", text, dash=dash)


def number_option(name: str, default: float, text: str, **settings: Any) -> Option:
    """An option that is a whole number from 1 on, or as `settings` say for `click.option`."""
    given: dict[str, Any] = {"metavar": "N", "type": click.IntRange(min=1), "show_default": True}
    return click.option(name, default=default, help=text, **given | settings)


def scheduler_option() -> Option:
    """`--scheduler ADDRESS` of a cluster; for a command that has many independent jobs."""
    text = "Have the workers of a Dask cluster do it, such as tcp://host:8786."
    return click.option("--scheduler", metavar="ADDRESS", help=text)


def timeout_option(seconds: float, text: str) -> Option:
    """`--timeout SECONDS` by the clock on the wall."""
    type_ = click.FloatRange(min=0, min_open=True, max=1_000_000)
    given = {"metavar": "SECONDS", "type": type_, "callback": a_time}
    return number_option("--timeout", seconds, text, **given)


def a_time(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    if value is not None and isnan(value):  # of which no limit of a range is true or false
        raise click.BadParameter("nan is no time")
    return value


def seed_option(text: str) -> Option:
    """`--seed N`: the same sources and the same seed give the same operands."""
    return number_option("--seed", 0, text, type=click.IntRange(min=0))
