"""The command `vectors`: from what a user asks for to folders and a report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from sonnx_formal.vectors.making import Made, Request, Step, make
from sonnx_formal.vectors.summary import (
    made_as_json,
    print_made,
    print_verified,
    verified_as_json,
)
from sonnx_formal.vectors.verifying import Verification, verify

__all__ = [
    "Request",
    "made_as_json",
    "print_made",
    "print_verified",
    "run_make",
    "run_verify",
    "verified_as_json",
]


def run_make(request: Request, console: Console) -> Made:
    """Make test vectors, and show how far it is on a terminal. Raises `UserError`."""
    with _progress(console, "generating") as step:
        return make(request, step)


def run_verify(directory: Path, console: Console) -> Verification:
    """Verify test vectors, and show how far it is on a terminal. Raises `UserError`."""
    with _progress(console, "verifying") as step:
        return verify(directory, step)


@contextmanager
def _progress(console: Console, doing: str) -> Iterator[Step]:
    """A line that comes and goes; in a pipe nothing, as it is a matter of seconds."""
    with console.status(f"{doing} test vectors") as status:

        def step(what: str, number: int, count: int) -> None:
            status.update(f"{doing} test vectors, {number}/{count}: {what}")

        yield step
