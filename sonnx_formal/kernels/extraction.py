"""The C text of a kernel, as Why3 writes it.

Why3 is called once for all kernels, because it reads all that they use each time. It numbers
functions that would have one name; each kernel gets those that it is made of.
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
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
_CALLED = re.compile(r"\b(\w+)\(")


@dataclass(frozen=True)
class CFunction:
    """A function that an extracted text defines."""

    name: str
    """As the text has it."""
    plain_name: str
    """Without the number that keeps functions of several kernels apart."""
    result: str
    parameters: str
    is_inline: bool
    text: str = field(repr=False)


@dataclass(frozen=True)
class ExtractedKernel:
    """What Why3 writes for a kernel, unedited."""

    kernel: Kernel
    functions: tuple[CFunction, ...]
    """Each calls those before it alone."""

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.functions).strip()

    @property
    def names(self) -> dict[str, str]:
        """The functions' names in the text, and what Why3 calls them if it writes nothing else."""
        before: Counter[str] = Counter()
        names = {}
        for each in self.functions:
            again = before[each.plain_name]
            names[each.name] = f"{each.plain_name}{again or ''}"
            before[each.plain_name] += 1
        return names

    @property
    def whole(self) -> list[CFunction]:
        """The functions that are no part of others; some of these are called from outside."""
        return [each for each in self.functions if not each.is_inline]

    @property
    def loops(self) -> list[CFunction]:
        """The parts of others that get arrays; what gets elements alone is an operation."""
        return [each for each in self.functions if each.is_inline and "*" in each.parameters]


def extract(kernels: Sequence[Kernel], library: Path, why3: Why3) -> list[ExtractedKernel]:
    """The texts of kernels, in their order. Raises `UserError` where Why3 refuses."""
    symbols = [*dict.fromkeys(symbol for kernel in kernels for symbol in kernel.symbols)]
    driver = library / DRIVER
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        written = Path(folder) / "kernels.c"
        command = [why3.path, "extract", "--recursive", "-D", "c", "-D", str(driver)]
        done = run(
            [*command, "-L", str(library), "-o", str(written), *symbols], environment=environment()
        )
        if done.returncode != 0:
            said = f"{done.stdout}{done.stderr}".rstrip()
            raise UserError(f"{shlex.join([*command[:2], *symbols])} failed:\n{said}")
        functions = _functions(written.read_text())
    called = {
        name for each in functions for name in _CALLED.findall(each.text) if name != each.name
    }
    entries: dict[str, str] = {}
    for name in dict.fromkeys(map(_name, symbols)):
        # Why3 writes what it is asked for in that order, and before it what it is made of: that of
        # Gemm is a kernel of a MatMul that is nobody else's.
        asked = [symbol for symbol in symbols if _name(symbol) == name]
        defined = [each.name for each in functions if each.plain_name == name]
        if len(defined) > len(asked):
            defined = [each for each in defined if each not in called]
        if len(asked) != len(defined):
            raise UserError(
                f"Why3 {why3.version} wrote {len(defined)} of {len(asked)} functions {name}: this"
                " version cannot be used for kernels"
            )
        entries |= dict(zip(asked, defined, strict=True))
    return [
        ExtractedKernel(kernel, _reached(functions, [entries[each] for each in kernel.symbols]))
        for kernel in kernels
    ]


def _functions(text: str) -> list[CFunction]:
    heads = list(_FUNCTION.finditer(text))
    names = {head[3] for head in heads}
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        CFunction(
            head[3],
            _plain(head[3], names),
            head[2],
            " ".join(head[4].split()),
            bool(head[1]),
            text[head.start() : end],
        )
        for head, end in zip(heads, ends, strict=True)
    ]


def _plain(name: str, names: Collection[str]) -> str:
    plain = name.rstrip("0123456789")
    return plain if plain in names else name


def _reached(functions: Sequence[CFunction], entries: Collection[str]) -> tuple[CFunction, ...]:
    """The entries, and what they call."""
    wanted = set(entries)
    for each in reversed(functions):
        if each.name in wanted:
            wanted |= {*_CALLED.findall(each.text)}
    return tuple(each for each in functions if each.name in wanted)


def _name(symbol: str) -> str:
    return symbol.rpartition(".")[2]
