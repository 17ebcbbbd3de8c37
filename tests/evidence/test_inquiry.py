"""A question to many subjects: answers come in, and nothing is left when it ends early."""

import io
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.inquiry import Effort, End, Question, ask_all
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.site import Program, ProgramCall

EFFORT = Effort(jobs=1, budget=None, fresh=False)


@dataclass(frozen=True)
class Said(Question[str, str]):
    """What does a command print of the number?"""

    command: str
    subjects = "numbers"
    finding = "said"

    def ask(self, subject: str, launch: Launcher) -> str:
        shell = Program("sh", "", ("/bin/sh", "-c"))
        return launch(ProgramCall(shell, (self.command.format(subject),), "", 5)).stdout.strip()


def run(
    *names: str, budget: float | None = None, command: str = "echo {}"
) -> tuple[dict[str, str], End]:
    numbers, effort = {name: name for name in names}, Effort(2, budget, fresh=False)
    with Progress(Console(quiet=True)) as progress:
        return ask_all(numbers, Said(command), lambda _answers: None, effort, progress)


def test_how_it_was_made(tmp_path: Path) -> None:
    made = EFFORT.provenance(tmp_path, (), {"z3": "5"})
    assert made.tools == {"Why3": find_why3().version, "z3": "5"}
    assert ", z3 5; mode normal: takes over what earlier runs found; no limit of time" in str(made)


def test_everything_is_done() -> None:
    assert run("1", "2", "3") == ({"1": "1", "2": "2", "3": "3"}, End.FINISHED)
    assert run() == run(budget=0) == ({}, End.FINISHED)


def test_the_time_is_up() -> None:
    began = time.monotonic()
    found = run("0", "00", "100", budget=1.5, command="sleep {}; echo slept")
    assert found == ({"0": "slept", "00": "slept"}, End.OUT_OF_TIME)
    assert time.monotonic() - began < 10
    assert run("1", budget=0) == ({}, End.OUT_OF_TIME)


class Bad(Question[int, int]):
    """Is the number 2? At 3 it goes wrong, and at 4 somebody has enough."""

    subjects = "numbers"
    finding = "bad"

    def ask(self, subject: int, _launch: Launcher) -> int:
        if subject == 3:
            time.sleep(0.2)
            raise ValueError("three")
        return subject

    def is_finding(self, answer: int) -> bool:
        if answer == 4:
            raise KeyboardInterrupt
        return answer == 2


@pytest.mark.parametrize(("budget", "times"), [(0, 0), (60, 1)])
def test_what_only_shows_saves_nothing(budget: float, times: int) -> None:
    saved: list[Mapping[str, str]] = []
    with Progress(Console(quiet=True)) as progress:
        ask_all({"1": "1"}, Said("echo {}"), saved.append, Effort(1, budget, fresh=False), progress)
    assert len(saved) == times


def test_answers_are_saved_however_it_ends() -> None:
    saved: list[Mapping[str, int]] = []
    said = io.StringIO()
    with Progress(Console(file=said, force_terminal=True, width=80)) as progress:

        def ask(*names: str) -> tuple[dict[str, int], End]:
            numbers = {name: int(name) for name in names}
            return ask_all(numbers, Bad(), lambda a: saved.append(dict(a)), EFFORT, progress)

        assert ask("1", "2") == ({"1": 1, "2": 2}, End.FINISHED)
        assert ask("4") == ({"4": 4}, End.INTERRUPTED)
        with pytest.raises(ValueError, match="three"):
            ask("1", "3", "2")
    assert saved == [{"1": 1, "2": 2}, {"4": 4}, {"1": 1}]
    assert "1/3 numbers, 0 s: 1" in said.getvalue()
