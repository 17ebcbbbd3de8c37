"""A prover's process: what counts as a proof, and that nothing gets out of hand."""

import sys
import threading
import time
from pathlib import Path

import pytest

from sonnx_formal.core import processes as process
from sonnx_formal.core.processes import Process, ProcessEnd
from sonnx_formal.prover.provers import Answer, Limits, Prover, answer, find_provers, steps_used
from sonnx_formal.prover.site import start_here
from tests.prover import fakes
from tests.prover.fakes import assert_gone

TRUE = "(set-logic ALL)\n(assert false)\n(check-sat)\n"
FALSE = "(set-logic ALL)\n(declare-fun x () Int)\n(assert (< x 7))\n(check-sat)\n"
MALFORMED = "(set-logic ALL)\n(assert nonsense)\n(check-sat)\n"
# Each instance of the axiom makes the next one possible; the claim is far away.
ENDLESS = """(set-logic ALL)
(declare-fun f (Int) Int)
(assert (> (f 0) 0))
(assert (forall ((x Int)) (! (=> (> (f x) 0) (> (f (+ x 1)) 0)) :pattern ((f x)))))
(assert (not (> (f 100000000) 0)))
(check-sat)
"""


def run(script: str, cpu_seconds: int = 1) -> ProcessEnd:
    return Process(["sh", "-c", script], "", cpu_seconds).wait()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (fakes.UNSAT, Answer.VALID),
        (fakes.SAT, Answer.SAT),
        (fakes.UNKNOWN, Answer.UNKNOWN),
        ("echo 'unknown (INCOMPLETE)'", Answer.UNKNOWN),
        (fakes.CRASH, Answer.FAILURE),
        (fakes.FLOOD, Answer.FAILURE),
        (fakes.SILENT, Answer.FAILURE),
        (fakes.UNSAT_THEN_ERROR, Answer.FAILURE),
        (fakes.UNSAT_THEN_ERROR + " >&2", Answer.FAILURE),
        (fakes.UNSAT_THEN_SIGNAL, Answer.FAILURE),
        (fakes.UNSAT_THEN_STATUS_1, Answer.FAILURE),
        (fakes.UNSAT_AND_MORE, Answer.FAILURE),
        (fakes.NOT_QUITE_UNSAT, Answer.FAILURE),
        ("echo this is unsat", Answer.FAILURE),
        ("echo '(error \"no such logic\")'; echo unsat", Answer.FAILURE),
        ("echo unsat >&2", Answer.FAILURE),
        ("echo timeout; exit 1", Answer.TIMEOUT),
        ("echo 'unknown (RESOURCEOUT)'", Answer.STEPS),
        ("echo std::bad_alloc; exit 1", Answer.MEMORY),
        (fakes.SPIN, Answer.TIMEOUT),
        (f"echo unsat; {fakes.SPIN}", Answer.TIMEOUT),
        (f"trap '' XCPU; {fakes.SPIN}", Answer.TIMEOUT),
    ],
)
def test_only_one_clean_unsat_is_a_proof(script: str, expected: Answer) -> None:
    assert answer(run(script), None, None) is expected


def test_a_sleeping_prover_is_ended_by_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "WALL_FACTOR", 0)
    monkeypatch.setattr(process, "WALL_SLACK_SECONDS", 0.3)
    began = time.monotonic()
    outcome = run(f"echo unsat; {fakes.HANG}")
    assert time.monotonic() - began < 5
    assert answer(outcome, None, None) is Answer.TIMEOUT


def test_a_flood_is_cut() -> None:
    outcome = run("yes unsat")
    assert len(outcome.stdout) == process.OUTPUT_MIB * 1024 * 1024
    assert answer(outcome, None, None) is Answer.FAILURE


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MEMORY_MIB", 64)
    eater = "x = bytearray(10**9); print('unsat')"
    outcome = Process([sys.executable, "-I", "-S", "-c", eater], "", 5).wait()
    assert answer(outcome, None, None) is Answer.MEMORY


def test_a_child_of_the_first_instant_is_limited_too() -> None:
    """Limits set on a running process would reach such a child on some days only."""
    reports = "ulimit -t; ulimit -v; ulimit -f"
    limits = [7, process.MEMORY_MIB * 1024, process.OUTPUT_MIB * 1024 * 2]
    for _ in range(20):
        outcome = run(f"({reports}) & wait", cpu_seconds=7)
        assert [int(line) for line in outcome.stdout.split()] == limits


def test_children_of_a_prover_die_with_it(tmp_path: Path) -> None:
    outcome = run(f"sleep 1000 & echo $! > '{tmp_path}/child'; echo unsat")
    assert answer(outcome, None, None) is Answer.VALID
    assert_gone(int((tmp_path / "child").read_text()))


def test_a_killed_prover_says_nothing() -> None:
    running = Process(["sh", "-c", f"echo unsat; {fakes.HANG}"], "", 100)
    threading.Timer(0.2, running.kill).start()
    assert running.wait().cancelled
    running.kill()  # again, and too late: harmless


@pytest.mark.parametrize("prover", find_provers(), ids=lambda prover: prover.name)
class TestRealProvers:
    def test_proves(self, prover: Prover) -> None:
        outcome = start_here(prover.call(TRUE, Limits(10))).wait()
        assert answer(outcome, None, None) is Answer.VALID
        assert steps_used(prover, outcome) is not None

    def test_refutes(self, prover: Prover) -> None:
        outcome = start_here(prover.call(FALSE, Limits(10))).wait()
        assert answer(outcome, None, None) is Answer.SAT

    def test_rejects(self, prover: Prover) -> None:
        outcome = start_here(prover.call(MALFORMED, Limits(10))).wait()
        assert answer(outcome, None, None) is Answer.FAILURE

    def test_ends_by_steps(self, prover: Prover) -> None:
        outcome = start_here(prover.call(ENDLESS, Limits(20, 5000))).wait()
        assert answer(outcome, 5000, steps_used(prover, outcome)) is Answer.STEPS

    def test_ends_by_time(self, prover: Prover) -> None:
        outcome = start_here(prover.call(ENDLESS, Limits(1))).wait()
        gives_up = {Answer.UNKNOWN} if prover.name == "z3" else set()  # it counts rounds
        assert answer(outcome, None, None) in {Answer.TIMEOUT} | gives_up
