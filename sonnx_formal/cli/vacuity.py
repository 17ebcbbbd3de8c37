"""The command `vacuity`."""

import os
from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.evidence.vacuity.run import Request, look
from sonnx_formal.evidence.vacuity.summary import as_json, exit_status, print_summary
from sonnx_formal.prover.progress import Progress


@click.command("vacuity")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=len(os.sched_getaffinity(0)),
    show_default="all cores",
    help="Questions at a time.",
)
@click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    help="Leave the rest for the next run after so long; 0 only shows the record.",
)
@click.option("--fresh", is_flag=True, help="Ask again what the record knows.")
@json_option("Write the result as JSON.")
def command(
    files: tuple[Path, ...], jobs: int, budget: float | None, fresh: bool, json_path: Path | None
) -> int:
    """Look for goals that are proved of nothing.

    Whatever follows from hypotheses that contradict each other is no result. Of each module and of
    each goal of each FILE, or of the whole library, provers are asked for a contradiction in what
    is assumed, within few steps. The record, why3/evidence/vacuity.json, keeps the answers as long
    as the hypotheses are the same; vacuity.toml beside it has the reasons for cases that cannot
    occur. Preconditions are counted with their witnesses.

    \b
    Examples:
      sonnx-formal vacuity why3/ops/mul/definition.mlw
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
        report = look(Request(files, jobs, budget, fresh), progress)
    say_command(console)
    print_summary(console, report)
    if json_path:
        write_json(json_path, as_json(report))
    return exit_status(report)
