"""`python -m tests.benchmarks`: measure, and print the figures side by side."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.table import Table

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.speed import KernelSpeeds
from sonnx_formal.oracle import Oracle
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import find_provers
from tests.benchmarks import kernel_speed, oracle_speed
from tests.benchmarks.driver import copy_tree
from tests.benchmarks.floats import Speed, measure_floats
from tests.benchmarks.measurement import Measurement, Setting
from tests.benchmarks.plain import run_plain_loop

SCHEMA = "sonnx-formal/bench/1"
TIMEOUT = 10
"""Seconds that a prover gets for a goal: the default of Why3 and of our driver."""


def _json_option(function: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--json",
        "json_path",
        metavar="PATH",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write the figures as JSON too.",
    )(function)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@_json_option
@click.pass_context
def main(context: click.Context, json_path: Path | None) -> None:
    """Measure all that the commands measure, one after the other."""
    if context.invoked_subcommand is None:
        figures = _bench_floats() | _bench_oracle()
        figures |= {"kernels": msgspec.to_builtins(_bench_kernels().works)}
        _write(json_path, figures | _bench_driver())
    elif json_path:
        raise click.UsageError(f"--json goes after {context.invoked_subcommand}")


@main.command()
@_json_option
def driver(json_path: Path | None) -> None:
    """Measure `sonnx-formal prove` against a plain loop of `why3 prove`, in a copy of the tree.

    The same files, provers and time limit. Takes as long as the plain loop takes: many minutes.
    """
    _write(json_path, _bench_driver())


@main.command()
@_json_option
def floats(json_path: Path | None) -> None:
    """Measure the extracted floating-point arithmetic beside SoftFloat and MPFR (a minute)."""
    _write(json_path, _bench_floats())


@main.command()
@_json_option
def oracle(json_path: Path | None) -> None:
    """Measure the oracle through its Python interface (seconds)."""
    _write(json_path, _bench_oracle())


@main.command("kernels")
@_json_option
def kernels_command(json_path: Path | None) -> None:
    """Measure libsonnx beside our reference and, where it is there, onnxruntime (a minute).

    MatMul, also beside NumPy's BLAS, and Conv: 3 x 3, 1 x 1 and depthwise; on one core.

    What --json writes is a document: build/evidence/kernel-speed.json is shown by the next report.
    """
    found = _bench_kernels()
    if json_path:
        with _user_errors():
            documents.write(json_path, found)


def _bench_driver() -> dict[str, object]:
    with _user_errors():
        setting = Setting(find_why3(), find_provers(), TIMEOUT, len(os.sched_getaffinity(0)))
        measurements = list(_measure(setting))
    print_table(_console(), setting, measurements)
    return as_json(setting, measurements)


def _bench_floats() -> dict[str, object]:
    with _user_errors():
        speeds = list(measure_floats(_say))
    print_speeds(_console(), speeds)
    return {"schema": SCHEMA, "floats": [asdict(each) for each in speeds]}


def _bench_oracle() -> dict[str, object]:
    with _user_errors(), Oracle() as running:
        speeds = list(oracle_speed.measure(running))
    print_oracle_speeds(_console(), speeds)
    return {"schema": SCHEMA, "oracle": [asdict(each) for each in speeds]}


def _bench_kernels() -> KernelSpeeds:
    with _user_errors():
        found = kernel_speed.measure()
    print_kernel_speeds(_console(), found)
    return found


@contextmanager
def _user_errors() -> Iterator[None]:
    try:
        yield
    except UserError as error:
        _say(f"bench: {error}")
        sys.exit(2)


def _console() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120  # a table in a file should not be cut
    return console


def _write(path: Path | None, figures: dict[str, object]) -> None:
    if path:
        path.write_text(json.dumps(figures, indent=1) + "\n")


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
    for each in measurements:
        ratio = measurements[0].seconds / each.seconds
        table.add_row(
            each.name, f"{each.seconds:.1f}", str(each.proved), str(each.goals), f"{ratio:.1f}"
        )
    console.print(table)
    provers = ", ".join(f"{prover.name} {prover.version}" for prover in setting.provers)
    console.print(
        f"\nWhy3 {setting.why3.version}; {provers}; "
        f"{setting.timeout} s a goal; {setting.cores} cores"
    )


def print_speeds(console: Console, speeds: list[Speed]) -> None:
    """Operations a second side by side, and how many times as fast as ours the others are."""
    others = list(speeds[0].others)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("format", "operation"):
        table.add_column(column, no_wrap=True)
    for column in ("ours, bit patterns", "ours", *others, *(f"{name} / ours" for name in others)):
        table.add_column(column, justify="right", no_wrap=True)
    for each in speeds:
        rates = [each.patterns, each.alone, *(each.others[name] for name in others)]
        ratios = [f"{each.others[name] / each.alone:.1f}" for name in others]
        table.add_row(each.format, each.operation, *(f"{rate:,}" for rate in rates), *ratios)
    console.print(table)
    console.print(
        "\nOperations a second on one core, operands any finite numbers. "
        "The first column decodes\nand encodes bit patterns; "
        "the others have values already, those of Python are called from it.\n"
    )


def print_oracle_speeds(console: Console, speeds: list[oracle_speed.Speed]) -> None:
    """Results a second, one row a type."""
    operators = list(dict.fromkeys(each.operator for each in speeds))
    rates = {(each.type, each.operator): f"{each.rate:,}" for each in speeds}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("oracle", no_wrap=True)
    for operator in operators:
        table.add_column(operator, justify="right", no_wrap=True)
    for type_ in dict.fromkeys(each.type for each in speeds):
        table.add_row(type_, *(rates.get((type_, operator), "") for operator in operators))
    console.print(table)
    console.print("\nElements of the result a second; of matmul, products added up a second.\n")


def print_kernel_speeds(console: Console, found: KernelSpeeds) -> None:
    """Products a second, and how many times as fast as libsonnx each of them is."""
    for work in found.works:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(work.title, no_wrap=True, min_width=len("libsonnx, fused"))
        for column in ("ms", "products a second", "times as fast", "same bits"):
            table.add_column(column, justify="right", no_wrap=True)
        for each in work.speeds:
            ratio = work.ratio(each)
            same = "yes" if each.same_bits else "no"
            milliseconds = f"{1000 * work.products / each.rate:.2f}"
            table.add_row(each.implementation, milliseconds, f"{each.rate:,}", f"{ratio:.2f}", same)
        console.print(table)
        console.print()
    console.print("On one core. BLAS and onnxruntime add up in orders of their own.\n")


def as_json(setting: Setting, measurements: list[Measurement]) -> dict[str, object]:
    """The figures as JSON values."""
    return {
        "schema": SCHEMA,
        "why3": setting.why3.version,
        "provers": {prover.name: prover.version for prover in setting.provers},
        "timeout": setting.timeout,
        "cores": setting.cores,
        "measurements": [asdict(each) for each in measurements],
    }


def _say(text: str) -> None:
    click.echo(text, err=True)


if __name__ == "__main__":
    main()
