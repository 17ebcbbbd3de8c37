"""The command `mutate`."""

import os
from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.mutation.run import Request, mutate
from sonnx_formal.evidence.mutation.summary import as_json, exit_status, print_summary


@click.command("mutate")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    default=len(os.sched_getaffinity(0)),
    show_default="all cores",
    help="Mutants at a time.",
)
@click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    help="Begin no mutant after so long; 0 only shows the record.",
)
@click.option("--fresh", is_flag=True, help="Try those again that the record knows.")
@json_option("Write the result as JSON.")
def command(
    files: tuple[Path, ...], jobs: int, budget: float | None, fresh: bool, json_path: Path | None
) -> int:
    """Edit definitions wrongly, and see whether a goal notices.

    Each mutant is one slip in the body or the contract of a definition. It is killed by a goal that
    is not proved any more, and is no mutant if it is proved to mean the same. Those of each FILE
    are tried, or of the operators and of what the record knows. The record,
    why3/evidence/mutation.json, keeps what became of each as long as its sources are the same;
    mutation.toml beside it has the reasons for survivors.

    \b
    Examples:
      sonnx-formal mutate why3/ops/mul/definition.mlw
      sonnx-formal mutate --budget 600

    \b
    Exit status:
      0    every mutant was tried, enough were killed, every survivor has a reason
      1    otherwise
      2    bad input, or a tool is missing
      130  interrupted: what is finished is kept
    """
    console = standard_output()
    with Progress(console) as progress:
        report = mutate(Request(files, jobs, budget, fresh), progress)
    say_command(console)
    print_summary(console, report)
    if json_path:
        write_json(json_path, as_json(report))
    return exit_status(report)
