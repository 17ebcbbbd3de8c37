"""What the hashes of a report tell, and that they tell it at once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_formal.report.seal import EVIDENCE, SUMS, check_hashes, sums
from tests.report.conftest import REPOSITORY

MUL = "sources/why3/ops/mul/definition.mlw"


@pytest.fixture
def report(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "report"))


def command(*arguments: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "sonnx_formal", *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )


def flaws(folder: Path) -> dict[str, str]:
    return {flaw.file: flaw.what for flaw in check_hashes(folder).flaws}


def test_nothing_was_changed(made: Path) -> None:
    files, found = check_hashes(made)
    assert files == len((made / SUMS).read_text().splitlines())
    assert found == []


def test_a_second_is_enough_for_the_hashes(made: Path) -> None:
    """Of the processor: how busy the machine is, is not the question."""
    with command("verify-report", made) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        process.terminate()
    assert first == (f"hashes: {check_hashes(made).files} files are as {SUMS} and {EVIDENCE} say\n")
    assert (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK") < 1


def test_what_loads_slowly_is_loaded_afterwards() -> None:
    found = subprocess.check_output(
        [sys.executable, "-c", "import sys, sonnx_formal.cli.verify; print(*sys.modules)"],
        text=True,
        cwd=REPOSITORY,
    ).split()
    assert {"numpy", "jinja2", "pypdf", "sonnx_formal.report.bundle"} & {*found} == set()


@pytest.mark.long
def test_a_change_is_said_before_the_rest_and_once(report: Path) -> None:
    (report / "report.pdf").write_text("no PDF: to be drawn, it takes long")
    (report / SUMS).write_text(sums(report))
    (report / MUL).write_text((report / MUL).read_text() + " ")
    with command("verify-report", report) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
    assert process.returncode == 1
    assert lines[0] == f"{MUL}: was changed: its hash is not the one in {SUMS}"
    assert lines[1] == f"{MUL}: its hash is not the one that {EVIDENCE} has of it"
    assert lines.count(lines[0]) == 1
    later = [line for line in lines[2:] if line.startswith(f"{EVIDENCE}: does not follow from")]
    assert len(later) == 1
    assert lines[-1].startswith(f"{report} is not as it was made: ")


def test_hashes_that_were_made_to_fit_are_not_those_of_the_evidence(report: Path) -> None:
    for name in (MUL, "documents/prove.json"):
        (report / name).write_text((report / name).read_text() + " ")
    (report / SUMS).write_text(sums(report))
    assert flaws(report) == {
        MUL: f"its hash is not the one that {EVIDENCE} has of it",
        EVIDENCE: "no file has the hash of the document prove",
    }


def test_evidence_that_is_none_is_for_later(report: Path) -> None:
    (report / EVIDENCE).write_text("{")
    (report / SUMS).write_text(sums(report))
    assert flaws(report) == {}
