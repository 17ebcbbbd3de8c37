"""What is told of a cross-check: failures first, by cause, across types; then the rest."""

import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from sonnx_formal.check.causes import Cause, causes
from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.check.junit import junit_xml
from sonnx_formal.check.summary import print_summary
from tests.check.conftest import Check, over

DIES, BROADCASTS = "fakes:dies_of_three_fives", "fakes:broadcasts"
SIGN = "fakes:loses_the_sign_of_zero"
FLOATS = [over("mul", "float16"), over("mul", "float32")]


@pytest.fixture(scope="module")
def report(check: Check) -> CheckReport:
    """A crash, a wrong value of two types, and operands that are excluded."""
    return check(f"{BROADCASTS},{SIGN},{DIES}", over("mul", "int8"), *FLOATS, required=[SIGN])


def shown(report: CheckReport, *, only_failures: bool = False) -> list[str]:
    console = Console(width=120)
    with console.capture() as capture:
        print_summary(console, report, only_failures=only_failures)
    return [line for line in capture.get().splitlines() if line]


def test_the_gravest_cause_comes_first_and_types_are_grouped(report: CheckReport) -> None:
    found = [(x.backend, x.verdict, x.kind, x.types) for x in causes(report)]
    (crash, *others) = found
    assert crash == (DIES, Verdict.CRASHES, "SIGFPE", {"mul": "int8"})
    assert others[0] == (SIGN, Verdict.DIVERGES, "sign of zero", {"mul": "float16, float32"})
    assert {verdict for _, verdict, _, _ in others[1:]} == {Verdict.NOT_JUDGED}
    every = [x for cause in causes(report) for x in cause.told]
    assert len(every) == len(report.findings) + sum(x.example is not None for x in report.probes)


def test_failures_are_told_first_by_cause_and_then_by_example(report: CheckReport) -> None:
    lines = shown(report)
    assert lines[0].split() == [
        "implementation", "verdict", "cause", "operator", "types", "cases", "elements"
    ]  # fmt: skip
    sign = next(cause for cause in causes(report) if cause.backend == SIGN)
    row = next(line for line in lines if line.startswith(SIGN))
    numbers = [str(sign.cases), str(sign.elements)]
    assert row.split()[1:] == [
        *["diverges", "sign", "of", "zero", "mul", "float16,", "float32"],
        *numbers,
    ]
    assert lines.index(row) == 2  # after the crash
    at = lines.index(
        f"{SIGN}: mul float16, float32 diverges: sign of zero"
        f" ({sign.elements} elements of {sign.cases} cases)"
    )
    assert lines[at + 1 : at + 4] == [
        "  of float16",
        "  A        = [0]  bits [0x0000]",
        "  B        = [-0]  bits [0x8000]",
    ]


def test_the_smallest_example_of_a_cause_is_told(report: CheckReport) -> None:
    small, other = next(cause for cause in causes(report) if cause.backend == SIGN).told
    assert other.example is not None
    operands = tuple(replace(each, shape=(7,)) for each in other.example.operands)
    large = replace(other, example=replace(other.example, operands=operands))
    assert Cause((large, small)).smallest is Cause((small, large)).smallest is small


def test_what_is_not_judged_is_a_line_a_cause(report: CheckReport) -> None:
    lines = shown(report)
    (line,) = [line for line in lines if "SONNX-MUL.R4 excludes" in line and "probe" not in line]
    findings = [x for x in report.findings if x.kind == "computes what SONNX-MUL.R4 excludes"]
    cases = sum(x.cases for x in findings)
    kind = "not judged: computes what SONNX-MUL.R4 excludes"
    assert line == f"{BROADCASTS}: {kind} ({cases} cases; mul int8, float16, float32)"
    (failure, *_) = [at for at, line in enumerate(lines) if SIGN in line]
    assert lines.index(line) > failure


