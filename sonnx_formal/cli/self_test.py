"""The command `self-test`."""

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.self_test.injections import Outcome, run_all

SCHEMA = "sonnx-formal/self-test/1"


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
        outcomes = list(run_all(lambda what: progress("self-test", what)))
    say_command(console)
    for one in outcomes:
        text = f"caught by {one.injection.guard}: {one.caught}" if one.caught else "NOT caught"
        style = "" if one.caught else "red"
        console.print(Text(f"{one.injection.what}: {text}", style), soft_wrap=True)
    missed = sum(one.caught is None for one in outcomes)
    console.print(Text(f"\n{len(outcomes) - missed} of {len(outcomes)} caught"), soft_wrap=True)
    if json_path:
        write_json(json_path, as_json(outcomes))
    return 1 if missed else 0


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """What was caught, as `self_test.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "injections": [
            {
                "injected": one.injection.what,
                "guard": one.injection.guard,
                "caught": one.caught is not None,
                "said": one.caught,
            }
            for one in outcomes
        ],
        "summary": {
            "injections": len(outcomes),
            "caught": sum(one.caught is not None for one in outcomes),
        },
    }
