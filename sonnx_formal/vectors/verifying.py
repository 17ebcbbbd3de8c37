"""Test vectors checked: every hash, and every result by the oracle anew."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in, read_file
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.spec.element_types import Array, ElementType, Family
from sonnx_formal.vectors.archive import BadArchiveError, to_member
from sonnx_formal.vectors.case import Case
from sonnx_formal.vectors.making import Step
from sonnx_formal.vectors.manifest import NAME, FileEntry, Manifest, read_manifest
from sonnx_formal.vectors.results import Difference, Verification
from sonnx_formal.vectors.storage import case_of, members_of, sha256


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
            step(entry.file, number, len(manifest.files))
            found = list(_about_file(directory / entry.file, entry, oracle))
            differences += [difference for difference in found if difference]
            verified += found.count(None)
    return Verification(str(directory), manifest.count, verified, tuple(differences))


def _about_sources(manifest: Manifest) -> Iterator[Difference]:
    here, recorded = formal_sources_sha256(), manifest.origin.formal_sources_sha256
    if here != recorded:
        yield Difference(
            NAME,
            None,
            f"generated from other formal sources, of SHA-256 {recorded[:12]}…; here {here[:12]}…",
        )


def _about_other_files(directory: Path, manifest: Manifest) -> Iterator[Difference]:
    known = {NAME, *(entry.file for entry in manifest.files)}
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
    recorded, computed = _patterns(case.expected, type_), _patterns(right, type_)
    first = next(i for i in np.ndindex(right.shape) if recorded[i] != computed[i])
    texts = [element_text(array[first], type_) for array in (recorded, computed)]
    return f"the result is {texts[0]} at {list(map(int, first))}, the oracle says {texts[1]}"


def _patterns(array: Array, type_: ElementType) -> Array:
    """Of floats, the bit patterns as integers; of others, the elements."""
    floats = type_.family is Family.FLOAT
    return array.view(type_.pattern).astype(object) if floats else array
