"""`python -m sonnx_formal.bench`: measure, and print the figures side by side."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from sonnx_formal.bench.driver import copy_tree
from sonnx_formal.bench.measurement import Measurement, Setting
from sonnx_formal.bench.plain import run_plain_loop
from sonnx_formal.why3.errors import UserError
from sonnx_formal.why3.installation import find_why3
from sonnx_formal.why3.provers import find_provers

TIMEOUT = 10
"""Seconds that a prover gets for a goal: the default of Why3 and of our driver."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures as JSON too.",
)
def main(json_path: Path | None) -> None:
    """Measure `sonnx-formal prove` against a plain loop of `why3 prove`, in a copy of the tree.

    The same files, provers and time limit. Takes as long as the plain loop takes: many minutes.
    """
    try:
        setting = Setting(find_why3(), find_provers(), TIMEOUT, len(os.sched_getaffinity(0)))
        measurements = list(_measure(setting))
    except UserError as error:
        _say(f"bench: {error}")
        sys.exit(2)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120  # a table in a file should not be cut
    print_table(console, setting, measurements)
    if json_path:
        json_path.write_text(json.dumps(as_json(setting, measurements), indent=1) + "\n")


def _measure(setting: Setting) -> Iterator[Measurement]:
    """One measurement after the other; the order matters, each finds what the last one left."""
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-bench-") as scratch:
        tree = copy_tree(Path(scratch) / "tree", _say)
        limit = f"--timeout={setting.timeout}"
        yield run_plain_loop(setting, tree.library, Path(scratch), _say)
        yield tree.prove("prove --fresh", "--fresh", limit)
        yield tree.prove("prove (certificate, no cache)", limit)
        yield tree.prove("prove again (all cached)", limit)
        yield tree.prove("prove --replay", "--replay")
        file = tree.edit_one_file()
        yield tree.prove(f"prove after an edit of {file}", limit)


def print_table(console: Console, setting: Setting, measurements: list[Measurement]) -> None:
    """The figures side by side; the first one is what the others are compared with."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("run", no_wrap=True)
    for column in ("seconds", "proved", "goals", "times as fast"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in measurements:
        ratio = measurements[0].seconds / one.seconds
        table.add_row(
            one.name, f"{one.seconds:.1f}", str(one.proved), str(one.goals), f"{ratio:.1f}"
        )
    console.print(table)
    provers = ", ".join(f"{prover.name} {prover.version}" for prover in setting.provers)
    console.print(
        f"\nWhy3 {setting.why3.version}; {provers}; "
        f"{setting.timeout} s a goal; {setting.cores} cores"
    )


def as_json(setting: Setting, measurements: list[Measurement]) -> dict[str, object]:
    """The figures as JSON values."""
    return {
        "schema": "sonnx-formal/bench/1",
        "why3": setting.why3.version,
        "provers": {prover.name: prover.version for prover in setting.provers},
        "timeout": setting.timeout,
        "cores": setting.cores,
        "measurements": [asdict(one) for one in measurements],
    }


def _say(text: str) -> None:
    click.echo(text, err=True)


if __name__ == "__main__":
    main()
