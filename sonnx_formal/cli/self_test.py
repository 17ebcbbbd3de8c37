"""The command `self-test`."""

from pathlib import Path

import click
from rich.text import Text

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.report.self_test.injections import run_all


@click.command("self-test")
@json_option("Write what was caught as JSON.")
def command(json_path: Path | None) -> int:
    """Do wrong what must be noticed, and see whether it is.

    Each thing is done in a temporary folder: a false lemma, a prover that lies, a cache entry, a
    test vector and a report that are edited, and so on.

    \b
    Exit status:
      0    everything was caught
      1    something was not
      2    a tool is missing
      130  interrupted
    """
    console = standard_output()
    with Progress(console) as progress:
        self_test = run_all(lambda what: progress("self-test", what))
    say_command(console)
    for entry in self_test.injections:
        said = f"caught by {entry.guard}: {entry.said}" if entry.caught else "NOT caught"
        style = "" if entry.caught else "red"
        console.print(Text(f"{entry.injected}: {said}", style), soft_wrap=True)
    summary = self_test.summary
    console.print(Text(f"\n{summary.caught} of {summary.injections} caught"), soft_wrap=True)
    if json_path:
        documents.write(json_path, self_test)
    return 0 if summary.caught == summary.injections else 1
