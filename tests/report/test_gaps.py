"""The classes of gaps, what follows from each, and the risk where provers have no answer."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sonnx_formal.evidence.vacuity import STEPS
from sonnx_formal.prover.unsplit import unsplit_of
from sonnx_formal.report.documents import CERTIFICATE
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.exports import sarif
from sonnx_formal.report.gaps import Gap
from sonnx_formal.report.tables import GapClass, GapText, tables
from sonnx_formal.report.views import page, summary
from tests.report.conftest import EDIT, Documents, typed
from tests.report.test_renderings import Page

GAPS = tables().gap


@pytest.fixture
def evidence(documents: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(documents), sources)


def test_every_kind_of_gap_has_one_class() -> None:
    names = [gap.id for gap in GAPS]
    assert len(names) == len(set(names))
    text = (resources.files("sonnx_formal.report") / "tables/gaps.toml").read_text("utf-8")
    for entry in text.split("[[gap]]")[1:]:
        (named,) = re.findall(r'^class = "(.*)"$', entry, re.MULTILINE)
        assert named in [*GapClass]
    assert {gap.gap_class for gap in GAPS} == {*GapClass}
    assert {"class", "consequence"} <= {
        *msgspec.json.schema(GapText)["$defs"]["GapText"]["required"]
    }


@pytest.mark.parametrize("named", ["gap", "observation", ""])
def test_there_is_no_other_class(named: str) -> None:
    entry = msgspec.to_builtins(GAPS[0]) | {"class": named}
    with pytest.raises(msgspec.ValidationError, match="Invalid enum value"):
        msgspec.convert(entry, GapText)


@pytest.fixture(scope="module")
def places(whole: Documents, sources: dict[str, bytes]) -> set[str]:
    """What can be linked on the page."""
    return {*Page(page(assemble(typed(whole), sources))).values("id")}


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.id)
def test_every_gap_has_a_consequence_and_a_place(gap: GapText, places: set[str]) -> None:
    assert gap.consequence.strip().endswith(".")
    assert gap.consequence != gap.text
    # A limitation stays whatever anybody does, so that it cannot be what the evidence fails for.
    assert not (gap.blocking and gap.gap_class is GapClass.LIMITATION)
    assert not gap.always or gap.gap_class is GapClass.LIMITATION
    assert gap.section in places


def test_gaps_are_sorted_and_shown_by_class(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["trace"]["findings"][0]["not_shown"] = "prose"
    documents["check"]["backends"][1]["missing"] = "no module"
    found = assemble(typed(documents), sources)
    order = [[*GapClass].index(gap.gap_class) for gap in found.gaps]
    assert order == sorted(order)
    shown = page(found)
    section = shown.partition('<h2 id="gaps">')[2].partition("</section>")[0]
    for each in GapClass:
        assert each.meaning in section
        kinds = [gap for gap in found.gaps if gap.gap_class is each]
        row = f'<th scope="row" class="id">{each}</th><td class="n">{len(kinds)}</td>'
        assert f'{row}<td class="n">{sum(gap.count for gap in kinds):,}</td>' in section
    for gap in found.gaps:
        assert re.search(
            rf'id="gap-{gap.id}".*<span class="tag[^>]*>{gap.gap_class}</span>', section
        )
    lines = summary(found).splitlines()
    for gap in found.gaps:
        (line,) = (line for line in lines if line.startswith(f"| {gap.title} |"))
        assert f"| {gap.gap_class} |" in line
    said = [each["message"]["text"] for each in json.loads(sarif(found))["runs"][0]["results"]]
    assert any(
        "(1), open item. They were not installed. Nothing is said of them." in x for x in said
    )


def test_lists_are_in_the_appendix_but_for_what_is_blocking(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["trace"]["requirements"][0]["precondition"] = True
    documents["mutation"]["summary"]["unexplained"] = ["an-edit-that-nothing-notices"]
    for paper in (False, True):
        shown = page(assemble(typed(documents), sources), paper=paper)
        section, _, after = shown.partition('<h2 id="gaps">')[2].partition("</section>")
        assert "<li>an-edit-that-nothing-notices</li>" in section
        assert "<li>SONNX-MUL.R1</li>" not in section
        assert "<li>SONNX-MUL.R1</li>" in after.partition('<h3 id="items-precondition">')[2]


def test_an_item_that_is_not_identified_is_a_deviation(evidence: Evidence) -> None:
    (gap,) = (each for each in evidence.gaps if each.id == "unidentified")
    assert (gap.gap_class, gap.blocking, gap.count) == (GapClass.DEVIATION, False, 2)


def opened(documents: Documents, *findings: str) -> list[dict[str, Any]]:
    """The first goals, with what was found of their hypotheses by Z3."""
    goals: list[dict[str, Any]] = documents["prove"]["goals"][: len(findings)]
    asked = {"scope": "goal", "sha256": "0" * 64, "reason": None}
    documents["vacuity"]["hypotheses"] = [
        asked | {"of": goal["id"], "finding": finding, "provers": ["z3"]}
        for goal, finding in zip(goals, findings, strict=True)
    ]
    for goal in goals:
        goal["proofs"] = [
            {**goal["proofs"][0], "prover": "z3", "family": "z3", "steps": STEPS["z3"]}
        ]
    return goals


def test_the_risk_of_unanswered_questions_is_counted(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    goals = opened(
        documents, "inconclusive", "inconclusive", "not asked", "consistent", "inconclusive"
    )
    mutant = {"id": "m", "file": "f", "line": 1, "kind": "k", "reason": None, **EDIT}
    documents["mutation"]["mutants"] = [
        mutant | {"outcome": "killed", "by": goals[0]["id"]},
        mutant | {"outcome": "invalid", "by": goals[1]["id"]},
    ]
    for goal in goals[:3]:
        goal["proofs"][0]["steps"] = STEPS["z3"] - 1
    # One of the two that were asked had been searching longer than for its proof.
    longer = {"prover": "cvc5", "family": "cvc", "steps": STEPS["cvc5"]}
    goals[0]["proofs"].append(goals[0]["proofs"][0] | longer)
    documents["vacuity"]["hypotheses"][0]["provers"].append("cvc5")
    found = assemble(typed(documents), sources)
    counted = found.open_hypotheses
    assert counted
    # The third was never searched for a contradiction, and the fifth not as long as for a proof.
    assert (counted.goals, counted.noticed, counted.searched, counted.neither) == (4, 1, 2, 2)
    shown = page(found).partition('id="vacuity-risk"')[2].partition("<h3")[0]
    assert "Of the hypotheses of 4 goals, nobody knows whether they contradict each other." in shown
    for number, seen in ((1, "They failed under"), (2, "A prover proves them in"), (2, "Neither.")):
        assert f'<td class="n">{number}</td><th scope="row">{seen}' in shown
    gap: Gap
    (gap,) = (each for each in found.gaps if each.id == "vacuity-open")
    assert gap.section == "check-vacuity"
    assert gap.against


def test_where_there_is_an_answer_there_is_no_such_risk(
    documents: Documents, sources: dict[str, bytes], tmp_path: Path
) -> None:
    opened(documents, "consistent", "contradictory")
    found = assemble(typed(documents), sources)
    assert found.open_hypotheses
    assert found.open_hypotheses.goals == 0
    assert "vacuity-risk" not in page(found)
    del documents["vacuity"]
    assert assemble(typed(documents), sources).open_hypotheses is None


def test_a_proof_of_a_goal_before_it_is_split_is_recorded(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    goal = documents["prove"]["goals"][0]
    goal["proofs"][0].update(prover="whole", version="1")
    found = assemble(typed(documents), sources)
    said = f"{goal['id']}: no proof by whole 1 is recorded"
    assert said in [item for gap in found.gaps for item in gap.items]
    certificate = json.loads(sources[CERTIFICATE])
    proof = {"prover": "whole", "version": "1", "steps": 1}
    whole = {"task_sha256": "0" * 64, "proofs": [proof]}
    certificate["unsplit"] = {unsplit_of(goal["id"]): whole}
    given = {**sources, CERTIFICATE: json.dumps(certificate).encode()}
    found = assemble(typed(documents), given)
    assert said not in [item for gap in found.gaps for item in gap.items]
