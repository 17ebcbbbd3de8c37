"""The evidence, arranged and nothing added: one HTML file on its own, and in short as Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib import resources
from math import prod
from typing import NamedTuple
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from sonnx_formal.check.document import CheckFinding, MatrixRow, ProbeRow, TensorText, Verdict
from sonnx_formal.core.documents import encode
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.texts import agreeing, code_spans, counted, markdown
from sonnx_formal.evidence.mutation.mutate import score_of
from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report import accuracy
from sonnx_formal.report.assurance import Element, assurance_case
from sonnx_formal.report.cases import page_of_cases
from sonnx_formal.report.coverage import Covered
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence, VectorGroup
from sonnx_formal.report.gaps import DEPARTURES, Gap
from sonnx_formal.report.gsn import Drawing, drawing
from sonnx_formal.report.hazards import HazardLine, hazard_lines, without_hazard
from sonnx_formal.report.pages import Page, mathematics, owner
from sonnx_formal.report.tables import GapClass
from sonnx_formal.report.trace.document import DocumentLine, Proof, RequirementLine
from sonnx_formal.spec.element_types import BY_NAME, Family
from sonnx_formal.spec.requirements.entries import Level

_CHARTED = 30
"""Files in a chart that is about the greatest ones."""
_WORST_FIRST = (
    Verdict.CRASHES,
    Verdict.DIVERGES,
    Verdict.REFUSES,
    Verdict.NOT_JUDGED,
    Verdict.NOT_SUPPORTED,
    Verdict.NOT_INSTALLED,
    Verdict.WITHIN_BOUND,
    Verdict.PASS,
)
_KEYWORDS = """
absurd axiom by clone constant else end ensures exists export false forall function ghost goal if
import in invariant lemma let match module mutable not predicate private raises reads rec requires
returns so then theory true type use val variant while with
"""
_TOKEN = re.compile(
    r"(?P<c>\(\*(?!\)).*?\*\))"
    r"|(?P<a>\[@[^\]]*\])"
    rf"|(?P<k>\b(?:{'|'.join(_KEYWORDS.split())})\b)",
    re.DOTALL,
)
_MODULE = re.compile(r"^module (\w+).*?(?:^end\b|\Z)", re.MULTILINE | re.DOTALL)


class GoalGroup(tuple[GoalEntry, ...]):
    """Goals of a line, or of a module."""

    @property
    def proved(self) -> int:
        return sum(goal.proved for goal in self)

    @property
    def two(self) -> int:
        return sum(len(goal.families) > 1 for goal in self)


class OperatorView(NamedTuple):
    page: Page
    mathematics: tuple[str, ...]
    requirements: Sequence[RequirementLine]
    related: Sequence[RequirementLine]
    listings: Sequence[tuple[str, Sequence[tuple[int, Markup, GoalGroup]]]]
    """Of the modules that define it, the lines, with the goals that Why3 found there."""
    modules: Sequence[tuple[str, GoalGroup]]


class View:
    """All of it, computed when a template asks for it."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._lines = evidence.trace.requirements if evidence.trace else ()
        self._check = evidence.check

    @cached_property
    def requirements(self) -> Mapping[str, RequirementLine]:
        return {line.id: line for line in self._lines}

    @cached_property
    def gap_classes(self) -> Sequence[tuple[GapClass, Sequence[Gap]]]:
        """Every class of gaps, and those that there are of it."""
        by_class = grouped(self._evidence.gaps, lambda gap: gap.gap_class)
        return [(each, by_class.get(each, ())) for each in GapClass]

    @property
    def levels(self) -> Sequence[Level]:
        """The kinds of numbers that something is proved of, for any law."""
        laws = self._evidence.trace.laws if self._evidence.trace else ()
        known = {level for law in laws for each in law.over for level in each.levels}
        return [level for level in Level if level in known]

    @cached_property
    def scope_of_goals(self) -> str:
        """What kind of proofs there are, in words."""
        files = self._evidence.files
        resting = sum(each.conditional for each in files)
        return _listed(
            (sum(each.two_families for each in files), "by two families of provers"),
            (sum(each.one_family for each in files), "by one family only"),
            (resting, f"more {agreeing(resting, 'rests', 'rest')} on what is not proved"),
            (sum(each.unproved for each in files), "without a proof"),
        )

    @cached_property
    def formalised(self) -> Sequence[RequirementLine]:
        return [line for line in self._lines if not line.planned]

    @cached_property
    def scope_of_requirements(self) -> str:
        """How well the formalised ones are proved; and of these, what they do not say."""
        lines = self.formalised
        by_proof = Counter(line.proof for line in lines)
        resting = by_proof[Proof.CONDITIONAL]
        proofs = _listed(
            (by_proof[Proof.TWO_FAMILIES], "by two families of provers"),
            (by_proof[Proof.ONE_FAMILY], "with goals by one family only"),
            (resting, f"{agreeing(resting, 'rests', 'rest')} on what is not proved"),
            (by_proof[Proof.UNPROVED], "not proved"),
        )
        real = sum(line.levels == (Level.REAL,) for line in lines)
        met = sum(line.precondition for line in lines)
        departing = sum(bool(line.departs) for line in lines)
        untested = sum(bool(line.no_vector) for line in lines)
        limits = _listed(
            (real, f"{agreeing(real, 'holds', 'hold')} of real numbers only"),
            (met, f"{agreeing(met, 'is a precondition', 'are preconditions')}, which callers meet"),
            (departing, f"{agreeing(departing, 'departs', 'depart')} from the text in part"),
            (untested, f"{agreeing(untested, 'has', 'have')} no test vectors"),
        )
        return "; of all these, ".join(filter(None, (proofs, limits)))

    @cached_property
    def scope_of_implementations(self) -> str:
        """Who was looked at, and who departs."""
        backends = self._check.backends if self._check else ()
        here = self._check.here if self._check else ()
        findings = self._check.findings if self._check else ()
        departing = {each.backend for each in findings if each.verdict in DEPARTURES}
        others = sum(not each.ours and each.name in departing for each in here)
        return _listed(
            (sum(each.ours for each in here), "our own"),
            (others, agreeing(others, "other that departs", "others that depart")),
            (len(backends) - len(here), "more not installed"),
        )

    @cached_property
    def worked_mathematics(self) -> Sequence[str]:
        """What the operator of the worked requirement computes: a formula, and its arithmetic."""
        worked = self._evidence.worked
        document = self.requirements[worked.id].document if worked else None
        pages = (page for page in self._evidence.pages if document in page.documents)
        return [*map(mathematics, pages), ()][0][-2:]

    @cached_property
    def worked_goal(self) -> GoalEntry | None:
        """A goal that serves it, one that Why3 explains with it if there is such a goal."""
        if (worked := self._evidence.worked) is None:
            return None
        links = [link for link in self.requirements[worked.id].goals if link.id in self.goals]
        named = [link for link in links if worked.id in link.explained_by]
        return self.goals[(named or links)[0].id] if links else None

    @cached_property
    def goals(self) -> Mapping[str, GoalEntry]:
        return {goal.id: goal for goal in self._evidence.goals}

    @cached_property
    def assurance(self) -> Element:
        return assurance_case(self._evidence)

    @cached_property
    def assurance_drawing(self) -> Drawing:
        return drawing(self.assurance)

    @cached_property
    def hazards(self) -> Sequence[HazardLine]:
        return hazard_lines(self._evidence)

    @cached_property
    def without_hazard(self) -> Sequence[str]:
        return without_hazard(self._evidence)

    @cached_property
    def goal_ids(self) -> frozenset[str]:
        return frozenset(goal.id for goal in self._evidence.goals)

    @cached_property
    def certified(self) -> frozenset[str]:
        found = self._evidence.certified
        checked = found.checked if found else frozenset()
        goals = self._evidence.goals
        return frozenset(goal.id for goal in goals if (goal.id, goal.task_sha256) in checked)

    @cached_property
    def documents(self) -> Sequence[tuple[DocumentLine, Sequence[RequirementLine], bool]]:
        """In the order of the operators' pages, SONNX first; the planned last, which is said."""
        trace = self._evidence.trace
        by_document = grouped(self._lines, lambda line: line.document)
        groups = [
            (document, lines, all(line.planned for line in lines))
            for document in (trace.documents if trace else ())
            for lines in [by_document.get(document.id, [])]
        ]
        order = [name for page in self._evidence.pages for name in page.documents]
        place = {name: number for number, name in enumerate(order)}
        return sorted(groups, key=lambda group: (group[2], place.get(group[0].id, len(place))))

    @cached_property
    def pages(self) -> Sequence[OperatorView]:
        return [self._page(page) for page in self._evidence.pages]

    @cached_property
    def _owners(self) -> Mapping[str, Page | None]:
        """Of each file of the library, the page that it belongs to."""
        pages = self._evidence.pages
        return {each.file: owner(each.file, pages) for each in self._evidence.files}

    def _page(self, page: Page) -> OperatorView:
        evidence = self._evidence
        text = next((each.text for each in evidence.listings if each.file == page.listing), "")
        shown = (goal for goal in evidence.goals if goal.location.file == page.listing)
        at = grouped(shown, lambda goal: goal.location.line)
        files = {file for file, owning in self._owners.items() if owning == page}
        files.update(page.theories)
        return OperatorView(
            page,
            mathematics(page),
            requirements=[line for line in self._lines if line.document in page.documents],
            related=[line for line in self._lines if line.document in page.related],
            listings=[
                (name, [(number, html, GoalGroup(at.get(number, ()))) for number, html in lines])
                for name, lines in _listings(text)
                if name in (page.modules or {name})
            ],
            modules=_modules(goal for goal in evidence.goals if goal.file in files),
        )

    @cached_property
    def files(self) -> Sequence[tuple[str, Sequence[tuple[str, GoalGroup]]]]:
        by_file = grouped(self._evidence.goals, lambda goal: goal.file)
        return [(tally.file, _modules(by_file[tally.file])) for tally in self._evidence.files]

    @cached_property
    def effort_of(self) -> Sequence[str]:
        """The provers that are compared: those that prove a tenth of the goals or more."""
        proved: Counter[str] = Counter()
        for tally in self._evidence.files:
            proved.update(tally.by_prover)
        names = (prover.name for prover in self._evidence.provers)
        return [name for name in names if 10 * proved[name] >= len(self._evidence.goals)]

    @cached_property
    def efforts(self) -> Sequence[tuple[str, Sequence[float]]]:
        """The files whose goals cost most: of all the steps of each prover, their shares."""
        names, files = self.effort_of, self._evidence.files
        total = {name: sum(each.steps.get(name, 0) for each in files) or 1 for name in names}
        found = [
            (each.file, [each.steps.get(name, 0) / total[name] for name in names]) for each in files
        ]
        return sorted(found, key=lambda each: (-max(each[1], default=0), each[0]))[:_CHARTED]

    @cached_property
    def contributions(self) -> Sequence[tuple[str, int]]:
        """Goals by the set of provers that prove them."""
        sets = Counter(
            " and ".join(sorted({proof.prover for proof in goal.proofs})) or "none"
            for goal in self._evidence.goals
        )
        return sorted(sets.items(), key=lambda item: (-item[1], item[0]))

    @cached_property
    def coverage(self) -> Iterator[tuple[str, Sequence[str], Mapping[str, Mapping[str, int]], int]]:
        """Of each source document, classes of vectors, their numbers by requirement, the most."""
        for document, lines, _ in self.documents:
            counts = {
                line.id: {count.name: count.cases for count in line.vectors}
                for line in lines
                if not line.planned
            }
            if any(counts.values()):
                classes = sorted({name for row in counts.values() for name in row})
                most = max(number for row in counts.values() for number in row.values())
                yield document.id, classes, counts, most

    @cached_property
    def uncovered(self) -> Mapping[str, int]:
        """Why there is nothing of an operator over a type, with the numbers of the notes."""
        cells = (cell for row in self._evidence.coverage for cell in row.cells)
        reasons = dict.fromkeys(cell.what for cell in cells if cell.covered is Covered.NONE)
        return {reason: number for number, reason in enumerate(reasons, start=1)}

    @cached_property
    def matrix(self) -> Mapping[tuple[str, str], Sequence[MatrixRow]]:
        """Of each operator and type, a cell for each implementation that is installed."""
        return self._check.by_instance() if self._check else {}

    @cached_property
    def vectors(self) -> Mapping[str, Sequence[tuple[VectorGroup, int]]]:
        """Of each requirement, the files with vectors that exercise it, and how many."""
        groups = self._evidence.vectors.groups if self._evidence.vectors else ()
        pairs = ((name, each, n) for each in groups for name, n in each.requirements.items())
        by_name = grouped(pairs, lambda pair: pair[0])
        return {name: [(each, n) for _, each, n in here] for name, here in by_name.items()}

    @cached_property
    def probes(self) -> Sequence[Sequence[ProbeRow]]:
        """Each question with the answer of each implementation that is installed."""
        names = {each.name for each in self._check.here} if self._check else set()
        probes = self._check.probes if self._check else ()
        answers = (each for each in probes if each.backend in names)
        named = grouped(answers, lambda each: (each.probe, each.operator, each.element_type))
        return [*named.values()]

    @cached_property
    def divergences(self) -> Mapping[str, Sequence[CheckFinding]]:
        """By implementation, the worst first."""
        findings = self._check.findings if self._check else ()
        worst_first = sorted(findings, key=lambda found: _WORST_FIRST.index(found.verdict))
        return grouped(worst_first, lambda found: found.backend)


