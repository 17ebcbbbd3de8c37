"""A part of the assertions of a task: what a core is, and what a proof from it is worth."""

import pytest

from sonnx_formal.prover.cores import asking, digests, places, restricted
from sonnx_formal.prover.provers import Limits, Prover, find_provers
from sonnx_formal.prover.site import Here
from sonnx_formal.prover.smtlib import forms
from sonnx_formal.prover.tasks import Task

PAIRS = """\
(set-logic ALL)
(declare-sort thing 0)
(declare-datatypes ((pair 0)) (((Pair (left thing) (right thing)))))
(declare-fun unused (Int) Int)
(declare-fun size (thing) Int)
(assert
  (forall ((n Int)) (= (unused n) (+ n 1))))
(assert
  (forall ((t thing)) (! (<= 0 (size t)) :pattern ((size t)) )))
(declare-fun p () pair)
(assert
  (=> (is-Pair p) (= (size (left p)) 1)))
(assert
  (not (<= 0 (size (right p)))))
(check-sat)
"""
TASK = Task.of(PAIRS, (2,))


def answer(prover: Prover, text: str) -> str:
    return Here(1).start(prover.call(text, Limits(5))).wait().stdout


@pytest.mark.parametrize("prover", find_provers(), ids=lambda prover: prover.name)
def test_the_core_is_what_a_proof_needs(prover: Prover) -> None:
    said = answer(prover, asking(TASK))
    assert places(said) == (1, 3)
    part = restricted(TASK, (digests(TASK)[1],))
    assert answer(prover, part.text).startswith("unsat")


def test_what_is_not_spoken_of_is_not_declared() -> None:
    part = restricted(TASK, (digests(TASK)[1],)).text
    assert "unused" not in part
    assert "thing 0" in part
    assert "Pair" in part, "the sort of p, with its constructor"
    assert part.count("(assert") == 2
    tester = restricted(Task.of(PAIRS.replace("(size (right p))", "1")), (digests(TASK)[2],)).text
    assert "declare-datatypes" in tester, "for the sake of is-Pair"


def test_a_part_has_nothing_of_its_own() -> None:
    """Each of its forms is one of the task, in their order: it says no more than the task."""
    of_the_task = iter(forms(TASK.text))
    for form in forms(restricted(TASK, (digests(TASK)[2],)).text):
        assert form in of_the_task


def test_the_goal_always_stays() -> None:
    assert restricted(TASK, ()).text.count("(assert") == 1
    assert "(not (<= 0" in restricted(TASK, ("ffffff",)).text


def test_digests_stay_when_other_assertions_come() -> None:
    more = PAIRS.replace("(assert\n  (=>", "(assert\n  true)\n(assert\n  (=>")
    assert [each for each in digests(Task.of(more)) if each in digests(TASK)] == digests(TASK)


def test_only_what_is_asked_about_has_a_name() -> None:
    text = asking(TASK, TASK.premises)
    assert text.startswith("(set-option :produce-unsat-cores true)\n(set-logic ALL)\n")
    assert "(assert (! (=> (is-Pair p) (= (size (left p)) 1)) :named assertion-2))\n" in text
    assert text.count(":named") == 1
    assert asking(TASK).count(":named") == 4
    assert asking(TASK, ()).count(":named") == 0
    assert text.endswith("(check-sat)\n(get-unsat-core)\n")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("unsat\n(assertion-2 assertion-0)\n(:rlimit 3)", (0, 2)),
        ("unsat\n(\nassertion-1\n)\n", (1,)),
        ("unsat\n()\n", ()),
        ("unknown\n(error)", None),
        ("sat\n(assertion-1)", None),
        ('unsat\n(error "no core")', None),
        ("unsat", None),
        ("", None),
    ],
)
def test_what_a_core_is(output: str, expected: tuple[int, ...] | None) -> None:
    assert places(output) == expected
