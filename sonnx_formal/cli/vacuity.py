"""The command `vacuity`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.loop import Effort
from sonnx_formal.evidence.vacuity.vacuity import exit_status, find_vacuity, print_vacuity
from sonnx_formal.prover.sources import find_library


@click.command("vacuity")
@record_options("Questions")
@json_option("Write the result as JSON.")
def command(files: tuple[Path, ...], effort: Effort, json_path: Path | None) -> int:
    """Look for goals that are proved of nothing.

    Whatever follows from hypotheses that contradict each other is no result. Of each module and of
    each goal of each FILE, or of the whole library, provers are asked for a contradiction in what
    is assumed, within few steps. The record, why3/evidence/goals/, keeps the answers as long as the
    goals are the same; vacuity.toml beside it has the reasons for cases that cannot occur.
    Preconditions are counted with their witnesses.

    \b
    Examples:
      sonnx-formal vacuity why3/ops/mul.mlw
      sonnx-formal vacuity --budget 600

    \b
    Exit status:
      0    all was asked, every contradiction has a reason, every precondition a witness
      1    otherwise
      2    bad input, or a tool is missing
      130  interrupted: what is finished is kept
    """
    console = standard_output()
    with Progress(console) as progress:
        vacuity = find_vacuity(find_library(), files, effort, progress)
    say_command(console)
    print_vacuity(console, vacuity)
    if json_path:
        documents.write(json_path, vacuity)
    return exit_status(vacuity)