def _listed(*counts: tuple[int, str]) -> str:
    """The numbers that are not 0, with what they count."""
    return ", ".join(f"{number:,} {what}" for number, what in counts if number)


def _modules(goals: Iterable[GoalEntry]) -> Sequence[tuple[str, GoalGroup]]:
    by_module = grouped(goals, lambda goal: (goal.file, goal.module))
    return [(module, GoalGroup(here)) for (_, module), here in by_module.items()]


@lru_cache(maxsize=64)  # a report shows them on screen and on paper
def _listings(text: str) -> Sequence[tuple[str, list[tuple[int, Markup]]]]:
    """The modules of a file of WhyML, each with its lines as HTML and their numbers."""
    marked = _TOKEN.sub(_marked, str(escape(text)))
    lines = [*enumerate(map(Markup, marked.split("\n")), start=1)]
    found = []
    for match in _MODULE.finditer(text):
        first, last = (text.count("\n", 0, place) for place in match.span())
        found.append((match[1], lines[first : last + 1]))
    return found


def _marked(token: re.Match[str]) -> str:
    """A comment may go over lines, which become rows of a table."""
    lines = token[0].split("\n")
    return "\n".join(f'<span class="{token.lastgroup}">{line}</span>' for line in lines)


def page(evidence: Evidence, *, paper: bool = False) -> str:
    """The report as HTML; on paper, by module: a list of goals would take hundreds of sheets."""
    return _rendered("report.html", evidence, paper)


