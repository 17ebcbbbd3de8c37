"""The command `network`."""

import hashlib
from pathlib import Path

import click

from sonnx_formal.backends.process import CALL_SECONDS
from sonnx_formal.check.network import NetworkRequest, examined
from sonnx_formal.check.network_document import NetworkReport
from sonnx_formal.check.network_summary import print_network
from sonnx_formal.cli.backend_options import asks_backends
from sonnx_formal.cli.conventions import (
    CommandOutcome,
    exit_codes,
    path_option,
    reporting,
    seed_option,
    timeout_option,
)
from sonnx_formal.core.files import read_given
from sonnx_formal.core.terminal import Progress
from sonnx_formal.lint.model import read
from sonnx_formal.oracle import Oracle, arrays
from sonnx_formal.oracle.tensor_files import read_tensor


@click.command("network")
@click.argument("path", metavar="MODEL.onnx", type=click.Path(path_type=Path))
@path_option(
    "--input given",
    "PATH",
    "An input of the model, .npy or .pb; repeatable, in the order of the graph. Those that are not"
    " given are drawn by chance.",
    multiple=True,
)
@seed_option("Of inputs that are not given.")
@asks_backends("A backend whose wrong results fail the run")
@timeout_option(CALL_SECONDS, "Time that a backend gets for a node.")
@reporting("Write the result as JSON.")
@exit_codes(
    "every node has a result, and no backend that has to pass has another",
    "a node is outside the profile, or a backend that has to pass has another result",
    bad="bad input, such as a node that has no definition here, or a tool is missing",
    special="the model cannot be read",
)
def network_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    path: Path,
    given: tuple[Path, ...],
    seed: int,
    backends: list[str],
    required: frozenset[str],
    timeout: float,
    progress: Progress,
) -> CommandOutcome[NetworkReport]:
    """Run a model node by node, and compare each with its definition.

    Each node is computed by the formal definition of its operator, of SONNX or, where SONNX has
    none, of ONNX; that result is what the next node gets. Every backend is asked for the same node
    on the same operands, and judged as by `check`: to the bit, or by the proved bound for sums of
    floats. A node whose operands or attributes violate a requirement has no result: the run ends
    there.

    \b
    Examples:
      sonnx-formal network model.onnx
      sonnx-formal network model.onnx --input image.npy --require onnxruntime
    """
    request = NetworkRequest(
        str(path),
        read(path),
        hashlib.sha256(read_given(path)).hexdigest(),
        backends,
        [arrays.array(read_tensor(each, None)) for each in given],
        seed,
        required,
        timeout,
    )
    with Oracle() as oracle:
        oracle.build()
        report = examined(request, oracle, progress)
    return CommandOutcome(report, print_network, int(not report.passes))
