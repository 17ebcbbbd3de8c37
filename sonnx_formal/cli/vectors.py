"""The command `vectors`."""

from pathlib import Path

import click
from click.core import ParameterSource

from sonnx_formal.cli.conventions import CommandOutcome, path_option, reporting, seed_option
from sonnx_formal.cli.operators import operators_option, types_option
from sonnx_formal.core.progress import Progress
from sonnx_formal.spec.catalogue import selected
from sonnx_formal.vectors.folder import (
    Generation,
    Verification,
    make,
    print_generation,
    print_verification,
    verify,
)


@click.command("vectors")
@operators_option
@types_option
@seed_option("Of what is drawn by chance.")
@path_option(
    "-o --output directory",
    "DIR",
    "Write them there; vectors that are there already are replaced.",
    default=Path("build/vectors"),
)
@path_option(
    "--onnx onnx_directory", "DIR", "Also write them in the layout of ONNX's backend tests."
)
@path_option(
    "--verify verified", "DIR", "Make nothing: check the hashes and results of the vectors there."
)
@reporting("Write what was done as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    operators: tuple[str, ...],
    types: tuple[str, ...],
    seed: int,
    directory: Path,
    onnx_directory: Path | None,
    verified: Path | None,
    progress: Progress,
) -> CommandOutcome[Generation] | CommandOutcome[Verification]:
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

    if verified is None:
        asked = selected(operators, types)
        made = make(asked, seed, directory, progress, onnx_directory)
        return CommandOutcome(made, print_generation, 0)
    source = click.get_current_context().get_parameter_source
    others = ("operators", "types", "seed", "directory", "onnx_directory")
    if any(source(name) is ParameterSource.COMMANDLINE for name in others):
        raise click.UsageError("--verify goes with no option but --json")
    verification = verify(verified, progress)
    return CommandOutcome(verification, print_verification, 1 if verification.differences else 0)
