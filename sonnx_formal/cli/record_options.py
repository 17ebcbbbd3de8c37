"""What the commands that keep a record of slow evidence have in common."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sonnx_formal.evidence.loop import Effort


def record_options(
    subjects: str, seconds: int | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """FILE, `--jobs`, `--budget` and `--fresh`, which become `files` and `effort`.

    :param subjects: the word for what is worked on, such as `Goals`.
    :param seconds: the default of `--timeout`; without it there is no such option.
    """
    timeout = click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.IntRange(min=1),
        default=seconds,
        show_default=True,
        help="CPU time that a goal gets.",
    )
    decorators = [
        click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path)),
        *([timeout] if seconds else []),
        click.option(
            "--jobs",
            metavar="N",
            type=click.IntRange(min=1),
            default=len(os.sched_getaffinity(0)),
            show_default="all cores",
            help=f"{subjects} at a time.",
        ),
        click.option(
            "--budget",
            metavar="SECONDS",
            type=click.FloatRange(min=0, max=1_000_000),
            help="Leave the rest for the next run after so long; 0 only shows the record.",
        ),
        click.option("--fresh", is_flag=True, help="Ask again what the record knows."),
    ]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def with_effort(jobs: int, budget: float | None, fresh: bool, **others: Any) -> int:
            return command(effort=Effort(jobs, budget, fresh), **others)

        decorated: Callable[..., int] = with_effort
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        return decorated

    return decorate
