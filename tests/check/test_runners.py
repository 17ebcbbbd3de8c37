"""The runners in the README of `backends/` are runners."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.check.junit import junit_xml
from sonnx_formal.check.summary import print_summary
from sonnx_formal.core.documents import decode, encode
from tests.check.conftest import REPOSITORY, Check, failed, over

README = (REPOSITORY / "sonnx_formal/backends/README.md").read_text(encoding="utf-8")


def source(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return str(text)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runner")
    (folder / "runner.c").write_text(source("c"))
    strict = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *strict, "-o", "runner", "runner.c"], cwd=folder, check=True)
    return f"cmd:{folder / 'runner'}"


@pytest.fixture(scope="module")
def in_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runner") / "runner.py"
    path.write_text(source("python"))
    return f"cmd:{sys.executable} {path}"


def verdicts(report: CheckReport) -> set[Verdict]:
    return {verdict for row in report.matrix for verdict, count in row.counts.items() if count}


def test_the_one_in_c_is_short() -> None:
    assert len(source("c").splitlines()) <= 80


@pytest.mark.parametrize("operator", ["add", "sub", "mul"])
def test_the_one_in_c_passes(check: Check, in_c: str, operator: str) -> None:
    report = check(in_c, over(operator, "int32"), over(operator, "float32"), required=[in_c])
    assert report.backends[0].version == "1.0"
    assert (verdicts(report), failed(report)) == ({Verdict.PASS}, [])


def test_the_one_in_c_refuses_what_it_has_not(check: Check, in_c: str) -> None:
    report = check(in_c, over("mul", "int64"))
    assert verdicts(report) == {Verdict.REFUSES}
    assert {each.kind for each in report.findings} == {"not this operator over these types"}


def test_what_a_refusal_says_to_standard_error_is_shown(check: Check, tmp_path: Path) -> None:
    """However much it differs, it is one cause, with the words of the smallest case."""
    path = tmp_path / "runner.sh"
    path.write_text(
        "echo sonnx-formal values 1\nn=0\nwhile read line\ndo\n  n=$((n + 1))\n"
        '  echo "no licence\nfor question $n" >&2\n  echo refused not today\ndone\n'
    )
    name = f"cmd:/bin/sh {path}"
    report = check(name, over("mul", "int32"), required=[name])
    (finding,) = report.findings
    assert (finding.verdict, finding.kind) == (Verdict.REFUSES, "not today")
    said = finding.example.said
    assert said
    assert re.fullmatch(r"no licence\nfor question \d+", said)
    output = io.StringIO()
    print_summary(Console(file=output, width=120), report)
    first, second = said.splitlines()
    assert f"  stderr    {first}\n  stderr    {second}\n" in output.getvalue()
    assert f"<system-err>{said}</system-err>" in junit_xml(report)
    assert decode(encode(report), CheckReport, "check.json").findings == report.findings


@pytest.mark.long
def test_the_one_in_python_gets_models(check: Check, in_python: str) -> None:
    report = check(
        in_python, over("mul", "int32"), over("matmul", "bfloat16"), required=[in_python]
    )
    assert failed(report) == []
    assert verdicts(report) <= {Verdict.PASS, Verdict.WITHIN_BOUND, Verdict.NOT_JUDGED}
    assert all(row.counts[Verdict.PASS] > 50 for row in report.matrix)


def test_what_is_slow_to_start_starts_once(check: Check, in_c: str, tmp_path: Path) -> None:
    """Of those cases that need no process for themselves: mul has no hazards."""
    slow = tmp_path / "slow"
    starts = tmp_path / "starts"
    runner = in_c.removeprefix("cmd:")
    slow.write_text(f"#!/bin/sh\necho start >> {starts}\nexec {runner}\n")
    slow.chmod(0o755)
    report = check(f"cmd:{slow}", over("mul", "int32"))
    assert verdicts(report) == {Verdict.PASS}
    assert starts.read_text() == "start\n"
    assert sum(row.counts[Verdict.PASS] for row in report.matrix) > 50
