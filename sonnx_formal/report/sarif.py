"""What is wrong or open as SARIF 2.1.0, for viewers of code analysis."""

from collections.abc import Iterator
from typing import Any

from sonnx_formal.core.sarif import Value, result, sarif_log
from sonnx_formal.report.documents import text_of
from sonnx_formal.report.evidence import Evidence

_RULES = {
    "unproved": "A goal without a proof",
    "finding": "A finding about a source document",
    "gap": "Something that is not shown",
    "divergence": "An implementation departs from the definitions",
}


def sarif(evidence: Evidence) -> str:
    """Unproved goals, blocking and other gaps, findings and divergences, as one run."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    results = [*_results(evidence)]
    return text_of(sarif_log(evidence.version, rules, results, columnKind="unicodeCodePoints"))


def _results(evidence: Evidence) -> Iterator[Value]:
    for goal in evidence.goals:
        if not goal.proved:
            place = {
                "artifactLocation": {"uri": f"why3/{goal.location.file}"},
                "region": {"startLine": goal.location.line},
            }
            yield result(
                "unproved",
                "error",
                f"{goal.id} is not proved: {goal.reason or goal.explanation or 'no prover could'}",
                locations=[{"physicalLocation": place}],
                partialFingerprints={"task/sha256": goal.task_sha256},
            )
    for gap in evidence.gaps:
        items = f" ({gap.count:,})" if gap.count else ""
        level = "error" if gap.blocking else "note"
        text = f"{gap.title}{items}. {gap.text}"
        yield result("gap", level, text, **_named(f"gap-{gap.id}"))
    for line in evidence.trace.findings if evidence.trace else ():
        text = f"{line.id}: {line.title}. Decision: {line.decision}"
        yield result("finding", "warning", text, **_named(line.id))
    for found in evidence.check.findings if evidence.check else ():
        if found.verdict in {"diverges", "crashes"}:
            what = f"{found.operator} {found.element_type} {found.verdict}: {found.kind}"
            text = f"{found.backend}: {what}"
            yield result("divergence", "warning", text, **_named(found.backend))


def _named(name: str) -> dict[str, Any]:
    """What is not in a file has a name of its own."""
    return {"locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}]}
