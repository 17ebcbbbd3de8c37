"""What is injected is caught, and with the guard out of order it is not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_formal.cli.report import self_test_command
from sonnx_formal.prover import cache, schedule
from sonnx_formal.prover.provers import Answer
from sonnx_formal.prover.tasks import Task
from sonnx_formal.report import self_test
from sonnx_formal.report.documents import SelfTest
from sonnx_formal.report.seal import EVIDENCE, SUMS, Flaw
from sonnx_formal.report.self_test import INJECTIONS, Injection, Workplace
from tests.schemas import validate

pytestmark = pytest.mark.usefixtures("drawn_once")
Patch = Callable[[pytest.MonkeyPatch], None]


def set_(target: object, name: str, value: object) -> Patch:
    return lambda patch: patch.setattr(target, name, value)


def blind_verdicts(answer: Answer) -> Patch:
    return set_(schedule, "answer", lambda *_: answer)


def one_sha(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Task, "of", staticmethod(lambda text, premises=(): Task(text, "0", premises)))


class Nothing:
    """A result in which nothing was found."""

    differences = ()
    unaccounted = ()


class NothingVacuous:
    """A document of `vacuity` in which nothing was found."""

    summary = Nothing


GUARDS: dict[str, Patch] = {
    "the provers": blind_verdicts(Answer.VALID),
    "trusted-base": set_(self_test, "granted", lambda _library: []),
    "vacuity": set_(self_test, "find_vacuity", lambda *_, **__: NothingVacuous),
    "a second family": set_(schedule, "CONCLUSIVE", set()),
    "a canary": set_(self_test, "liars", lambda _provers: []),
    "its exit status": blind_verdicts(Answer.VALID),
    "its checksum": set_(cache, "_checksum", lambda *_: "0"),
    "replay": one_sha,
    "vectors --verify": set_(self_test, "verify_vectors", lambda *_: Nothing),
    "verify-report": set_(self_test, "verify", lambda *_: (None, [])),
}


def test_there_is_a_guard_for_each() -> None:
    assert [each.guard for each in INJECTIONS] == list(GUARDS)


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda each: each.guard)
@pytest.mark.long
def test_caught(injection: Injection, tmp_path: Path) -> None:
    assert injection.run(Workplace(tmp_path))


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda each: each.guard)
@pytest.mark.long
def test_not_caught_without_the_guard(
    injection: Injection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    GUARDS[injection.guard](monkeypatch)
    assert injection.run(Workplace(tmp_path)) is None


def test_the_first_flaw_of_an_edited_report_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(folder: Path, *_: object) -> None:
        folder.mkdir()
        (folder / EVIDENCE).write_text("{}")
        (folder / SUMS).touch()

    flaws = [Flaw("evidence.json", "does not follow"), Flaw("report.html", "is another")]
    monkeypatch.setattr(self_test, "write_bundle", write)
    monkeypatch.setattr(self_test, "verify", lambda *_: (None, flaws))
    (injection,) = [each for each in INJECTIONS if each.guard == "verify-report"]
    assert injection.run(Workplace(tmp_path)) == "evidence.json: does not follow"


@pytest.mark.parametrize("caught", [True, False])
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, caught: bool) -> None:
    if not caught:
        GUARDS["a canary"](monkeypatch)
    chosen = [each for each in INJECTIONS if each.guard in {"trusted-base", "a canary"}]
    monkeypatch.setattr(self_test, "INJECTIONS", chosen)
    path = tmp_path / "out.json"
    done = CliRunner().invoke(self_test_command, ["--json", str(path)], standalone_mode=False)
    assert done.return_value == (0 if caught else 1)
    assert ("NOT caught" in done.output) is not caught
    assert f"{2 if caught else 1} of 2 caught" in done.output
    value = json.loads(path.read_text())
    validate(value, SelfTest)
    assert [each["caught"] for each in value["injections"]] == [True, caught]
