"""Work on many items: results come in, and nothing is left when it ends early."""

import io
import time
from dataclasses import dataclass

import pytest
from rich.console import Console

from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.loop import Effort, End, ask_all, for_each
from sonnx_formal.evidence.question import Question

EFFORT = Effort(jobs=1, budget=None, fresh=False)


def run(
    items: list[int], budget: float | None = None, command: str = "echo {}"
) -> tuple[End, dict[int, str]]:
    found: dict[int, str] = {}

    def work(item: int, launch: Launcher) -> str:
        return launch(["/bin/sh", "-c", command.format(item)], "", 5).stdout.strip()

    end = for_each(items, work, found.__setitem__, Effort(2, budget, fresh=False))
    return end, found


def test_everything_is_done() -> None:
    assert run([1, 2, 3]) == (End.FINISHED, {1: "1", 2: "2", 3: "3"})
    assert run([]) == run([], budget=0) == (End.FINISHED, {})


def test_the_time_is_up() -> None:
    began = time.monotonic()
    end, found = run([0, 0, 100], budget=1.5, command="sleep {}; echo slept")
    assert (end, found) == (End.OUT_OF_TIME, {0: "slept"})
    assert time.monotonic() - began < 10
    assert run([1], budget=0) == (End.OUT_OF_TIME, {})


def test_an_interrupt_keeps_what_is_finished() -> None:
    kept = []

    def keep(item: int, _found: object) -> None:
        kept.append(item)
        raise KeyboardInterrupt

    end = for_each([1, 2], lambda item, _: item, keep, EFFORT)
    assert (end, kept) == (End.INTERRUPTED, [1])


def test_an_error_is_raised() -> None:
    def work(_item: int, _launch: Launcher) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        for_each([1], work, lambda *_: None, EFFORT)


@dataclass(frozen=True)
class Number:
    """A subject."""

    id: str


class Bad(Question[Number, int]):
    """Is the number 2? It is asked once of each, and 3 is one too many."""

    subjects = "numbers"
    finding = "bad"

    def ask(self, subject: Number, _launch: Launcher) -> int:
        if subject.id == "3":
            raise ValueError("three")
        return int(subject.id)

    def is_finding(self, answer: int) -> bool:
        return answer == 2


def test_answers_are_saved_however_it_ends() -> None:
    saved: list[dict[str, int]] = []
    said = io.StringIO()
    with Progress(Console(file=said, force_terminal=True, width=80)) as progress:

        def ask(*names: str) -> tuple[dict[str, int], End]:
            numbers = [Number(name) for name in names]
            return ask_all(numbers, Bad(), lambda a: saved.append(dict(a)), EFFORT, progress)

        assert ask("1", "2") == ({"1": 1, "2": 2}, End.FINISHED)
        with pytest.raises(ValueError, match="three"):
            ask("1", "3", "2")
    assert saved == [{"1": 1, "2": 2}, {"1": 1}]
    assert "1/3 numbers, 0 s: 1" in said.getvalue()
