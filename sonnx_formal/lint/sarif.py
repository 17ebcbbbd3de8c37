"""An examination in the format of SARIF 2.1.0, which code review tools show."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from sonnx_formal.lint.examination import Examination, JudgedNode
from sonnx_formal.lint.finding import LintVerdict, NodeFinding
from sonnx_formal.spec.requirements import requirement

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
_KINDS = {
    LintVerdict.VIOLATES: ("fail", "error"),
    LintVerdict.UNDECIDED: ("open", "none"),
    LintVerdict.CONFORMS: ("informational", "none"),
}
"""Kind and level: the level of whatever is no failure is none (3.27.10)."""


def as_sarif(examination: Examination, version: str, exit_status: int) -> dict[str, Any]:
    """One run of the tool: a result for each finding, a rule for each requirement.

    Nodes that are not judged are a warning of the run.

    :param version: of this package.
    """
    results = [_result(examination, each, x) for each in examination.nodes for x in each.findings]
    ids = sorted({result["ruleId"] for result in results})
    notes = [{"level": "note", "message": {"text": note}} for note in examination.notes]
    if examination.others:
        text = f"{examination.coverage}; outside the scope: {examination.unjudged}"
        notes.append({"level": "warning", "message": {"text": text}})
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sonnx-formal",
                        "version": version,
                        "rules": list(map(_rule, ids)),
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "exitCode": exit_status,
                        "toolExecutionNotifications": notes,
                    }
                ],
                "artifacts": [{"location": _location(examination)}],
                "results": [x | {"ruleIndex": ids.index(x["ruleId"])} for x in results],
            }
        ],
    }


def _rule(identifier: str) -> dict[str, Any]:
    known = requirement(identifier)
    return {
        "id": known.id,
        "shortDescription": {"text": " ".join(known.text.split())},
        "fullDescription": {"text": f"{known.document}, {known.section}"},
        "properties": {"kind": str(known.kind)},
    }


def _result(examination: Examination, judged: JudgedNode, finding: NodeFinding) -> dict[str, Any]:
    kind, level = _KINDS[finding.verdict]
    return {
        "ruleId": finding.requirement,
        "kind": kind,
        "level": level,
        "message": {"text": f"{finding.found}. {finding.advice}."},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": _location(examination) | {"index": 0}},
                "logicalLocations": [{"name": judged.name, "fullyQualifiedName": judged.node}],
            }
        ],
        "properties": {"operator": judged.operator, "opset": judged.opset},
    }


def _location(examination: Examination) -> dict[str, Any]:
    """A relative path stays one: where it starts is for whoever reads the file to know."""
    path = Path(examination.model)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
