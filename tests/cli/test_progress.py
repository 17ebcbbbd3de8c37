"""Progress: a line that comes and goes on a terminal, a plain line now and then in a pipe."""

import io
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from sonnx_formal.core import terminal
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.schedule import how_far
from sonnx_formal.prover.sources import Source, reading


class Clock:
    """In the place of the module `time`."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(terminal, "time", clock)
    return clock


def in_a_pipe(clock: Clock, *calls: tuple[float, str, str]) -> str:
    """What is printed by calls that come at these times."""
    output = io.StringIO()
    with Progress(Console(file=output, width=40)) as say:
        for at, done, current in calls:
            clock.now = at
            say(done, current)
    return output.getvalue()


def on_a_terminal(seconds: float, *call: str) -> str:
    output = io.StringIO()
    with Progress(Console(file=output, width=40, force_terminal=True)) as say:
        say(*call)
        time.sleep(seconds)
    return output.getvalue()


def on_a_terminal_logged(line: str) -> str:
    output = io.StringIO()
    with Progress(Console(file=output, force_terminal=True)) as say:
        say.log(line)
    return output.getvalue()


def test_a_pipe_gets_a_plain_line_every_thirty_seconds(clock: Clock) -> None:
    long = " ".join(["m.mlw:[a].g'vc"] * 10)
    out = in_a_pipe(
        clock,
        (0, "0/9 goals", ""),
        (29.9, "1/9 goals", ""),
        (30.1, "cmd:[red] x", ""),
        (60, "2/9 goals", ""),
        (62, "3/9 goals", long),
        (86, "4/9 goals", ""),
    )
    assert out == f"cmd:[red] x, 30 s\n3/9 goals, 62 s: {long}\n"


def test_a_pipe_gets_a_line_of_each_part_that_is_done(clock: Clock) -> None:
    output = io.StringIO()
    with Progress(Console(file=output)) as say:
        clock.now = 29
        say.log("a.mlw: 3 of 3 goals proved")
        clock.now = 31
        say("4/9 goals")  # nothing more so soon
    assert output.getvalue() == "a.mlw: 3 of 3 goals proved\n"
    assert not on_a_terminal_logged("a.mlw: 3 of 3 goals proved")


def test_what_is_said_of_proofs(clock: Clock) -> None:
    output = io.StringIO()
    with Progress(Console(file=output, width=40)) as say:
        clock.now = 36
        say(reading([Source(Path(name), name, ()) for name in "ab"]))
        clock.now = 72
        say(how_far(goals=9, proved=3, open_=6, in_vain="not proved"))
        clock.now = 108
        say(how_far(goals=9, proved=3, open_=5, in_vain="not proved"), "a.mlw:A.g, a.mlw:A.h")
    assert output.getvalue().splitlines() == [
        "reading 2 files with Why3, 36 s",
        "3/9 goals, 72 s",
        "4/9 goals, 1 not proved, 108 s: a.mlw:A.g, a.mlw:A.h",
    ]


def test_a_terminal_gets_one_line_that_goes_away() -> None:
    out = on_a_terminal(0.3, "1/2 goals", "m.mlw:[red].g'vc " * 10)
    assert "\r1/2 goals, 0 s: m.mlw:[red].g'vc m.mlw:…" in re.sub(
        r"\x1b\[\??[0-9;]*[a-zA-Z]", "\r", out
    )
    assert out.endswith("\x1b[2K")  # the line is erased


def test_the_seconds_go_on_when_nothing_else_does() -> None:
    assert "working, 1 s" in on_a_terminal(1.5, "working")


def test_a_warning_stays() -> None:
    output = io.StringIO()
    with Progress(Console(file=output, width=40)) as say:
        say("working")
        say.warn("[1] is missing " * 5)
    assert output.getvalue() == "[1] is missing " * 5 + "\n"
