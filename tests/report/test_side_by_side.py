"""Commands side by side: their order, what they say, and their end."""

import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

import pytest

from sonnx_formal.core import processes
from sonnx_formal.core.errors import TERMINATED
from sonnx_formal.report import side_by_side
from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.side_by_side import Command, CommandEnd, run_all, span

Started = list[tuple[str, "subprocess.Popen[bytes]"]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """Commands in Python, with their names, as they start."""
    found: Started = []

    def start(arguments: Sequence[str], output: IO[bytes] | None) -> "subprocess.Popen[bytes]":
        name, program = arguments
        process = subprocess.Popen([sys.executable, "-c", program], stdout=output, stderr=output)
        found.append((name, process))
        return process

    monkeypatch.setattr(side_by_side, "_started", start)
    return found


def command(name: str, program: str = "", *needs: str) -> Command:
    return Command(name, (name, program), frozenset(needs))


def test_each_starts_when_those_are_over_that_it_needs(started: Started) -> None:
    commands = [
        command("a", "import time; time.sleep(0.5); print('one')"),
        command("b", "", "a", "given"),
        command("c", "raise SystemExit('two')"),
        command("d"),
    ]
    over: list[CommandEnd] = []
    busy: list[str] = []
    run_all(commands, over.append, busy.append)
    assert [name for name, _ in started] == ["a", "c", "d", "b"]
    by_name = {each.name: each for each in over}
    assert (by_name["a"].code, by_name["a"].said) == (0, "one\n")
    assert (by_name["c"].code, by_name["c"].said) == (1, "two\n")
    assert by_name["a"].seconds >= 0.5
    assert "a, c" in busy
    assert all(names.count(",") <= 1 for names in busy), "two at a time"


@pytest.mark.parametrize("code", [TERMINATED, None])
def test_an_interrupted_one_ends_all(started: Started, code: int | None) -> None:
    def interrupt(_names: str) -> None:
        if code is None:
            raise KeyboardInterrupt

    commands = [command("a", "import time; time.sleep(100)"), command("b", f"exit({code})")]
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_all([*commands, command("c")], lambda _ended: None, interrupt)
    assert time.monotonic() - began < 50
    assert [name for name, _ in started] == ["a", "b"]
    assert all(process.poll() is not None for _, process in started)


def test_one_that_is_just_being_started_ends_with_all(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = side_by_side._started

    def interrupted(
        arguments: Sequence[str], output: IO[bytes] | None
    ) -> "subprocess.Popen[bytes]":
        process = start(arguments, output)
        processes.interrupt()
        return process

    monkeypatch.setattr(side_by_side, "_started", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_all([command("a", "import time; time.sleep(100)")], lambda _ended: None)
    [(_, process)] = started
    assert process.poll() is not None


def test_commands_of_which_none_can_start() -> None:
    commands = [command("a"), command("b", "", "c"), command("c", "", "b")]
    for run in (lambda: span(commands, {}), lambda: run_all(commands[1:], lambda _ended: None)):
        with pytest.raises(ValueError, match="each of these needs another: b, c"):
            run()


def test_one_that_shows_itself_what_it_says(
    started: Started, capfd: pytest.CaptureFixture[str]
) -> None:
    over: list[CommandEnd] = []
    run_all([command("a", "print('one'); exit(1)")], over.append, shown=True)
    assert capfd.readouterr().out == "one\n"
    assert [(each.code, each.said) for each in over] == [(1, "")]
    assert len(started) == 1


def test_how_long_it_takes() -> None:
    commands = [command("a"), command("b", "", "a"), command("c"), command("d"), command("e")]
    assert span(commands, {"a": 5, "b": 10, "c": 2, "d": 4}) == 15
    assert span(commands, {"c": 2}) == 2
    assert span([], {}) == 0


def test_which_documents_a_command_reads() -> None:
    assert {kind.name: kind.reads for kind in KINDS if kind.reads} == {
        "check": {"vectors"},
        "trace": {"vectors", "check", "prove"},
    }
