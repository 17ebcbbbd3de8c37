"""The C text of a kernel, as Why3 writes it."""

import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import run
from sonnx_formal.kernels.copying import CopyingKernel
from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.prover.installation import Why3, environment

DRIVER = "kernels/sonnx.drv"
"""How words, buffers and floating-point operations are written in C; in the formal library."""
Kernel = DeclaredKernel | CopyingKernel
_FUNCTION = re.compile(r"^(static inline )?(\w[\w ]*?) (\w+)\(([^)]*)\) \{$", re.MULTILINE)


@dataclass(frozen=True)
class CFunction:
    """A function that an extracted text defines."""

    name: str
    result: str
    parameters: str
    is_inline: bool


@dataclass(frozen=True)
class ExtractedKernel:
    """What Why3 writes for a kernel, unedited."""

    kernel: Kernel
    text: str
    functions: tuple[CFunction, ...]
    """Those that the text defines."""

    @property
    def whole(self) -> list[CFunction]:
        """The functions that are no part of others; some of these are called from outside."""
        return [each for each in self.functions if not each.is_inline]

    @property
    def loops(self) -> list[CFunction]:
        """The parts of others that get arrays; what gets elements alone is an operation."""
        return [each for each in self.functions if each.is_inline and "*" in each.parameters]


def extract(
    kernels: tuple[Kernel, ...], library: Path, why3: Why3, jobs: int
) -> list[ExtractedKernel]:
    """The texts of kernels, in their order. Raises `UserError` where Why3 refuses."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda kernel: _extracted(kernel, library, why3), kernels))


def _extracted(kernel: Kernel, library: Path, why3: Why3) -> ExtractedKernel:
    symbols = kernel.symbols
    driver = library / DRIVER
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        written = Path(folder) / "kernel.c"
        command = [why3.path, "extract", "--recursive", "-D", "c", "-D", str(driver)]
        done = run(
            [*command, "-L", str(library), "-o", str(written), *symbols], environment=environment()
        )
        if done.returncode != 0:
            said = f"{done.stdout}{done.stderr}".rstrip()
            raise UserError(f"{shlex.join([*command[:2], *symbols])} failed:\n{said}")
        text = written.read_text().strip()
    functions = tuple(
        CFunction(name, result, " ".join(parameters.split()), is_inline=bool(inline))
        for inline, result, name, parameters in _FUNCTION.findall(text)
    )
    found = {function.name for function in functions}
    if missing := [name for name in _names(kernel) if name not in found]:
        raise UserError(
            f"Why3 {why3.version} wrote no function {missing[0]} for {kernel.module}: this version"
            " cannot be used for kernels"
        )
    return ExtractedKernel(kernel, text, functions)


def _names(kernel: Kernel) -> list[str]:
    return [symbol.rpartition(".")[2] for symbol in kernel.symbols]
