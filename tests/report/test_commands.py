"""The commands `report` and `verify-report`, from the documents to the exit status."""

import getpass
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sonnx_formal.cli.report import report_command
from sonnx_formal.cli.verify import verify_report_command
from sonnx_formal.core import documents as core_documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.report import bundle, draw_pdf
from sonnx_formal.report.bundle import VerificationReport, write_bundle
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.pdf import date_of_sources, pdf
from sonnx_formal.report.seal import SUMS, files_in, sums
from tests.cli.test_commands import Shell
from tests.cli.test_signals import Machine, check_ended
from tests.report.conftest import REPOSITORY, Documents, Write, quiet, typed
from tests.schemas import validate


def run(*arguments: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sonnx_formal", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
        env=os.environ | variables,
    )


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """In the folder of the project."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.chdir(REPOSITORY)
    return Shell(monkeypatch, capsys)


def called(command: click.Command, *arguments: str | Path) -> tuple[int, str]:
    """In this process, in which a PDF is drawn once."""
    done = CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)
    status: int = done.return_value
    return status, done.output


def sealed(report: Path) -> str:
    """The hashes of its files. The files themselves would take pytest hours, where they differ."""
    assert (report / SUMS).read_text() == sums(report)
    return sums(report)


@pytest.mark.long
def test_same_sources_give_the_same_bytes(
    made: Path, written: Write, documents: Documents, tmp_path: Path
) -> None:
    """In another process, folder, time zone and order of hashes, with other measured times."""
    for goal in documents["prove"]["goals"]:
        for proof in goal["proofs"]:
            proof.update(seconds=7.25)
    again, evidence = tmp_path / "again", tmp_path / "evidence.json"
    done = run(
        *("report", "--from", written(documents), "-o", again, "--json", evidence),
        TZ="Asia/Tokyo",
        PYTHONHASHSEED="12345",
    )
    assert done.stderr == ""
    found = core_documents.read(evidence, Evidence)
    expected = Path(shutil.copytree(made, tmp_path / "expected"))
    # Of that in `made`, the long sections are left out.
    (expected / "report.pdf").write_bytes(pdf(found, date_of_sources()))
    assert sealed(again) == sums(expected)
    assert core_documents.encode(found) == evidence.read_bytes()
    facts = {str(tmp_path), str(Path.home()), f"{getpass.getuser()}@", platform.node()}
    machine = re.compile("|".join(rf"(?<!\w){re.escape(fact)}(?!\w)" for fact in facts))
    for name in files_in(again):
        if not name.startswith("sources/") and not name.endswith((".pdf", ".npz")):
            assert not machine.search((again / name).read_text()), name
    assert "no gap is blocking" in done.stdout
    assert done.returncode == 0


@pytest.mark.long
def test_missing_evidence_is_the_exit_status(
    written: Write, documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "pdf", lambda *_: b"")
    del documents["trace"]
    status, said = called(report_command, "--from", written(documents), "-o", tmp_path / "report")
    assert status == 1
    assert "blocking open item: Evidence that is missing (1)" in said
    assert "not accepted" in said


@pytest.mark.long
def test_verified(made: Path, tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    status, said = called(verify_report_command, made, "--json", found)
    assert status == 0
    assert "everything follows from the sources" in said
    assert core_documents.read(found, VerificationReport).verified


@pytest.mark.long
def test_not_verified(made: Path, tmp_path: Path) -> None:
    report = Path(shutil.copytree(made, tmp_path / "report"))
    page = report / "report.html"
    page.write_text(page.read_text() + " ")
    (report / SUMS).write_text(sums(report))
    found = tmp_path / "found.json"
    status, said = called(verify_report_command, report, "--json", found)
    assert status == 1
    assert "report.html: is not what evidence.json renders to" in said
    value = core_documents.read(found, VerificationReport)
    assert not value.verified
    assert [flaw.file for flaw in value.flaws] == ["report.html"]
    validate(json.loads(found.read_text()), VerificationReport)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify-report", "nowhere"], "is nowhere the folder of a report?"),
        (["report", "--from", "nowhere"], "does not exist"),
        (["report", "--from", "why3", "-o", "tests"], "tests has something else in it"),
        (["report", "-o", "tests"], "tests has something else in it"),  # before minutes of work
    ],
)
def test_bad_input(shell: Shell, arguments: list[str], said: str) -> None:
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert said in err.replace("\n", " ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "text", ["{", pytest.param("[]", marks=pytest.mark.long), '{"schema": "sonnx-formal/prove/1"}']
)
def test_document_that_is_none(shell: Shell, tmp_path: Path, text: str) -> None:
    (tmp_path / "prove.json").write_text(text)
    status, _, err = shell("report", "--from", str(tmp_path), "-o", str(tmp_path / "report"))
    assert status == 2
    assert "prove.json" in err
    assert "write it anew with `sonnx-formal prove" in err
    assert not (tmp_path / "report").exists()


@pytest.mark.long
def test_date_that_is_none(made: Path, tmp_path: Path) -> None:
    done = run("report", "--from", tmp_path, "-o", tmp_path / "report", SOURCE_DATE_EPOCH="today")
    assert done.returncode == 2
    assert "SOURCE_DATE_EPOCH is 'today'" in done.stderr


@pytest.mark.long
def test_interrupt_leaves_the_old_report(
    made: Path, whole: Documents, sources: dict[str, bytes], vectors: Path, tmp_path: Path
) -> None:
    report = Path(shutil.copytree(made, tmp_path / "report"))
    before = sealed(report)

    def interrupted(what: str) -> None:
        if what == "report.pdf":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_bundle(report, typed(whole), sources, vectors, interrupted)
    assert sealed(report) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_other_folder_is_not_replaced(
    whole: Documents, sources: dict[str, bytes], vectors: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(UserError, match="has something else in it"):
        write_bundle(tmp_path, typed(whole), sources, vectors, quiet)


SIGNALS = pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])


@pytest.mark.long
@SIGNALS
def test_a_signal_ends_the_drawing(
    made: Path, tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    report = Path(shutil.copytree(made, tmp_path / "report"))
    machine = Machine(tmp_path)

    def drawing() -> list[int]:
        """The process that draws, which is given a temporary file of the machine."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = path.read_bytes().decode(errors="replace").split("\0")
                if draw_pdf.__name__ in words and any(str(tmp_path) in each for each in words):
                    found.append(int(path.parent.name))
        return found

    check_ended(machine, machine.start("verify-report", report), sent, status, drawing)


@pytest.mark.long
@SIGNALS
def test_a_signal_ends_the_verification(
    made: Path, tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    report = Path(shutil.copytree(made, tmp_path / "report"))
    (report / "report.pdf").unlink()  # to be drawn, it takes long
    machine = Machine(tmp_path)
    check_ended(machine, machine.start("verify-report", report, "--replay"), sent, status)
