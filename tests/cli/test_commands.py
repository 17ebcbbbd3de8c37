"""What all commands have in common: the list of them, their errors, their ends."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from sonnx_formal.cli import main as cli
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import NUMERICAL

COMMANDS = {
    name: cli.load(name)
    for name in (
        "certify",
        "check",
        "doctor",
        "eval",
        "exhaustive",
        "hypotheses",
        "kernels",
        "lint",
        "mutate",
        "network",
        "new-operator",
        "prove",
        "refinements",
        "report",
        "self-test",
        "stability",
        "trace",
        "trusted-base",
        "vacuity",
        "vectors",
        "verify-report",
    )
}
WITH_JSON = [name for name in COMMANDS if name != "new-operator"]
OPERANDS = {
    "eval": ("mul", "1", "1", "--type", "int8"),
    "lint": ("model.onnx",),
    "network": ("model.onnx",),
    "new-operator": ("double", "--like", "add"),
    "verify-report": ("build/report",),
}
PROGRAM = Path(sys.executable).with_name("sonnx-formal")
SECTIONS = ["Define and prove:", "Run and compare:", "Evidence:"]
LIBRARIES = {"numpy", "onnx", "rich", "jsonschema", "ml_dtypes"}


class Shell:
    """Runs a command in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        self.monkeypatch.setattr(sys, "argv", ["sonnx-formal", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = self._capsys.readouterr()
        return int(ended.value.code or 0), out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    before = signal.getsignal(signal.SIGTERM)
    yield Shell(monkeypatch, capsys)
    signal.signal(signal.SIGTERM, before)


def program(*arguments: str, env: Mapping[str, str] = {}) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, env=os.environ | env
    )


def loaded(*arguments: str) -> set[str]:
    """The libraries that a command loads."""
    script = (
        "import sys; from sonnx_formal.cli.main import cli;"
        "cli.main(sys.argv[1:], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split()) & LIBRARIES


def listed(text: str) -> dict[str, list[tuple[str, str]]]:
    """The commands of each section of a help text, with what it says of each."""
    found: dict[str, list[tuple[str, str]]] = {}
    for paragraph in text.split("\n\n"):
        heading, *lines = paragraph.splitlines()
        if heading in SECTIONS:
            rows = (line.strip().partition(" ") for line in lines)
            found[heading] = [(name, rest.strip()) for name, _, rest in rows]
    return found


@pytest.mark.parametrize("option", [["--help"], ["-h"], []])
def test_the_list_says_of_each_command_what_its_own_help_begins_with(
    shell: Shell, option: list[str]
) -> None:
    _, out, err = shell(*option)
    sections = listed(out or err)
    assert list(sections) == SECTIONS
    for rows in sections.values():
        assert [name for name, _ in rows] == sorted(name for name, _ in rows)
    commands = [row for rows in sections.values() for row in rows]
    assert sorted(name for name, _ in commands) == sorted(COMMANDS)
    for name, text in commands:
        assert text == COMMANDS[name].get_short_help_str(limit=1000)
        assert text.endswith(".")
        assert not text.endswith("...")  # cut off


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(shell: Shell, name: str) -> None:
    status, out, err = shell(name, "--help")
    assert (status, err) == (0, "")
    assert re.match(rf"Usage: .*sonnx-formal {name} ", out)
    assert (COMMANDS[name].help or "").split(".")[0] in " ".join(out.split())
    assert ("--json PATH" in out) == (name in WITH_JSON)


@pytest.mark.parametrize("name", ["check", "eval", "vectors"])
def test_help_names_every_operator_and_type(shell: Shell, name: str) -> None:
    """They follow from the declarations."""
    _, out, _ = shell(name, "--help")
    words = set(re.findall(r"[\w-]+", " ".join(out.split())))
    assert {operator.name for operator in operators()} <= words
    assert {type_.name for type_ in NUMERICAL} <= words


def test_what_needs_no_library_loads_none() -> None:
    assert loaded("--help") == set()
    assert loaded("--version") == set()
    assert loaded("prove", "--help") == {"rich"}
    assert "numpy" in loaded("check", "--help")


def test_version() -> None:
    done = program("--version")
    assert (done.returncode, done.stdout) == (0, "sonnx-formal, version 0.1.0\n")


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (("porve",), "Did you mean 'prove'?"),
        (("vector",), "'vectors'"),
        (("prove", "--familes", "2"), "'--families'"),
        (("eval", "mull", "1", "1", "--type", "int8"), "did you mean mul?"),
    ],
)
def test_what_is_mistyped_is_one_of_these(
    shell: Shell, arguments: tuple[str, ...], suggestion: str
) -> None:
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert suggestion in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sonnx-formal", "v"], [name for name in sorted(COMMANDS) if name[0] == "v"]),
        (["sonnx-formal", ""], sorted(COMMANDS)),
        (["sonnx-formal", "prove", "--f"], ["--fresh", "--families"]),
        (["sonnx-formal", "eval", "m"], [x.name for x in operators() if x.name[0] == "m"]),
    ],
)
def test_completion_in_the_shell(words: list[str], offered: list[str]) -> None:
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = program(env={"_SONNX_FORMAL_COMPLETE": "bash_complete"} | asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.removeprefix("plain,") for line in done.stdout.splitlines()] == offered


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            UserError("nothing there: look elsewhere"),
            2,
            "sonnx-formal: nothing there: look elsewhere",
        ),
        (click.UsageError("that does not go"), 2, "Error: that does not go"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
    ],
)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_alike(
    shell: Shell, name: str, error: BaseException, status: int, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    shell.monkeypatch.setattr(COMMANDS[name], "callback", fail)
    ended, out, err = shell(name, *OPERANDS.get(name, ()))
    assert (ended, out) == (status, "")
    assert (err.splitlines() or [""])[-1] == said


@pytest.mark.parametrize("name", WITH_JSON)
def test_json_that_cannot_be_written_is_said_before_the_work(
    shell: Shell, name: str, tmp_path: Path
) -> None:
    shell.monkeypatch.setattr(COMMANDS[name], "callback", lambda *_, **__: pytest.fail("too late"))
    for path, message in ((tmp_path, "is a folder"), (tmp_path / "no/x", "does not exist")):
        status, out, err = shell(name, *OPERANDS.get(name, ()), "--json", str(path))
        assert (status, out) == (2, "")
        assert err.startswith(f"sonnx-formal: {path}")
        assert message in err
        assert err.count("\n") == 1


def test_verdicts_on_sources_that_changed_meanwhile_are_not_written(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "m.mlw"
    path.write_text("module M use int.Int goal g: 1 + 1 = 2 end\n")
    shell.monkeypatch.setattr("sonnx_formal.cli.prove.library_sha256", lambda _: "0" * 64)
    status, _, err = shell("prove", str(path), "--json", str(tmp_path / "prove.json"))
    assert status == 2
    assert err.endswith("prove.json: the formal sources changed meanwhile: prove them again\n")
    assert not (tmp_path / "prove.json").exists()
