"""A cross-check as JUnit XML: a suite an implementation, a case an operator over element types."""

from collections.abc import Iterator, Sequence

from junitparser import Error, Failure, Skipped, TestCase

from sonnx_formal.check.document import (
    CheckedBackend,
    CheckFinding,
    CheckReport,
    MatrixRow,
    ProbeRow,
    Verdict,
)
from sonnx_formal.core.junit import junit_case, junit_log, plain


def junit_xml(report: CheckReport) -> str:
    """What fails a required implementation fails here; all else is told, or skipped."""
    return junit_log({each.name: _suite(report, each) for each in report.backends})


def _suite(report: CheckReport, backend: CheckedBackend) -> list[TestCase]:
    cases = [*_cases(report, backend)]
    if backend.failed and all(case.is_passed or case.is_skipped for case in cases):
        cases.append(junit_case("all of it", backend.name, Failure("nothing passes", "failed")))
    return cases


def _cases(report: CheckReport, backend: CheckedBackend) -> Iterator[TestCase]:
    for row in report.matrix:
        if row.backend == backend.name:
            name = f"{row.operator} {row.element_type}"
            found = [
                each
                for each in report.findings
                if (each.backend, each.operator, each.element_type)
                == (row.backend, row.operator, row.element_type)
            ]
            yield _case(name, backend, found, _counts(row), passed=_passed(row))
    for answer in report.probes:
        if answer.backend == backend.name:
            name = f"{answer.operator} {answer.element_type} probe {answer.probe}"
            passed = answer.verdict is Verdict.PASS
            told = [answer] if answer.example is not None else []
            yield _case(name, backend, told, answer.kind or answer.verdict, passed=passed)


def _case(
    name: str,
    backend: CheckedBackend,
    told: Sequence[CheckFinding | ProbeRow],
    otherwise: str,
    *,
    passed: bool,
) -> TestCase:
    """:param otherwise: why it is skipped, where nothing passed and nothing failed."""
    results = [
        (Error if each.verdict is Verdict.CRASHES else Failure)(_line(each), each.verdict)
        for each in told
        if each.fails or backend.ours
    ]
    skipped = [] if results or passed else [Skipped(otherwise)]
    case = junit_case(name, backend.name, *results, *skipped)
    if told:
        case.system_out = plain("\n".join(map(_line, told)))
    if said := [each.example.said for each in told if each.example and each.example.said]:
        case.system_err = plain("\n".join(said))
    return case


def _line(told: CheckFinding | ProbeRow) -> str:
    cases = f" ({told.cases} cases)" if isinstance(told, CheckFinding) else ""
    return f"{told.verdict}: {told.kind}{cases}"


def _counts(row: MatrixRow) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in row.counts.items() if count)


def _passed(row: MatrixRow) -> bool:
    return bool(row.counts[Verdict.PASS] or row.counts[Verdict.WITHIN_BOUND])
