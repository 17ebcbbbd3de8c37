"""Verdicts as JUnit XML, which build servers show."""

import re
from collections.abc import Mapping

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite


def junit_log(suites: Mapping[str, list[TestCase]]) -> str:
    """The test suites by name, without times; one without a case is left out."""
    report = JUnitXml("sonnx-formal")
    for name, cases in suites.items():
        if cases:
            suite = TestSuite(plain(name))
            suite.add_testcases(cases)
            report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call]
    text: str = report.tostring().decode()  # type: ignore[no-untyped-call]
    # Nobody measured that. Inside of a value, the quotes would be escaped.
    return re.sub(r' time="0(\.0)?"', "", text) + "\n"


def junit_case(name: str, group: str, *results: Error | Failure | Skipped) -> TestCase:
    case = TestCase(plain(name), plain(group))
    for each in results:
        each.message = plain(each.message)
    case.result = list(results)
    return case


def plain(text: str) -> str:
    """Less what XML 1.0 cannot hold: control characters."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
