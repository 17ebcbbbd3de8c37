"""Commands of ours side by side, each of which starts when those are over that it needs.

Most of them take one core. What they say is kept, and shown when they end.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from sonnx_formal.core.errors import INTERRUPTED, TERMINATED
from sonnx_formal.core.processes import dies_with_us, uninterrupted

_AT_A_TIME = 2
"""More would need more memory than plain machines have: each may take 2 GB."""
_WAITED_SECONDS = 0.1


class Command(NamedTuple):
    """One of `sonnx-formal`."""

    name: str
    arguments: tuple[str, ...]
    """After the name of the program."""
    needs: frozenset[str]
    """The names of others, without which it does not start."""


class CommandEnd(NamedTuple):
    """How a command ended."""

    name: str
    code: int
    seconds: float
    said: str
    """On both its outputs."""


def run_all(
    commands: Sequence[Command],
    ended: Callable[[CommandEnd], None],
    busy: Callable[[str], None] = lambda _names: None,
    *,
    shown: bool = False,
) -> None:
    """Run the commands, in this order as far as they do not wait for others.

    :param ended: is told of each when it ends.
    :param busy: is told now and then which of them run.
    :param shown: they show themselves what they say, so that none of it is kept.
    :raises KeyboardInterrupt: when this program or one of the commands is interrupted. Then all of
        them have ended.
    """
    waiting = [*commands]
    running: dict[str, _Running] = {}
    try:
        while waiting or running:
            while len(running) < _AT_A_TIME and (found := _first_ready(waiting, running)):
                waiting.remove(found)
                with uninterrupted():
                    running[found.name] = _Running.start(found, shown=shown)
            busy(", ".join(running))
            time.sleep(_WAITED_SECONDS)
            for name, each in [*running.items()]:
                code = each.process.poll()
                if code is None:
                    continue
                if code in {INTERRUPTED, TERMINATED}:
                    raise KeyboardInterrupt
                del running[name]
                ended(CommandEnd(name, code, time.monotonic() - each.began, each.said()))
    except BaseException:
        for each in running.values():
            each.process.terminate()  # it may have had no signal, and takes no second one
        for each in running.values():
            each.process.wait()
            each.said()
        raise


def span(commands: Sequence[Command], seconds: Mapping[str, float]) -> float:
    """How long all of them take, where each takes so long; nothing, if it is not known."""
    waiting, now = [*commands], 0.0
    running: dict[str, float] = {}
    """When each ends."""
    while waiting or running:
        while len(running) < _AT_A_TIME and (found := _first_ready(waiting, running)):
            waiting.remove(found)
            running[found.name] = now + seconds.get(found.name, 0)
        first = min(running, key=lambda name: running[name])
        now = running.pop(first)
    return now


@dataclass(frozen=True)
class _Running:
    process: "subprocess.Popen[bytes]"
    output: IO[bytes] | None
    began: float

    @staticmethod
    def start(command: Command, *, shown: bool) -> "_Running":
        output = None if shown else TemporaryFile()  # noqa: SIM115 (it is closed when it is read)
        return _Running(_started(command.arguments, output), output, time.monotonic())

    def said(self) -> str:
        if self.output is None:
            return ""
        with self.output as output:
            output.seek(0)
            return output.read().decode(errors="replace")


def _started(arguments: Sequence[str], output: IO[bytes] | None) -> "subprocess.Popen[bytes]":
    """A command, by the thread that goes on: it is killed when its thread ends."""
    program = [*dies_with_us(), sys.executable, "-m", "sonnx_formal", *arguments]
    stderr = None if output is None else subprocess.STDOUT
    width = str(shutil.get_terminal_size().columns)  # it sees no terminal
    variables = os.environ if output is None else os.environ | {"COLUMNS": width}
    return subprocess.Popen(program, stdout=output, stderr=stderr, env=variables)


def _first_ready(waiting: Sequence[Command], running: Collection[str]) -> Command | None:
    """The first that needs none of those that wait or run."""
    open_ = {*running, *(each.name for each in waiting)}
    found = next((each for each in waiting if each.needs.isdisjoint(open_)), None)
    if waiting and not running and not found:
        raise ValueError(f"each of these needs another: {', '.join(sorted(open_))}")
    return found
