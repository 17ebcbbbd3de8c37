"""Recorded proofs repeated: under seeds, with other names, and what is kept of it."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence import settling, stability
from sonnx_formal.evidence.inquiry import Effort
from sonnx_formal.evidence.renaming import renamed
from sonnx_formal.evidence.settling import SettleQuestion, settle
from sonnx_formal.evidence.stability import (
    SEEDS,
    StabilityReport,
    exit_status,
    find_stability,
    print_stability,
)
from sonnx_formal.prover.certificate import (
    Certificate,
    RecordedGoal,
    certificate_path,
    read_certificate,
    write_certificate,
)
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.provers import Answer, Prover, find_provers
from sonnx_formal.prover.site import Here
from sonnx_formal.prover.tasks import Task
from tests.prover.fakes import Workshop
from tests.schemas import validate

THEORY = "module M\n  use int.Int\n  goal g: forall x y. x < y -> x + 1 <= y\nend\n"
WITH_DEFINITION = THEORY.replace("goal", "function defined (x: int) : int = x * x - x\n  goal")
LUCKY = 'case "$*" in *seed=3*) echo unknown;; *) echo unsat;; esac'
MOODY = """\
steps=100000; case "$*" in *seed=3*) steps=900000;; esac
case "$1" in [0-9]*) limit=$1;; *) limit=$steps;; esac
if [ $limit -lt $steps ]; then steps=$limit; echo unknown; else echo unsat; fi
echo "(:rlimit-count $steps)"
"""
"""Needs nine times as many steps with one seed."""
BY_NAME = "if grep -q 'fun.* f ' > /dev/null; then echo unsat; else echo unknown; fi"
SHAPES = """\
(set-logic ALL)
(declare-sort t 0)
(declare-datatypes ((ints 0))
  (((Nil) (Cons (head Int)(tail ints)))))
(declare-fun size (ints) Int)
(assert (forall ((s ints))
  (ite (is-Nil s) (= (size s) 0) (= (size s) (+ 1 (head s))))))
