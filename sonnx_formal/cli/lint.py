"""The command `lint`."""

import importlib.metadata
import json
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import structs
from rich.console import Console

from sonnx_formal.cli.conventions import CommandOutcome, exit_codes, reporting, written_option
from sonnx_formal.core.files import is_folder, write_file
from sonnx_formal.core.terminal import Progress
from sonnx_formal.lint.examination import Examination, Examinations, examine, share_of_all
from sonnx_formal.lint.fix import FixError, fix
from sonnx_formal.lint.model import FixedInput, ModelError, model_files, parse, read
from sonnx_formal.lint.profile import LintVerdict, gravest
from sonnx_formal.lint.summary import (
    EXIT_STATUS,
    as_sarif,
    print_fix,
    print_summaries,
    print_summary,
)

REFUSED = 1


@click.command("lint")
@click.argument(
    "models", metavar="MODEL.onnx...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--input",
    "fixed",
    metavar="NAME=1x3x224x224",
    multiple=True,
    type=parse,
    help="The shape of an input that the model leaves open; NAME= is rank 0. Repeatable.",
)
@click.option("--fix", "fixing", is_flag=True, help="Make broadcasting explicit; goes with -o.")
@written_option(
    "-o --output",
    "OUT.onnx",
    "Where --fix writes to; a file there is replaced, MODEL.onnx included.",
)
@written_option("--sarif sarif_path", "PATH", "Write the findings as SARIF 2.1.0.")
@reporting("Write the result as JSON.")
@exit_codes(
    "every node was judged and conforms",
    "a node violates a requirement; or --fix refuses, and nothing is written",
    bad="nothing violates, and a node cannot be decided statically or is not judged; or bad usage",
    special="a file cannot be read; of several, the others are judged",
    interrupted="interrupted: what was there before is there still",
    heading="Exit status (with --fix: of the model that was written)",
)
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    models: tuple[Path, ...],
    fixed: tuple[FixedInput, ...],
    fixing: bool,
    output: Path | None,
    sarif_path: Path | None,
    progress: Progress,
) -> CommandOutcome[Examination] | CommandOutcome[Examinations]:
    """Tell which nodes of a model are inside the SONNX profile.

    Of the operators of SONNX, and those of ONNX that SONNX lacks and that are declared here, in
    inner graphs and called functions, too. Nothing is run: what is judged are operands, attributes,
    types, shapes, storage and constant divisors.
    Each node conforms, violates a requirement, or cannot be decided statically; other operators
    are counted and not judged. A model conforms only if each of its nodes was judged and does.
    Findings with one cause stand together. Several models, or all in a folder, are judged at once.

    With --fix, operands that are broadcast get an Expand with a constant shape, where shapes are
    known; inputs that --input fixes are fixed in OUT.onnx. It is written only after ONNX's
    reference evaluator gave the same bits for both models, special values among the operands.

    \b
    Examples:
      sonnx-formal lint model.onnx
      sonnx-formal lint models/ more.onnx
      sonnx-formal lint model.onnx --input image=1x3x224x224 --sarif lint.sarif
      sonnx-formal lint model.onnx --fix -o explicit.onnx
    """
    if fixing != (output is not None):
        raise click.UsageError("--fix and -o go together")
    files = model_files(models)
    if len(models) > 1 or is_folder(models[0]):
        if fixing or fixed:
            raise click.UsageError("--fix and --input are for one model")
        return _several(files, sarif_path, progress)
    (model,) = files
    original = read(model)
    found = judged = examine(original, model, fixed)
    refusal = ""
    try:
        if output:
            done, judged = fix(original, model, fixed, output, progress)
            found = structs.replace(found, fix=done)
    except FixError as error:
        refusal = f"sonnx-formal: --fix refuses: {error}"
    status = REFUSED if refusal else EXIT_STATUS[judged.verdict]
    _write_sarif(sarif_path, [found], status)

    def show(console: Console, found: Examination) -> None:
        print_summary(console, found)
        if found.fix:
            print_fix(console, found.fix, judged)
        if refusal:
            click.echo(refusal, err=True)

    return CommandOutcome(found, show, status)


def _several(
    files: Sequence[Path], sarif_path: Path | None, progress: Progress
) -> CommandOutcome[Examinations]:
    found: list[Examination] = []
    unreadable = []
    for number, path in enumerate(files, 1):
        progress(f"model {number} of {len(files)}", str(path))
        try:
            found.append(examine(read(path), path))
        except ModelError as error:
            unreadable.append(str(error))
    verdict = gravest(each.verdict for each in found) if found else LintVerdict.NOT_JUDGED
    status = ModelError.exit_status if unreadable else EXIT_STATUS[verdict]
    _write_sarif(sarif_path, found, status, unreadable)

    def show(console: Console, judged: Examinations) -> None:
        print_summaries(console, judged)
        for message in judged.unreadable:
            click.echo(f"sonnx-formal: {message}", err=True)

    whole = Examinations(verdict, tuple(found), share_of_all(found), tuple(unreadable))
    return CommandOutcome(whole, show, status)


def _write_sarif(
    path: Path | None, found: Sequence[Examination], status: int, unreadable: Sequence[str] = ()
) -> None:
    if path:
        sarif = as_sarif(found, importlib.metadata.version("sonnx-formal"), status, unreadable)
        write_file(path, json.dumps(sarif, indent=1, ensure_ascii=False) + "\n")
