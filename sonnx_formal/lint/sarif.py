"""An examination in the format of SARIF 2.1.0, which code review tools show."""

from pathlib import Path
from urllib.parse import quote

from sonnx_formal.core.sarif import Value, result, sarif_log
from sonnx_formal.lint.examination import Examination, JudgedNode
from sonnx_formal.lint.profile import LintVerdict, NodeFinding
from sonnx_formal.spec.requirements.registry import requirement

_KINDS = {
    LintVerdict.VIOLATES: ("fail", "error"),
    LintVerdict.UNDECIDED: ("open", "none"),
    LintVerdict.CONFORMS: ("informational", "none"),
}
"""Kind and level: the level of whatever is no failure is none (3.27.10)."""


def as_sarif(examination: Examination, version: str, exit_status: int) -> Value:
    """One run: a result for each finding, a rule for each requirement, notes for what is open."""
    results = [_result(examination, each, x) for each in examination.nodes for x in each.findings]
    ids = sorted({each["ruleId"] for each in results})
    notes = [{"level": "note", "message": {"text": note}} for note in examination.notes]
    if examination.others:
        text = f"{examination.coverage}; outside the scope: {examination.unjudged}"
        notes.append({"level": "warning", "message": {"text": text}})
    ended = {
        "executionSuccessful": True,
        "exitCode": exit_status,
        "toolExecutionNotifications": notes,
    }
    return sarif_log(
        version,
        [*map(_rule, ids)],
        [each | {"ruleIndex": ids.index(each["ruleId"])} for each in results],
        invocations=[ended],
        artifacts=[{"location": _location(examination)}],
    )


def _rule(identifier: str) -> Value:
    known = requirement(identifier)
    return {
        "id": known.id,
        "shortDescription": {"text": " ".join(known.text.split())},
        "fullDescription": {"text": f"{known.document}, {known.section}"},
        "properties": {"kind": str(known.kind)},
    }


def _result(examination: Examination, judged: JudgedNode, finding: NodeFinding) -> Value:
    kind, level = _KINDS[finding.verdict]
    place = {
        "physicalLocation": {"artifactLocation": _location(examination) | {"index": 0}},
        "logicalLocations": [{"name": judged.name, "fullyQualifiedName": judged.node}],
    }
    return result(
        finding.requirement,
        level,
        f"{finding.found}. {finding.advice}.",
        kind=kind,
        locations=[place],
        properties={"operator": judged.operator, "opset": judged.opset},
    )


def _location(examination: Examination) -> Value:
    """A relative path stays one: where it starts is for whoever reads the file to know."""
    path = Path(examination.model)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
