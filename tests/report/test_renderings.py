"""What the evidence is rendered to: whole, escaped, readable by everybody."""

import csv
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.exports import bill_of_materials, junit_xml, sarif
from sonnx_formal.report.pages import pages
from sonnx_formal.report.trace.document import as_csv
from sonnx_formal.report.views import GoalGroup, View, page, summary
from sonnx_formal.spec.catalogue import operators
from tests.report.conftest import EDIT, Documents, typed
from tests.report.test_evidence import ATTEMPT

HOSTILE = "<script>alert('1')</script>&\"|`*_[x](y)\x07"
VOID = {"meta", "br", "rect", "input", "link", "img"}
ENOUGH = 4.5  # WCAG 2.2, 1.4.3, level AA


class Page(HTMLParser):
    """Elements with their attributes, ids, and what refers to them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, attribute: str) -> list[str]:
        return [each[attribute] or "" for _, each in self.elements if attribute in each]


@pytest.fixture(scope="module")
def evidence(whole: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(whole), sources)


@pytest.fixture
def hostile(documents: Documents, sources: dict[str, bytes]) -> Evidence:
    """Evidence in which every text that comes from elsewhere is an attack."""
    goal = documents["prove"]["goals"][0]
    goal.update(
        id=f"ops/mul/definition.mlw:Mul.{HOSTILE}.1", module="Mul", name=HOSTILE, reason=HOSTILE
    )
    goal.update(explanation=HOSTILE, verdict="unproved", proofs=[])
    documents["trace"]["requirements"][0].update(text=HOSTILE, section=HOSTILE)
    documents["trace"]["requirements"][1].update(text=f"={HOSTILE}")
    documents["trace"]["findings"][0].update(title=HOSTILE, decision=HOSTILE)
    documents["trace"]["findings"][0]["sketch"]["text"] = HOSTILE
    documents["trace"]["laws"][0].update(operator=HOSTILE, statement=HOSTILE)
    documents["trace"]["laws"][0]["over"][1]["remark"] = HOSTILE
    documents["check"]["backends"][1]["name"] = HOSTILE
    for entry in documents["check"]["matrix"][1:] + documents["check"]["findings"]:
        entry["backend"] = HOSTILE
    documents["check"]["findings"][0]["kind"] = HOSTILE
    documents["check"]["findings"][0]["example"]["operands"][0]["decimal"] = [HOSTILE]
    documents["mutation"]["mutants"] = [
        {"id": HOSTILE, "file": HOSTILE, "line": 1, "kind": HOSTILE, "outcome": "survived"}
        | EDIT
        | {"by": "", "reason": HOSTILE}
    ]
    listing = f"why3/{pages(operators())[0].listing}"
    text = b"module MulSignature (* <script> *)\nend\n"
    return assemble(typed(documents), sources | {listing: sources.get(listing, b"") + text})


@pytest.mark.parametrize("paper", [False, True])
def test_page_runs_nothing_and_loads_nothing(hostile: Evidence, paper: bool) -> None:
    found = Page(page(hostile, paper=paper))
    tags = Counter(tag for tag, _ in found.elements)
    assert not tags.keys() & {"script", "link", "img", "iframe", "object", "embed", "base"}
    assert not any(name.startswith("on") for _, each in found.elements for name in each)
    assert all(href.startswith(("#", "cases/")) for href in found.values("href"))
    assert not found.values("src")
    policy = next(each["content"] for _, each in found.elements if "http-equiv" in each)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_a_listing_has_the_numbers_of_its_lines(evidence: Evidence) -> None:
    texts = {each.file: each.text.splitlines() for each in evidence.listings}
    listings = [
        (each.page.listing, *entry) for each in View(evidence).pages for entry in each.listings
    ]
    assert listings
    for file, name, rows in listings:
        numbers = [number for number, _, _ in rows]
        assert numbers == [*range(numbers[0], numbers[0] + len(rows))]
        assert texts[file][numbers[0] - 1].startswith(f"module {name}")
        assert texts[file][numbers[-1] - 1] == "end"


def test_a_law_is_shown_where_it_holds_and_where_it_fails(evidence: Evidence) -> None:
    text = page(evidence)
    (table,) = re.findall(r'aria-label="Table: Laws".*?</table>', text, re.DOTALL)
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    assert heads == ["operator", "law", "real", "IEEE 754"]
    real, floats = re.findall(r'<td>\s*<span class="tag (\w+)">(\w+)</span>', table)
    assert real == ("bad", "holds")  # for it is not proved
    assert floats == ("warn", "fails")
    assert "Made up." in table


def test_goals_that_two_families_prove_are_counted(evidence: Evidence) -> None:
    goals = GoalGroup(evidence.goals)
    two = sum({"cvc", "z3"} <= {*goal.families} for goal in goals)
    assert (goals.proved, goals.two) == (12, two)
    assert 0 < two < 12


def test_hostile_texts_are_shown_as_they_are(hostile: Evidence) -> None:
    text = page(hostile)
    assert text.count("&lt;script&gt;alert") > 10
    assert "<script" not in text


def test_every_link_in_the_page_leads_somewhere(evidence: Evidence) -> None:
    found = Page(page(evidence))
    ids = found.values("id")
    assert len(ids) == len(set(ids))
    targets = {unquote(href[1:]) for href in found.values("href") if href.startswith("#")}
    assert targets - set(ids) == set()


def test_structure_for_readers_without_eyes(evidence: Evidence) -> None:
    found = Page(page(evidence))
    levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = set(found.values("id"))
    for tag, each in found.elements:
        if tag == "html":
            assert each["lang"] == "en"
        if tag == "svg":
            assert each.get("role") == "img" or each.get("aria-hidden") == "true"
        if tag == "th":
            assert each.get("scope") in {"col", "row"}, each
        if each.get("role") == "region":
            assert each["tabindex"] == "0"
            assert each["aria-label"]
        for label in (each.get("aria-labelledby") or "").split():
            assert label in ids


def test_every_page_has_the_same_head() -> None:
    """Of which the policy is a part that no script may run."""
    templates = resources.files("sonnx_formal.report") / "templates"
    heads = [each.name for each in templates.iterdir() if "<head>" in each.read_text("utf-8")]
    assert heads == ["head.html"]


def test_every_section_is_there_whatever_is_missing(sources: dict[str, bytes]) -> None:
    empty = page(assemble(typed({}), sources))
    found = Page(empty)
    order = ["item", "scope", "non-claims", "worked", "gaps", "claims", "standards"]
    order += [
        "assurance",
        "requirements",
        "operators",
        "findings",
        "laws",
        "by-type",
        "conformance",
        "kernels",
    ]
    order += ["accuracy", "proofs", "checks", "trust", "assumptions", "tools", "replay"]
    headings = [each.get("id") for tag, each in found.elements if tag == "h2"]
    assert headings == [*order, "items", "goals", "sources", "words"]
    for kind in KINDS:
        if kind.name != "vectors":  # which the gaps alone name
            assert f"The document <code>{kind.name}</code> was not there" in empty
        assert f"{kind.name}: {kind.purpose}" in empty


def luminance(colour: str) -> float:
    """WCAG 2.2: relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(colour: str, other: str) -> float:
    low, high = sorted(map(luminance, (colour, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrast(theme: int) -> None:
    style = (resources.files("sonnx_formal.report") / "templates/style.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours: dict[str, str] = {}
    for block in blocks[: theme + 1]:
        colours |= {
            name: f"#{''.join(c * 2 for c in value[1:]) if len(value) == 4 else value[1:]}"
            for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]+)", block)
        }
    for name in ("ink", "soft", "link", "good", "warn", "bad", "calm"):
        for ground in ("paper", "raised"):
            assert contrast(colours[name], colours[ground]) >= ENOUGH, (name, ground)
    for name in ("good", "warn", "bad", "calm"):
        assert contrast(colours[name], colours[f"{name}-fill"]) >= ENOUGH, name


def test_paper_lists_no_single_goal(evidence: Evidence) -> None:
    goal = f'id="goal:{evidence.goals[0].id}"'.replace("'", "&#39;")
    assert goal in page(evidence)
    assert goal not in page(evidence, paper=True)


def test_junit_has_a_case_for_each_goal_requirement_and_group(evidence: Evidence) -> None:
    root = ET.fromstring(junit_xml(evidence))
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert {goal.id for goal in evidence.goals} <= set(names)
    assert {"SONNX-MUL.R1", "reference mul int8", "other mul int8"} <= set(names)
    failed = {
        case.attrib["name"] for case in root.iter("testcase") if case.find("failure") is not None
    }
    assert failed == {"other mul int8"}
    assert "time" not in root.attrib


@pytest.mark.parametrize(
    ("answer", "tag"), [("timeout", "error"), ("step limit", "error"), ("sat", "failure")]
)
def test_junit_tells_no_verdict_from_no_proof(
    documents: Documents, sources: dict[str, bytes], answer: str, tag: str
) -> None:
    goal = documents["prove"]["goals"][0]
    attempt = ATTEMPT | {"answer": answer}
    goal.update(verdict="unproved", proofs=[], attempts=[attempt])
    root = ET.fromstring(junit_xml(assemble(typed(documents), sources)))
    case = next(each for each in root.iter("testcase") if each.attrib["name"] == goal["id"])
    assert [child.tag for child in case] == [tag]


def test_what_rests_on_what_is_not_proved_is_said_everywhere(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    below, above = documents["prove"]["goals"][:2]
    below.update(verdict="unproved", proofs=[], attempts=[ATTEMPT | {"answer": "sat"}])
    above.update(verdict="conditional", rests_on=below["id"])
    requirement = documents["trace"]["requirements"][0]
    requirement.update(proof="proved, but rests on what is not")
    requirement["goals"][0].update(id=above["id"], families=[], rests_on=below["id"])
    evidence = assemble(typed(documents), sources)
    root = ET.fromstring(junit_xml(evidence))
    case = next(entry for entry in root.iter("testcase") if entry.attrib["name"] == above["id"])
    assert [child.attrib["message"] for child in case] == [f"it rests on {below['id']}"]
    said = [
        result["message"]["text"] for result in json.loads(sarif(evidence))["runs"][0]["results"]
    ]
    assert f"{above['id']} does not count as proved: it rests on {below['id']}" in said
    shown = page(evidence)
    assert "✗ proved, but rests on" in shown
    assert "proved, but rests on what is not" in shown
    (file,) = (each for each in evidence.files if each.file == above["file"])
    assert file.conditional == 1
    assert "| proved, but rest on what is not |" in summary(evidence)


def test_numbers_carry_their_scope(documents: Documents, sources: dict[str, bytes]) -> None:
    first, second = documents["prove"]["goals"][:2]
    first.update(proofs=first["proofs"][:1])
    second.update(proofs=second["proofs"][:1])
    documents["trace"]["requirements"][0].update(
        levels=["real"], precondition=True, proof="proved by one family"
    )
    evidence = assemble(typed(documents), sources)
    single = sum(each.one_family for each in evidence.files)
    assert 2 <= single < 12
    goals = f"{12 - single} by two families of provers, {single} by one family only"
    requirements = (
        "1 with goals by one family only; of all these, "
        "1 holds of real numbers only, 1 is a precondition, which callers meet"
    )
    head = page(evidence).partition('id="gaps"')[0]
    assert f'goals proved, of 12<br><span class="scope">{goals}</span>' in head
    assert f'requirement formalised, of 2<br><span class="scope">{requirements}</span>' in head
    assert '<span class="scope">1 our own, 1 other that departs</span>' in head
    assert f"Every goal has a proof ({goals})" in head
    text = summary(evidence)
    assert (
        f"12 of 12 goals proved: {goals}. 1 of 2 requirements formalised: {requirements}." in text
    )


def test_junit_of_hostile_texts_is_xml(hostile: Evidence) -> None:
    root = ET.fromstring(junit_xml(hostile))
    assert any("<script>alert" in case.attrib["name"] for case in root.iter("testcase"))


def test_sarif(hostile: Evidence) -> None:
    run = json.loads(sarif(hostile))["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == rules
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].startswith("why3/")
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}


def test_csv_runs_no_formula(hostile: Evidence) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(hostile.trace))))
    assert [row["id"] for row in rows] == ["SONNX-MUL.R1", "SONNX-MUL.ACC"]
    assert rows[1]["text"].startswith("'=")
    assert rows[0]["text"] == HOSTILE


