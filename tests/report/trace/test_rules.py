"""The rules of a trace, each broken once."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from sonnx_formal.check.document import MatrixRow, Verdict
from sonnx_formal.report.trace.document import (
    Confirmation,
    GoalLink,
    Proof,
    State,
    Trace,
    TraceRule,
    VectorCount,
)
from sonnx_formal.report.trace.inputs import TraceEvidence
from sonnx_formal.report.trace.trace import trace
from sonnx_formal.spec.requirements.entries import LawOver, Level, Scaffolding, Status
from sonnx_formal.spec.requirements.registry import Registry
from tests.report.trace.made_up import (
    ACC,
    EVIDENCE,
    FINDING,
    FUNC,
    GOALS,
    LAW,
    OURS,
    R1,
    REGISTRY,
    SCAFFOLDING,
    checked,
    crosscheck,
    goal,
    manifest,
    registry,
    unchecked,
)

NEW = "ops/new.mlw:New.new'vc"


def traced(
    made_up: Registry = REGISTRY, evidence: TraceEvidence = EVIDENCE, **changes: Any
) -> Trace:
    """The trace of what fits, with some of the evidence changed."""
    return trace(made_up, replace(evidence, **changes))


def without(symbol: str) -> tuple[GoalLink, ...]:
    return tuple(each for each in GOALS if each.symbol != symbol)


def broken(found: Trace) -> list[tuple[TraceRule, str]]:
    assert found.state is State.BROKEN
    return [(error.rule, error.subject) for error in found.errors]


def test_what_fits_is_whole() -> None:
    found = traced()
    assert found.errors == ()
    assert found.state is State.WHOLE
    func, r1, acc = found.requirements
    assert [line.proof for line in found.requirements] == [
        Proof.TWO_FAMILIES,
        Proof.TWO_FAMILIES,
        Proof.PLANNED,
    ]
    assert [each.id for each in func.goals] == [f"{NEW}.1", "ops/new.mlw:Facts.law.1"]
    assert func.vectors == (VectorCount("nominal", 2),)
    assert func.confirmed_by == (Confirmation("numpy", 2, 2), Confirmation("other", 1, 2))
    assert func.ladder == (
        "proved by one family",
        "proved by two families",
        "vectors pass on 1 implementation, on 1 more in part",
    )
    assert func.findings == (FINDING.id,)
    assert func.gaps == ()
    assert "stated as a precondition" in r1.gaps[0]
    assert r1.gaps[1] == "no vector: A case has a result."
    assert (acc.ladder, acc.gaps) == (("planned",), ("planned: No bound yet.",))
    assert found.findings[0].proof is Proof.TWO_FAMILIES


# --- From requirements to goals ---


@pytest.mark.parametrize("proved", [(), ("z3",)])
def test_the_weakest_goal_counts(proved: tuple[str, ...]) -> None:
    goals = (*without("ops/new.mlw:Facts.law"), goal("ops/new.mlw:Facts.law", families=proved))
    found = traced(goals=goals)
    if proved:
        assert found.state is State.WHOLE
        assert found.requirements[0].proof is Proof.ONE_FAMILY
        assert found.requirements[0].gaps == ("1 of 2 goals proved by one family of provers only",)
    else:
        assert broken(found) == [(TraceRule.UNPROVED, FUNC.id)]
        assert found.requirements[0].ladder == ("unproved",)
        assert "ops/new.mlw:Facts.law.1" in found.errors[0].message


def test_a_proof_from_what_is_not_proved_is_none() -> None:
    law, below = "ops/new.mlw:Facts.law", "scalar/base.mlw:Base.wrong.1"
    link = structs.replace(goal(law, families=()), rests_on=below)
    found = traced(goals=(*without(law), link))
    assert broken(found) == [(TraceRule.CONDITIONAL, FUNC.id)]
    assert found.requirements[0].proof is Proof.CONDITIONAL
    assert found.requirements[0].ladder == ("proved, but rests on what is not",)
    assert f"it rests on {below}, which is not proved" in found.errors[0].message


def test_a_requirement_without_a_goal() -> None:
    alone = unchecked(R1, goals=())
    goals = tuple(each for each in GOALS if "R1" not in each.explanation)
    other = goal("ops/new_witnesses.mlw:Witnesses.other")
    found = traced(registry(FUNC, alone, ACC), goals=(*goals, other))
    assert broken(found) == [(TraceRule.UNPROVED, R1.id)]


def test_a_link_to_a_symbol_that_is_not_there() -> None:
    found = traced(goals=without("ops/new.mlw:Facts.law"))
    assert broken(found) == [(TraceRule.MISSING_GOAL, FUNC.id)]


def test_a_link_to_explanations_that_are_not_there() -> None:
    goals = tuple(
        GoalLink(each.id, "" if "FUNC" in each.explanation else each.explanation, each.families)
        for each in GOALS
    )
    assert broken(traced(goals=goals)) == [
        (TraceRule.MISSING_GOAL, FUNC.id),
        (TraceRule.ORPHAN_GOAL, NEW),
    ]


def test_a_link_to_an_unknown_id() -> None:
    func = structs.replace(FUNC, goals=(*FUNC.goals, "SONNX-NEW.R9"))
    assert broken(traced(registry(func, R1, ACC))) == [(TraceRule.UNKNOWN_ID, FUNC.id)]


@pytest.mark.parametrize(
    ("count", "said"), [(3, "f0.py, f1.py, f2.py"), (5, "f0.py, f1.py, f2.py and 2 more")]
)
def test_of_many_places_three_are_named(count: int, said: str) -> None:
    files = tuple(f"f{number}.py" for number in range(count))
    (error,) = traced(used={"SONNX-NEW.R9": files}).errors
    assert error.message.startswith(f"used in {said};")


def test_the_goals_of_another_requirement() -> None:
    """Which is the same."""
    other = structs.replace(R1, id="SONNX-NEW.R2")
    found = traced(registry(FUNC, R1, ACC, other))
    assert found.state is State.WHOLE
    assert found.requirements[3].goals == found.requirements[1].goals != ()


def test_goals_that_are_explained_and_not_linked() -> None:
    func = structs.replace(FUNC, goals=("ops/new.mlw:Facts.law",))
    assert broken(traced(registry(func, R1, ACC))) == [(TraceRule.UNLINKED_GOAL, FUNC.id)]


# --- From goals to requirements ---


def test_an_operator_level_goal_that_serves_nothing() -> None:
    more = goal("ops/new.mlw:Facts.idle")
    assert broken(traced(goals=(*GOALS, more))) == [(TraceRule.ORPHAN_GOAL, more.symbol)]


def test_goals_elsewhere_need_not_serve() -> None:
    more = [goal("scalar/x.mlw:X.x"), goal("ops/x_witnesses.mlw:X.x")]
    assert traced(goals=(*GOALS, *more)).state is State.WHOLE


def test_a_finding_makes_its_goals_serve() -> None:
    found = traced(registry(FUNC, R1, ACC, findings=()))
    assert broken(found) == [(TraceRule.ORPHAN_GOAL, "ops/new.mlw:Facts.counterexample")]


def test_exemptions_that_fit_nothing() -> None:
    stale = (
        *SCAFFOLDING,
        Scaffolding("No.", files=("ops/gone_*.mlw",)),
        Scaffolding("No.", goals=("ops/new.mlw:Facts.gone",)),
    )
    assert broken(traced(registry(FUNC, R1, ACC, scaffolding=stale))) == [
        (TraceRule.STALE_SCAFFOLDING, "ops/gone_*.mlw"),
        (TraceRule.STALE_SCAFFOLDING, "ops/new.mlw:Facts.gone"),
    ]


# --- Vectors, tests ---


def test_no_vector() -> None:
    found = traced(vectors=manifest(("float32", "nominal", ("SONNX-NEW.R2",))))
    assert broken(found) == [
        (TraceRule.MISSING_VECTOR, FUNC.id),
        (TraceRule.NO_VECTOR, FUNC.id),
        (TraceRule.UNKNOWN_ID, "SONNX-NEW.R2"),
    ]


def test_no_vector_is_wrong_before_any_cross_check() -> None:
    found = traced(vectors=manifest(), crosscheck=None)
    assert (TraceRule.NO_VECTOR, FUNC.id) in broken(found)
    assert "no case names it" in found.errors[1].message


def test_a_class_without_vectors() -> None:
    func = structs.replace(FUNC, vectors=("nominal", "tie"))
    assert broken(traced(registry(func, R1, ACC))) == [(TraceRule.MISSING_VECTOR, FUNC.id)]


def test_vectors_where_there_can_be_none() -> None:
    both = manifest(*[(each, "nominal", (FUNC.id, R1.id)) for each in ("float32", "real")])
    assert broken(traced(vectors=both)) == [(TraceRule.UNEXPECTED_VECTOR, R1.id)]


@pytest.mark.parametrize(
    "row",
    [
        checked("numpy", "real", {"x": Verdict.DIVERGES}),
        checked("numpy", "real", {"x": Verdict.REFUSES}),
        checked("numpy", "real", {"x": Verdict.CRASHES}),
        checked("numpy", "real", {"x": Verdict.NOT_JUDGED}),
        checked("numpy", "real", counts={Verdict.NOT_SUPPORTED: 3}),
        checked("numpy", "real", counts={Verdict.NOT_INSTALLED: 3}),
    ],
)
def test_no_implementation_passes(row: MatrixRow) -> None:
    found = traced(crosscheck=crosscheck(checked("numpy"), row))
    assert broken(found) == [(TraceRule.NO_VECTOR, FUNC.id)]


@pytest.mark.parametrize("lacking", [Verdict.NOT_SUPPORTED, Verdict.NOT_INSTALLED])
def test_what_is_not_supported_counts_for_nothing(lacking: Verdict) -> None:
    others = checked("numpy"), checked("numpy", "real", counts={lacking: 3})
    assert traced(crosscheck=crosscheck(*others)).requirements[0].confirmed_by == (
        Confirmation("numpy", 1, 2),
    )
    only = crosscheck(checked("numpy", "real", counts={lacking: 3}))
    assert traced(crosscheck=only).requirements[0].confirmed_by == ()


def test_other_cases_do_not_matter() -> None:
    others = checked("numpy", "float32", {"y": Verdict.CRASHES}), checked("numpy", "real")
    assert traced(crosscheck=crosscheck(*others)).state is State.WHOLE


def test_what_was_not_looked_at_did_not_pass() -> None:
    found = traced(crosscheck=crosscheck(checked("numpy")))
    assert broken(found) == [(TraceRule.NO_VECTOR, FUNC.id)]
    assert found.requirements[0].confirmed_by == ()


def test_our_own_implementation_alone_is_a_gap() -> None:
    found = traced(crosscheck=crosscheck(*OURS))
    assert found.state is State.WHOLE
    assert found.requirements[0].gaps == ("its vectors pass on our own implementation only",)


def test_a_test_that_is_not_there() -> None:
    found = traced(tests=frozenset())
    assert broken(found) == [(TraceRule.MISSING_TEST, FUNC.id), (TraceRule.MISSING_TEST, R1.id)]


@pytest.mark.parametrize(
    ("evidence", "name"),
    [
        (replace(EVIDENCE, vectors=None), "vectors"),
        (replace(EVIDENCE, crosscheck=None), "cross-check"),
        (replace(EVIDENCE, tests=None), "tests"),
    ],
    ids=["vectors", "cross-check", "tests"],
)
def test_what_is_not_given_is_no_pass(evidence: TraceEvidence, name: str) -> None:
    found = traced(evidence=evidence)
    assert found.errors == ()
    assert (found.state, found.not_given) == (State.INCOMPLETE, (name,))
    if name != "tests":
        assert not found.requirements[0].confirmed_by


# --- Laws ---


def test_a_law_is_shown_by_its_goals() -> None:
    (law,) = traced().laws
    real = law.at(Level.REAL)
    assert real is not None
    assert real is law.at(Level.INT)
    assert (real.holds, real.proof) == (True, Proof.TWO_FAMILIES)
    assert [each.symbol for each in real.goals] == ["scalar/laws.mlw:Laws.law"]
    assert law.at(Level.IEEE_754) is None


def test_a_law_whose_goal_is_not_there_is_a_fault() -> None:
    over = LawOver((Level.REAL,), holds=False, shown_by=("ops/new.mlw:Facts.gone",))
    found = traced(registry(FUNC, R1, ACC, laws=(structs.replace(LAW, over=(over,)),)))
    assert broken(found) == [(TraceRule.MISSING_GOAL, LAW.name)]


def test_a_law_that_is_not_proved_is_a_fault() -> None:
    goals = tuple(
        structs.replace(each, families=()) if each.symbol == "scalar/laws.mlw:Laws.law" else each
        for each in GOALS
    )
    assert (TraceRule.UNPROVED, LAW.name) in broken(traced(goals=goals))


# --- Planned requirements, ids, findings ---


def test_planned_is_no_error() -> None:
    assert traced(registry(FUNC, R1, ACC)).state is State.WHOLE


def test_what_has_goals_is_planned_no_longer() -> None:
    more = goal("ops/new.mlw:Facts.bound", "SONNX-NEW.ACC bound")
    assert broken(traced(goals=(*GOALS, more))) == [(TraceRule.NO_LONGER_PLANNED, ACC.id)]


def test_what_has_vectors_is_planned_no_longer() -> None:
    cases = [(each, "nominal", (FUNC.id, ACC.id)) for each in ("float32", "real")]
    assert broken(traced(vectors=manifest(*cases))) == [(TraceRule.NO_LONGER_PLANNED, ACC.id)]


def test_an_id_that_no_document_has() -> None:
    more = goal("scalar/x.mlw:X.x", "SONNX-OLD.R1 something")
    found = traced(goals=(*GOALS, more), used={"SONNX-OLD.R2": ("sonnx_formal/x.py",)})
    assert broken(found) == [
        (TraceRule.UNKNOWN_ID, "SONNX-OLD.R1"),
        (TraceRule.UNKNOWN_ID, "SONNX-OLD.R2"),
    ]
    assert "sonnx_formal/x.py" in found.errors[1].message


def test_an_unknown_id_does_not_make_a_goal_serve() -> None:
    more = goal("ops/new.mlw:Facts.idle", "SONNX-OLD.R1 something")
    assert (TraceRule.ORPHAN_GOAL, more.symbol) in broken(traced(goals=(*GOALS, more)))


def test_a_finding_without_its_theorem() -> None:
    finding = structs.replace(FINDING, shown_by=(*FINDING.shown_by, "ops/new.mlw:Facts.gone"))
    assert broken(traced(registry(FUNC, R1, ACC, findings=(finding,)))) == [
        (TraceRule.MISSING_GOAL, FINDING.id)
    ]


def test_a_finding_whose_theorem_is_not_proved() -> None:
    symbol = FINDING.shown_by[0]
    found = traced(goals=(*without(symbol), goal(symbol, families=())))
    assert broken(found) == [(TraceRule.UNPROVED, FINDING.id)]


def test_a_finding_about_an_unknown_requirement() -> None:
    finding = structs.replace(FINDING, requirements=("SONNX-NEW.R9",))
    assert broken(traced(registry(FUNC, R1, ACC, findings=(finding,)))) == [
        (TraceRule.UNKNOWN_ID, FINDING.id)
    ]


def test_a_finding_that_no_goal_can_show() -> None:
    finding = structs.replace(FINDING, shown_by=(), not_shown="It is about words.")
    other = structs.replace(finding, id="FINDING-SONNX-NEW-2")
    found = traced(registry(FUNC, R1, ACC, findings=(FINDING, other)))
    assert found.state is State.WHOLE
    assert found.findings[1].proof is None


def test_the_order_of_what_is_wrong_is_that_of_the_registry() -> None:
    found = traced(tests=frozenset(), goals=(*GOALS, goal("ops/new.mlw:Facts.idle")))
    assert [subject for _, subject in broken(found)] == [FUNC.id, R1.id, "ops/new.mlw:Facts.idle"]


def test_status_alone_is_not_enough() -> None:
    """A planned requirement cannot become formalised by a word."""
    acc = unchecked(ACC, status=Status.FORMALISED, gap="")
    rules = {rule for rule, subject in broken(traced(registry(FUNC, R1, acc))) if subject == acc.id}
    assert rules == {TraceRule.UNPROVED, TraceRule.NO_VECTOR}
