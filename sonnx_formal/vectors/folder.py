"""A folder of test vectors made, or checked by the oracle anew: the command `vectors`."""

import importlib.metadata
import itertools
import platform
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta
from rich.console import Console
from rich.table import Table

from sonnx_formal.core.documents import Count, Document
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import check_replaceable, names_in, replaced
from sonnx_formal.core.terminal import Step, say
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors import onnx_export
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import NAME, Case, Origin, file_name, read_manifest
from sonnx_formal.vectors.storage import (
    Difference,
    read_cases,
    to_member,
    write_cases,
    write_manifest,
)

_MOST_LINES = 20


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
        wanted.append((onnx_directory, onnx_export.TESTS, onnx_export.layout()))
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
            step(f"generating test vectors, {number}/{len(asked)}", str(instance))
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
        classes.setdefault(entry.operator, Counter()).update(x.case_class for x in entry.cases)
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
    program = oracle.build()
    tools = {
        "sonnx-formal": importlib.metadata.version("sonnx-formal"),
        "why3": find_why3().version,
        "ocaml": first_line(["ocamlfind", "ocamlopt", "-version"]),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("numpy", "ml_dtypes", "onnx")},
    }
    return Origin(seed, formal_sources_sha256(), program.parent.name, tools)


def print_generation(console: Console, made: Generation) -> None:
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("operator", "all", header_style="bold")
    table.add_column("cases", str(made.cases), justify="right", header_style="bold")
    table.add_column("of these", header_style="bold")
    for operator in operators():
        if numbers := made.classes.get(operator.name):
            in_order = (f"{numbers[each]} {each}" for each in CaseClass if each in numbers)
            table.add_row(operator.name, str(sum(numbers.values())), ", ".join(in_order))
    console.print(table, "")
    lines = [
        f"{made.cases} cases in {made.files} file{'s' * (made.files != 1)}, "
        f"{made.bytes / 1e6:.1f} MB, seed {made.seed}, {made.seconds:.1f} s: {made.directory}"
    ]
    if made.onnx_directory:
        exported = "those that ONNX has and that have a result, as backend tests of ONNX"
        lines.append(f"{exported}: {made.onnx_directory}")
    say(console, *lines)


class Verification(Document, frozen=True, tag="sonnx-formal/vectors-verification/1"):
    """Test vectors were held against their hashes and against the oracle."""

    command: ClassVar[str] = "vectors --verify DIR --json PATH"
    directory: str
    cases: Count
    verified: Count
    """Cases whose expected result is what the oracle says."""
    differences: tuple[Difference, ...]


def verify(directory: Path, step: Step) -> Verification:
    """Look at every file, and compute every result anew: of vectors, or of backend tests of ONNX.

    Raises `UserError` without a manifest.
    """
    if (directory / onnx_export.TESTS).exists():
        tests = onnx_export.read_tests(directory)
        name, recorded, count = onnx_export.TESTS, tests.origin, len(tests.tests)
        others = onnx_export.foreign(directory, tests)
        read = [(each.folder, onnx_export.read_test(directory, each)) for each in tests.tests]
    else:
        manifest = read_manifest(directory)
        name, recorded, count = NAME, manifest.origin, manifest.count
        others = sorted(names_in(directory) - {NAME, *(entry.file for entry in manifest.files)})
        read = [(each.file, read_cases(directory / each.file, each)) for each in manifest.files]
    differences = [*_other_sources(name, recorded.formal_sources_sha256)]
    differences += [Difference(other, None, "the manifest does not have it") for other in others]
    verified = 0
    with Oracle() as oracle:
        oracle.build()
        for number, (file, cases) in enumerate(read):
            step(f"verifying test vectors, {number}/{len(read)}", file)
            for case in cases:
                if isinstance(case, Difference):
                    differences.append(case)
                elif wrong := _wrong_result(case, oracle):
                    differences.append(Difference(file, case.name, wrong))
                else:
                    verified += 1
    return Verification(str(directory), count, verified, tuple(differences))


def _other_sources(name: str, recorded: str) -> Iterator[Difference]:
    here = formal_sources_sha256()
    if here != recorded:
        what = f"generated from other formal sources, of SHA-256 {recorded[:12]}…"
        yield Difference(name, None, f"{what}; here {here[:12]}…")


def _wrong_result(case: Case, oracle: Oracle) -> str | None:
    try:
        right = oracle.evaluate(case.call)
    except Inadmissible as error:
        return None if case.violated == error.requirement else f"the operands violate {error}"
    if case.violated:
        return f"the operands do not violate {case.violated}: the oracle has a result"
    type_ = case.instance.type_of(case.instance.operator.output)
    if to_member(case.expected, type_) == to_member(right, type_):
        return None
    if case.expected.shape != right.shape:
        return f"its result has shape {case.expected.shape}, the oracle's {right.shape}"
    recorded, computed = case.expected, right
    if type_.family is Family.FLOAT:
        recorded, computed = (x.view(type_.pattern).astype(object) for x in (recorded, computed))
    first = next(i for i in np.ndindex(right.shape) if recorded[i] != computed[i])
    texts = [element_text(array[first], type_) for array in (recorded, computed)]
    return f"the result is {texts[0]} at {list(map(int, first))}, the oracle says {texts[1]}"


def print_verification(console: Console, found: Verification) -> None:
    count = len(found.differences)
    lines = [str(difference) for difference in found.differences[:_MOST_LINES]]
    if count > _MOST_LINES:
        lines.append(f"… and {count - _MOST_LINES} more: --json has them all")
    verdict = f"{found.verified} of {found.cases} cases are as the oracle says"
    changed = ": not what was generated" if count else ""
    lines.append(f"{verdict}; {count} difference{'s' * (count != 1)}{changed}")
    say(console, *lines)
