"""Gaps of the implementations: what they depart from, and what they were not judged on."""

from collections import Counter
from collections.abc import Iterator

from sonnx_formal.check.document import CheckReport, MatrixRow, Verdict
from sonnx_formal.report.gaps.gap import Shortfall

_DEPARTURES = {Verdict.DIVERGES, Verdict.CRASHES, Verdict.REFUSES}


def of_check(check: CheckReport) -> Iterator[Shortfall]:
    """What implementations were not judged on, or fail."""
    ours = {backend.name for backend in check.backends if backend.ours}
    missing = {backend.name: backend.missing for backend in check.backends if backend.missing}
    yield "implementation-failed", [backend.name for backend in check.backends if backend.failed]
    yield "not-installed", [f"{name}: {why}" for name, why in missing.items()]
    yield (
        "departures",
        [
            f"{found.backend}: {found.operator} {found.element_type} {found.verdict}: {found.kind} "
            f"({found.cases} cases)"
            for found in check.findings
            if found.verdict in _DEPARTURES and found.backend not in ours
        ],
    )
    excluded: Counter[tuple[str, str, str]] = Counter()
    for found in check.findings:
        if found.verdict is Verdict.NOT_JUDGED:
            excluded[found.backend, found.operator, found.element_type] += found.cases
    yield (
        "not-judged",
        [
            f"{cell.backend}: {cell.operator} {cell.element_type}: "
            f"{_not_judged(cell, excluded[cell.backend, cell.operator, cell.element_type])}"
            for cell in check.matrix
            if cell.counts.get(Verdict.NOT_JUDGED)
        ],
    )
    yield (
        "not-supported",
        [
            f"{cell.backend}: {cell.operator} {cell.element_type}: "
            f"{cell.counts[Verdict.NOT_SUPPORTED]} cases"
            for cell in check.matrix
            if cell.backend not in missing and cell.counts.get(Verdict.NOT_SUPPORTED)
        ],
    )


def _not_judged(cell: MatrixRow, excluded: int) -> str:
    orders = cell.counts[Verdict.NOT_JUDGED] - excluded
    said = [f"{excluded} of excluded operands"] if excluded else []
    return ", ".join([*said, f"{orders} of sums that some orders overflow"] if orders else said)
