"""The command `doctor`: which tools this machine has, and how to get those that are missing."""

import shutil
import sys
from collections.abc import Callable, Iterator

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.cli.conventions import CommandOutcome, reporting
from sonnx_formal.core.documents import Document, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.core.terminal import say
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.sources import find_library, library_sources

_PROVERS = {
    "z3": f"{sys.executable} -m pip install z3-solver",
    "cvc5": f"{sys.executable} -m pip install cvc5",
    "cvc4": "apt-get install cvc4",
}


class MachineTool(Part, frozen=True):
    """A tool, found or not."""

    name: str
    purpose: str
    version: str | None
    """None when it is missing or does not work."""
    where: str
    remedy: str
    """What gets it."""


class MachineReport(Document, frozen=True, tag="sonnx-formal/doctor/1"):
    """The output of `sonnx-formal doctor --json`."""

    command = "doctor --json PATH"

    can_prove: bool
    """Whether `sonnx-formal prove` can run: what it needs, and at least one prover."""
    tools: tuple[MachineTool, ...]


@click.command("doctor")
@reporting("Write what was found as JSON.")
def command(progress: Progress) -> CommandOutcome[MachineReport]:
    """Show which tools are here, and how to get missing ones.

    The exit status is 1 when `prove` could not run.
    """
    progress("looking for tools")
    tools = tuple(_tools())
    found = {tool.name for tool in tools if tool.version is not None}
    can_prove = {"why3", "prlimit", "library"} <= found and bool(found & _PROVERS.keys())
    return CommandOutcome(MachineReport(can_prove, tools), _print_tools, 0 if can_prove else 1)


def _print_tools(console: Console, machine: MachineReport) -> None:
    """A table of what was found, then what is missing with the command that gets it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("tool", "version", "for", "where"):
        table.add_column(column, header_style="bold", overflow="fold")
    for tool in machine.tools:
        version = Text("missing", "red") if tool.version is None else Text(tool.version)
        table.add_row(tool.name, version, tool.purpose, Text(tool.where))
    console.print(table)
    lines = [f"  {tool.name}: {tool.remedy}" for tool in machine.tools if tool.version is None]
    if lines:
        lines.insert(0, "\nmissing (`make setup` gets all that it can):")
    lines.append(f"\ncache: {cache_folder()}")
    if not machine.can_prove:
        lines.append("`sonnx-formal prove` cannot run here")
    say(console, *lines)


def _tools() -> Iterator[MachineTool]:
    yield _tool("why3", "goals", _why3, "apt-get install why3")
    yield _program("prlimit", "limits on provers", "--version", "apt-get install util-linux")
    yield _program("setpriv", "no prover outlives us", "--version", "apt-get install util-linux")
    yield _tool("library", "definitions", _library, "run inside a clone of the repository")
    here = {prover.name: prover for prover in find_provers()}
    for name, remedy in _PROVERS.items():
        prover = here.get(name)
        where = prover.command[-1 if name == "cvc5" else 0] if prover else ""
        yield MachineTool(name, "proofs", prover.version if prover else None, where, remedy)
    extraction, zarith = "running the definitions", "apt-get install libzarith-ocaml-dev"
    yield _tool("ocamlfind", extraction, lambda: _ocaml("findlib"), "apt-get install ocaml-findlib")
    yield _program("ocamlopt", extraction, "-version", "apt-get install ocaml-nox")
    yield _tool("zarith", extraction, lambda: _ocaml("zarith"), zarith)
    yield _program("cc", "kernels in C", "--version", "apt-get install gcc libc6-dev")


def _tool(name: str, purpose: str, look: Callable[[], tuple[str, str]], remedy: str) -> MachineTool:
    try:
        return MachineTool(name, purpose, *look(), remedy)
    except UserError as error:
        return MachineTool(name, purpose, None, str(error), remedy)


def _program(name: str, purpose: str, version_option: str, remedy: str) -> MachineTool:
    def look() -> tuple[str, str]:
        path = _on_path(name, "not on the PATH")
        return first_line([path, version_option]).rpartition(" ")[2], path

    return _tool(name, purpose, look, remedy)


def _on_path(name: str, otherwise: str) -> str:
    if path := shutil.which(name):
        return path
    raise UserError(otherwise)


def _why3() -> tuple[str, str]:
    why3 = find_why3()
    return why3.version, why3.path


def _ocaml(library: str) -> tuple[str, str]:
    query = [_on_path("ocamlfind", "needs ocamlfind"), "query"]
    return first_line([*query, "-format", "%v", library]), first_line([*query, library])


def _library() -> tuple[str, str]:
    library = find_library()
    return f"{len(library_sources(library))} files", str(library)
