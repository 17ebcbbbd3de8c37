"""The command `doctor`."""

from pathlib import Path

import click

from sonnx_formal.cli.machine import as_json, can_prove, examine, print_tools
from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import standard_output, write_json


@click.command("doctor")
@json_option("Write what was found as JSON.")
def command(json_path: Path | None) -> int:
    """Show which tools are here, and how to get missing ones.

    The exit status is 1 when `prove` could not run.
    """
    tools = examine()
    print_tools(standard_output(), tools)
    if json_path:
        write_json(json_path, as_json(tools))
    return 0 if can_prove(tools) else 1