def test_only_failures(report: CheckReport) -> None:
    every, failures = shown(report), shown(report, only_failures=True)
    assert failures[:-1] == every[: len(failures) - 1]
    assert failures[-1] == every[-1]
    assert not any("not judged:" in line or "combinations" in line for line in failures)


def test_junit_says_what_the_summary_says(report: CheckReport) -> None:
    root = ET.fromstring(junit_xml(report))
    failing = {
        (suite.get("name"), case.get("name"), found.get("type"), found.get("message"))
        for suite in root
        for case in suite.iter("testcase")
        for found in case
        if found.tag in {"failure", "error"}
    }
    assert failing == {
        (
            x.backend,
            f"{x.operator} {x.element_type}",
            str(x.verdict),
            f"{x.verdict}: {x.kind} ({x.cases} cases)",
        )
        for x in report.findings
        if x.verdict in {Verdict.DIVERGES, Verdict.CRASHES}
    }
    assert {suite.get("name") for suite in root} == {x.name for x in report.backends}
    told = {
        (suite.get("name"), case.get("name")): out.splitlines()
        for suite in root
        for case in suite.iter("testcase")
        if (out := case.findtext("system-out")) is not None
    }
    lines = defaultdict(list)
    for x in report.findings:
        line = f"{x.verdict}: {x.kind} ({x.cases} cases)"
        lines[x.backend, f"{x.operator} {x.element_type}"].append(line)
    for probe in report.probes:
        if probe.example is not None:
            name = f"{probe.operator} {probe.element_type} probe {probe.probe}"
            lines[probe.backend, name].append(f"{probe.verdict}: {probe.kind}")
    assert told == lines


@pytest.mark.parametrize("verdict", Verdict)
def test_a_case_passes_in_junit_only_where_something_passed(
    report: CheckReport, verdict: Verdict
) -> None:
    """Each case and each probe came to this, and nothing is told of any."""
    counts = dict.fromkeys(Verdict, 0) | {verdict: 3}
    matrix = tuple(replace(row, counts=counts) for row in report.matrix)
    probes = tuple(replace(x, verdict=verdict, example=None) for x in report.probes)
    root = ET.fromstring(junit_xml(replace(report, matrix=matrix, probes=probes, findings=())))
    judged = [case for case in root.iter("testcase") if case.get("name") != "all of it"]
    passing = {case.get("name") for case in judged if case.find("skipped") is None}
    rows = {f"{x.operator} {x.element_type}" for x in matrix}
    asked = {f"{x.operator} {x.element_type} probe {x.probe}" for x in probes}
    assert len(judged) == len(matrix) + len(probes)
    good = {Verdict.PASS: rows | asked, Verdict.WITHIN_BOUND: rows}
    assert passing == good.get(verdict, set())


def test_a_probe_that_is_skipped_in_junit_says_why(report: CheckReport) -> None:
    probes = tuple(
        replace(x, verdict=Verdict.NOT_SUPPORTED, example=None, kind=kind)
        for x, kind in zip(report.probes, ("it has none", ""), strict=False)
    )
    root = ET.fromstring(junit_xml(replace(report, matrix=(), probes=probes, findings=())))
    said = [skipped.get("message") for skipped in root.iter("skipped")]
    assert said == ["it has none", "not supported"]


def test_who_passes_nothing_fails_in_junit_too(check: Check) -> None:
    report = check("fakes:refuses", over("mul", "float64"), required=["fakes:refuses"])
    (suite,) = ET.fromstring(junit_xml(report))
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "1")


def test_who_is_not_installed_has_no_column(check: Check, tmp_path: Path) -> None:
    (tmp_path / "openvino.py").write_text("raise ImportError('nowhere')")
    lines = shown(check("reference,openvino", over("mul", "uint8"), path=tmp_path))
    assert [line for line in lines if "openvino" in line] == [
        "openvino: not installed: nowhere; get it with: pip install openvino"
    ]
    assert "not installed" not in lines[-1]
