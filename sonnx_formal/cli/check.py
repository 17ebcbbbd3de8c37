"""The command `check`."""

from collections.abc import Iterable
from pathlib import Path

import click

from sonnx_formal.backends.catalogue import COMMAND_PREFIX, NAMES, OUR_OWN, check_name
from sonnx_formal.backends.process import CALL_SECONDS
from sonnx_formal.check.crosscheck import CheckRequest, crosscheck
from sonnx_formal.check.document import CheckReport
from sonnx_formal.check.summary import exit_status, print_summary
from sonnx_formal.cli.conventions import (
    CommandOutcome,
    path_option,
    reporting,
    seed_option,
    timeout_option,
)
from sonnx_formal.cli.operators import operators_option, types_option
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.progress import Progress
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.catalogue import selected
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case, manifest_sha256
from sonnx_formal.vectors.storage import load


@click.command("check")
@click.option(
    "--backend",
    "backends",
    metavar="NAME,…",
    multiple=True,
    help=f"Of {', '.join(NAMES)} (the default is all of them), module:function, cmd:COMMAND.",
)
@click.option(
    "--require",
    "required",
    metavar="NAME",
    multiple=True,
    help=f"A backend that fails the check when it diverges or crashes; {OUR_OWN} always does.",
)
@operators_option
@types_option
@path_option("--vectors folder", "DIR", "Take the cases that `sonnx-formal vectors` wrote there.")
@seed_option("Of random cases.")
@click.option(
    "--accumulate",
    type=click.Choice(["float32", "float64"]),
    help="Judge sums of narrower floats as sums in this type, rounded once more at the end.",
)
@timeout_option(CALL_SECONDS, "Time that a backend gets for a case.")
@reporting("Write the result as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    backends: tuple[str, ...],
    required: tuple[str, ...],
    operators: tuple[str, ...],
    types: tuple[str, ...],
    folder: Path | None,
    seed: int,
    accumulate: str | None,
    timeout: float,
    progress: Progress,
) -> CommandOutcome[CheckReport]:
    """Cross-check implementations with the formal definitions.

    Each runs in a process of its own, so that a crash or a hang is a verdict. `reference` is this
    project's; the runtimes are optional packages. A function is called with the name of an operator
    and NumPy arrays, its operands, as in function("mul", a, b), and with the attributes as
    keywords; it returns an array. A command gets files: model.onnx and one for each operand, as
    A.pb and B.pb, to read, and one to write the result to.

    \b
    Examples:
      sonnx-formal check --backend reference,onnxruntime --op div
      sonnx-formal check --require mypackage.kernels:apply
      sonnx-formal check --require "cmd:./my_runner --threads 1"

    \b
    Exit status:
      0    reference passes everything, and no required backend diverges or crashes
      1    one of them does not
      2    bad input, or a required backend is not installed
      130  interrupted
    """
    must = _names(required)
    chosen = selected(operators, types)
    stored: dict[Instance, list[Case]] = {}
    if folder:
        for case in load(folder):
            stored.setdefault(case.instance, []).append(case)
        chosen = [instance for instance in chosen if instance in stored]
        if not chosen:
            raise UserError(f"{folder}: no test vectors there are of what is asked for")
    request = CheckRequest(
        list(dict.fromkeys([*(_names(backends) or NAMES), *must])),
        chosen,
        required=frozenset(must),
        seconds=timeout,
        accumulate=accumulate,
        manifest_sha256=manifest_sha256(folder) if folder else None,
    )

    def cases(oracle: Oracle, instance: Instance) -> Iterable[Case]:
        return stored[instance] if folder else generate(instance, seed, oracle)

    with Oracle() as oracle:
        oracle.build()  # which says so on a terminal: before there is another line
        report = crosscheck(request, cases, oracle, progress)
    return CommandOutcome(report, print_summary, exit_status(report))


def _names(options: tuple[str, ...]) -> list[str]:
    names = []
    for option in options:
        # A command may have commas of its own.
        parts = [option] if option.startswith(COMMAND_PREFIX) else option.split(",")
        names += [part.strip() for part in parts]
    for name in names:
        check_name(name)
    return names
