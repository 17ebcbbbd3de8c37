"""What defines and proves: `doctor`, `prove`."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.cli.conventions import (
    CORES,
    CommandOutcome,
    exit_codes,
    json_option,
    number_option,
    reporting,
    say_command,
    scheduler_option,
    standard_output,
)
from sonnx_formal.cluster.connection import cluster_at
from sonnx_formal.core import documents
from sonnx_formal.core.documents import Document, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.terminal import Progress, say
from sonnx_formal.prover.document import document
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.prover.prove import ProofRequest, prove
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.sources import find_library, library_sha256, library_sources
from sonnx_formal.prover.summary import exit_status, print_summary

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


@click.command("prove")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@number_option("--timeout", 10, "CPU time that a prover gets for a goal.", metavar="SECONDS")
# No core waits while one prover ends and the next one starts.
@number_option("--jobs", CORES + 1, "Provers at a time.", show_default="one more than cores")
@scheduler_option()
@click.option("--fresh", is_flag=True, help="Believe nothing: read neither cache nor certificate.")
@click.option("--replay", is_flag=True, help="Only re-run the certificate, with step limits.")
@number_option("--families", 1, "Independent solver families that are to prove each goal.")
@click.option("--stop-at-first-failure", is_flag=True, help="End when a goal is not proved.")
@click.option("--cores", is_flag=True, help="Look for cores of old goals as well.")
@json_option("Write the result as JSON.")
@exit_codes(
    "everything is proved",
    "something is not, or rests on what is not",
    special="two provers contradict each other",
)
def prove_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    scheduler: str | None,
    fresh: bool,
    replay: bool,
    families: int,
    stop_at_first_failure: bool,
    cores: bool,
    json_path: Path | None,
) -> int:
    """Prove the goals of each FILE, or of the whole library."""
    if fresh and replay:
        raise click.UsageError("--fresh and --replay exclude each other")
    if cores and (files or replay):
        raise click.UsageError("--cores is for a run of the whole library that is no replay")
    mode = Mode.FRESH if fresh else Mode.REPLAY if replay else Mode.NORMAL
    # What is proved has no use for explanations, and these take Why3 time.
    described = json_path is not None
    request = ProofRequest(
        files, timeout, jobs, mode, families, described, stop_at_first_failure, cores
    )
    console = standard_output()
    with Progress(console) as progress, cluster_at(scheduler, progress) as cluster:
        request = replace(request, cluster=cluster)
        found = prove(request, progress)
    say_command(console)
    print_summary(console, found, request, cache_folder() / "unproved")
    if json_path and found.rejected:
        say(console, f"{json_path} was not written: the goals of these files are unknown")
    elif json_path:
        if library_sha256(find_library()) != found.made.library_sha256:
            raise UserError(f"{json_path}: the formal sources changed meanwhile: prove them again")
        documents.write(json_path, document(found))
    return exit_status(found)


@click.command("doctor")
@reporting("Write what was found as JSON.")
@exit_codes("`prove` can run here", "it cannot", bad="bad input")
def doctor_command(progress: Progress) -> CommandOutcome[MachineReport]:
    """Show which tools are here, and how to get missing ones."""
    progress("looking for tools")
    tools = tuple(_tools())
    found = {tool.name for tool in tools if tool.version is not None}
    can_prove = {"why3", "prlimit", "library"} <= found and bool(found & _PROVERS.keys())
    return CommandOutcome(MachineReport(can_prove, tools), _print_tools, 0 if can_prove else 1)


def _print_tools(console: Console, machine: MachineReport) -> None:
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
    util_linux, extraction = "apt-get install util-linux", "running the definitions"
    here = {prover.name: prover for prover in find_provers()}
    ocamlopt = partial(_program, "ocamlopt", "-version")
    rows: list[tuple[str, str, Callable[[], tuple[str, str]], str]] = [
        ("why3", "goals", _why3, "apt-get install why3"),
        ("prlimit", "limits on provers", partial(_program, "prlimit"), util_linux),
        ("setpriv", "no prover outlives us", partial(_program, "setpriv"), util_linux),
        ("library", "definitions", _library, "run inside a clone of the repository"),
        *((name, "proofs", partial(_prover, here, name), get) for name, get in _PROVERS.items()),
        ("ocamlfind", extraction, partial(_ocaml, "findlib"), "apt-get install ocaml-findlib"),
        ("ocamlopt", extraction, ocamlopt, "apt-get install ocaml-nox"),
        ("zarith", extraction, partial(_ocaml, "zarith"), "apt-get install libzarith-ocaml-dev"),
        ("cc", "kernels in C", partial(_program, "cc"), "apt-get install gcc libc6-dev"),
    ]
    for name, purpose, look, remedy in rows:
        try:
            yield MachineTool(name, purpose, *look(), remedy)
        except UserError as error:
            yield MachineTool(name, purpose, None, str(error), remedy)


def _program(name: str, option: str = "--version") -> tuple[str, str]:
    path = _on_path(name, "not on the PATH")
    return first_line([path, option]).rpartition(" ")[2], path


def _prover(here: Mapping[str, Prover], name: str) -> tuple[str, str]:
    if name not in here:
        raise UserError("")
    return here[name].version, here[name].command[-1 if name == "cvc5" else 0]


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
