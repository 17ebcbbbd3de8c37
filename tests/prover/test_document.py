"""The document of a run: what contradicts itself is refused, and so is what is no document."""

import json
from typing import Any

import pytest

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.document import ProofReport
from tests.made import AS_JSON

PROOF = {"prover": "z3", "version": "1", "family": "z3", "steps": 1}
GOAL = {
    "id": "m.mlw:M.g.1",
    "file": "m.mlw",
    "module": "M",
    "name": "g",
    "explanation": "",
    "location": {"file": "m.mlw", "line": 1, "column": 0},
    "task_sha256": "0" * 64,
    "verdict": "proved",
    "rests_on": None,
    "reason": "",
    "proofs": [PROOF],
    "attempts": [PROOF | {"answer": "timeout", "family": "other"}],
}
MADE = AS_JSON | {"mode": "replay", "from_cache": 0}
TOTALS = {"goals": 1, "proved": 1, "conditional": 0, "unproved": 0, "open": 0, "two_families": 0}


def read(**changes: Any) -> ProofReport:
    value = {
        "schema": "sonnx-formal/prove/4",
        "made": MADE,
        "why3": "1",
        "provers": [],
        "goals": [GOAL | changes],
        "rests_on": [],
        "summary": {**TOTALS, "interrupted": False, "disagreement": None},
    }
    return documents.decode(json.dumps(value).encode(), ProofReport, "prove.json")


def test_times_may_be_left_out() -> None:
    (goal,) = read().goals
    assert (goal.proved, goal.families, goal.said) == (True, ("z3",), "z3: timeout")
    assert b"seconds" not in documents.encode(read())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"proofs": []}, "m.mlw:M.g.1 is proved, with 0 proofs"),
        ({"verdict": "unproved"}, "m.mlw:M.g.1 is unproved, with 1 proofs"),
        ({"verdict": "conditional"}, "m.mlw:M.g.1 is conditional, and rests on None"),
        ({"rests_on": "m.mlw:M.f.1"}, "m.mlw:M.g.1 is proved, and rests on m.mlw:M.f.1"),
        ({"verdict": "true"}, r"Invalid enum value 'true' - at `\$.goals\[0\].verdict`"),
        (
            {"attempts": [PROOF | {"answer": "luck"}]},
            r"Invalid enum value 'luck' - at .*attempts\[0\]\.answer",
        ),
        ({"location": {"file": "m.mlw", "line": 0, "column": 0}}, r"location.line"),
        (
            {"proofs": [PROOF | {"cached": True}], "attempts": []},
            "1 verdicts are from the cache, and not all counted",
        ),
        ({"more": 1}, "unknown field `more`"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=rf"^prove\.json .*{said}.*sonnx-formal prove --json"):
        read(**changes)
