"""The trace of the library as it is, and the command."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from msgspec import structs
from rich.console import Console

from sonnx_formal.cli import report as command
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.report.trace.document import Proof, State, Trace, TraceRule, as_csv, print_summary
from sonnx_formal.report.trace.inputs import TraceEvidence, ids_used, names_of_tests, stated_goals
from sonnx_formal.report.trace.trace import trace
from sonnx_formal.spec.requirements.entries import Status
from sonnx_formal.spec.requirements.registry import registry as committed_registry
from sonnx_formal.spec.requirements.registry import requirements
from tests.report.trace.made_up import (
    ACC,
    EVIDENCE,
    FUNC,
    GOALS,
    R1,
    REGISTRY,
    VECTORS,
    goal,
    registry,
)
from tests.schemas import validate

REPOSITORY = Path(__file__).parents[3]


def made_up(**changes: Any) -> Trace:
    return trace(REGISTRY, replace(EVIDENCE, **changes))


def printed(found: Trace) -> str:
    output = io.StringIO()
    print_summary(Console(file=output, width=120), found)
    return output.getvalue()


@pytest.fixture(scope="module")
def library() -> Trace:
    """Of the committed library, by the committed certificate."""
    committed = committed_registry()
    evidence = TraceEvidence(
        made=BegunRun.of(REPOSITORY / "why3"),
        goals=stated_goals(REPOSITORY / "why3", None, 2, committed.has_goals_in),
        tests=names_of_tests(REPOSITORY),
        used=ids_used(REPOSITORY),
    )
    return trace(committed, evidence)


@pytest.mark.long
def test_the_links_of_the_library(library: Trace) -> None:
    """All rules but that of the proofs."""
    others = [each for each in library.errors if each.rule is not TraceRule.UNPROVED]
    assert [f"{each.subject}: {each.rule}: {each.message}" for each in others] == []
    assert library.not_given == ("vectors", "cross-check")


@pytest.mark.long
def test_what_is_formalised_is_proved(library: Trace) -> None:
    """As the certificate has it: `sonnx-formal prove` makes it anew for goals that changed."""
    unproved = [each for each in library.errors if each.rule is TraceRule.UNPROVED]
    certificate = read_certificate(certificate_path(REPOSITORY / "why3"))
    assert certificate
    if certificate.why3 == find_why3().version:
        assert [f"{each.subject}: {each.message}" for each in unproved] == []
    else:
        assert unproved, "nothing is recorded of the goals as another Why3 words them"


@pytest.mark.long
def test_every_requirement_has_its_line(library: Trace) -> None:
    assert [line.id for line in library.requirements] == [*requirements()]
    assert len(library.requirements) > 100
    for line in library.requirements:
        planned = requirements()[line.id].status is Status.PLANNED
        assert (line.proof is Proof.PLANNED) == planned
        assert bool(line.goals) != planned


@pytest.mark.parametrize("found", ["library", "broken", "whole"])
@pytest.mark.long
def test_json_is_as_its_schema_says(found: str, request: pytest.FixtureRequest) -> None:
    broken = made_up(goals=(*GOALS, goal("ops/new.mlw:Facts.<script>")))
    traces = {"broken": broken, "whole": made_up()}
    chosen = request.getfixturevalue("library") if found == "library" else traces[found]
    value = json.loads(documents.encode(chosen))
    validate(value, Trace)
    assert value["state"] == str(chosen.state)
    assert len(value["requirements"]) == len(chosen.requirements)
    assert len(value["findings"]) == len(chosen.findings)
    assert bool(value["left_out"]) == (found == "library")
    assert [error["subject"] for error in value["errors"]] == [e.subject for e in chosen.errors]


def test_the_schema_refuses_what_it_does_not_know() -> None:
    value = json.loads(documents.encode(made_up()))
    for spoiled in (value | {"state": "good"}, value | {"more": 1}, value | {"schema": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            validate(spoiled, Trace)


@pytest.mark.long
def test_csv_has_a_row_a_requirement(library: Trace) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(library), newline="")))
    assert [row["id"] for row in rows] == [*requirements()]
    [row] = [row for row in rows if row["id"] == "SONNX-DIV.R5"]
    assert "ops/div/floats.mlw:DivFloatReadings.r5_difference'vc" in row["goals"].splitlines()
    assert row["text"] == requirements()["SONNX-DIV.R5"].text


def test_csv_has_no_formulas() -> None:
    formula = structs.replace(FUNC, text="=1+1.", section="@x")
    found = trace(registry(formula, R1, ACC), EVIDENCE)
    [row, *_] = csv.DictReader(io.StringIO(as_csv(found), newline=""))
    assert (row["text"], row["section"]) == ("'=1+1.", "'@x")


def test_gaps_come_first() -> None:
    out = printed(made_up(crosscheck=None))
    assert out.startswith("Gaps\n  no cross-check given: nothing is taken for it\n")
    assert "  1 requirement of SONNX-NEW: planned: No bound yet.\n" in out
    assert out.index("Gaps") < out.index("requirement ")
    assert out.endswith("the trace is incomplete: not given: cross-check\n")


def test_the_table_has_a_line_a_requirement() -> None:
    out = printed(made_up()).splitlines()
    first = next(at for at, line in enumerate(out) if line.startswith("requirement "))
    assert out[first - 1 : first + 5] == [
        "",
        "requirement     proof                   goals  by two  cases  vectors pass on ",
        "SONNX-NEW.FUNC  proved by two families      2       2      2  numpy, other 1/2",
        "SONNX-NEW.R1    proved by two families      1       1      0                  ",
        "SONNX-NEW.ACC   planned                     0       0      0                  ",
        "",
    ]


def test_what_is_wrong_comes_last() -> None:
    out = printed(made_up(goals=(*GOALS, goal("ops/new.mlw:[red]Facts.idle"))))
    assert "ops/new.mlw:[red]Facts.idle: an operator-level goal that serves no requirement" in out
    assert out.endswith("the trace is broken: 1 error\n")


def test_states() -> None:
    assert made_up().state is State.WHOLE
    assert made_up(vectors=None).state is State.INCOMPLETE
    assert made_up(tests=frozenset()).state is State.BROKEN


# --- The command ---


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command on what is made up."""
    for name, value in {
        "stated_goals": lambda _library, run, *_: GOALS[1:] if run else GOALS,
        "registry": lambda: REGISTRY,
        "names_of_tests": lambda _: EVIDENCE.tests,
        "ids_used": lambda _: {},
        "read_manifest": lambda _: VECTORS,
        "read_crosscheck": lambda *_: EVIDENCE.crosscheck,
        "manifest_sha256": lambda _: "0" * 64,
        "formal_sources_sha256": lambda: "0" * 64,
    }.items():
        monkeypatch.setattr(command, name, value)


def run(*arguments: str | Path) -> tuple[int, str]:
    """What the command returns, which is the exit status, and what it prints."""
    result = CliRunner().invoke(
        command.trace_command, [*map(str, arguments)], standalone_mode=False
    )
    if result.exception:
        raise result.exception
    return result.return_value, result.output


@pytest.mark.usefixtures("quick")
def test_whole(tmp_path: Path) -> None:
    status, out = run(
        "--vectors", "v", "--check", "c", "--json", tmp_path / "t.json", "--csv", tmp_path / "t.csv"
    )
    assert (status, out.rstrip().endswith("the trace is whole")) == (0, True)
    value = json.loads((tmp_path / "t.json").read_text())
    validate(value, Trace)
    assert value["state"] == "whole"
    assert (tmp_path / "t.csv").read_text().count("SONNX-NEW.R1") >= 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.csv", "t.json"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        (["--vectors", "v"], "the trace is incomplete: not given: cross-check"),
        ([], "the trace is incomplete: not given: vectors, cross-check"),
        (["--proofs", "p"], "errors"),
    ],
)
def test_not_whole(arguments: list[str], ending: str) -> None:
    status, out = run(*arguments)
    assert (status, out.rstrip().endswith(ending)) == (1, True)


@pytest.mark.usefixtures("quick")
def test_vectors_of_other_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "formal_sources_sha256", lambda: "1" * 64)
    with pytest.raises(UserError, match=r"^v: the vectors are of other formal sources: generate"):
        run("--vectors", "v")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("option", ["--json", "--csv"])
def test_files_that_cannot_be_written(option: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"file/such"):
        run(option, tmp_path / "file/such")


def test_help() -> None:
    status, out = run("--help")
    assert status == 0
    assert "Exit status:\n    0    the trace is whole\n" in out


def test_made_up_is_whole() -> None:
    """What the other tests break."""
    assert made_up().state is State.WHOLE
