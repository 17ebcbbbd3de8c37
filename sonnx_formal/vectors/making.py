"""Test vectors made and written: the command `vectors`."""

import importlib.metadata
import itertools
import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta
from rich.console import Console
from rich.table import Table

from sonnx_formal.core.documents import Count, Document
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import check_replaceable, replaced
from sonnx_formal.core.terminal import say
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.operator import Instance, System
from sonnx_formal.vectors import onnx_export
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import NAME, Origin, file_name
from sonnx_formal.vectors.storage import write_cases, write_manifest

Step = Callable[[str, int, int], None]
"""Is told what comes next, its number, and how many there are."""


class Generation(Document, frozen=True, tag="sonnx-formal/vectors-generation/1"):
    """Test vectors were generated and written."""

    command: ClassVar[str] = "vectors --json PATH"
    directory: str
    onnx_directory: str | None
    """Where the ONNX backend tests are, if there are any."""
    seed: Count
    files: Count
    bytes: Count
    cases: Count
    classes: dict[str, dict[CaseClass, Count]]
    """The number of cases by operator and class."""
    seconds: Annotated[float, Meta(ge=0)]


def make(
    asked: Sequence[Instance],
    seed: int,
    directory: Path,
    step: Step,
    onnx_directory: Path | None = None,
) -> Generation:
    """Generate the test vectors and write them, each folder as a whole.

    :param onnx_directory: where the ONNX backend tests go, if there are to be any.
    :raises UserError: when that is impossible.
    """
    began = time.monotonic()
    wanted = [(directory, NAME, [file_name(instance) for instance in instances()])]
    if onnx_directory:
        wanted.append((onnx_directory, onnx_export.ORIGIN, onnx_export.layout()))
    for each in wanted:  # before the work rather than after it
        check_replaceable(*each)
    places = [path.resolve() for path, _, _ in wanted]
    if any(a.is_relative_to(b) for a, b in itertools.permutations(places, 2)):
        raise UserError("-o and --onnx need folders of which neither is within the other")
    with Oracle() as oracle, ExitStack() as folders:
        source = origin(seed, oracle)
        folder, *onnx_folders = [folders.enter_context(replaced(*each)) for each in wanted]
        entries, every = [], []
        for number, instance in enumerate(asked):
            step(str(instance), number, len(asked))
            cases = list(generate(instance, seed, oracle))
            entries.append(write_cases(folder, cases))
            every += cases
        for root in onnx_folders:
            onnx_export.export(root, source, every)
        if formal_sources_sha256() != source.formal_sources_sha256:
            raise UserError("the formal sources changed meanwhile: run the same command again")
        manifest = write_manifest(folder, source, entries)
    classes: dict[str, Counter[CaseClass]] = {}
    for entry in manifest.files:
        mine = classes.setdefault(entry.operator, Counter())
        mine.update(case.case_class for case in entry.cases)
    return Generation(
        directory=str(directory),
        onnx_directory=str(onnx_directory) if onnx_directory else None,
        seed=seed,
        files=len(entries),
        bytes=sum(entry.bytes for entry in entries),
        cases=manifest.count,
        classes={operator: dict(each) for operator, each in classes.items()},
        seconds=round(time.monotonic() - began, 3),
    )


def origin(seed: int, oracle: Oracle) -> Origin:
    """What vectors that are made now are made from and with."""
    program = oracle.build()
    tools = {
        "sonnx-formal": importlib.metadata.version("sonnx-formal"),
        "why3": find_why3().version,
        "ocaml": first_line(["ocamlfind", "ocamlopt", "-version"]),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("numpy", "ml_dtypes", "onnx")},
    }
    return Origin(seed, formal_sources_sha256(), program.key, tools)


def print_generation(console: Console, made: Generation) -> None:
    """A table of operators and classes, and where everything is."""
    for systems in ({System.SONNX}, {*System} - {System.SONNX}):
        mine = [operator.name for operator in operators() if operator.system in systems]
        _print_numbers(console, {name: made.classes[name] for name in mine if name in made.classes})
    lines = [
        f"{made.cases} cases in {made.files} file{'s' * (made.files != 1)}, "
        f"{made.bytes / 1e6:.1f} MB, seed {made.seed}, {made.seconds:.1f} s: {made.directory}"
    ]
    if made.onnx_directory:
        exported = "those that ONNX has and that have a result, as backend tests of ONNX"
        lines.append(f"{exported}: {made.onnx_directory}")
    say(console, *lines)


def _print_numbers(console: Console, numbers: Mapping[str, Mapping[CaseClass, int]]) -> None:
    """How many cases of each class, operator by operator, if there are any."""
    if not numbers:
        return
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("class", "all", header_style="bold")
    for operator, each in numbers.items():
        footer = str(sum(each.values()))
        table.add_column(operator, footer, justify="right", header_style="bold")
    for case_class in CaseClass:
        cells = [each.get(case_class) for each in numbers.values()]
        if any(cells):
            table.add_row(case_class.value, *(str(cell or "") for cell in cells))
    console.print(table)
    console.print()
