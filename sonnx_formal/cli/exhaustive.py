"""`exhaustive`: all pairs of 16-bit floats, implementations against the soft kernels."""

from pathlib import Path

import click

from sonnx_formal.backends.catalogue import OUR_OWN, checked_names
from sonnx_formal.backends.process import CALL_SECONDS
from sonnx_formal.check.exhaustive import (
    ASKED,
    ExhaustiveRequest,
    check_exhaustively,
    installed,
    judges,
)
from sonnx_formal.check.exhaustive_document import ExhaustiveReport
from sonnx_formal.check.exhaustive_summary import print_exhaustive
from sonnx_formal.cli.conventions import (
    CORES,
    CommandOutcome,
    a_time,
    exit_codes,
    number_option,
    path_option,
    reporting,
    timeout_option,
)
from sonnx_formal.core.errors import INTERRUPTED
from sonnx_formal.core.terminal import Progress


@click.command("exhaustive")
@click.option(
    "--backend",
    "backends",
    metavar="NAME,…",
    multiple=True,
    help=f"Of {', '.join(ASKED)}, module:function, cmd:COMMAND. "
    f"[default: {OUR_OWN}; with --budget 0, all that are installed]",
)
@click.option(
    "--op",
    "operators",
    multiple=True,
    type=click.Choice([*dict.fromkeys(kernel.operator.name for kernel in judges())]),
    help="Only this.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice([*dict.fromkeys(kernel.type.name for kernel in judges())]),
    help="Only this.",
)
@path_option(
    "--state",
    "DIR",
    "Where finished blocks are kept, for the next run to go on from.",
    default=Path("build/exhaustive"),
)
@number_option(
    "--jobs", CORES, "Blocks at a time, each with its backend process.", show_default="all cores"
)
@click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0, max=1_000_000),
    callback=a_time,
    help="Leave the rest for the next run after so long; 0 only shows what is kept.",
)
@timeout_option(CALL_SECONDS, "Time that a backend gets for a block.")
@reporting("Write the result as JSON.")
@exit_codes(
    "all pairs were judged, and none diverges",
    "a pair diverges, or a block was not judged",
    bad="bad input, or a backend is not installed",
    interrupted="interrupted: finished blocks are kept",
)
def exhaustive_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    backends: tuple[str, ...],
    operators: tuple[str, ...],
    types: tuple[str, ...],
    state: Path,
    jobs: int,
    budget: float | None,
    timeout: float,
    progress: Progress,
) -> CommandOutcome[ExhaustiveReport]:
    """Compare implementations on all pairs of 16-bit floats.

    Each operator over float16 and bfloat16 has 4,294,967,296 pairs of operands. They go in 1,024
    blocks, and each result is compared with that of the soft kernel, which is proved to be that of
    IEEE 754. Wrong ones are counted by class, and the smallest pair of each class is shown; any NaN
    is as good as another. A block that a backend refuses, or dies or hangs on, is not judged, which
    is no pass: the next run asks for it again.

    What is kept holds for one version of a backend; of a function, __version__ of its module
    says which. Of a backend without a version nothing is kept.

    \b
    Examples:
      sonnx-formal exhaustive --backend reference,onnxruntime --type float16
      sonnx-formal exhaustive --backend mypackage.kernels:apply --op div --budget 600
    """
    chosen = [
        kernel
        for kernel in judges()
        if not operators or kernel.operator.name in operators
        if not types or kernel.type.name in types
    ]
    names = list(dict.fromkeys(checked_names(backends)))
    if not names:
        names = installed() if budget == 0 else [OUR_OWN]
    progress("libsonnx: extracted and compiled, unless it is in the cache")
    request = ExhaustiveRequest(names, chosen, state, jobs, timeout, budget)
    report = check_exhaustively(request, progress)
    status = INTERRUPTED if report.interrupted else int(not report.passes)
    return CommandOutcome(report, print_exhaustive, status)