(assert (not (= (size (tail (Cons 1 (Cons 7 Nil)))) 8)))
(check-sat)
"""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Prover]:
    """The provers of this machine, as the command sees them."""
    found: list[Prover] = []
    for command in (stability, settling):
        monkeypatch.setattr(command, "find_provers", lambda: found)
    return found


def proved(workshop: Workshop, provers: list[Prover], text: str = THEORY) -> None:
    """The library with this as its file, proved once by each; by several, unsplit, too."""
    workshop.write("m.mlw", text)
    outcome = workshop.prove(provers, families=len(provers))
    assert outcome.proved == set(outcome.runs)
    if len(provers) == 1:
        path = certificate_path(workshop.library)
        made = read_certificate(path)
        assert made
        write_certificate(path, replace(made, unsplit={}))
    workshop.launches()


def certificate(workshop: Workshop) -> Certificate:
    """That of its library."""
    found = read_certificate(certificate_path(workshop.library))
    assert found
    return found


def repeat(
    workshop: Workshop, *files: Path, budget: float | None = None, fresh: bool = False
) -> StabilityReport:
    with Progress(Console(file=io.StringIO())) as progress:
        report = find_stability(workshop.library, files, Effort(1, budget, fresh), progress)
    value = json.loads(documents.encode(report))
    validate(value, StabilityReport)
    return report


def printed(report: StabilityReport) -> str:
    output = io.StringIO()
    print_stability(Console(file=output, width=120), report)
    return output.getvalue()


def test_a_stable_proof_is_repeated_once(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here)
    report = repeat(workshop)
    assert workshop.launches() == len(SEEDS) + 1
    assert (exit_status(report), report.unstable) == (0, ())
    assert "1 of 1 recorded proofs go through with 5 seeds and with other names" in printed(report)
    again = repeat(workshop)
    assert (exit_status(again), again.made.from_record) == (0, 1)
    assert workshop.launches() == 0
    assert repeat(workshop, fresh=True, budget=0).made.from_record == 1
    assert repeat(workshop, fresh=True).made.from_record == 0
    assert workshop.launches() == len(SEEDS) + 1


def test_a_lucky_proof_is_named(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat"), workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    report = repeat(workshop)
    assert exit_status(report) == 1
    assert {line.proof.prover for line in report.unstable} == {"lucky"}
    assert report.unstable[-1].goal == "m.mlw:M.g.1"
    assert report.unstable[-1].proof.failed == {"seed 3": Answer.UNKNOWN}
    assert report.without_stable_proof == ()
    assert "unstable: m.mlw:M.g.1 by lucky (seed 3: unknown)" in printed(report)


def test_a_proof_from_a_core_is_repeated_from_that(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here, WITH_DEFINITION)
    path = certificate_path(workshop.library)
    made = read_certificate(path)
    assert made
    [(name, goal)] = made.goals.items()
    from_core = (replace(goal.proofs[0], from_core=True),)
    narrow = replace(goal, proofs=from_core, core=("ffffff",))
    write_certificate(path, replace(made, goals={name: narrow}))
    workshop.fake("sure", "s", "grep -q '(defined' > /dev/null && echo unknown || echo unsat")
    report = repeat(workshop)
    assert (exit_status(report), report.unstable) == (0, ()), "it is not given what it cannot do"


def test_what_a_replay_asks_first_is_tried_first_and_of_that_what_is_short(
    workshop: Workshop, here: list[Prover]
) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here)
    path = certificate_path(workshop.library)
    made = read_certificate(path)
    assert made
    [(name, goal)] = made.goals.items()
    long, short = (replace(goal.proofs[0], steps=steps) for steps in (9000, 10))
    taken = {"a": (long, short), "b": (short, long), "c": (replace(long, steps=800),)}
    goals = {f"{name}{each}": replace(goal, proofs=proofs) for each, proofs in taken.items()}
    write_certificate(path, replace(made, goals=goals))
    asked = [(each.goal[-1], each.proof.steps) for each in stability._proofs(workshop.library)]
    assert asked == [("b", 10), ("c", 800), ("a", 9000), ("a", 10), ("b", 9000)]


def settle_all(workshop: Workshop, *, repeated: bool = True) -> Certificate:
    """The certificate after it, and before that, after all proofs are repeated."""
    if repeated:
        repeat(workshop)
    with Progress(Console(file=io.StringIO())) as progress:
        settle(workshop.library, (), Effort(1, None, fresh=False), progress)
    return certificate(workshop)


def test_a_lucky_proof_is_left_out_where_there_is_another(
    workshop: Workshop, here: list[Prover]
) -> None:
    here += [workshop.fake("sure", "s", "echo unsat"), workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    before = certificate(workshop)
    after = settle_all(workshop)
    assert [proof.prover for proof in after.goals["m.mlw:M.g.1"].proofs] == ["sure"]
    assert not any(p.prover == "lucky" for goal in after.unsplit.values() for p in goal.proofs)
    assert after.unsplit.keys() == before.unsplit.keys(), "what was tried is not tried again"


def test_the_only_proof_stays_though_it_is_lucky(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    after = settle_all(workshop)
    assert [proof.prover for proof in after.goals["m.mlw:M.g.1"].proofs] == ["lucky"]


def test_of_a_slow_repetition_the_steps_are_recorded(
    workshop: Workshop, here: list[Prover]
) -> None:
    here += [workshop.fake("moody", "m", MOODY)]
    proved(workshop, here)
    [found] = repeat(workshop).unstable
    assert found.proof.failed == {"seed 3": Answer.STEPS}
    [proof] = settle_all(workshop).goals["m.mlw:M.g.1"].proofs
    assert (proof.steps, proof.failed) == (900_000, {})
    assert exit_status(repeat(workshop, fresh=True)) == 0


def test_a_lucky_proof_stays_where_the_other_was_not_tried(
    workshop: Workshop, here: list[Prover]
) -> None:
    here += [workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    repeat(workshop)
    path, made = certificate_path(workshop.library), certificate(workshop)
    [(name, goal)] = made.goals.items()
    other = replace(goal.proofs[0], prover="other", failed=None)
    both = replace(goal, proofs=(*goal.proofs, other))
    write_certificate(path, replace(made, goals={name: both}))
    assert settle_all(workshop, repeated=False).goals[name] == both


def test_a_stable_proof_from_a_core_takes_the_place_of_lucky_ones(
    workshop: Workshop, here: list[Prover]
) -> None:
    here += [workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here, WITH_DEFINITION)
    workshop.script(
        "lucky",
        f"""\
