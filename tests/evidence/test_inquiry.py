"""A question to many subjects: answers come in, and nothing is left when it ends early."""

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence import certify, hypotheses, vacuity
from sonnx_formal.evidence import inquiry as module
from sonnx_formal.evidence.inquiry import (
    Effort,
    End,
    Question,
    Selection,
    ask_all,
    is_known,
    select,
)
from sonnx_formal.prover.certificate import (
    RecordedGoal,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.site import Program, ProgramCall
from sonnx_formal.prover.sources import Source
from tests.prover.fakes import Workshop, real_z3

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


PLAIN = "module P\n  use int.Int\n  goal g: 1 + 1 = 2\n  goal h: 2 + 2 = 4\nend\n"
PARTIAL = """\
module Q
  use int.Int
  let function half (x: int) : int
    requires { x >= 0 }
    ensures { result >= 0 }
  = x
end
"""


@pytest.fixture
def proved(workshop: Workshop) -> Workshop:
    """A library with a certificate of its goals."""
    workshop.write("plain.mlw", PLAIN)
    workshop.write("partial.mlw", PARTIAL)
    assert workshop.prove([real_z3()]).proved
    return workshop


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that Why3 reads."""
    found: list[str] = []
    reading = module.read_goals

    def read_goals(library: Path, sources: Sequence[Source], *others: Any) -> list[Goal]:
        found.extend(source.name for source in sources)
        return reading(library, sources, *others)

    monkeypatch.setattr(module, "read_goals", read_goals)
    return found


def selected(library: Path, known: Callable[[Goal], bool] | None) -> tuple[Selection, str]:
    """What is selected, and what is said."""
    said = io.StringIO()
    with Progress(Console(file=said, width=200)) as progress:
        return select(library, (), 1, progress, known), said.getvalue()


def named(selection: Selection) -> set[tuple[str, str, str, str, str]]:
    return {(g.id, g.source.name, g.module, g.name, g.task.sha256) for g in selection.goals}


def test_the_goals_of_the_certificate_are_those_that_why3_reads(
    proved: Workshop, read: list[str]
) -> None:
    taken, said = selected(proved.library, lambda _goal: True)
    assert (read, said) == ([], "")
    assert len(taken.goals) == 3
    anew, _ = selected(proved.library, None)
    assert sorted(read) == ["partial.mlw", "plain.mlw"]
    assert named(taken) == named(anew)
    assert (taken.files, taken.whole) == (anew.files, anew.whole)


def test_a_file_with_a_goal_that_is_asked_about_is_read(proved: Workshop, read: list[str]) -> None:
    found, _ = selected(proved.library, lambda goal: goal.id != "plain.mlw:P.h.1")
    assert read == ["plain.mlw"]
    texts = {goal.id: bool(goal.task.text) for goal in found.goals}
    assert texts["plain.mlw:P.g.1"]
    assert not texts["partial.mlw:Q.half'vc.1"]


def test_a_certificate_of_other_goals_is_not_believed(proved: Workshop, read: list[str]) -> None:
    path = certificate_path(proved.library)
    certificate = read_certificate(path)
    assert certificate
    wrong = {name: RecordedGoal("0" * 64, goal.proofs) for name, goal in certificate.goals.items()}
    write_certificate(path, replace(certificate, goals=wrong, why3="0.9"))
    found, said = selected(proved.library, lambda _goal: True)
    assert "the certificate is of Why3 0.9: " in said
    write_certificate(path, replace(certificate, goals=wrong))
    proved.write("plain.mlw", PLAIN.replace("2 = 4", "3 = 5"))
    edited, said = selected(proved.library, lambda _goal: True)
    assert "the certificate is of other formal sources: Why3 reads those that are here" in said
    path.unlink()
    assert selected(proved.library, lambda _goal: True)[0].goals == edited.goals
    assert len(read) == 6
    assert "0" * 64 not in {goal.task.sha256 for goal in (*found.goals, *edited.goals)}


def test_a_file_elsewhere_is_not_taken_for_one_of_the_library(
    proved: Workshop, read: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "plain.mlw").write_text(PLAIN.replace("goal g", "goal other"))
    monkeypatch.chdir(elsewhere)
    with Progress(Console(quiet=True)) as progress:
        found = select(proved.library, [Path("plain.mlw")], 1, progress, lambda _goal: True)
    assert (read, found.files) == (["plain.mlw"], ("plain.mlw",))
    assert {goal.name for goal in found.goals} == {"other", "h"}


@pytest.mark.parametrize(("budget", "files"), [(0, set()), (60, {"partial.mlw", "plain.mlw"})])
def test_who_only_shows_the_record_reads_what_texts_are_needed_of(
    proved: Workshop, read: list[str], budget: float, files: set[str]
) -> None:
    """Of certificates and contradictions none; of preconditions those of functions with some."""
    effort, library = Effort(1, budget, fresh=False), proved.library
    certifying, cores = certify.certify_question(5), hypotheses.cores_question(5)
    with Progress(Console(quiet=True)) as progress:
        chosen = select(library, (), 1, progress, is_known(library, certifying, effort))
        shown = certify.certify(chosen, certifying, effort, progress)
        assert {*read} == files
        read.clear()
        looked = vacuity.find_vacuity(library, (), effort, progress, [real_z3()])
        assert {*read} == files
        read.clear()
        known = hypotheses.is_known_without_text(is_known(library, cores, effort))
        used = hypotheses.find_use(select(library, (), 1, progress, known), cores, effort, progress)
        assert read == ["partial.mlw"]
    assert len(shown.goals) == sum(entry.scope == "goal" for entry in looked.hypotheses) == 3
    assert [each.function for each in used.preconditions] == ["partial.mlw:Q.half"]
    tried = {goal.outcome != "not tried" for goal in shown.goals}
    assert tried == {budget > 0}
    if budget:  # and the next run finds all of it answered
        read.clear()
        with Progress(Console(quiet=True)) as progress:
            again = select(library, (), 1, progress, is_known(library, certifying, effort))
            assert certify.certify(again, certifying, effort, progress).goals == shown.goals
        assert read == []
