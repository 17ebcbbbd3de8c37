"""An examination in the format of SARIF 2.1.0, which code review tools show."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from sonnx_formal.lint.examination import Examination, Judged
from sonnx_formal.lint.finding import Finding, Verdict
from sonnx_formal.lint.protobuf import label
from sonnx_formal.spec.requirements import requirement

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
_KINDS = {
    Verdict.VIOLATES: ("fail", "error"),
    Verdict.UNDECIDED: ("open", "none"),
    Verdict.CONFORMS: ("informational", "none"),
}
"""Kind and level: the level of whatever is no failure is none (3.27.10)."""


def as_sarif(examination: Examination, version: str, exit_status: int) -> dict[str, Any]:
    """One run of the tool: a result for each finding, a rule for each requirement.

    :param version: of this package.
    """
    results = [*_results(examination)]
    ids = sorted({one["ruleId"] for one in results})
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sonnx-formal",
                        "version": version,
                        "rules": [_rule(one) for one in ids],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "exitCode": exit_status,
                        "toolExecutionNotifications": [
                            {"level": "note", "message": {"text": one}} for one in examination.notes
                        ],
                    }
                ],
                "artifacts": [{"location": _location(examination)}],
                "results": [one | {"ruleIndex": ids.index(one["ruleId"])} for one in results],
            }
        ],
    }


def _rule(identifier: str) -> dict[str, Any]:
    one = requirement(identifier)
    return {
        "id": one.id,
        "shortDescription": {"text": " ".join(one.text.split())},
        "fullDescription": {"text": f"{one.document}, {one.section}"},
        "properties": {"kind": str(one.kind)},
    }


def _results(examination: Examination) -> Iterator[dict[str, Any]]:
    for judged in examination.nodes:
        for finding in judged.findings:
            yield _result(examination, judged, finding)


def _result(examination: Examination, judged: Judged, finding: Finding) -> dict[str, Any]:
    kind, level = _KINDS[finding.verdict]
    return {
        "ruleId": finding.requirement,
        "kind": kind,
        "level": level,
        "message": {"text": f"{finding.found}. {finding.advice}."},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": _location(examination) | {"index": 0}},
                "logicalLocations": [
                    {
                        "name": label(judged.node.proto),
                        "fullyQualifiedName": judged.node.name,
                    }
                ],
            }
        ],
        "properties": {"operator": judged.node.proto.op_type, "opset": judged.node.version},
    }


def _location(examination: Examination) -> dict[str, Any]:
    """A relative path stays one: where it starts is for whoever reads the file to know."""
    path = examination.path
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
