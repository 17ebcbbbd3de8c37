"""What is wrong or open as SARIF 2.1.0, for viewers of code analysis."""

import json
from collections.abc import Iterator
from typing import Any

from sonnx_formal.report.evidence import Evidence

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "unproved": "A goal without a proof",
    "finding": "A finding about a source document",
    "gap": "Something that is not shown",
    "divergence": "An implementation departs from the definitions",
}


def sarif(evidence: Evidence) -> str:
    """Unproved goals, blocking and other gaps, findings and divergences, as one run."""
    results = [
        *_unproved(evidence),
        *_gaps(evidence),
        *_findings(evidence),
        *_divergences(evidence),
    ]
    driver = {
        "name": "sonnx-formal",
        "version": evidence.version,
        "rules": [
            {"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()
        ],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    value = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _result(rule: str, level: str, text: str, **others: Any) -> dict[str, Any]:
    return {"ruleId": rule, "level": level, "message": {"text": text}, **others}


def _unproved(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for goal in evidence.goals:
        if not goal.proved:
            place = {
                "artifactLocation": {"uri": f"why3/{goal.location.file}"},
                "region": {"startLine": goal.location.line},
            }
            yield _result(
                "unproved",
                "error",
                f"{goal.id} is not proved: {goal.reason or goal.explanation or 'no prover could'}",
                locations=[{"physicalLocation": place}],
                partialFingerprints={"task/sha256": goal.task_sha256},
            )


def _gaps(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for gap in evidence.gaps:
        items = f" ({gap.count:,})" if gap.count else ""
        level = "error" if gap.blocking else "note"
        yield _result("gap", level, f"{gap.title}{items}. {gap.text}", **_named(f"gap-{gap.id}"))


def _findings(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for line in evidence.trace.findings if evidence.trace else ():
        text = f"{line.id}: {line.title}. Decision: {line.decision}"
        yield _result("finding", "warning", text, **_named(line.id))


def _divergences(evidence: Evidence) -> Iterator[dict[str, Any]]:
    for found in evidence.check.findings if evidence.check else ():
        if found.verdict in {"diverges", "crashes"}:
            what = f"{found.operator} {found.element_type} {found.verdict}: {found.kind}"
            yield _result(
                "divergence", "warning", f"{found.backend}: {what}", **_named(found.backend)
            )


def _named(name: str) -> dict[str, Any]:
    """What is not in a file has a name of its own."""
    return {"locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}]}