def test_markdown_has_no_markup_of_others(hostile: Evidence) -> None:
    text = summary(hostile)
    assert "<script" not in text.replace("\\<script", "")
    for line in text.splitlines():
        if line.startswith("| ops/"):
            assert line.count("|") == 5


def test_markdown_has_no_markup_of_provers(evidence: Evidence) -> None:
    first, *others = evidence.provers
    odd = replace(first, name="[x](javascript:y)", version="<script>\n# 1")
    text = summary(replace(evidence, provers=(odd, *others)))
    assert r", \[x\](javascript:y) \<script\> \# 1" in text


def test_bill_of_materials(evidence: Evidence) -> None:
    bill = json.loads(bill_of_materials(evidence))
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(references) == len(set(references))
    named = {each["name"]: each["version"] for each in bill["components"]}
    assert named["why3"] == evidence.why3
    lock = (resources.files("sonnx_formal.cli.setup") / "requirements.lock").read_text("utf-8")
    locked = re.findall(r"^([\w-]+)==", lock, re.MULTILINE)
    assert set(locked) <= named.keys()
    assert evidence.vectors
    tools = {name.replace("_", "-") for name in evidence.vectors.tools}
    assert tools - {*locked, "sonnx-formal"} <= named.keys()
    bare = json.loads(bill_of_materials(replace(evidence, why3=None, vectors=None, provers=())))
    assert {each["name"] for each in bare["components"]} == {*locked, "sonnx.c"}
    (library,) = (each for each in bill["components"] if each["name"] == "sonnx.c")
    assert library["hashes"] == [{"alg": "SHA-256", "content": "a" * 64}]
    other = json.loads(bill_of_materials(replace(evidence, goals=())))
    assert bill["serialNumber"] != other["serialNumber"]


def test_pairs_that_were_judged_are_shown(documents: Documents, sources: dict[str, bytes]) -> None:
    shown = page(assemble(typed(documents), sources))
    assert "<caption>All pairs of 16-bit floats</caption>" in shown
    assert "further off, 2: " in shown
    for sweep in documents["exhaustive"]["sweeps"]:
        sweep.update(judged=0, classes=[])
    assert "None were judged: that is a gap." in page(assemble(typed(documents), sources))
