"""`kernels`: the library of kernels, written to a folder."""

from functools import partial
from pathlib import Path

import click

from sonnx_formal.cli.conventions import CommandOutcome, exit_codes, path_option, reporting
from sonnx_formal.core.terminal import Progress
from sonnx_formal.kernels.document import KernelLibrary, print_library, write_library


@click.command("kernels")
@path_option("--out", "DIR", "Where the files go.", default=Path("build/libsonnx"))
@reporting("Write which kernels there are, and the hashes of the files, as JSON.")
@exit_codes("the library is written")
def kernels_command(out: Path, progress: Progress) -> CommandOutcome[KernelLibrary]:
    """Write libsonnx: C kernels proved to compute the operators.

    Why3 extracts each kernel from the formal library as C11; the C compiler makes a library of
    them. What is written: sonnx.h, sonnx.c, libsonnx.a, libsonnx.so, and sonnx.pc for pkg-config.
    The C text needs the header, and fma of <math.h>: it can be compiled for any other machine.

    \b
    Example:
      sonnx-formal kernels
      cc -std=c11 -Ibuild/libsonnx program.c build/libsonnx/libsonnx.a -lm
    """
    progress("extracting and compiling the kernels, unless they are in the cache")
    return CommandOutcome(write_library(out), partial(print_library, folder=out), 0)