def summary(evidence: Evidence) -> str:
    """The gaps, the claims, and a line for each requirement, file, operator and type."""
    # An empty line where a loop had nothing to say is one too many.
    return re.sub(r"\n{3,}", "\n\n", _rendered("summary.md", evidence)).strip() + "\n"


def assurance_svg(evidence: Evidence) -> str:
    """The drawing of the assurance case, as a file of its own."""
    return _rendered("gsn.html", evidence).lstrip()


def _rendered(name: str, evidence: Evidence, paper: bool = False) -> str:
    seal = sha256(encode(evidence))
    template = environment().get_template(name)
    return template.render(view=View(evidence), evidence=evidence, paper=paper, seal=seal)


@cache
def environment() -> jinja2.Environment:
    """Where the templates are. What they show in HTML is escaped unless it is made here."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=jinja2.select_autoescape(["html"]),  # in Markdown, `cell` escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "prose": lambda text: Markup("").join(
            Markup("<code>{}</code>").format(part) if code else escape(part)
            for code, part in code_spans(text)
        ),
        "cell": markdown,
        "to": lambda identifier: "#" + quote(identifier, safe="/:.'-_"),
        "nested": _nested,
        "score_of": score_of,
        "plots": accuracy.plots,
        "in_binary": _in_binary,
        "page_of_cases": page_of_cases,
        "product": prod,
        "agreeing": agreeing,
        "count": counted,
    }
    made.globals["style"] = lambda name: Markup(_source(name))
    return made


def _source(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _in_binary(tensor: TensorText) -> str:
    """Of one element, its bits; of a float: sign, exponent and trailing significand, apart."""
    if not isinstance(tensor.bits, str):
        return ""
    type_ = BY_NAME[tensor.element_type]
    width = 8 * type_.dtype.itemsize
    digits = f"{int(tensor.bits, 16):0{width}b}"
    if type_.family is not Family.FLOAT:
        return digits
    trailing = type_.format.precision - 1
    return f"{digits[0]} {digits[1:-trailing]} {digits[-trailing:]}"


def _nested(value: object) -> str:
    return f"[{' '.join(map(_nested, value))}]" if isinstance(value, list | tuple) else str(value)
