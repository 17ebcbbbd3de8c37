"""What a cross-check says of the test vectors: which implementation passes on which of them."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from sonnx_formal.backends import OUR_OWN
from sonnx_formal.trace.documents import read_json

Combination = tuple[str, str]
"""Operator and element type."""


class Outcome(StrEnum):
    """What came of all admissible cases of an operator and a type."""

    PASSES = "passes"
    """Each of them passed."""
    FAILS = "fails"
    """One of them diverged, was refused, or made it crash."""
    NOT_JUDGED = "not judged"
    """None failed, but some of them were not judged, which is no pass."""
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True)
class CrossCheck:
    """The outcomes, by implementation and combination."""

    outcomes: Mapping[str, Mapping[Combination, Outcome]]


def read_crosscheck(path: Path) -> CrossCheck:
    """What `sonnx-formal check --json` wrote. Raises `UserError`.

    It has counts for each operator and type, and not for each case. So an implementation passes on
    a case here only if it passes on all cases of its operator and type.
    """
    return outcomes(read_json(path, _schema(), "sonnx-formal check --json"))


def outcomes(value: Mapping[str, Any]) -> CrossCheck:
    """The same from the JSON value, which has to be as its schema says."""
    failing = set()
    excused: Counter[tuple[str, str, str]] = Counter()
    for finding in value["findings"]:
        key = (finding["backend"], finding["operator"], finding["element_type"])
        if finding["admissible"] and finding["verdict"] in {"diverges", "refuses", "crashes"}:
            failing.add(key)
        if not finding["admissible"] and finding["verdict"] == "not judged":
            excused[key] += finding["cases"]
    found: dict[str, dict[Combination, Outcome]] = {}
    for row in value["matrix"]:
        key = (row["backend"], row["operator"], row["element_type"])
        outcome = _outcome(row["counts"], excused[key], failing=key in failing)
        if row["backend"] == OUR_OWN and outcome is Outcome.PASSES and _others(row["counts"]):
            outcome = Outcome.FAILS  # our own has to pass outside the domain, too
        found.setdefault(row["backend"], {})[row["operator"], row["element_type"]] = outcome
    return CrossCheck(found)


def _outcome(counts: Mapping[str, int], excused: int, *, failing: bool) -> Outcome:
    if counts["not supported"] or counts["not installed"]:
        return Outcome.NOT_SUPPORTED
    if failing:
        return Outcome.FAILS
    if counts["not judged"] > excused or not counts["pass"]:
        return Outcome.NOT_JUDGED
    return Outcome.PASSES


def _others(counts: Mapping[str, int]) -> int:
    return sum(count for verdict, count in counts.items() if verdict != "pass")


@cache
def _schema() -> jsonschema.protocols.Validator:
    text = resources.files("sonnx_formal.check").joinpath("check.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
