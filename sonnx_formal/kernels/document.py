"""What `sonnx-formal kernels` says: the files, and of each operator over each type whether it has a
kernel."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import say
from sonnx_formal.kernels.build import COMPILER, OPTIONS, build, sha256_of
from sonnx_formal.kernels.copying import copying_kernel
from sonnx_formal.kernels.declared import LIBRARY, Arithmetics, DeclaredKernel, kernels_of
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.prover.provenance import BegunRun, MadeDocument
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Instance


class KernelStanding(StrEnum):
    """What is proved of a kernel."""

    PROVED = "proved"
    NATIVE = "proved, if C's float and double are those of IEEE 754"
    FUSED = "within the error bound, if C's float, double and fma are those of IEEE 754"
    OPEN = "open: there is no kernel"


class KernelEntry(Part, frozen=True):
    """An operator over a type."""

    operator: str
    type: str
    requirement: str
    standing: KernelStanding
    module: str | None = None
    """Of WhyML; None where there is no kernel."""
    function: str | None = None
    """In `sonnx.h`."""


class LibraryFile(Part, frozen=True):
    """A file that was written."""

    name: str
    size: Count
    """In bytes."""
    sha256: Sha256


class KernelLibrary(MadeDocument, frozen=True, tag="sonnx-formal/kernels/2"):
    """libsonnx as it was written."""

    command = "kernels --json PATH"

    why3: str
    compiler: str
    options: tuple[str, ...]
    files: tuple[LibraryFile, ...]
    kernels: tuple[KernelEntry, ...]


def write_library(folder: Path) -> KernelLibrary:
    """Write libsonnx to a folder. Raises `UserError` as `build`."""
    made = BegunRun.of(LIBRARY)
    written = build(folder)
    return KernelLibrary(
        why3=find_why3().version,
        compiler=first_line([COMPILER, "--version"]),
        options=OPTIONS,
        files=tuple(
            LibraryFile(path.name, path.stat().st_size, sha256_of(path)) for path in written
        ),
        kernels=tuple(
            entry
            for operator in operators()
            if operator.goes_by_onnx_name
            for instance in operator.instances()
            if instance.types[0].has_patterns  # no machine has the others in words
            for entry in _entries(instance)
        ),
        made=made.ended(),
    )


def _entries(instance: Instance) -> Iterator[KernelEntry]:
    operator, label = instance.operator.name, instance.label
    found = kernels_of(instance)
    for kernel in found:
        yield KernelEntry(
            operator, label, kernel.requirement, _standing(kernel), kernel.module, kernel.name
        )
    requirement = f"{instance.document}.FUNC"
    if copying := copying_kernel(instance):
        proved = KernelStanding.PROVED
        yield KernelEntry(operator, label, requirement, proved, copying.module, copying.name)
    elif not found:
        yield KernelEntry(operator, label, requirement, KernelStanding.OPEN)


def _standing(kernel: DeclaredKernel) -> KernelStanding:
    match kernel.arithmetics:
        case Arithmetics.INTEGER | Arithmetics.SOFT:
            return KernelStanding.PROVED
        case Arithmetics.NATIVE:
            return KernelStanding.NATIVE
        case Arithmetics.FUSED:
            return KernelStanding.FUSED


def print_library(console: Console, library: KernelLibrary, folder: Path) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("operator", "kernel", "types"):
        table.add_column(name, header_style="bold")
    found = grouped(library.kernels, lambda entry: (entry.operator, _in_a_word(entry)))
    for (operator, word), entries in found.items():
        table.add_row(operator, word, ", ".join(entry.type for entry in entries))
    console.print(table)
    say(
        console,
        f"native: {KernelStanding.NATIVE}; fused: {KernelStanding.FUSED}; soft: proved, with"
        " integers alone",
        "",
    )
    say(console, *(f"{folder / file.name}: {file.size} bytes" for file in library.files))


def _in_a_word(entry: KernelEntry) -> str:
    match entry.standing:
        case KernelStanding.OPEN:
            return "open"
        case KernelStanding.NATIVE:
            return "native"
        case KernelStanding.FUSED:
            return "fused"
        case KernelStanding.PROVED:
            return "soft" if (entry.function or "").startswith("sonnx_soft_") else "proved"
