"""The commands as a user meets them: output, exit status, one clear line for what is wrong."""

import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from sonnx_formal.cli import main as cli
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.prover.sources import library_sha256
from tests.schemas import validate

ROOT = Path(__file__).parents[2]
GOOD = "module M use int.Int goal g: 1 + 1 = 2 end\n"
BAD = """\
module M
  use int.Int
  let f (x: int) : int
    requires { x >= 0 }
    ensures  { [@expl:DOC.C1 larger] result > x }
  = 2 * x
end
"""


class Command(Protocol):
    """What the command does with these arguments."""

    def __call__(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]": ...


def in_a_process(
    *arguments: str | Path, env: Mapping[str, str] = {}
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-m", "sonnx_formal", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | env,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """In this process, which has imported all of it."""

    def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        monkeypatch.setattr(sys, "argv", ["sonnx-formal", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return subprocess.CompletedProcess(sys.argv, int(exit_.value.code or 0), out, err)

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.chdir(ROOT)
    return run


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def validated(path: Path) -> Any:
    value = json.loads(path.read_text())
    validate(value, ProofReport)
    return value


def test_everything_proved(tmp_path: Path) -> None:
    path = written(tmp_path / "with space.mlw", GOOD)
    done = in_a_process("prove", path, "--families", "2", "--json", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 goals proved" in done.stdout
    header = next(line for line in done.stdout.splitlines() if line.startswith("file "))
    assert header.split() == [
        "file",
        "total",
        "proved",
        "z3",
        "cvc5",
        "cvc4",
        "unproved",
        "seconds",
    ] or (shutil.which("cvc4") is None)
    value = validated(tmp_path / "out.json")
    assert value["summary"]["two_families"] == 1
    (goal,) = value["goals"]
    assert goal["verdict"] == "proved"
    assert {proof["prover"] for proof in goal["proofs"]} >= {"z3"}
    assert (value["made"]["mode"], value["made"]["from_cache"]) == ("normal", 0)
    cached = in_a_process("prove", path, "--families", "2", "--json", tmp_path / "out.json")
    assert "1 from the cache" in cached.stdout
    again = validated(tmp_path / "out.json")
    assert all(p["cached"] for g in again["goals"] for p in g["proofs"])
    began, took = again["made"].pop("began"), again["made"].pop("took")
    assert datetime.now(UTC) - datetime.fromisoformat(began) < timedelta(minutes=1)
    assert 0 < took < 60
    assert f"proved in {took:.1f} s" in cached.stdout
    assert again["made"] == {
        "version": importlib.metadata.version("sonnx-formal"),
        "library_sha256": library_sha256(ROOT / "why3"),
        "mode": "normal",
        "files": [str(path)],
        "families": 2,
        "from_cache": len(again["goals"][0]["proofs"]),
        "timeout": 10,
    }
    in_a_process("prove", path, "--fresh", "--json", tmp_path / "out.json")
    made = validated(tmp_path / "out.json")["made"]
    assert (made["mode"], made["from_cache"]) == ("fresh", 0)


def test_something_unproved(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path / "bad.mlw", BAD)
    done = command("prove", path, "--timeout", "1", "--json", tmp_path / "out.json")
    assert done.returncode == 1
    assert f"not proved: {path}:5 {path}:M.f'vc.1 (DOC.C1 larger)" in done.stdout
    assert "  z3: " in done.stdout
    kept = next(s for s in done.stdout.splitlines() if s.startswith("  task: "))
    assert "(check-sat)" in Path(kept.removeprefix("  task: ")).read_text()
    assert f"-L {tmp_path} {path}, module M, goal f'vc\n" in done.stdout
    (goal,) = validated(tmp_path / "out.json")["goals"]
    assert goal["verdict"] == "unproved"
    assert goal["proofs"] == []
    assert goal["explanation"] == "DOC.C1 larger"
    assert goal["location"]["line"] == 5
    assert {attempt["prover"] for attempt in goal["attempts"]} >= {"z3", "cvc5"}


def test_a_file_that_why3_rejects_does_not_keep_the_others(
    command: Command, tmp_path: Path
) -> None:
    good = written(tmp_path / "good.mlw", GOOD)
    bad = written(tmp_path / "bad.mlw", "module M\nuse int.Int\ngoal g: 1 + true = 2\nend\n")
    done = command("prove", good, bad, "--json", tmp_path / "out.json")
    assert done.returncode == 2
    assert "1 of 1 goals proved" in done.stdout
    assert done.stdout.count('bad.mlw", line 3') == 2, "at once, and at the end"
    assert "out.json was not written" in done.stdout
    assert not (tmp_path / "out.json").exists()


BASE = "module B\n  use int.Int\n  lemma l: forall x. x < x + 1\nend\n"
TOP = "module T\n  use int.Int\n  use base.B\n  goal g: 1 + 1 = 2\nend\n"


def test_what_a_file_rests_on(command: Command, tmp_path: Path) -> None:
    base = written(tmp_path / "base.mlw", BASE)
    top = written(
        tmp_path / "top.mlw", "module T\n  use int.Int\n  use base.B\n  goal g: 1 + 1 = 2\nend\n"
    )
    done = command("prove", top, "--json", tmp_path / "out.json")
    assert "rests on 1 files: 0 proved, 1 not checked" in done.stdout
    assert f"as they are at present: {base}" in done.stdout
    assert validated(tmp_path / "out.json")["rests_on"] == [{"file": str(base), "proved": False}]
    command("prove", base)
    assert "rests on 1 files: 1 proved, 0 not checked" in command("prove", top).stdout
    written(tmp_path / "base.mlw", BASE.replace("<", ">"))
    done = command("prove", top)
    assert done.returncode == 0, "it is proved, from a lemma that is wrong"
    assert "0 proved, 1 not checked" in done.stdout
    both = command("prove", top, base, "--timeout", "1")
    assert "not checked" not in both.stdout
    assert f"{top}:T.g.1 rests on {base}:B.l.1" in both.stdout


def test_failures_are_named_at_once_and_the_first_may_be_the_last(
    command: Command, tmp_path: Path
) -> None:
    goals = " ".join(f"goal g{n}: {n} = {n + 1}" for n in range(6))
    path = written(tmp_path / "bad.mlw", f"module M\nuse int.Int {goals}\nend\n")
    options = ("--timeout", "1", "--jobs", "1", "--stop-at-first-failure")
    done = command("prove", path, *options, "--json", tmp_path / "out.json")
    assert done.returncode == 1
    assert done.stdout.startswith(f"not proved: {path}:2 {path}:M.g0.1\n")
    assert "stopped at the first failure: 5 goals are open" in done.stdout
    value = validated(tmp_path / "out.json")
    assert [goal["verdict"] for goal in value["goals"]] == ["unproved"] + 5 * ["open"]
    assert (value["summary"]["unproved"], value["summary"]["open"]) == (1, 5)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("syntax.mlw", "module M\nuse int.Int\ngoal g: 1 +\nend\n", 'syntax.mlw", line 4'),
        ("type.mlw", "module M\nuse int.Int\ngoal g: 1 + true = 2\nend\n", 'type.mlw", line 3'),
        ("empty.mlw", "", "no goal was found in"),
        ("other.txt", GOOD, "not a .mlw file"),
        ("missing.mlw", None, "no such file"),
    ],
)
def test_bad_input(
    command: Command, tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    done = command("prove", path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_missing_why3(tmp_path: Path) -> None:
    path = written(tmp_path / "a.mlw", GOOD)
    done = in_a_process("prove", path, env={"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "why3 was not found: install it with" in done.stderr


def test_json_that_cannot_be_written_is_said_before_the_run(
    command: Command, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.mlw", GOOD)
    for target, message in (
        (path / "out.json", "Not a directory"),
        (tmp_path / "none" / "out.json", "its folder does not exist"),
        (tmp_path, "is a folder"),
    ):
        done = command("prove", path, "--json", target)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--fresh", "--replay"),
        ("--cores", "--replay"),
        ("--cores", "a.mlw"),
        ("--timeout", "0"),
        ("--jobs", "0"),
        ("--families", "x"),
        ("--what",),
    ],
)
def test_bad_options(command: Command, arguments: tuple[str, ...]) -> None:
    done = command("prove", *arguments)
    assert done.returncode == 2
    assert "Error: " in done.stderr


def test_help(command: Command) -> None:
    text = command("prove", "--help").stdout
    for option in (
        "--timeout",
        "--jobs",
        "--fresh",
        "--replay",
        "--families",
        "--cores",
        "--json",
        "130",
    ):
        assert option in text
