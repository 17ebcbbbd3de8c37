"""What a replay finds out anew is compared with what the evidence says, goal by goal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sonnx_formal.report import bundle
from sonnx_formal.report.bundle import recomputed_vectors, replayed_proofs
from sonnx_formal.report.evidence import Evidence, assemble
from tests.report.conftest import Documents, quiet, typed


@dataclass(frozen=True)
class Task:
    sha256: str


@dataclass(frozen=True)
class Goal:
    id: str
    task: Task


@dataclass(frozen=True)
class Run:
    """What the replay found of one goal."""

    goal: Goal
    families: tuple[str, ...]
    reason: str = ""

    @property
    def proved(self) -> bool:
        return bool(self.families)


@dataclass(frozen=True)
class Found:
    runs: tuple[Run, ...]
    interrupted: bool = False


@pytest.fixture
def evidence(documents: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(documents), sources)


def as_recorded(evidence: Evidence) -> list[Run]:
    return [Run(Goal(each.id, Task(each.task_sha256)), each.families) for each in evidence.goals]


def flaws(
    evidence: Evidence,
    runs: list[Run],
    monkeypatch: pytest.MonkeyPatch,
    *,
    interrupted: bool = False,
) -> list[str]:
    def prove(*_arguments: Any, library: Path) -> Found:
        assert library.parts[-2:] == ("sources", "why3")
        return Found(tuple(runs), interrupted)

    monkeypatch.setattr(bundle, "prove", prove)
    progress: Any = None
    return [flaw.what for flaw in replayed_proofs(Path("report"), evidence, 1, progress)]


def test_same_goals_same_proofs(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    assert flaws(evidence, as_recorded(evidence), monkeypatch) == []


def test_each_difference_is_named(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = as_recorded(evidence)
    first, second, third, fourth = (run.goal for run in runs[:4])
    runs[0] = Run(Goal(first.id, Task("0" * 64)), runs[0].families)
    runs[1] = Run(second, (), "changed")
    runs[2] = Run(third, runs[2].families[:1])
    runs[3] = Run(Goal("new", fourth.task), runs[3].families)
    assert flaws(evidence, runs, monkeypatch) == [
        f"{first.id}: Why3 states another text than the evidence says",
        f"{second.id} is not proved: changed",
        f"{third.id} is not proved by {evidence.goals[2].families[1]}",
        "new is a goal, and the evidence has none of this id",
        f"the evidence has {fourth.id}, and Why3 states no such goal",
    ]


def test_interrupted_replay_says_nothing(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        flaws(evidence, as_recorded(evidence), monkeypatch, interrupted=True)


def test_results_are_computed_anew(made: Path) -> None:
    assert list(recomputed_vectors(made, quiet)) == []
