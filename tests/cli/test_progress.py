"""Progress: a line that comes and goes on a terminal, a plain line now and then in a pipe."""

import io
import re
import time

import pytest
from rich.console import Console

from sonnx_formal import progress
from sonnx_formal.progress import Progress


def shown(*calls: tuple[str, ...], terminal: bool, seconds: float = 0) -> str:
    output = io.StringIO()
    with Progress(Console(file=output, width=40, force_terminal=terminal)) as say:
        for call in calls:
            say(*call)
            time.sleep(seconds)
    return output.getvalue()


def test_a_pipe_gets_no_line_before_its_time() -> None:
    assert shown(("1/2 goals",), ("2/2 goals",), terminal=False) == ""


def test_a_pipe_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PLAIN_SECONDS", 0)
    long = "m.mlw:[a].g'vc " * 10
    out = shown(("1/2 goals", long), ("cmd:[red] x",), terminal=False)
    assert out == f"1/2 goals, 0 s: {long}\ncmd:[red] x, 0 s\n"


def test_lines_in_a_pipe_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PLAIN_SECONDS", 0.5)
    out = shown(*[(str(number),) for number in range(12)], terminal=False, seconds=0.1)
    assert len(out.splitlines()) in {1, 2}


def test_a_terminal_gets_one_line_that_goes_away() -> None:
    out = shown(("1/2 goals", "m.mlw:[red].g'vc " * 10), terminal=True, seconds=0.3)
    assert "\r1/2 goals, 0 s: m.mlw:[red].g'vc m.mlw:…" in re.sub(
        r"\x1b\[\??[0-9;]*[a-zA-Z]", "\r", out
    )
    assert out.endswith("\x1b[2K")  # the line is erased


def test_the_seconds_go_on_when_nothing_else_does() -> None:
    assert "working, 1 s" in shown(("working",), terminal=True, seconds=1.3)


def test_a_warning_stays() -> None:
    output = io.StringIO()
    with Progress(Console(file=output, width=40)) as say:
        say("working")
        say.warn("[1] is missing " * 5)
    assert output.getvalue() == "[1] is missing " * 5 + "\n"
