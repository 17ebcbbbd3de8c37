"""A number and its noun and verb agree, whatever the number."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from sonnx_formal.core.texts import agreeing, counted
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.vector_pages import vector_pages
from sonnx_formal.report.views import page, summary
from tests.report.conftest import EDIT, Documents, typed

PLURAL = (
    "are(?! appended)|were|have|go|depart|hold|rest|remain|combinations|contradictions|"
    "declarations|edits|elements|faults|files|findings|functions|gaps|goals|implementations|items|kinds|others|pairs|"
    "parameters|preconditions|proofs|questions|requirements|runs|seeds|steps|symbols|targets|"
    "tests|theories|tools|vectors"
)
"""Dimensions that are 1 are appended to a shape."""
WRONG = re.compile(rf"(?<![\w.,:-])1 (?:(?:injected|possible|recorded|test|wrong) )?(?:{PLURAL})\b")


def words(text: str) -> str:
    """What a page says, its rows and cells apart."""
    text = re.sub(r"<(style|pre|svg).*?</\1>", " ", text, flags=re.DOTALL)
    text = re.sub(r"</?(td|th|dt|dd|li|p|br|div|h\d|caption)\b[^>]*>", " | ", text)
    return re.sub(r"<[^>]*>", "", text)


@pytest.fixture
def alone(documents: Documents, sources: dict[str, bytes], vectors: Path) -> Evidence:
    """Of as much as possible there is one."""
    documents["prove"]["goals"] = documents["prove"]["goals"][:1]
    documents["certified"]["goals"] = documents["certified"]["goals"][:1]
    documents["check"]["backends"].pop()
    requirement = documents["trace"]["requirements"][0]
    requirement.update(levels=["real"], precondition=True, no_vector="none", departs=["IEEE 754"])
    documents["stability"].update(seeds=[1], without_stable_proof=["g"])
    documents["stability"]["files"][0].update(proofs=1, stable=1, untried=1)
    documents["mutation"]["sample"].update(size=1)
    documents["mutation"]["summary"].update(killed=1)
    survivor = {"id": "m", "file": "f", "line": 1, "kind": "k", "by": "", "reason": "r", **EDIT}
    documents["mutation"]["mutants"] = [survivor | {"outcome": "survived"}]
    documents["mutation"]["folders"][0].update(all=3, mutants=2)
    used = {"function": "f", "name": "R1", "goals": 1, "use": "undetermined", "reason": None}
    documents["hypotheses"]["preconditions"] = [used]
    documents["targets"].update(questions=1, functions=1)
    documents["kernel-speed"]["runs"] = 1
    return assemble(typed(documents), sources, vectors)


def test_one_is_no_plural(alone: Evidence, vectors: Path) -> None:
    texts = [page(alone), page(alone, paper=True), summary(alone)]
    texts += [text for _, text in vector_pages(alone, vectors)]
    assert [found[0] for text in texts for found in WRONG.finditer(words(text))] == []


def test_one_is_said_of_one(alone: Evidence) -> None:
    shown, short = words(page(alone)), summary(alone)
    for said in (
        "1 question to 1 function,", "of 1 run the fastest", "under 1 seed of",
        "Of 1 recorded proof, 1 went through each time, 0 did not, and 1 was not tried. "
        "1 goal has no stable proof.", "1 is undetermined", "1 of these proofs was also",
        "1 holds of real numbers only, 1 is a precondition, which callers meet, 1 departs",
    ):  # fmt: skip
        assert said in shown
    assert "supported, but for 1 kind of gap" in shown
    assert "of 1 recorded proof, 1 goes through with" in short
    (gap,) = (each for each in alone.gaps if each.id == "untried-mutants")
    assert gap.items == ("ops: 1 of 3 was not drawn",)


def test_gaps_remain(documents: Documents, sources: dict[str, bytes]) -> None:
    evidence = assemble(typed(documents), sources)
    assert f"ledger. {len(evidence.gaps)} kinds of gaps remain." in words(page(evidence))
    one_left = replace(evidence, gaps=evidence.gaps[:1])
    assert "ledger. 1 kind of gap remains." in words(page(one_left))


@pytest.mark.parametrize(
    ("number", "noun", "several", "said"),
    [
        (0, "goal", "", "0 goals"),
        (1, "goal", "", "1 goal"),
        (1234, "goal", "", "1,234 goals"),
        (1, "theory", "theories", "1 theory"),
        (2, "theory", "theories", "2 theories"),
    ],
)
def test_how_many(number: int, noun: str, several: str, said: str) -> None:
    assert counted(number, noun, several) == said
    assert said.endswith(f" {agreeing(number, noun, several)}")
