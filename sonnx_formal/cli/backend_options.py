"""The options of commands that ask implementations."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from sonnx_formal.backends.catalogue import NAMES, OURS, checked_names

_Result = TypeVar("_Result")


def asks_backends(must: str) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """`--backend` and `--require`, as `backends` (all that are asked) and `required`.

    :param must: what a required backend must not do.
    """

    def decorate(work: Callable[..., _Result]) -> Callable[..., _Result]:
        @click.option(
            "--backend",
            "backends",
            metavar="NAME,…",
            multiple=True,
            help=f"Of {', '.join(NAMES)} (the default is all of them), module:function, "
            "cmd:COMMAND.",
        )
        @click.option(
            "--require",
            "required",
            metavar="NAME",
            multiple=True,
            help=f"{must}; without --backend, these run alone. {', '.join(OURS)} always fail it.",
        )
        @functools.wraps(work)
        def command(
            *, backends: tuple[str, ...], required: tuple[str, ...], **given: Any
        ) -> _Result:
            demanded = checked_names(required)
            asked = list(dict.fromkeys([*checked_names(backends), *demanded])) or NAMES
            return work(backends=asked, required=frozenset(demanded), **given)

        return command

    return decorate
