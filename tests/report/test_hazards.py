"""The hazard analysis: whole, of what there is, and with what would detect an error."""

import pytest

from sonnx_formal.evidence.trust.base import read_ledger
from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.hazards import hazard_lines, without_hazard
from sonnx_formal.report.self_test import INJECTIONS
from sonnx_formal.report.tables import Hazard, tables
from sonnx_formal.report.trace.inputs import names_of_tests
from sonnx_formal.report.views import page
from tests.report.conftest import REPOSITORY, Documents, typed

HAZARDS = tables().hazard


@pytest.fixture(scope="module")
def trusted() -> set[str]:
    """The steps of the ledger that are believed without a proof."""
    ledger = read_ledger(REPOSITORY / "why3")
    names = [name for entries in ledger.entries().values() for name, _ in entries]
    names += [each.id for each in ledger.assumption]
    names += dict.fromkeys(each.module for each in ledger.assumed)
    assert len(names) == len({*names})
    return {*names}


@pytest.fixture(scope="module")
def tests() -> frozenset[str]:
    return names_of_tests(REPOSITORY)


def test_each_trusted_step_has_a_hazard(trusted: set[str]) -> None:
    assert trusted - {name for each in HAZARDS for name in each.of} == set()


def test_each_hazard_has_a_name_of_its_own() -> None:
    assert len({each.id for each in HAZARDS}) == len(HAZARDS)


@pytest.mark.parametrize("hazard", HAZARDS, ids=lambda each: each.id)
def test_what_a_hazard_names_is_there(
    hazard: Hazard, trusted: set[str], tests: frozenset[str]
) -> None:
    assert hazard.of
    assert {*hazard.of} <= trusted
    assert {*hazard.documents} <= {kind.name for kind in KINDS}
    assert {*hazard.injections} <= {each.what for each in INJECTIONS}
    assert {*hazard.tests} <= tests
    if not hazard.detectable:
        assert hazard.detected_by == "Nothing detects it."


def test_each_injected_fault_is_of_a_hazard() -> None:
    assert {each.what for each in INJECTIONS} == {
        what for each in HAZARDS for what in each.injections
    }


@pytest.fixture
def evidence(documents: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(documents), sources)


def said(evidence: Evidence, hazard: str) -> dict[str, str]:
    """What the evidence says of what would detect an error."""
    (line,) = (each for each in hazard_lines(evidence) if each.hazard.id == hazard)
    return {each.name: each.said for each in line.detections}


def test_detection_is_as_the_documents_say(documents: Documents, sources: dict[str, bytes]) -> None:
    lie = "self-test: a cache entry that is edited"
    entry = {"injected": "a cache entry that is edited", "guard": "its checksum", "caught": True}
    documents["self-test"]["injections"] = [entry]
    assert said(assemble(typed(documents), sources), "HAZ-CACHE") == {
        "prove": "there",
        lie: "caught",
    }
    entry["caught"] = False
    found = assemble(typed(documents), sources)
    assert said(found, "HAZ-CACHE")[lie] == "not caught"
    assert '<span class="tag bad">not caught</span>' in page(found)
    del documents["self-test"], documents["prove"]
    found = assemble(typed(documents), sources)
    assert said(found, "HAZ-CACHE") == {"prove": "missing", lie: "not tried"}


def test_goals_of_one_family_are_counted(evidence: Evidence) -> None:
    single = [goal.families for goal in evidence.goals if len(goal.families) == 1]
    lines = {line.hazard.id: line for line in hazard_lines(evidence)}
    assert lines["HAZ-PROVER-UNSOUND"].alone == {
        "cvc": single.count(("cvc",)),
        "z3": single.count(("z3",)),
    }
    assert lines["HAZ-PROVER-LIMIT"].alone == lines["HAZ-MACHINE"].alone == {}


def test_what_is_trusted_and_not_analysed_is_named(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    assert without_hazard(assemble(typed(documents), sources)) == []
    new = {"name": "oracle-of-delphi", "version": "1", "sha256": None}
    documents["trusted-base"]["tools"] = [new | {"trusted_for": "a", "detected_by": "b"}]
    found = assemble(typed(documents), sources)
    assert without_hazard(found) == ["oracle-of-delphi"]
    assert "nothing is said here: oracle-of-delphi." in page(found)


def test_what_is_assumed_is_apart_from_parameters(evidence: Evidence) -> None:
    text = page(evidence)
    parameters, assumed = text.index("Table: Granted"), text.index("Table: Assumed")
    assert parameters < text.index(">generic<") < assumed < text.index("sums of words wrap")
    assert text.index("sums of words wrap") < text.index("kernels that are run")


def test_what_is_assumed_and_not_analysed_is_named(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["trusted-base"]["granted"][1]["module"] = "kernels/wires.mlw:Wires"
    found = assemble(typed(documents), sources)
    assert without_hazard(found) == ["kernels/wires.mlw:Wires"]


def test_the_analysis_stands_beside_the_objectives(evidence: Evidence) -> None:
    text = page(evidence)
    for each in HAZARDS:
        assert f'id="{each.id}"' in text
    assert 'id="standard-DO-330"' in text