task=$(cat)
case "$task" in
*get-unsat-core*) case "$*" in *seed=2*) echo unsat; echo "(assertion-2)";; esac;;
*"(defined"*) {LUCKY};;
*) echo unsat;;
esac
""",
    )
    [found] = settle_all(workshop).goals.values()
    [proof] = found.proofs
    assert (proof.from_core, proof.failed) == (True, {})
    assert exit_status(repeat(workshop, fresh=True)) == 0


def test_ctrl_c_ends_settling_as_it_ends_the_command(
    workshop: Workshop, here: list[Prover], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    here += [workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    monkeypatch.setattr(SettleQuestion, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        settle_all(workshop)


def test_the_cheapest_proof_comes_first_again(workshop: Workshop, here: list[Prover]) -> None:
    steady = "echo unsat; echo '(:rlimit-count 500000)'"
    here += [workshop.fake("moody", "m", MOODY), workshop.fake("steady", "s", steady)]
    proved(workshop, here)
    before = certificate(workshop)
    after = settle_all(workshop)
    orders = [
        [proof.prover for proof in each.goals["m.mlw:M.g.1"].proofs] for each in (before, after)
    ]
    assert orders == [["moody", "steady"], ["steady", "moody"]]


def test_a_goal_without_a_stable_proof_is_named(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("lucky", "l", LUCKY)]
    proved(workshop, here)
    report = repeat(workshop)
    assert report.without_stable_proof == ("m.mlw:M.g.1",)
    assert "no stable proof: m.mlw:M.g.1" in printed(report)


def test_names_are_varied(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("reader", "r", BY_NAME)]
    text = THEORY.replace("goal", "function f int : int\n  goal").replace("x + 1", "f x - f x + x")
    proved(workshop, here, text.replace("<= y", "<= y + f y - f y"))
    [found] = repeat(workshop).unstable
    assert found.proof.failed == {"renamed": Answer.UNKNOWN}


def test_what_was_not_tried_is_no_success(
    workshop: Workshop, here: list[Prover], monkeypatch: pytest.MonkeyPatch
) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here)
    monkeypatch.setattr(Goals, "of", lambda *_given: pytest.fail("nothing is asked"))
    report = repeat(workshop, budget=0)
    assert exit_status(report) == 1
    assert "out of time: 1 proofs were not tried" in printed(report)
    here[:] = [workshop.fake("sure", "s", "echo unsat", version="2.0")]
    assert [file.untried for file in repeat(workshop).files] == [1], "a proof of another version"


def test_an_edited_goal_is_an_error(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here)
    workshop.write("m.mlw", THEORY.replace("x + 1", "1 + x"))
    with pytest.raises(UserError, match=r"m\.mlw:M\.g\.1: changed since .* `sonnx-formal prove`"):
        repeat(workshop)


def test_answers_about_other_files_are_kept(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    workshop.write("n.mlw", THEORY)
    proved(workshop, here)
    repeat(workshop)
    workshop.launches()
    workshop.write("n.mlw", THEORY.replace("x + 1", "1 + x"))
    repeat(workshop, workshop.library / "m.mlw")
    assert certificate_path(workshop.library).read_text().count('"failed": {}') == 2
    assert workshop.launches() == 0


def test_two_runs_at_once_lose_no_answers(workshop: Workshop, here: list[Prover]) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    workshop.write("n.mlw", THEORY.replace("x + 1", "1 + x"))
    proved(workshop, here)
    path = certificate_path(workshop.library)
    untried, other = path.read_bytes(), workshop.root / "other.json"
    repeat(workshop, workshop.library / "m.mlw")
    path.rename(other)
    path.write_bytes(untried)
    workshop.fake("sure", "s", f"cp {other} {path}; echo unsat")
    repeat(workshop, workshop.library / "n.mlw")
    workshop.launches()
    assert repeat(workshop).made.from_record == 2
    assert workshop.launches() == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda goal: replace(goal, task_sha256="0" * 64),
        lambda goal: replace(goal, core=("eeeeee",)),
        lambda goal: replace(goal, proofs=(replace(goal.proofs[0], steps=3),)),
    ],
    ids=["task", "core", "steps"],
)
def test_an_answer_is_not_about_what_the_proof_was_replaced_by(
    workshop: Workshop, here: list[Prover], change: Callable[[RecordedGoal], RecordedGoal]
) -> None:
    here += [workshop.fake("sure", "s", "echo unsat")]
    proved(workshop, here)
    path, other = certificate_path(workshop.library), workshop.root / "other.json"
    made = read_certificate(path)
    assert made
    [(name, goal)] = made.goals.items()
    goal = replace(goal, proofs=(replace(goal.proofs[0], from_core=True),), core=("ffffff",))
    write_certificate(path, replace(made, goals={name: goal}))
    write_certificate(other, replace(made, goals={name: change(goal)}))
    workshop.fake("sure", "s", f"cp {other} {path}; echo unsat")
    assert [file.stable for file in repeat(workshop).files] == [1]
    assert path.read_text() == other.read_text()


def test_renaming_reaches_every_declared_symbol() -> None:
    text = renamed(Task.of(SHAPES)).text
    for name in ("ints", "Nil", "Cons", "head", "tail", "size", " t "):
        assert name not in text.replace("is-s", "")
    assert "Int" in text
    assert text.count("is-s") == 1


@pytest.mark.parametrize("prover", find_provers(), ids=lambda prover: prover.name)
def test_a_renamed_task_means_the_same(prover: Prover) -> None:
    task = Task.of(SHAPES)
    false = Task.of(SHAPES.replace(" 8)", " 9)"))
    for seed in (None, *SEEDS):
        for each in (task, renamed(task)):
            assert Launcher(Here(1)).answer(prover, each, 100_000, 10, seed) is Answer.VALID
    assert Launcher(Here(1)).answer(prover, renamed(false), 100_000, 10, 1) is not Answer.VALID
