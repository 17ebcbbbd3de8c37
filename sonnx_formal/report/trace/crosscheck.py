"""What a cross-check says of the test vectors: which implementation passes on which of them."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError

_COMMAND = "sonnx-formal check --vectors DIR --json"

Combination = tuple[str, str]
"""Operator and element type."""


class CaseOutcome(StrEnum):
    """What came of some cases of an operator and a type."""

    PASSES = "passes"
    """Each of them passed."""
    FAILS = "does not pass"
    """One of them diverged, was refused, was not judged, was not run, or made it crash."""
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True)
class CrossCheckRow:
    """An implementation on the cases of an operator and a type."""

    supported: bool
    not_passed: frozenset[str] = frozenset()
    """The names of the cases that did not pass."""


@dataclass(frozen=True)
class CrossCheck:
    """What came of the test vectors of a manifest."""

    rows: Mapping[str, Mapping[Combination, CrossCheckRow]]
    """By implementation."""
    ours: frozenset[str] = frozenset()
    """The names of this project's own implementation, which confirms nothing by itself."""

    def outcome(self, backend: str, combination: Combination, cases: Set[str]) -> CaseOutcome:
        """Of the cases with these names. What was not looked at did not pass."""
        row = self.rows[backend].get(combination)
        if row is not None and not row.supported:
            return CaseOutcome.NOT_SUPPORTED
        return CaseOutcome.FAILS if row is None or cases & row.not_passed else CaseOutcome.PASSES


def read_crosscheck(path: Path, manifest_sha256: str) -> CrossCheck:
    """What `sonnx-formal check --vectors DIR --json` wrote.

    :param manifest_sha256: of the manifest of these vectors.
    :raises UserError: when it is no such file, or is about other vectors.
    """
    check = documents.read(path, CheckReport)
    if check.manifest_sha256 != manifest_sha256:
        raise UserError(f"{path}: not of these test vectors: check them with `{_COMMAND} {path}`")
    rows: dict[str, dict[Combination, CrossCheckRow]] = {}
    for row in check.matrix:
        lacking = row.counts[Verdict.NOT_SUPPORTED] or row.counts[Verdict.NOT_INSTALLED]
        rows.setdefault(row.backend, {})[row.operator, row.element_type] = CrossCheckRow(
            not lacking, frozenset(row.not_passed)
        )
    ours = frozenset(backend.name for backend in check.backends if backend.ours)
    return CrossCheck(rows, ours)
