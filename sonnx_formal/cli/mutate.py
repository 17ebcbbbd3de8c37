"""The command `mutate`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.loop import Effort
from sonnx_formal.evidence.mutation.mutate import exit_status, mutate, print_mutation
from sonnx_formal.prover.sources import find_library


@click.command("mutate")
@record_options("Mutants")
@json_option("Write the result as JSON.")
def command(files: tuple[Path, ...], effort: Effort, json_path: Path | None) -> int:
    """Edit definitions wrongly, and see whether a goal notices.

    Each mutant is one slip in the body or the contract of a definition. It is killed by a goal that
    is not proved any more, and is no mutant if it is proved to mean the same. Those of each FILE
    are tried, or of the operators and of what the record knows. The record,
    why3/evidence/mutants.jsonl, keeps what became of each as long as its sources are the same;
    mutation.toml beside it has the reasons for survivors.

    \b
    Examples:
      sonnx-formal mutate why3/ops/mul.mlw
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
        mutation, tried_now = mutate(find_library(), files, effort, progress)
    say_command(console)
    print_mutation(console, mutation, tried_now)
    if json_path:
        documents.write(json_path, mutation)
    return exit_status(mutation)
