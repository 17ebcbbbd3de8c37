"""The evidence as JUnit XML: a test case for each goal, each group of vectors, each requirement."""

import re
from collections.abc import Iterator
from typing import assert_never

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from sonnx_formal.check.document import Verdict
from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.prover.provers import LIMITED
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.trace.document import Proof

_WRONG = (Verdict.DIVERGES, Verdict.CRASHES)


def junit_xml(evidence: Evidence) -> str:
    """The test suites, without times. Time-outs are errors, and so is missing evidence."""
    suites: dict[str, list[TestCase]] = {}
    for goal in evidence.goals:
        suites.setdefault(f"goals of {goal.file}", []).append(_goal(goal))
    suites["test vectors"] = [*_vectors(evidence)]
    suites["requirements"] = [*_requirements(evidence)]
    suites["blocking gaps"] = [*_gaps(evidence)]
    report = JUnitXml("sonnx-formal")
    for name, cases in suites.items():
        if cases:
            suite = TestSuite(name)
            suite.add_testcases(cases)
            report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call]
    text: str = report.tostring().decode()  # type: ignore[no-untyped-call]
    # Nobody measured that. Inside of a value, the quotes would be escaped.
    return re.sub(r' time="0(\.0)?"', "", text) + "\n"


def _case(name: str, group: str, *results: Error | Failure | Skipped) -> TestCase:
    case = TestCase(_plain(name), _plain(group))
    case.result = list(results)
    return case


def _goal(goal: GoalEntry) -> TestCase:
    if goal.proved:
        return _case(goal.id, goal.file)
    answers = {attempt.answer for attempt in goal.attempts}
    message = _plain(goal.said)
    if not answers or answers & LIMITED:  # which say nothing of the goal
        return _case(goal.id, goal.file, Error(message, "no verdict"))
    return _case(goal.id, goal.file, Failure(message, "not proved"))


def _vectors(evidence: Evidence) -> Iterator[TestCase]:
    """A case for each implementation, operator and element type."""
    check = evidence.check
    for cell in check.matrix if check else ():
        name = f"{cell.backend} {cell.operator} {cell.element_type}"
        said = ", ".join(f"{count} {verdict}" for verdict, count in cell.counts.items() if count)
        if any(cell.counts.get(verdict) for verdict in _WRONG):
            yield _case(name, cell.backend, Failure(said, "diverges"))
        elif cell.counts.get(Verdict.PASS):
            yield _case(name, cell.backend)
        else:
            yield _case(name, cell.backend, Skipped(said or "nothing was run"))


def _requirements(evidence: Evidence) -> Iterator[TestCase]:
    trace = evidence.trace
    for line in trace.requirements if trace else ():
        match line.proof:
            case Proof.PLANNED:
                yield _case(line.id, line.document, Skipped("planned"))
            case Proof.UNPROVED:
                yield _case(line.id, line.document, Failure("a goal has no proof", "unproved"))
            case Proof.ONE_FAMILY | Proof.TWO_FAMILIES:
                yield _case(line.id, line.document)
            case _:
                assert_never(line.proof)


def _gaps(evidence: Evidence) -> Iterator[TestCase]:
    for gap in evidence.gaps:
        if gap.blocking:
            message = _plain("; ".join((gap.title, *gap.items[:20])))
            yield _case(gap.id, "gaps", Error(message, "blocking gap"))


def _plain(text: str) -> str:
    """Less what XML 1.0 cannot hold: control characters."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
