"""The command `hypotheses`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.evidence.hypotheses.cores import find_cores
from sonnx_formal.evidence.hypotheses.summary import (
    as_json,
    exit_status,
    hypotheses,
    print_hypotheses,
)
from sonnx_formal.evidence.records.keeping import Effort
from sonnx_formal.evidence.records.selection import select
from sonnx_formal.prover.progress import Progress
from sonnx_formal.prover.sources import find_library


@click.command("hypotheses")
@record_options(seconds=5)
@json_option("Write the result as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    budget: float | None,
    fresh: bool,
    json_path: Path | None,
) -> int:
    """List the preconditions of functions that no proof uses.

    Each FILE may be a folder; none stands for the whole library. Provers are asked for unsat cores,
    which are kept in why3/evidence/hypotheses.json. The reasons of preconditions that stay though
    no proof uses them are in why3/evidence/unused_preconditions.toml.

    \b
    Exit status:
      0    each precondition is used, or unused for a reason, or undetermined
      1    one is unused for no reason, a reason is obsolete, or the time was up
      2    bad input, or a tool is missing
      130  interrupted
    """
    library = find_library()
    cores = find_cores(timeout)
    console = standard_output()
    with Progress(console) as progress:
        selection = select(library, files, jobs, progress)
        found = hypotheses(library, selection, cores, Effort(jobs, budget, fresh), progress)
    say_command(console)
    print_hypotheses(console, found)
    if json_path:
        write_json(json_path, as_json(found))
    return exit_status(found)
