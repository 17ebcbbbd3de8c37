"""Where provers and Why3 run: on this machine, or on others that have the same versions of them.

What is to be run says nothing of a machine but where the program is on this one: a text, options
and limits, and of Why3 the texts of files. So the answer is the same wherever it is found out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process, ProcessEnd
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.tasks import Chosen, Exporter, Task

End_co = TypeVar("End_co", covariant=True)
_EXPORT_SECONDS = 120


@dataclass(frozen=True)
class Program:
    """A program that answers a text. Name and version say which it is on any machine."""

    name: str
    version: str
    command: tuple[str, ...]
    """Where it is on this machine, with the options that it always has."""


@dataclass(frozen=True)
class ProgramCall:
    """A program, a text for it, and what it may take."""

    program: Program
    options: tuple[str, ...]
    text: str = field(repr=False)
    """On its standard input."""
    seconds: int
    """Of CPU time."""


@dataclass(frozen=True)
class Export:
    """A question to Why3: the tasks of goals of a file."""

    why3: Why3
    file: str
    texts: Mapping[str, str] = field(repr=False)
    """Of this file and of all that it uses, by name relative to the library."""
    chosen: tuple[Chosen, ...]
    """The goals that are wanted; none for all."""
    split: bool
    """Whether the tasks are those of the pieces of goals."""


@dataclass(frozen=True)
class Exported:
    """What Why3 says."""

    tasks: tuple[tuple[str, str, Task], ...] = ()
    """Module (as in names of files), goal, and task of each."""
    rejected: str = ""
    """Why it does not accept the file; empty when it does."""
    cancelled: bool = False


class Running(Protocol[End_co]):
    """Something that runs, which any thread may end."""

    def kill(self) -> None:
        """End it. Its `wait` then says that it was cancelled."""

    def wait(self) -> End_co:
        """Wait for its end; call it once. Raises `UserError` when nobody is there to run it."""


class Site(Protocol):
    """Where programs and Why3 run."""

    @property
    def width(self) -> int:
        """How many at a time."""

    @property
    def elsewhere(self) -> Mapping[str, int]:
        """How many jobs were done on other machines so far, by who did them."""

    def start(self, call: ProgramCall, /) -> Running[ProcessEnd]:
        """Start a program. Raises `UserError` when that is impossible."""

    def export(self, export: Export, /) -> Running[Exported]:
        """Start Why3 on texts of files."""


@dataclass(frozen=True)
class Here:
    """This machine."""

    width: int
    elsewhere: Mapping[str, int] = field(default_factory=dict, init=False)

    def start(self, call: ProgramCall) -> Process:
        return start_here(call)

    def export(self, export: Export) -> "_ExportHere":
        return _ExportHere(export)


def start_here(call: ProgramCall) -> Process:
    """Start a program on this machine. Raises `UserError` when that is impossible."""
    program = call.program
    try:
        return Process([*program.command, *call.options], call.text, call.seconds)
    except OSError as error:
        raise UserError(f"{program.name} could not be started: {error}") from None


def export_here(export: Export) -> Exported:
    """Have the Why3 of this machine read texts, in a folder that is there as long as it takes."""
    with TemporaryDirectory(prefix="sonnx-formal-edited-") as root:
        library = Path(root) / "why3"
        for name, text in export.texts.items():
            path = library / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        exporter = Exporter(export.why3, Path(root), (library,))
        path = library / export.file
        try:
            found = exporter.tasks(path, export.chosen, _EXPORT_SECONDS, split=export.split)
            return Exported(tuple(found))
        except UserError as error:
            return Exported(rejected=str(error).replace(f"{library}/", ""))


@dataclass(frozen=True, eq=False)
class _ExportHere:
    export: Export

    def kill(self) -> None:
        """Why3 takes a second, and ends with this program: nobody waits for long."""

    def wait(self) -> Exported:
        return export_here(self.export)
