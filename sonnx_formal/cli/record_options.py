"""The options of commands that keep a record of results about goals."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def record_options(seconds: int) -> Callable[[_Command], _Command]:
    """FILE, `--timeout`, `--jobs`, `--budget` and `--fresh`."""
    decorators = [
        click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path)),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.IntRange(min=1),
            default=seconds,
            show_default=True,
            help="CPU time that a goal gets.",
        ),
        click.option(
            "--jobs",
            metavar="N",
            type=click.IntRange(min=1),
            default=len(os.sched_getaffinity(0)),
            show_default="all cores",
            help="Goals at a time.",
        ),
        click.option(
            "--budget",
            metavar="SECONDS",
            type=click.FloatRange(min=0, max=1_000_000),
            help="Time for all goals together; the next run goes on from there.",
        ),
        click.option("--fresh", is_flag=True, help="Do not take what is recorded."),
    ]

    def decorate(command: _Command) -> _Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate
