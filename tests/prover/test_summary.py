"""What the summary says of a run that is made up: line by line, and cell by cell."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sonnx_formal.prover import summary
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.plan import GoalRun, Stage, Unit
from sonnx_formal.prover.prove import ProofRequest, ProofRun, UsedFile
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer, Limits, Prover, ProverVerdict, find_provers
from sonnx_formal.prover.schedule import Disagreement
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.summary import (
    ALL_PROVED,
    DISAGREEMENT,
    NOT_PROVED,
    REJECTED,
    exit_status,
    print_summary,
)
from sonnx_formal.prover.tasks import Location, Task
from tests.made import MADE

GONE = Path("/no/such/folder")
Z3: Prover = next(prover for prover in find_provers() if prover.name == "z3")


def goal(number: int, file: str = "m.mlw") -> Goal:
    source = Source(GONE / file, file, (GONE,))
    place, task = Location(file, number + 1, 0), Task("(check-sat)", "0" * 64)
    return Goal("M", f"g{number}", "", place, task, source, f"{file}:M.g{number}.1")


def verdict(answer: Answer = Answer.VALID, family: str = "z3", **more: Any) -> ProverVerdict:
    fields: dict[str, Any] = {"steps": 1, "seconds": 0.5, "limits": None, "output": ""} | more
    return ProverVerdict(prover=family, version="1", family=family, answer=answer, **fields)


def ended(number: int, *verdicts: ProverVerdict, file: str = "m.mlw") -> GoalRun:
    return GoalRun(goal(number, file), [], verdicts=[*verdicts])


OPEN = GoalRun(goal(99), [Unit(Stage.QUICK, Z3, Limits(seconds=1))])


def found(*runs: GoalRun, **parts: Any) -> ProofRun:
    fields: dict[str, Any] = {"conditional": {}, "rests_on": (), "rejected": ()}
    fields |= {"disagreement": None, "interrupted": False} | parts
    return ProofRun(MADE, Why3("/no/why3", "1.0", GONE), [Z3], runs, **fields)


def lines(run: ProofRun, folder: Path, mode: Mode = Mode.NORMAL, families: int = 1) -> list[str]:
    """Below the table, without those that are empty."""
    console = Console(width=160)
    with console.capture() as capture:
        print_summary(console, run, ProofRequest((), 1, 1, mode, families), folder)
    said = [line.rstrip() for line in capture.get().splitlines() if line.strip()]
    return said[next(at for at, line in enumerate(said) if line.startswith("all ")) + 1 :]


def test_what_is_proved_and_how(tmp_path: Path) -> None:
    runs = (
        ended(1, verdict(), verdict(family="cvc5"), verdict(Answer.TIMEOUT, family="cvc4")),
        ended(2, verdict(cached=True)),
        ended(3, verdict(unsplit=True)),
        ended(4, verdict(cached=True), verdict(family="cvc5")),
    )
    first, *rest = lines(found(*runs), tmp_path)
    assert first == (
        "4 of 4 goals proved in 1.5 s; 1 by proofs of goals before they are split; "
        "2 by two families; 1 from the cache"
    )
    assert rest == []
    (first,) = lines(found(*runs), tmp_path, Mode.FRESH)
    assert first.endswith("; mode fresh: the cache was not used")


def test_the_table_counts_each_goal_once(tmp_path: Path) -> None:
    runs = (
        ended(1, verdict(), verdict(seconds=2)),
        ended(2, verdict(Answer.UNKNOWN)),
        ended(3, verdict(cached=True), file="n.mlw"),
        OPEN,
    )
    console = Console(width=160)
    with console.capture() as capture:
        conditional = {runs[0].goal.id: runs[1].goal.id}
        request = ProofRequest((), 1, 1, Mode.NORMAL, 1)
        print_summary(console, found(*runs, conditional=conditional), request, tmp_path)
    _why3, head, first, other, both, *_ = capture.get().splitlines()
    names = "file total proved z3 conditional unproved open seconds"
    assert head.split() == names.split()
    assert first.split() == ["m.mlw", "3", "0", "1", "1", "1", "1", "3.0"]
    assert other.split() == ["n.mlw", "1", "1", "1", "0", "0", "0", "0.0"]
    assert both.split() == ["all", "4", "1", "2", "1", "1", "1", "3.0"]


@pytest.mark.parametrize(
    ("count", "more"), [(20, []), (21, ["  and 1 more (--json lists them all)"])]
)
def test_long_lists_are_cut(count: int, more: list[str], tmp_path: Path) -> None:
    runs = [ended(number, verdict()) for number in range(count)]
    said = lines(found(*runs), tmp_path, families=2)[1:]
    assert said[0] == f"{count} goals proved by one family only:"
    assert said[1:] == [f"  {run.goal.id} (z3)" for run in runs[:20]] + more
    assert lines(found(*runs), tmp_path)[1:] == [], "nobody asked for two"
    resting = {run.goal.id: "m.mlw:M.x.1" for run in runs}
    said = lines(found(*runs, conditional=resting), tmp_path, families=2)[1:]
    assert said[0] == f"{count} goals are proved, but rest on what is not:"
    assert said[1:] == [f"  {run.goal.id} rests on m.mlw:M.x.1" for run in runs[:20]] + more


def test_what_it_rests_on(tmp_path: Path) -> None:
    proved, unproved = UsedFile("a.mlw", True), UsedFile("b.mlw", False)
    said = lines(found(ended(1, verdict()), rests_on=(proved,)), tmp_path)[1:]
    assert said == ["rests on 1 files: 1 proved, 0 not checked"]
    said = lines(found(ended(1, verdict()), rests_on=(proved, unproved)), tmp_path)[1:]
    assert said == [
        "rests on 2 files: 1 proved, 1 not checked",
        "  not checked, as they are at present: b.mlw",
        "  What is proved here holds if these are: `sonnx-formal prove` proves all of them.",
    ]


def test_what_is_not_proved(tmp_path: Path) -> None:
    run = ended(
        1,
        verdict(Answer.TIMEOUT, seconds=1.5, cached=True),
        verdict(Answer.FAILURE, output=f"\n{'x' * 101}\nmore"),
        verdict(Answer.FAILURE),
    )
    silent = GoalRun(goal(2), [], reason="nobody knows it")
    _, *said = lines(found(run, silent, ended(3)), tmp_path)
    assert said[:7] == [
        "not proved: m.mlw:2 m.mlw:M.g1.1",
        "  z3: timeout, 1.5 s, from the cache",
        f"  z3: failure, 0.5 s, it printed: {'x' * 100}",
        "  z3: failure, 0.5 s, it printed nothing",
        f"  task: {tmp_path / 'm.mlw_M.g1.1.smt2'}",
        f"  in Why3's IDE: why3 ide -L {GONE} {GONE / 'm.mlw'}, module M, goal g1",
        "not proved: m.mlw:3 m.mlw:M.g2.1",
    ]
    assert said[7] == "  nobody knows it"
    assert said[11] == "  no prover could be tried"
    assert said[-2].startswith("To go on: read the goal at its line")
    assert (tmp_path / "m.mlw_M.g1.1.smt2").read_text() == "(check-sat)"
    said = lines(found(ended(3)), tmp_path, Mode.REPLAY)
    assert said[-1].startswith("To go on: `sonnx-formal prove` proves them anew")


PREMISES = [f"premise {number}" for number in range(13)]


@pytest.mark.parametrize(
    ("shown", "told"),
    [(PREMISES[:12], PREMISES[:12]), (PREMISES, ["(1 lines before)", *PREMISES[1:]])],
)
def test_the_end_of_what_is_to_be_shown(
    shown: list[str], told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "sequent", lambda *_: "\n".join(shown))
    said = lines(found(ended(1, verdict(Answer.TIMEOUT))), tmp_path)
    kept = tmp_path / "m.mlw_M.g1.1.txt"
    start = said.index(f"  premises and conclusion: {kept}") + 1
    assert said[start : start + len(told)] == [f"    {line}" for line in told]
    assert kept.read_text().splitlines() == shown


def test_what_is_open(tmp_path: Path) -> None:
    (_, said) = lines(found(OPEN), tmp_path)
    assert said == "stopped at the first failure: 1 goals are open"
    (_, said) = lines(found(OPEN, interrupted=True), tmp_path)
    assert said.startswith("interrupted: 1 goals are open, and those of files")


def test_a_disagreement_is_all_that_is_told(tmp_path: Path) -> None:
    sat = verdict(Answer.SAT, family="cvc5", output="sat, says cvc5")
    clash = Disagreement(goal(1), goal(1).task, verdict(output="unsat"), sat)
    _, first, task, valid, other = lines(found(ended(2), disagreement=clash), tmp_path)
    assert first.startswith("DISAGREEMENT on m.mlw:M.g1.1: z3 1 says it is valid, cvc5 1 says")
    assert task == f"  task: {tmp_path / 'm.mlw_M.g1.1.smt2'}"
    assert valid == f"  z3: {tmp_path / 'm.mlw_M.g1.1.z3.txt'}"
    assert other == f"  cvc5: {tmp_path / 'm.mlw_M.g1.1.cvc5.txt'}"
    assert (tmp_path / "m.mlw_M.g1.1.cvc5.txt").read_text() == "sat, says cvc5"


@pytest.mark.parametrize(
    ("run", "status"),
    [
        (found(ended(1, verdict())), ALL_PROVED),
        (found(ended(1, verdict()), ended(2)), NOT_PROVED),
        (found(ended(1, verdict()), OPEN), NOT_PROVED),
        (found(ended(1, verdict()), conditional={"m.mlw:M.g1.1": "x"}), NOT_PROVED),
        (found(ended(1, verdict()), rejected=("no",)), REJECTED),
        (found(ended(1, verdict()), rejected=("no",), interrupted=True), 130),
        (
            found(
                interrupted=True,
                disagreement=Disagreement(goal(1), goal(1).task, verdict(), verdict(Answer.SAT)),
            ),
            DISAGREEMENT,
        ),
    ],
)
def test_the_exit_status(run: ProofRun, status: int) -> None:
    assert exit_status(run) == status
