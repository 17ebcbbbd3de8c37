"""Work on many items: results come in, and nothing is left when it ends early."""

import time

import pytest

from sonnx_formal.evidence.records.each import End, Launcher, for_each


def run(
    items: list[int], seconds: float | None = None, command: str = "echo {}"
) -> tuple[End, dict[int, str]]:
    found: dict[int, str] = {}

    def work(item: int, launch: Launcher) -> str:
        return launch(["/bin/sh", "-c", command.format(item)], "", 5).stdout.strip()

    end = for_each(items, work, found.__setitem__, jobs=2, seconds=seconds)
    return end, found


def test_everything_is_done() -> None:
    assert run([1, 2, 3]) == (End.FINISHED, {1: "1", 2: "2", 3: "3"})
    assert run([]) == (End.FINISHED, {})


def test_the_time_is_up() -> None:
    began = time.monotonic()
    end, found = run([0, 0, 100], seconds=1.5, command="sleep {}; echo slept")
    assert (end, found) == (End.OUT_OF_TIME, {0: "slept"})
    assert time.monotonic() - began < 10
    assert run([1], seconds=0)[0] is End.OUT_OF_TIME


def test_an_interrupt_keeps_what_is_finished() -> None:
    kept = []

    def keep(item: int, _found: object) -> None:
        kept.append(item)
        raise KeyboardInterrupt

    end = for_each([1, 2], lambda item, _: item, keep, jobs=1, seconds=None)
    assert (end, kept) == (End.INTERRUPTED, [1])


def test_an_error_is_raised() -> None:
    def work(_item: int, _launch: Launcher) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        for_each([1], work, lambda *_: None, jobs=1, seconds=None)
