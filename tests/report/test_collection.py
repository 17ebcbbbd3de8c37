"""How the documents of a report are made, and what is said of that before it begins."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sonnx_formal.cli.prove import MachineReport
from sonnx_formal.core.documents import read
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.report import collection
from sonnx_formal.report.collection import (
    DURATIONS,
    PAGES,
    Durations,
    TakenProofs,
    collect,
    outlook,
    proofs_to_take,
    record,
)
from sonnx_formal.report.documents import KINDS, VECTORS, DocumentKind
from sonnx_formal.report.tables import StepDuration, tables
from sonnx_formal.vectors.manifest import Manifest, read_manifest
from tests.report.conftest import REPOSITORY, Documents
from tests.report.test_commands import run

NONE = "there are no proofs of an earlier run"
LIBRARY = REPOSITORY / "why3"


@pytest.fixture
def proofs(documents: Documents) -> dict[str, Any]:
    """A replay of the library as it is, by the tools that are here."""
    found = documents["prove"]
    found["made"]["version"] = "0.1.0"
    found["why3"] = find_why3().version
    found["provers"] = [
        {"name": each.name, "version": each.version, "family": each.family}
        for each in find_provers()
    ]
    return found


def collected(folder: Path, taken: TakenProofs | str) -> list[str]:
    """What is printed."""
    out = StringIO()
    with Progress(Console(quiet=True)) as progress:
        collect(folder, taken, Console(file=out, width=200), progress)
    return out.getvalue().splitlines()


def written(folder: Path, proofs: dict[str, Any]) -> Path:
    path = folder / "prove.json"
    path.write_text(json.dumps(proofs))
    return path


def test_a_replay_of_what_is_here_is_taken_over(proofs: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, proofs)
    taken = TakenProofs(
        path,
        "sonnx-formal 0.1.0; begun at 2026-11-02 23:05:07 UTC; took 1.5 s; "
        "mode replay: runs what the certificate records; "
        "2 families of provers asked for; 0 verdicts from the cache",
    )
    assert proofs_to_take(None, tmp_path, LIBRARY) == taken
    assert proofs_to_take(path, tmp_path / "elsewhere", LIBRARY) == taken


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"mode": "normal"}, "mode normal: earlier runs may have contributed"),
        ({"from_cache": 7}, "7 verdicts from the cache"),
        ({"files": ["ops/mul/definition.mlw"]}, "of ops/mul/definition.mlw only"),
        ({"library_sha256": "0" * 64}, "it is of other formal sources"),
        ({"version": "0.0.9"}, "made by sonnx-formal 0.0.9, and here is 0.1.0"),
        ({"families": 1}, "2 families of provers were not asked for"),
    ],
)
def test_other_proofs_are_not(
    proofs: dict[str, Any], tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    proofs["made"] |= change
    for goal in proofs["goals"]:
        for proof in goal["proofs"]:
            del proof["cached"]
    path = written(tmp_path, proofs)
    assert proofs_to_take(None, tmp_path, LIBRARY) == f"{path}: {why}"
    with pytest.raises(UserError, match=f"cannot be taken over: {why}"):
        proofs_to_take(path, tmp_path, LIBRARY)


def test_proofs_by_other_tools_are_not(proofs: dict[str, Any], tmp_path: Path) -> None:
    proofs["provers"][0]["version"] = "0.0"
    path = written(tmp_path, proofs)
    assert str(path) in str(proofs_to_take(None, tmp_path, LIBRARY))
    assert "other provers" in str(proofs_to_take(None, tmp_path, LIBRARY))
    proofs["why3"] = "0.0"
    written(tmp_path, proofs)
    assert "made with Why3 0.0" in str(proofs_to_take(None, tmp_path, LIBRARY))
    path.write_text("{}")
    assert "schema" in str(proofs_to_take(None, tmp_path, LIBRARY))
    path.unlink()
    assert proofs_to_take(None, tmp_path, LIBRARY) == NONE


def test_what_it_takes_is_said_with_its_source(tmp_path: Path) -> None:
    record(tmp_path, {"check": 451.26, PAGES: 40.0})
    reference = [StepDuration("vectors", 15.0), StepDuration("check", 600.0)]
    lines = [*outlook(tmp_path, NONE, reference)]
    assert lines[1:5] == [
        "  vectors         15 s  as measured on another machine, with 2 cores",
        "  prove              ?  not known: it was never measured here",
        f"              made anew: {NONE}",
        "  check          8 min  when it ran last here",
    ]
    assert "  pages           40 s  when it ran last here" in lines
    assert lines[-1].startswith(
        "all in all 8 min, two at a time, and what is not known: prove, exhaustive, kernels"
    )
    taken = [*outlook(tmp_path, TakenProofs(Path("p.json"), "mode replay"), reference)]
    assert taken[2] == "  prove        nothing  taken over from p.json: mode replay"


def test_durations_are_kept_until_the_step_runs_again(tmp_path: Path) -> None:
    record(tmp_path, {"check": 10.0, "trace": 5.0})
    record(tmp_path, {"check": 12.04})
    assert read(tmp_path / DURATIONS, Durations).seconds == {"check": 12.0, "trace": 5.0}
    (tmp_path / DURATIONS).write_text("broken")
    record(tmp_path, {"check": 1.0})
    assert read(tmp_path / DURATIONS, Durations).seconds == {"check": 1.0}


def test_each_measured_step_is_one() -> None:
    names = [each.step for each in tables().duration]
    assert len(names) == len({*names})
    assert {*names} <= {*(kind.name for kind in KINDS), PAGES}


def test_proofs_that_are_taken_over_are_copied_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (
        DocumentKind("prove", MachineReport, "prove", ""),
        DocumentKind("doctor", MachineReport, "doctor", ""),
    )
    monkeypatch.setattr(collection, "KINDS", kinds)
    (tmp_path / "given.json").write_text("proofs")
    said = collected(tmp_path / "made", TakenProofs(tmp_path / "given.json", ""))
    assert (tmp_path / "made/prove.json").read_text() == "proofs"
    command = f"sonnx-formal doctor --json {tmp_path}/made/doctor.json  (version 0.1.0)"
    assert [line for line in said if line.startswith("sonnx-formal ")] == [command]
    assert any(line.startswith("why3 ") for line in said), "what it says is shown"
    assert [*read(tmp_path / "made" / DURATIONS, Durations).seconds] == ["doctor"]


def test_proofs_that_do_not_hold_are_an_error(proofs: dict[str, Any], tmp_path: Path) -> None:
    proofs["made"]["library_sha256"] = "0" * 64
    done = run("report", "--proofs", written(tmp_path, proofs), "-o", tmp_path / "report")
    assert done.returncode == 2
    assert "cannot be taken over: it is of other formal sources" in done.stderr
    both = run("report", "--proofs", tmp_path / "prove.json", "--from", tmp_path)
    assert (both.returncode, "give one of them" in both.stderr) == (2, True)


def test_document_that_no_command_writes_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (
        DocumentKind("doctor", MachineReport, "doctor", ""),
        DocumentKind("wonder", MachineReport, "wonder", ""),
    )
    monkeypatch.setattr(collection, "KINDS", kinds)
    (tmp_path / "wonder.json").write_text("{}")
    said = collected(tmp_path, NONE)
    assert {path.name for path in tmp_path.iterdir()} == {"doctor.json", DURATIONS}
    assert "wonder: not written (exit code 2): missing from the report" in said


@pytest.mark.long
def test_documents_are_made_anew_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the vectors, too, whose folder has other files."""
    kinds = (
        DocumentKind(
            VECTORS, Manifest, "vectors --op mul --type int8 -o {folder}/vectors --seed 1", ""
        ),
        DocumentKind("doctor", MachineReport, "doctor", ""),
    )
    monkeypatch.setattr(collection, "KINDS", kinds)
    folder = tmp_path / "evidence"
    for _ in range(2):
        said = collected(folder, NONE)
        assert not [line for line in said if "not written" in line]
        assert {path.name for path in folder.iterdir()} == {"vectors", "doctor.json", DURATIONS}
        assert read_manifest(folder / VECTORS).origin.seed == 1
        assert [path.name for path in tmp_path.iterdir()] == ["evidence"]


def test_old_documents_are_there_until_all_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (
        DocumentKind("doctor", MachineReport, "doctor", ""),
        DocumentKind("other", MachineReport, "doctor", ""),
    )
    monkeypatch.setattr(collection, "KINDS", kinds)
    folder = tmp_path / "evidence"
    folder.mkdir()
    (folder / "doctor.json").write_text("old")

    def interrupted(*_: object) -> None:
        assert (folder / "doctor.json").read_text() == "old"
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "pause", interrupted)
    with pytest.raises(KeyboardInterrupt):
        collected(folder, NONE)
    assert (folder / "doctor.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["evidence"]


def test_vectors_among_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors/thesis.txt").touch()
    with pytest.raises(UserError, match=r"vectors has something else in it \(thesis\.txt\)"):
        collected(tmp_path, NONE)


def test_a_report_below_a_file_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("report", "-o", tmp_path / "file" / "report")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}/file is not a folder: choose another name" in done.stderr
