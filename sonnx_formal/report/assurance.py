"""The assurance case: claims, strategies and evidence, and which claims this evidence supports."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, assert_never

from sonnx_formal.core.texts import counted
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.gaps import Gap
from sonnx_formal.report.hazards import without_hazard
from sonnx_formal.report.tables import Argument, ArgumentKind


class Support(StrEnum):
    """Whether a claim may be made. From the best to the worst."""

    SUPPORTED = "supported"
    OPEN = "open"
    UNSUPPORTED = "unsupported"


_ORDER = [*Support]


class Solution(NamedTuple):
    """A document, or a file of the sources, that a goal stands on."""

    id: str
    name: str
    place: str
    """The id of where the report says what it is."""
    sha256: str | None
    """None where it is missing."""


class Element(NamedTuple):
    """A goal or strategy with all below it, as this evidence supports it."""

    argument: Argument
    support: Support
    objections: Sequence[str]
    """Of its own, why it is unsupported; those of its parts are theirs."""
    limits: Sequence[Gap]
    """Gaps that do not take the support away, but belong to the claim."""
    solutions: Sequence[Solution]
    contexts: Sequence[Argument]
    parts: "Sequence[Element]"

    @property
    def said(self) -> Sequence[str]:
        """Its support in words, so that nobody depends on shapes and colours."""
        match self.support:
            case Support.SUPPORTED if self.limits:
                kinds = counted(len(self.limits), "kind of gap", "kinds of gaps")
                return [f"✓ supported, but for {kinds}"]
            case Support.SUPPORTED:
                return ["✓ supported"]
            case Support.OPEN if self.argument.left_to:
                return [f"◇ not developed here, but left to {self.argument.left_to}"]
            case Support.OPEN:
                return ["◇ open: it rests on what is not developed here"]
            case Support.UNSUPPORTED if self.objections:
                return ["✗ unsupported", *self.objections]
            case Support.UNSUPPORTED:
                return ["✗ unsupported: it rests on what is unsupported"]
            case _:
                assert_never(self.support)


def assurance_case(evidence: Evidence) -> Element:
    """The first element, with all that it stands on."""
    return _Case(evidence).element(evidence.argument[0].id)


class _Case:
    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._arguments = {each.id: each for each in evidence.argument}
        self._gaps = _gaps_by_goal(evidence)
        self._solutions = _solutions(evidence)

    def element(self, identifier: str) -> Element:
        argument = self._arguments[identifier]
        parts, contexts = [], []
        for name in argument.parts:
            part = self._arguments[name]
            match part.kind:
                case ArgumentKind.GOAL | ArgumentKind.STRATEGY:
                    parts.append(self.element(name))
                case ArgumentKind.CONTEXT | ArgumentKind.ASSUMPTION:
                    contexts.append(part)
                case _:
                    assert_never(part.kind)
        gaps = self._gaps.get(identifier, ())
        solutions = [self._solutions[name] for name in (*argument.documents, *argument.sources)]
        objections = [f"missing: {each.name}" for each in solutions if each.sha256 is None]
        objections += [_told(gap) for gap in gaps if gap.blocking]
        if argument.hazards and (unnamed := without_hazard(self._evidence)):
            objections.append(f"without a hazard analysis: {', '.join(unnamed)}")
        if not (parts or solutions or argument.left_to):
            objections.append("nothing stands behind it")
        own = Support.UNSUPPORTED if objections else Support.SUPPORTED
        if argument.left_to and not objections:
            own = Support.OPEN
        support = max((own, *(part.support for part in parts)), key=_ORDER.index)
        limits = [gap for gap in gaps if not gap.blocking]
        return Element(argument, support, objections, limits, solutions, contexts, parts)


def _gaps_by_goal(evidence: Evidence) -> Mapping[str, Sequence[Gap]]:
    named = {name for each in evidence.argument for name in each.gaps}
    first = evidence.argument[0].id
    return {
        each.id: [
            gap
            for gap in evidence.gaps
            if gap.id in each.gaps or (each.id == first and gap.id not in named)
        ]
        for each in evidence.argument
    }


def _solutions(evidence: Evidence) -> Mapping[str, Solution]:
    """By name. Each has one number wherever it stands, also if it is missing."""
    hashes: dict[str, str | None] = {each.name: each.sha256 for each in evidence.documents}
    sources = {each.path: each.sha256 for each in evidence.sources}
    asked = {name: None for each in evidence.argument for name in each.sources}
    found = {}
    for number, name in enumerate([*hashes, *asked], start=1):
        place = "sources" if name in asked else f"document-{name}"
        sha256 = sources.get(name) if name in asked else hashes[name]
        found[name] = Solution(f"Sn{number}", name, place, sha256)
    return found


def _told(gap: Gap) -> str:
    return f"{gap.title} ({gap.count:,})" if gap.count else gap.title
