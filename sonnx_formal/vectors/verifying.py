"""Test vectors checked: every hash, and every result by the oracle anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in, read_file
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.vectors.archive import BadArchiveError, to_member
from sonnx_formal.vectors.case import Array, Case
from sonnx_formal.vectors.generate import result
from sonnx_formal.vectors.making import Step
from sonnx_formal.vectors.manifest import NAME, FileEntry, Manifest, read_manifest
from sonnx_formal.vectors.storage import case_of, members_of, sha256


@dataclass(frozen=True)
class Difference:
    """Something that is not as it should be."""

    file: str
    case: str | None
    """None where the file as a whole is meant."""
    what: str

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.case}: {self.what}" if self.case else f"{self.file}: {self.what}"
        )


@dataclass(frozen=True)
class Verification:
    """What was found."""

    directory: Path
    manifest: Manifest
    verified: int
    """Cases whose expected result is what the oracle says."""
    differences: list[Difference]


def verify(directory: Path, step: Step) -> Verification:
    """Look at every file, and compute every result anew.

    :raises UserError: when there is no sound manifest, or the oracle gives no answer.
    """
    manifest = read_manifest(directory)
    differences = [*_about_sources(manifest), *_about_other_files(directory, manifest)]
    verified = 0
    with Oracle() as oracle:
        oracle.build()
        for number, entry in enumerate(manifest.files):
            step(entry.name, number, len(manifest.files))
            found = list(_about_file(directory / entry.name, entry, oracle))
            differences += [difference for difference in found if difference]
            verified += found.count(None)
    return Verification(directory, manifest, verified, differences)


def _about_sources(manifest: Manifest) -> Iterator[Difference]:
    here, recorded = formal_sources_sha256(), manifest.origin.formal_sources_sha256
    if here != recorded:
        yield Difference(
            NAME,
            None,
            f"generated from other formal sources, of SHA-256 {recorded[:12]}…; here {here[:12]}…",
        )


def _about_other_files(directory: Path, manifest: Manifest) -> Iterator[Difference]:
    known = {NAME, *(entry.name for entry in manifest.files)}
    for name in sorted(names_in(directory) - known):
        yield Difference(name, None, "the manifest does not have it")


def _about_file(path: Path, entry: FileEntry, oracle: Oracle) -> Iterator[Difference | None]:
    """What is wrong with the file as a whole; then for each case what is wrong, or None."""
    try:
        data = read_file(path, entry.bytes)
        members = members_of(data, entry)
    except (UserError, BadArchiveError) as error:
        yield Difference(path.name, None, str(error).removeprefix(f"{path}: "))
        return
    if sha256(data) != entry.sha256:
        yield Difference(path.name, None, "its contents have changed")
    for named in entry.cases:
        try:
            case = case_of(members, entry, named)
        except BadArchiveError as error:
            yield Difference(path.name, named.name, str(error).removeprefix(f"{named.name}: "))
            continue
        wrong = _wrong_result(case, oracle)
        yield Difference(path.name, named.name, wrong) if wrong else None


def _wrong_result(case: Case, oracle: Oracle) -> str | None:
    """How the result differs from the oracle's, bit by bit."""
    try:
        right = result(oracle, case.operator, case.a, case.b, case.attributes)
    except Inadmissible as error:
        if case.violated == error.requirement:
            return None
        return f"the operands violate {error}"
    if case.violated:
        return f"the operands do not violate {case.violated}: the oracle has a result"
    if to_member(case.expected, case.element_type) == to_member(right, case.element_type):
        return None
    if case.expected.shape != right.shape:
        return f"its result has shape {case.expected.shape}, the oracle's {right.shape}"
    recorded, computed = _patterns(case.expected, case), _patterns(right, case)
    first = next(i for i in np.ndindex(right.shape) if recorded[i] != computed[i])
    type_ = NUMERICAL[case.element_type]
    texts = [element_text(array[first], type_) for array in (recorded, computed)]
    return f"the result is {texts[0]} at {list(map(int, first))}, the oracle says {texts[1]}"


def _patterns(array: Array, case: Case) -> Array:
    """Of floats, the bit patterns as integers; of others, the elements."""
    type_ = NUMERICAL[case.element_type]
    return array.view(type_.pattern).astype(object) if type_.kind == "float" else array
