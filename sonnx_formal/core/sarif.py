"""SARIF 2.1.0, the format of findings that code review tools show."""

from collections.abc import Sequence
from typing import Any

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
Value = dict[str, Any]


def sarif_log(version: str, rules: Sequence[Value], results: Sequence[Value], **run: Any) -> Value:
    """One run of this package in the given version, with further properties of the run."""
    driver = {"name": "sonnx-formal", "version": version, "rules": rules}
    whole = {"tool": {"driver": driver}, **run, "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [whole]}


def result(rule: str, level: str, text: str, **properties: Any) -> Value:
    """A finding, with further properties."""
    return {"ruleId": rule, "level": level, "message": {"text": text}, **properties}
