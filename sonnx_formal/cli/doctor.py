"""The command `doctor`."""

from pathlib import Path

import click

from sonnx_formal.cli.machine import examine, print_tools
from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import standard_output
from sonnx_formal.core import documents


@click.command("doctor")
@json_option("Write what was found as JSON.")
def command(json_path: Path | None) -> int:
    """Show which tools are here, and how to get missing ones.

    The exit status is 1 when `prove` could not run.
    """
    machine = examine()
    print_tools(standard_output(), machine)
    if json_path:
        documents.write(json_path, machine)
    return 0 if machine.can_prove else 1
