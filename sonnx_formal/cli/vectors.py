"""The command `vectors`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from click.core import ParameterSource
from rich.console import Console

from sonnx_formal.cli.options import json_option, seed_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.cli.selection import operators_option, types_option
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.vectors.making import Step, VectorsRequest, make
from sonnx_formal.vectors.summary import print_generation, print_verification
from sonnx_formal.vectors.verifying import verify


@click.command("vectors")
@operators_option
@types_option
@seed_option("Of what is drawn by chance.")
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
@json_option("Write what was done as JSON.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
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
    if verified:
        others = ("operators", "types", "seed", "directory", "onnx_directory")
        if any(
            context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in others
        ):
            raise click.UsageError("--verify goes with no option but --json")
        return _verify(verified, json_path)
    asked = [operator(name) for name in operators]
    return _make(VectorsRequest(asked, types, seed, directory, onnx_directory), json_path)


def _make(request: VectorsRequest, json_path: Path | None) -> int:
    console = standard_output()
    with _steps(console, "generating") as step:
        made = make(request, step)
    say_command(console)
    print_generation(console, made)
    if json_path:
        documents.write(json_path, made)
    return 0


def _verify(directory: Path, json_path: Path | None) -> int:
    console = standard_output()
    with _steps(console, "verifying") as step:
        verification = verify(directory, step)
    say_command(console)
    print_verification(console, verification)
    if json_path:
        documents.write(json_path, verification)
    return 1 if verification.differences else 0


@contextmanager
def _steps(console: Console, doing: str) -> Iterator[Step]:
    with Progress(console) as progress:

        def step(what: str, number: int, count: int) -> None:
            progress(f"{doing} test vectors, {number}/{count}", what)

        yield step
