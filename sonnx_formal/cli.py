"""The command `sonnx-formal`."""

import importlib.metadata
import json
import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.text import Text

from sonnx_formal import doctor as machine
from sonnx_formal.backends import NAMES
from sonnx_formal.backends.process import CALL_SECONDS
from sonnx_formal.check import command as cross_check
from sonnx_formal.oracle import evaluation
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.oracle.frames import OPERATORS, READINGS, Operator, Reading
from sonnx_formal.oracle.oracle import TIMEOUT_SECONDS
from sonnx_formal.vectors import command as test_vectors
from sonnx_formal.vectors.case import Operator as VectorOperator
from sonnx_formal.why3.cache import cache_folder, write_atomically
from sonnx_formal.why3.errors import UserError
from sonnx_formal.why3.progress import Progress
from sonnx_formal.why3.prove import Mode, Request
from sonnx_formal.why3.prove import prove as run_prove
from sonnx_formal.why3.summary import BAD_INPUT, INTERRUPTED, as_json, exit_status, print_summary

VERSION = importlib.metadata.version("sonnx-formal")
_WIDTH_OF_A_PIPE = 120
_STANDARD_OUTPUT = Path("-")


def main() -> None:
    """The entry point: errors of the user's are one line, an interrupt is an exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        sys.exit(cli.main(standalone_mode=False))
    except UserError as error:
        click.echo(f"sonnx-formal: {error}", err=True)
        sys.exit(BAD_INPUT)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_INPUT)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sonnx-formal")
def cli() -> None:
    """Formal definitions of the SONNX operators: prove them, and check this machine."""


@cli.command()
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="CPU time that a prover gets for a goal.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=len(os.sched_getaffinity(0)),
    show_default="all cores",
    help="Provers at a time.",
)
@click.option("--fresh", is_flag=True, help="Believe nothing: read neither cache nor certificate.")
@click.option("--replay", is_flag=True, help="Only re-run the certificate, with step limits.")
@click.option(
    "--families",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Independent solver families that are to prove each goal.",
)
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the result as JSON.",
)
def prove(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    fresh: bool,
    replay: bool,
    families: int,
    json_path: Path | None,
) -> int:
    """Prove the goals of each FILE, or of the whole library.

    \b
    Exit status:
      0    everything is proved
      1    something is not proved
      2    bad input, or a tool is missing
      3    two provers contradict each other
      130  interrupted
    """
    if fresh and replay:
        raise click.UsageError("--fresh and --replay exclude each other")
    if json_path:
        _check_writable(json_path)
    mode = Mode.FRESH if fresh else Mode.REPLAY if replay else Mode.NORMAL
    request = Request(files, timeout, jobs, mode, families)
    console = _console()
    with Progress(console) as progress:
        report = run_prove(request, progress)
    _say_command(console)
    print_summary(console, report, request, cache_folder() / "unproved")
    if json_path:
        _write_json(json_path, as_json(report))
    return exit_status(report)


@cli.command()
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write what was found as JSON.",
)
def doctor(json_path: Path | None) -> int:
    """Show which tools are here, which are missing, and how to get them.

    The exit status is 1 when `prove` could not run.
    """
    tools = machine.examine()
    machine.print_tools(_console(), tools)
    if json_path:
        _write_json(json_path, machine.as_json(tools))
    return 0 if machine.can_prove(tools) else 1


# Negative numbers look like options.
@cli.command("eval", context_settings={"ignore_unknown_options": True})
@click.argument("operator", type=click.Choice(OPERATORS))
@click.argument("a")
@click.argument("b")
@click.option(
    "--type", "type_name", required=True, type=click.Choice([*NUMERICAL]), help="Of the elements."
)
@click.option(
    "--reading",
    type=click.Choice([one for one in READINGS if one]),
    help="r5: x/0 over floats as SONNX-DIV R5 has it to the letter. "
    "unlisted: matmul over bfloat16, which no document lists.",
)
@click.option("--bits", is_flag=True, help="Print bit patterns.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True, max=1_000_000),
    default=TIMEOUT_SECONDS,
    show_default=True,
    help="Time that the evaluation gets.",
)
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write the result as JSON instead; - is standard output.",
)
def evaluate(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    operator: Operator,
    a: str,
    b: str,
    type_name: str,
    reading: Reading | None,
    bits: bool,
    timeout: float,
    json_path: Path | None,
) -> int:
    """Evaluate an operator on A and B by its formal definition.

    A and B are nested lists: of 1, -0, 1.5e-3, 0x1.8p3, 1/3, inf, nan, bits:0x3c00, bits:0b101. A
    number that a float type does not have is rounded to nearest, ties to even; a line on standard
    error says so. Results are exact: decimal up to 17 digits, else hexadecimal.

    \b
    Examples:
      sonnx-formal eval mul --type float16 "[[1, 2]]" "[[3, nan]]"
      sonnx-formal eval div --type real "[1, 2/3]" "[3, 0]"
      sonnx-formal eval div --type float32 --reading r5 "[-1]" "[0]"
      sonnx-formal eval matmul --type int32 "[[1, 2]]" "[[3], [4]]"
      sonnx-formal eval mul --type int8 -128 -1

    \b
    Exit status:
      0    there is a result
      2    bad input, such as operands that violate a requirement, or a tool is missing
      130  interrupted
    """
    if bits and json_path:
        raise click.UsageError("--json has the bits in any case: leave --bits out")
    if json_path and json_path != _STANDARD_OUTPUT:
        _check_writable(json_path)
    result = evaluation.run(operator, type_name, a, b, reading=reading, timeout=timeout, note=_note)
    if json_path == _STANDARD_OUTPUT:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False))
    elif json_path:
        _write_json(json_path, result.as_json())
    else:
        click.echo(result.text(bits=bits))
    return 0


@cli.command()
@click.option("--op", "operators", multiple=True, type=click.Choice(OPERATORS), help="Only this.")
@click.option("--type", "types", multiple=True, type=click.Choice([*NUMERICAL]), help="Only this.")
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of what is drawn by chance.",
)
@click.option(
    "-o",
    "--output",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("build/vectors"),
    show_default=True,
    help="Write them there; vectors that are there already are replaced.",
)
@click.option(
    "--onnx",
    "onnx_directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write them in the layout of ONNX's backend tests.",
)
@click.option(
    "--verify",
    "verified",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Make nothing: check the hashes and results of the vectors there.",
)
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write what was done as JSON.",
)
@click.pass_context
def vectors(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    context: click.Context,
    operators: tuple[str, ...],
    types: tuple[str, ...],
    seed: int,
    directory: Path,
    onnx_directory: Path | None,
    verified: Path | None,
    json_path: Path | None,
) -> int:
    """Derive test vectors from the formal definitions.

    Operands of a dozen classes, from worked examples to rounding ties, and the results that the
    definitions give for them; `manifest.json` says of each case what it is there for.

    \b
    Examples:
      sonnx-formal vectors --op div --type float16 --type bfloat16 -o div16
      sonnx-formal vectors --onnx build/onnx
      sonnx-formal vectors --verify build/vectors

    \b
    Exit status:
      0    done
      1    something in the verified folder is not as it should be
      2    bad input, or a tool is missing
      130  interrupted: what was there before is there still
    """
    if json_path:
        _check_writable(json_path)
    console = _console()
    if verified:
        others = ("operators", "types", "seed", "directory", "onnx_directory")
        if any(context.get_parameter_source(one) is ParameterSource.COMMANDLINE for one in others):
            raise click.UsageError("--verify goes with no option but --json")
        verification = test_vectors.run_verify(verified, console)
        _say_command(console)
        test_vectors.print_verified(console, verification)
        if json_path:
            _write_json(json_path, test_vectors.verified_as_json(verification))
        return 1 if verification.differences else 0
    asked = [VectorOperator(one) for one in operators]
    request = test_vectors.Request(asked, types, seed, directory, onnx_directory)
    made = test_vectors.run_make(request, console)
    _say_command(console)
    test_vectors.print_made(console, made)
    if json_path:
        _write_json(json_path, test_vectors.made_as_json(made))
    return 0


@cli.command()
@click.option(
    "--backend",
    "backends",
    metavar="NAME,…",
    multiple=True,
    help=f"Of {', '.join(NAMES)} (the default is all of them), module:function, cmd:COMMAND.",
)
@click.option(
    "--require",
    "required",
    metavar="NAME",
    multiple=True,
    help="A backend that fails the check when it diverges or crashes; numpy always does.",
)
@click.option("--op", "operators", multiple=True, type=click.Choice(OPERATORS), help="Only this.")
@click.option("--type", "types", multiple=True, type=click.Choice([*NUMERICAL]), help="Only this.")
@click.option(
    "--vectors",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Take the cases that `sonnx-formal vectors` wrote there.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Of random cases."
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True, max=1_000_000),
    default=CALL_SECONDS,
    show_default=True,
    help="Time that a backend gets for a case.",
)
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the result as JSON.",
)
def check(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    backends: tuple[str, ...],
    required: tuple[str, ...],
    operators: tuple[str, ...],
    types: tuple[str, ...],
    folder: Path | None,
    seed: int,
    timeout: float,
    json_path: Path | None,
) -> int:
    """Cross-check implementations with the formal definitions.

    Each runs in a process of its own, so that a crash or a hang is a verdict. `numpy` is this
    project's; the runtimes are optional packages. A function is called as function(op, a, b) with
    NumPy arrays and returns one; a command gets four files, model.onnx, A.pb and B.pb to read and
    C.pb to write.

    \b
    Examples:
      sonnx-formal check --backend numpy,onnxruntime --op div
      sonnx-formal check --require mypackage.kernels:apply
      sonnx-formal check --require "cmd:./my_runner --threads 1"

    \b
    Exit status:
      0    numpy passes everything, and no required backend diverges or crashes
      1    one of them does not
      2    bad input, or a required backend is not installed
      130  interrupted
    """
    if json_path:
        _check_writable(json_path)
    asked = cross_check.Asked(backends, required, operators, types, folder, seed, timeout)
    console = _console()
    report = cross_check.run(asked, console)
    _say_command(console)
    cross_check.print_summary(console, report)
    if json_path:
        _write_json(json_path, cross_check.as_json(report))
    return cross_check.exit_status(report)


def _note(line: str) -> None:
    click.echo(f"sonnx-formal: {line}", err=True)


def _say_command(console: Console) -> None:
    command = shlex.join(["sonnx-formal", *sys.argv[1:]])
    console.print(Text(f"{command}  (version {VERSION})"), soft_wrap=True)


def _console() -> Console:
    """Standard output; in a pipe, wide enough that a table keeps its rows on a line each."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH_OF_A_PIPE)


def _check_writable(path: Path) -> None:
    """Before a long run rather than after it."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: --json needs the name of a file")
    if not os.access(path.parent, os.W_OK | os.X_OK) or not path.parent.is_dir():
        raise UserError(f"{path}: its folder does not exist or cannot be written to")


def _write_json(path: Path, value: dict[str, Any]) -> None:
    try:
        write_atomically(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
