"""The command `lint`."""

import importlib.metadata
from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.progress import Progress
from sonnx_formal.lint.document import lint_document
from sonnx_formal.lint.errors import FixError, ModelError
from sonnx_formal.lint.examination import examine
from sonnx_formal.lint.fix import fix
from sonnx_formal.lint.fixed_inputs import FixedInput, parse
from sonnx_formal.lint.reading import read
from sonnx_formal.lint.sarif import as_sarif
from sonnx_formal.lint.summary import EXIT_STATUS, print_fix, print_summary

REFUSED = 1
UNREADABLE = 3


def _fixed(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[FixedInput, ...]:
    try:
        return tuple(map(parse, texts))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _file(_context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Before a long run rather than after it."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise UserError(
            f"{path} is a folder, or in none: {option.opts[0]} needs the name of a file"
        )
    return path


@click.command("lint")
@click.argument("model", metavar="MODEL.onnx", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "fixed",
    metavar="NAME=1x3x224x224",
    multiple=True,
    callback=_fixed,
    help="The shape of an input that the model leaves open; NAME= is rank 0. Repeatable.",
)
@click.option("--fix", "fixing", is_flag=True, help="Make broadcasting explicit; goes with -o.")
@click.option(
    "-o",
    "--output",
    metavar="OUT.onnx",
    type=click.Path(path_type=Path),
    callback=_file,
    help="Where --fix writes to; a file there is replaced, MODEL.onnx included.",
)
@json_option("Write the result as JSON.")
@click.option(
    "--sarif",
    "sarif_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    callback=_file,
    help="Write the findings as SARIF 2.1.0.",
)
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    model: Path,
    fixed: tuple[FixedInput, ...],
    fixing: bool,
    output: Path | None,
    json_path: Path | None,
    sarif_path: Path | None,
) -> int:
    """Tell which nodes of a model are inside the SONNX profile.

    Of the operators that SONNX declares here, in inner graphs and called functions, too. Nothing
    is run: what is judged are operands, attributes, types, shapes, storage and constant divisors.
    Each node conforms, violates a requirement, or cannot be decided statically; other operators
    are counted and not judged. A model conforms only if each of its nodes was judged and does.

    With --fix, operands that are broadcast get an Expand with a constant shape, where shapes are
    known; inputs that --input fixes are fixed in OUT.onnx. It is written only after ONNX's
    reference evaluator gave the same bits for both models, special values among the operands.

    \b
    Examples:
      sonnx-formal lint model.onnx
      sonnx-formal lint model.onnx --input image=1x3x224x224 --sarif lint.sarif
      sonnx-formal lint model.onnx --fix -o explicit.onnx

    \b
    Exit status (with --fix: of the model that was written):
      0    every node was judged and conforms
      1    a node violates a requirement; or --fix refuses, and nothing is written
      2    nothing violates, and a node cannot be decided statically or is not judged; or bad usage
      3    the file cannot be read
      130  interrupted: what was there before is there still
    """
    if fixing != (output is not None):
        raise click.UsageError("--fix and -o go together")
    try:
        return _lint(model, fixed, output, json_path, sarif_path)
    except ModelError as error:
        click.echo(f"sonnx-formal: {error}", err=True)
        return UNREADABLE


def _lint(
    path: Path,
    fixed: tuple[FixedInput, ...],
    output: Path | None,
    json_path: Path | None,
    sarif_path: Path | None,
) -> int:
    model = read(path)
    examination = examine(model, path, fixed)
    status = EXIT_STATUS[examination.verdict]
    console = standard_output()
    say_command(console)
    print_summary(console, examination)
    fixed_model = None
    try:
        if output:
            with Progress(console) as progress:
                fixed_model = fix(model, examination, fixed, output, progress)
    except FixError as error:
        click.echo(f"sonnx-formal: --fix refuses: {error}", err=True)
        status = REFUSED
    if fixed_model:
        print_fix(console, fixed_model)
        status = EXIT_STATUS[fixed_model.after.verdict]
    if json_path:
        documents.write(json_path, lint_document(examination, fixed_model))
    if sarif_path:
        version = importlib.metadata.version("sonnx-formal")
        write_json(sarif_path, as_sarif(examination, version, status))
    return status
