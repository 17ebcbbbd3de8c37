"""Test vectors checked: every hash, and every result by the oracle anew."""

from pathlib import Path
from typing import ClassVar

import numpy as np
from rich.console import Console

from sonnx_formal.core.documents import Count, Document
from sonnx_formal.core.files import names_in
from sonnx_formal.core.terminal import say
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.spec.element_types import Family
from sonnx_formal.vectors.case import Case
from sonnx_formal.vectors.making import Step
from sonnx_formal.vectors.manifest import NAME, read_manifest
from sonnx_formal.vectors.storage import Difference, read_cases, to_member

_MOST_LINES = 20


class Verification(Document, frozen=True, tag="sonnx-formal/vectors-verification/1"):
    """Test vectors were held against their hashes and against the oracle."""

    command: ClassVar[str] = "vectors --verify DIR --json PATH"
    directory: str
    cases: Count
    verified: Count
    """Cases whose expected result is what the oracle says."""
    differences: tuple[Difference, ...]


def verify(directory: Path, step: Step) -> Verification:
    """Look at every file, and compute every result anew.

    :raises UserError: when there is no sound manifest, or the oracle gives no answer.
    """
    manifest = read_manifest(directory)
    differences: list[Difference] = []
    here, recorded = formal_sources_sha256(), manifest.origin.formal_sources_sha256
    if here != recorded:
        what = (
            f"generated from other formal sources, of SHA-256 {recorded[:12]}…; here {here[:12]}…"
        )
        differences.append(Difference(NAME, None, what))
    known = {NAME, *(entry.file for entry in manifest.files)}
    for name in sorted(names_in(directory) - known):
        differences.append(Difference(name, None, "the manifest does not have it"))
    verified = 0
    with Oracle() as oracle:
        oracle.build()
        for number, entry in enumerate(manifest.files):
            step(entry.file, number, len(manifest.files))
            for case in read_cases(directory / entry.file, entry):
                if isinstance(case, Difference):
                    differences.append(case)
                elif wrong := _wrong_result(case, oracle):
                    differences.append(Difference(entry.file, case.name, wrong))
                else:
                    verified += 1
    return Verification(str(directory), manifest.count, verified, tuple(differences))


def _wrong_result(case: Case, oracle: Oracle) -> str | None:
    """How the result differs from the oracle's, bit by bit."""
    try:
        right = oracle.evaluate(case.call)
    except Inadmissible as error:
        if case.violated == error.requirement:
            return None
        return f"the operands violate {error}"
    if case.violated:
        return f"the operands do not violate {case.violated}: the oracle has a result"
    type_ = case.instance.type_of(case.instance.operator.output)
    if to_member(case.expected, type_) == to_member(right, type_):
        return None
    if case.expected.shape != right.shape:
        return f"its result has shape {case.expected.shape}, the oracle's {right.shape}"
    recorded, computed = case.expected, right
    if type_.family is Family.FLOAT:
        patterns = (array.view(type_.pattern).astype(object) for array in (recorded, computed))
        recorded, computed = patterns
    first = next(i for i in np.ndindex(right.shape) if recorded[i] != computed[i])
    texts = [element_text(array[first], type_) for array in (recorded, computed)]
    return f"the result is {texts[0]} at {list(map(int, first))}, the oracle says {texts[1]}"


def print_verification(console: Console, found: Verification) -> None:
    """The differences, the first of them; then the verdict."""
    count = len(found.differences)
    lines = [str(difference) for difference in found.differences[:_MOST_LINES]]
    if count > _MOST_LINES:
        lines.append(f"… and {count - _MOST_LINES} more: --json has them all")
    verdict = f"{found.verified} of {found.cases} cases are as the oracle says"
    lines.append(f"{verdict}; {count} difference{'s' * (count != 1)}")
    say(console, *lines)
