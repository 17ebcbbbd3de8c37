"""The assurance case: whole, supported by documents alone, and honest where they are missing."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from sonnx_formal.report.assurance import Element, Support, assurance_case
from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.gaps import Gap
from sonnx_formal.report.gsn import WIDTH, drawing
from sonnx_formal.report.tables import ArgumentKind, GapText, tables
from sonnx_formal.report.views import View, assurance_svg, environment, page, summary
from tests.report.conftest import Documents, typed

ARGUMENT = tables().argument
NEEDED = [kind for kind in KINDS if not kind.is_given]
GAPS = tables().gap


@pytest.fixture(scope="module")
def evidence(whole: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(whole), sources)


def elements(top: Element) -> Iterator[Element]:
    yield top
    for part in top.parts:
        yield from elements(part)


def supports(evidence: Evidence) -> dict[str, Support]:
    return {each.argument.id: each.support for each in elements(assurance_case(evidence))}


def section(evidence: Evidence) -> str:
    """The part of the page about the assurance case, alone: the whole page takes much longer."""
    return environment().get_template("assurance.html").render(view=View(evidence))


def words(svg: str) -> str:
    """The text in a drawing, whatever the lines."""
    return " ".join(" ".join("".join(each.itertext()).split()) for each in ET.fromstring(svg))


def test_each_element_is_a_part_of_one_other() -> None:
    parts = Counter(part for each in ARGUMENT for part in each.parts)
    assert parts == {each.id: 1 for each in ARGUMENT[1:]}


def test_what_the_case_names_is_there(evidence: Evidence) -> None:
    assert {name for each in ARGUMENT for name in each.documents} == {kind.name for kind in NEEDED}
    sources = {each.path for each in evidence.sources}
    assert {name for each in ARGUMENT for name in each.sources} <= sources
    named = Counter(name for each in ARGUMENT for name in each.gaps)
    assert named == {gap.id: 1 for gap in GAPS}


def test_each_leaf_is_a_document_with_its_hash(evidence: Evidence) -> None:
    hashes = {each.name: each.sha256 for each in evidence.documents}
    hashes |= {each.path: each.sha256 for each in evidence.sources}
    shown, drawn = section(evidence), assurance_svg(evidence)
    assert shown in page(evidence)
    for each in elements(assurance_case(evidence)):
        assert each.parts or each.solutions or each.argument.left_to
        for solution in each.solutions:
            assert solution.sha256 == hashes[solution.name]
            assert f"SHA-256 <code>{solution.sha256}</code>" in shown
            assert f">{str(solution.sha256)[:8]}<" in drawn


def test_whole_evidence_supports_all_but_what_people_have_to_judge(evidence: Evidence) -> None:
    found = supports(evidence)
    open_ = {name for name, support in found.items() if support is not Support.SUPPORTED}
    assert open_ == {"G1", "S1", "G3"}
    assert {found[name] for name in open_} == {Support.OPEN}
    text = "◇ open: it rests on what is not developed here"
    for rendered in (section(evidence), summary(evidence), words(assurance_svg(evidence))):
        assert text in rendered


@pytest.mark.parametrize("kind", NEEDED, ids=lambda kind: kind.name)
def test_a_claim_without_its_document_is_unsupported(
    documents: Documents, sources: dict[str, bytes], kind: object
) -> None:
    name = str(getattr(kind, "name", ""))
    del documents[name]
    evidence = assemble(typed(documents), sources)
    found = supports(evidence)
    resting = {each.id for each in ARGUMENT if name in each.documents}
    assert resting
    for each in {*resting, "G1"}:
        assert found[each] is Support.UNSUPPORTED
    shown, drawn = section(evidence), assurance_svg(evidence)
    assert f'<span class="tag bad">missing: {name}</span>' in shown
    assert '<span class="tag bad">✗ unsupported</span>' in shown
    assert f"missing: {name}" in words(drawn)
    assert "✗ missing" in drawn
    assert f"✗ unsupported; missing: {name}" in summary(evidence)


@pytest.mark.parametrize("text", [gap for gap in GAPS if gap.blocking], ids=lambda gap: gap.id)
def test_each_blocking_gap_takes_the_support_away(evidence: Evidence, text: GapText) -> None:
    gap = next((each for each in evidence.gaps if each.id == text.id), evidence.gaps[0])
    gap = replace(gap, id=text.id, title=text.title, blocking=True, count=1234)
    forged = replace(evidence, gaps=(gap,))
    assert supports(forged)["G1"] is Support.UNSUPPORTED
    assert f"{text.title} (1,234)" in section(forged)


def test_a_gap_that_no_claim_names_counts_against_the_first(evidence: Evidence) -> None:
    unknown = replace(evidence.gaps[0], id="unknown", title="A new kind of gap", blocking=True)
    top = assurance_case(replace(evidence, gaps=(unknown,)))
    assert top.support is Support.UNSUPPORTED
    assert top.objections[0].startswith("A new kind of gap")


def test_gaps_that_block_nothing_stand_beside_the_claim(evidence: Evidence) -> None:
    single: Gap = next(gap for gap in evidence.gaps if gap.id == "single-family")
    found = {each.argument.id: each for each in elements(assurance_case(evidence))}
    assert single in found["G6"].limits
    assert "✓ supported, but for" in found["G6"].said[0]
    assert f'<a href="#gap-single-family">{single.title}</a>' in section(evidence)


def test_trust_without_a_hazard_analysis_is_an_objection(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    new = {"name": "oracle-of-delphi", "version": "1", "sha256": None}
    documents["trusted-base"]["tools"] = [new | {"trusted_for": "a", "detected_by": "b"}]
    evidence = assemble(typed(documents), sources)
    assert supports(evidence)["G9"] is Support.UNSUPPORTED
    objecting = [each for each in elements(assurance_case(evidence)) if each.objections]
    assert [each.argument.id for each in objecting] == ["G9"]
    assert "without a hazard analysis: oracle-of-delphi" in section(evidence)


def test_a_claim_with_nothing_behind_it_is_unsupported(evidence: Evidence) -> None:
    bare = [replace(each, documents=()) if each.id == "G7" else each for each in evidence.argument]
    found = {
        each.argument.id: each
        for each in elements(assurance_case(replace(evidence, argument=tuple(bare))))
    }
    assert found["G7"].objections == ["nothing stands behind it"]
    assert found["G1"].support is Support.UNSUPPORTED


@pytest.mark.parametrize("missing", [(), ("prove", "check", "trace", "self-test")])
def test_nothing_in_the_drawing_covers_anything(
    documents: Documents, sources: dict[str, bytes], missing: tuple[str, ...]
) -> None:
    for name in missing:
        del documents[name]
    case = assurance_case(assemble(typed(documents), sources))
    drawn = drawing(case)
    assert Counter(box.argument.id for box in drawn.boxes) == {each.id: 1 for each in ARGUMENT}
    assert len(drawn.circles) == sum(len(each.solutions) for each in elements(case))
    arrows = Counter(arrow.context for arrow in drawn.arrows)
    every = [*elements(case)]
    assert arrows[True] == sum(len(each.contexts) for each in every)
    assert arrows[False] == sum(len(each.parts) + bool(each.solutions) for each in every)
    places = [(box.x, box.y, box.x + box.width, box.y + box.height) for box in drawn.boxes]
    places += [
        (each.x - each.radius, each.y - each.radius, each.x + each.radius, each.y + each.radius)
        for each in drawn.circles
    ]
    for left, top, right, below in places:
        assert left >= 0 <= top
        assert right <= WIDTH
        assert below <= drawn.height
    for a, b in combinations(places, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


def test_a_box_has_room_for_its_lines_and_for_a_diamond_where_it_is_open(
    evidence: Evidence,
) -> None:
    boxes = drawing(assurance_case(evidence)).boxes
    room = {(bool(box.argument.left_to), box.height - 16 * len(box.lines)) for box in boxes}
    assert room == {(False, 14), (True, 22)}


def test_an_arrow_ends_at_what_it_points_to(evidence: Evidence) -> None:
    drawn = drawing(assurance_case(evidence))
    ends = {(each.x - each.radius, each.y) for each in drawn.circles}
    ends |= {(box.x, box.y + box.height / 2) for box in drawn.boxes}
    assert {(arrow.x, arrow.y) for arrow in drawn.arrows} <= ends


def test_the_drawing_is_a_file_of_its_own(evidence: Evidence) -> None:
    root = ET.fromstring(assurance_svg(evidence))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shapes = Counter(each.tag.rpartition("}")[2] for each in root)
    kinds = Counter(each.kind for each in ARGUMENT)
    assert shapes["rect"] == 1 + len(ARGUMENT) - kinds[ArgumentKind.STRATEGY]
    assert shapes["circle"] == sum(len(each.documents + each.sources) for each in ARGUMENT)
    text = words(assurance_svg(evidence))
    for each in ARGUMENT:
        assert f"{each.id} {each.text}" in text
