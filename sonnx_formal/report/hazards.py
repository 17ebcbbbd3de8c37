"""The hazard analysis: errors of what is trusted, and whether what would detect them is there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.tables import Hazard


class Detection(NamedTuple):
    """Something in this evidence that would detect an error. Runs of tests are not in it."""

    name: str
    said: str
    good: bool
    """Whether it is there and works."""
    document: bool = False
    """Whether it is a document of the report."""


class HazardLine(NamedTuple):
    """A hazard, as it stands in this evidence."""

    hazard: Hazard
    detections: Sequence[Detection]
    alone: Mapping[str, int]
    """Of a hazard of provers, by family, the goals that no other family proves."""


def hazard_lines(evidence: Evidence) -> Sequence[HazardLine]:
    """Each hazard, with what the documents of this report say of its detection."""
    return [
        HazardLine(each, [*_detections(each, evidence)], _alone(each, evidence))
        for each in evidence.hazards
    ]


def without_hazard(evidence: Evidence) -> Sequence[str]:
    """What is trusted, and of whose errors the analysis says nothing."""
    if (base := evidence.trusted_base) is None:
        return []
    named = {name for each in evidence.hazards for name in each.of}
    trusted = [each.name for each in (*base.theories, *base.drivers, *base.tools)]
    trusted += [each.id for each in base.assumptions]
    trusted += dict.fromkeys(each.module for each in base.granted if each.assumed)
    return [name for name in trusted if name not in named]


def _detections(hazard: Hazard, evidence: Evidence) -> Iterator[Detection]:
    for name in hazard.documents:
        there = name not in evidence.missing
        yield Detection(name, "there" if there else "missing", there, document=True)
    done = evidence.self_test.injections if evidence.self_test else ()
    for what in hazard.injections:
        caught = [each.caught for each in done if each.injected == what]
        said = "not tried" if not caught else "caught" if all(caught) else "not caught"
        yield Detection(f"self-test: {what}", said, bool(caught) and all(caught))


def _alone(hazard: Hazard, evidence: Evidence) -> Mapping[str, int]:
    families = {each.name: each.family for each in evidence.provers}
    if not families.keys() >= {*hazard.of}:
        return {}
    single = Counter(goal.families[0] for goal in evidence.goals if len(goal.families) == 1)
    return {family: single[family] for family in sorted({families[name] for name in hazard.of})}
