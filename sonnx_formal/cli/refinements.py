"""The command `refinements`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.refinements.page import document, markdown
from sonnx_formal.report.refinements.theorems import chapters


@click.command("refinements")
@click.option(
    "-o",
    "--output",
    "path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the page there; without this, to standard output.",
)
@json_option("Write the theorems as JSON, too.")
def command(path: Path | None, json_path: Path | None) -> int:
    """Show how operators of SONNX, ONNX and OpenVINO compare.

    A page in Markdown, made from the formal sources: each theorem and each counterexample, in words
    and as it is stated. Whether they are proved, `sonnx-formal prove` says.

    \b
    Examples:
      sonnx-formal refinements
      sonnx-formal refinements -o build/refinements.md --json build/refinements.json

    \b
    Exit status:
      0    done
      2    bad input, or the formal library is missing
      130  interrupted
    """
    found = chapters(find_library())
    page = markdown(found)
    if path is None:
        click.echo(page, nl=False)
    else:
        try:
            write_atomically(path, page)
        except OSError as error:
            raise UserError(f"{path} could not be written: {error.strerror}") from None
    if json_path:
        documents.write(json_path, document(found))
    return 0
