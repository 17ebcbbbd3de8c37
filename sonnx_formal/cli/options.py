"""Options that several commands have."""

import os
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

import click

from sonnx_formal.core.errors import UserError

STANDARD_OUTPUT = Path("-")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(text: str, *, dash: bool = False) -> Callable[[_Command], _Command]:
    """`--json PATH`, as `json_path`.

    :param dash: whether - is standard output.
    """

    def checked(
        _context: click.Context, _option: click.Parameter, path: Path | None
    ) -> Path | None:
        """Before a long run rather than after it."""
        if path and not (dash and path == STANDARD_OUTPUT):
            _check_writable(path)
        return path

    type_ = click.Path(path_type=Path, allow_dash=dash)
    return click.option(
        "--json", "json_path", metavar="PATH", type=type_, callback=checked, help=text
    )


def timeout_option(seconds: float, text: str) -> Callable[[_Command], _Command]:
    """`--timeout SECONDS` by the clock on the wall."""

    def checked(_context: click.Context, _option: click.Parameter, value: float) -> float:
        if isnan(value):  # of which no limit of a range is true or false
            raise click.BadParameter("nan is no time")
        return value

    return click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True, max=1_000_000),
        callback=checked,
        default=seconds,
        show_default=True,
        help=text,
    )


def seed_option(text: str) -> Callable[[_Command], _Command]:
    """`--seed N`: the same sources and the same seed give the same operands."""
    type_ = click.IntRange(min=0)
    return click.option("--seed", metavar="N", type=type_, default=0, show_default=True, help=text)


def _check_writable(path: Path) -> None:
    if path.is_dir():
        raise UserError(f"{path} is a folder: --json needs the name of a file")
    if not os.access(path.parent, os.W_OK | os.X_OK) or not path.parent.is_dir():
        raise UserError(f"{path}: its folder does not exist or cannot be written to")
