"""`python -m tests.theories.compare_floats`: the long comparison of the floating-point arithmetic.

The test suite compares a smaller number of pairs in the same way.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.element_types import FORMATS, Format
from tests.benchmarks.implementations import implementations
from tests.theories.extracted_floats import Floats, build_floats
from tests.theories.float_comparison import Comparison, compare
from tests.theories.float_operands import CLASSES, OPERATIONS

TABLE_WIDTH = 120
MISMATCH, BAD_INPUT, INTERRUPTED = 1, 2, 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--pairs",
    "count",
    metavar="N",
    type=click.IntRange(min=1),
    default=1_000_000,
    show_default=True,
    help="Pairs of operands for each operation of each format, at least.",
)
@click.option("--seed", metavar="N", type=int, default=1, show_default=True, help="Of all chance.")
@click.option(
    "--format",
    "names",
    multiple=True,
    type=click.Choice([form.name for form in FORMATS]),
    help="Only this format; several times for several.",
)
@click.option(
    "--operation",
    "operations",
    multiple=True,
    type=click.Choice(OPERATIONS),
    help="Only this operation; several times for several.",
)
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the figures as JSON too.",
)
def main(
    count: int,
    seed: int,
    names: tuple[str, ...],
    operations: tuple[str, ...],
    json_path: Path | None,
) -> None:
    """Compare the extracted arithmetic with MPFR and Berkeley SoftFloat, bit for bit.

    Any NaN is as good as any other, as in the definitions.

    \b
    Exit status:
      0    the results are the same
      1    some differ
      2    bad input, or a tool is missing
      130  interrupted
    """
    console = Console(highlight=False)
    chosen = [form for form in FORMATS if not names or form.name in names]
    began = time.monotonic()
    try:
        found = _compare_all(console, chosen, operations or OPERATIONS, count, seed)
    except UserError as error:
        click.echo(f"compare_floats: {error}", err=True)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    seconds = time.monotonic() - began
    # A line that a narrow terminal wraps is better than one that is cut.
    _print(Console(highlight=False, width=max(console.width, TABLE_WIDTH)), found, seed, seconds)
    if json_path:
        json_path.write_text(json.dumps(as_json(found, seed, seconds), indent=1) + "\n")
    sys.exit(0 if all(each.agrees for each in found) else MISMATCH)


def _compare_all(
    console: Console, forms: Sequence[Format], operations: Sequence[str], count: int, seed: int
) -> list[Comparison]:
    """Every operation of every format, with a bar for the one in work."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
    found = []
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-floats-") as folder, progress:
        bar = progress.add_task("building", total=len(forms) * len(operations) * count)
        with Floats(build_floats(Path(folder))) as floats:
            for form in forms:
                others = implementations(form)
                for operation in operations:
                    progress.update(bar, description=f"{form.name} {operation}")
                    found.append(
                        compare(
                            floats,
                            others,
                            form,
                            operation,
                            count=count,
                            seed=seed,
                            advance=lambda pairs: progress.advance(bar, pairs),
                        )
                    )
                    if not console.is_terminal:
                        last = found[-1]
                        verdict = "the same" if last.agrees else f"differs: {last.mismatches}"
                        console.print(f"{form.name} {operation}: {last.total} pairs, {verdict}")
    return found


def _print(console: Console, found: Sequence[Comparison], seed: int, seconds: float) -> None:
    """The table, an example of each kind of difference, and the sum."""
    others = sorted({name for each in found for name in each.mismatches})
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("format", "operation"):
        table.add_column(column, no_wrap=True)
    for column in (*CLASSES, "pairs", *(f"≠ {name}" for name in others)):
        table.add_column(column, justify="right", no_wrap=True)
    for each in found:
        pairs = [str(each.pairs[kind] or "") for kind in CLASSES]
        differing = [str(each.mismatches.get(name, "")) for name in others]
        table.add_row(each.form.name, each.operation, *pairs, str(each.total), *differing)
    console.print(table)
    for each in found:
        for name, example in each.smallest.items():
            x, y, ours, theirs = map(hex, (example.x, example.y, example.ours, example.theirs))
            console.print(
                f"{each.form.name} {each.operation} {x} {y}: ours {ours}, {name} {theirs}"
            )
    total = sum(each.total for each in found)
    differing_pairs = sum(sum(each.mismatches.values()) for each in found)
    console.print(
        f"\n{total} pairs, each compared with {' and '.join(others)}: "
        f"{differing_pairs} differences; seed {seed}, {seconds:.0f} s"
    )


def as_json(found: Sequence[Comparison], seed: int, seconds: float) -> dict[str, object]:
    """The figures as JSON values."""
    return {
        "schema": "sonnx-formal/float-comparison/1",
        "seed": seed,
        "seconds": round(seconds, 1),
        "comparisons": [
            {
                "format": each.form.name,
                "operation": each.operation,
                "pairs": {kind: each.pairs[kind] for kind in CLASSES if each.pairs[kind]},
                "total": each.total,
                "mismatches": each.mismatches,
                "smallest": {
                    name: {
                        "x": hex(example.x),
                        "y": hex(example.y),
                        "ours": hex(example.ours),
                        "theirs": hex(example.theirs),
                    }
                    for name, example in each.smallest.items()
                },
            }
            for each in found
        ],
    }


if __name__ == "__main__":
    main()
