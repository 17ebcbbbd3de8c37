"""What makes and uses test vectors: `check`, `vectors`."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from sonnx_formal.backends.process import CALL_SECONDS
from sonnx_formal.check.crosscheck import CheckRequest, crosscheck
from sonnx_formal.check.document import CheckReport
from sonnx_formal.check.junit import junit_xml
from sonnx_formal.check.summary import print_summary
from sonnx_formal.cli.backend_options import asks_backends
from sonnx_formal.cli.conventions import (
    CommandOutcome,
    exit_codes,
    path_option,
    reporting,
    seed_option,
    timeout_option,
    written_option,
)
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_file
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.catalogue import instances, operators, selected
from sonnx_formal.spec.element_types import ELEMENT_TYPES
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.folder import (
    Generation,
    Verification,
    make,
    print_generation,
    print_verification,
    verify,
)
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case, manifest_sha256
from sonnx_formal.vectors.storage import load

_USED = {type_ for instance in instances() for type_ in instance.types}

operators_option = click.option(
    "--op",
    "operators",
    multiple=True,
    type=click.Choice([operator.name for operator in operators()]),
    help="Only this.",
)
types_option = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice([type_.name for type_ in ELEMENT_TYPES if type_ in _USED]),
    help="Only this.",
)


@click.command("check")
@asks_backends("A backend that fails the check when it diverges or crashes")
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
@click.option("--only-failures", is_flag=True, help="Print what failed, and nothing else.")
@written_option("--junit junit_path", "PATH", "Write the verdicts as JUnit XML.")
@reporting("Write the result as JSON.")
@exit_codes(
    "reference and libsonnx, if they ran, pass all that they support, and no required backend"
    " diverges or crashes, and runtimes still do what is on record of their versions",
    "one of them does not",
    bad="bad input, or a required backend is not installed",
)
def check_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    backends: list[str],
    required: frozenset[str],
    operators: tuple[str, ...],
    types: tuple[str, ...],
    folder: Path | None,
    seed: int,
    accumulate: str | None,
    timeout: float,
    only_failures: bool,
    junit_path: Path | None,
    progress: Progress,
) -> CommandOutcome[CheckReport]:
    """Cross-check implementations with the formal definitions.

    Each runs in a process of its own, so that a crash or a hang is a verdict. `reference` and
    `libsonnx` are this project's; the runtimes are optional packages. A function is called with
    the name of an operator and NumPy arrays, its operands, as in function("mul", a, b), and with
    the attributes as keywords; it returns an array. A command starts a runner, which answers a
    line for each case: values, or files of ONNX; sonnx_formal/backends/README.md has one in C and
    one in Python.

    \b
    Examples:
      sonnx-formal check --backend reference,onnxruntime --op div
      sonnx-formal check --require mypackage.kernels:apply
      sonnx-formal check --require "cmd:./my_runner --threads 1"
    """
    chosen = selected(operators, types)
    stored = grouped(load(folder), lambda case: case.instance) if folder else {}
    if folder:
        chosen = [instance for instance in chosen if instance in stored]
        if not chosen:
            raise UserError(f"{folder}: no test vectors there are of what is asked for")
    request = CheckRequest(
        backends,
        chosen,
        required=required,
        seconds=timeout,
        accumulate=accumulate,
        manifest_sha256=manifest_sha256(folder) if folder else None,
    )

    def cases(oracle: Oracle, instance: Instance) -> Iterable[Case]:
        return stored[instance] if folder else generate(instance, seed, oracle)

    with Oracle() as oracle:
        oracle.build()  # which says so on a terminal: before there is another line
        report = crosscheck(request, cases, oracle, progress)
    if junit_path:
        write_file(junit_path, junit_xml(report))
    show = partial(print_summary, only_failures=only_failures)
    failed = any(each.failed for each in report.backends) or bool(report.stale)
    return CommandOutcome(report, show, int(failed))


@click.command("vectors")
@operators_option
@types_option
@seed_option("Of what is drawn by chance.")
@path_option(
    "-o --output directory",
    "DIR",
    "Write them there; vectors that are there already are replaced.",
    default=Path("build/vectors"),
)
@path_option(
    "--onnx onnx_directory", "DIR", "Also write them in the layout of ONNX's backend tests."
)
@path_option(
    "--verify verified",
    "DIR",
    "Make nothing: check the hashes and results of the vectors, or the ONNX tests, there.",
)
@reporting("Write what was done as JSON.")
@exit_codes(
    "done",
    "something in the verified folder is not as it should be",
    interrupted="interrupted: what was there before is there still",
)
def vectors_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    operators: tuple[str, ...],
    types: tuple[str, ...],
    seed: int,
    directory: Path,
    onnx_directory: Path | None,
    verified: Path | None,
    progress: Progress,
) -> CommandOutcome[Generation] | CommandOutcome[Verification]:
    """Derive test vectors from the formal definitions.

    Operands of a dozen classes, from worked examples to rounding ties, and the results that the
    definitions give for them; `manifest.json` says of each case what it is there for.

    \b
    Examples:
      sonnx-formal vectors --op div --type float16 --type bfloat16 -o div16
      sonnx-formal vectors --onnx build/onnx
      sonnx-formal vectors --verify build/vectors
    """
    if verified is None:
        made = make(selected(operators, types), seed, directory, progress, onnx_directory)
        return CommandOutcome(made, print_generation, 0)
    source = click.get_current_context().get_parameter_source
    others = ("operators", "types", "seed", "directory", "onnx_directory")
    if any(source(name) is ParameterSource.COMMANDLINE for name in others):
        raise click.UsageError("--verify goes with no option but --json")
    verification = verify(verified, progress)
    return CommandOutcome(verification, print_verification, 1 if verification.differences else 0)
