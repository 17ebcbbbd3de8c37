"""The command `hypotheses`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.hypotheses.cores import cores_question
from sonnx_formal.evidence.hypotheses.hypotheses import exit_status, find_use, print_use
from sonnx_formal.evidence.loop import Effort
from sonnx_formal.evidence.selection import select
from sonnx_formal.prover.sources import find_library


@click.command("hypotheses")
@record_options("Goals", seconds=5)
@json_option("Write the result as JSON.")
def command(files: tuple[Path, ...], timeout: int, effort: Effort, json_path: Path | None) -> int:
    """List the preconditions of functions that no proof uses.

    Each FILE may be a folder; none stands for the whole library. Provers are asked for unsat cores,
    which are kept in why3/evidence/goals/. The reasons of preconditions that stay though
    no proof uses them are in why3/evidence/unused_preconditions.toml.

    \b
    Exit status:
      0    each precondition is used, or unused for a reason, or undetermined
      1    one is unused for no reason, a reason is obsolete, or the time was up
      2    bad input, or a tool is missing
      130  interrupted
    """
    library = find_library()
    question = cores_question(timeout)
    console = standard_output()
    with Progress(console) as progress:
        selection = select(library, files, effort.jobs, progress)
        found = find_use(library, selection, question, effort, progress)
    say_command(console)
    print_use(console, found)
    if json_path:
        documents.write(json_path, found)
    return exit_status(found)
