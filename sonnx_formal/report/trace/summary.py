"""What a trace looks like: a table, what is wrong, the gaps; as JSON and as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.report.trace.goals import ProvedGoal
from sonnx_formal.report.trace.trace import Error, FindingLine, Line, Proof, State, Trace
from sonnx_formal.spec.requirements import LeftOut, SourceDocument

SCHEMA = "sonnx-formal/trace/1"
WHOLE, NOT_WHOLE = 0, 1
_STYLES = {
    Proof.PLANNED: "dim",
    Proof.UNPROVED: "red",
    Proof.ONE_FAMILY: "yellow",
    Proof.TWO_FAMILIES: "green",
}
COLUMNS = (
    "id", "document", "section", "kind", "levels", "status", "text", "proof", "ladder", "goals",
    "goals proved by two families", "vectors", "confirmed by", "tests", "findings", "gaps",
    "errors",
)  # fmt: skip


def exit_status(trace: Trace) -> int:
    """Zero only if the trace is whole."""
    return WHOLE if trace.state is State.WHOLE else NOT_WHOLE


def print_summary(console: Console, trace: Trace) -> None:
    """The gaps first, then the table, the findings, and what is wrong."""
    _print_gaps(console, trace)
    console.print(_table(trace))
    shown = sum(line.proof is not None for line in trace.findings)
    _say(
        console,
        f"\n{len(trace.findings)} findings about the source documents, {shown} of them shown by "
        "goals",
    )
    for error in trace.errors:
        console.print(
            Text(f"{error.subject}: {error.rule}", style="red") + Text(f": {error.message}"),
            soft_wrap=True,
        )
    _say(console, _last_line(trace))


def as_json(
    trace: Trace, documents: Mapping[str, SourceDocument], left_out: tuple[LeftOut, ...]
) -> Any:
    """The trace as JSON values, as `trace.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "state": str(trace.state),
        "not_given": list(trace.not_given),
        "documents": [{"id": name} | asdict(one) for name, one in documents.items()],
        "requirements": [_requirement(line) for line in trace.lines],
        "findings": [_finding(line) for line in trace.findings],
        "left_out": [
            {
                "documents": list(one.documents),
                "section": one.section,
                "what": one.what,
                "reason": one.reason,
            }
            for one in left_out
        ],
        "errors": [
            {"rule": str(one.rule), "subject": one.subject, "message": one.message}
            for one in trace.errors
        ],
    }


def as_csv(trace: Trace) -> str:
    """A row for each requirement, below a row of titles; several values in a cell have a line each.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    errors: dict[str, list[Error]] = {}
    for error in trace.errors:
        errors.setdefault(error.subject, []).append(error)
    for line in trace.lines:
        writer.writerow(map(_cell, _row(line, errors.get(line.requirement.id, []))))
    return text.getvalue()


def _row(line: Line, errors: list[Error]) -> tuple[str, ...]:
    one = line.requirement
    return (
        one.id,
        one.document,
        one.section,
        str(one.kind),
        "\n".join(one.levels),
        str(one.status),
        one.text,
        str(line.proof),
        "\n".join(line.ladder),
        "\n".join(dict.fromkeys(goal.symbol for goal in line.goals)),
        f"{sum(len(goal.families) > 1 for goal in line.goals)} of {len(line.goals)}",
        "\n".join(f"{name}: {count}" for name, count in line.cases.items()),
        "\n".join(f"{c.implementation} {c.combinations}/{c.of}" for c in line.confirmed_by),
        "\n".join(one.checks),
        "\n".join(line.findings),
        "\n".join(line.gaps),
        "\n".join(f"{error.rule}: {error.message}" for error in errors),
    )


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _requirement(line: Line) -> dict[str, Any]:
    one = line.requirement
    return {
        "id": one.id,
        "document": one.document,
        "section": one.section,
        "kind": str(one.kind),
        "text": one.text,
        "status": str(one.status),
        "levels": [str(level) for level in one.levels],
        "precondition": one.precondition,
        "proof": str(line.proof),
        "ladder": list(line.ladder),
        "goals": [_goal(goal) for goal in line.goals],
        "vectors": [{"class": name, "cases": count} for name, count in line.cases.items()],
        "no_vector": one.no_vector or None,
        "confirmed_by": [
            {
                "implementation": each.implementation,
                "combinations": each.combinations,
                "of": each.of,
            }
            for each in line.confirmed_by
        ],
        "tests": list(one.checks),
        "findings": list(line.findings),
        "gaps": list(line.gaps),
    }


def _goal(goal: ProvedGoal) -> dict[str, Any]:
    return {"id": goal.id, "explanation": goal.explanation, "families": sorted(goal.families)}


def _finding(line: FindingLine) -> dict[str, Any]:
    one = line.finding
    return {
        "id": one.id,
        "document": one.document,
        "section": one.section,
        "title": one.title,
        "readings": list(one.readings),
        "requirements": list(one.requirements),
        "proof": str(line.proof) if line.proof else None,
        "goals": [_goal(goal) for goal in line.goals],
        "sketch": {
            "outcome": str(one.sketch.outcome),
            "text": one.sketch.text,
            "message": one.sketch.message or None,
        }
        if one.sketch
        else None,
        "not_shown": one.not_shown or None,
        "decision": one.decision,
        "proposal": one.proposal,
    }


def _print_gaps(console: Console, trace: Trace) -> None:
    """Each gap once, with how many requirements have it."""
    _say(console, "Gaps")
    for name in trace.not_given:
        _say(console, f"  no {name} given: nothing is taken for it")
    gaps: dict[str, list[str]] = {}
    for line in trace.lines:
        for gap in line.gaps:
            kind = "some goals proved by one family of provers only" if "one family" in gap else gap
            gaps.setdefault(kind, []).append(line.requirement.id)
    for gap, ids in gaps.items():
        documents = ", ".join(dict.fromkeys(one.partition(".")[0] for one in ids))
        _say(console, f"  {len(ids)} requirements of {documents}: {gap}")
    _say(console, "")


def _table(trace: Trace) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("requirement", "proof"):
        table.add_column(name, no_wrap=True)
    for name in ("goals", "by two", "cases"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("vectors pass on", overflow="fold")
    for line in trace.lines:
        two = sum(len(goal.families) > 1 for goal in line.goals)
        partly = ", ".join(
            c.implementation if c.complete else f"{c.implementation} {c.combinations}/{c.of}"
            for c in line.confirmed_by
        )
        table.add_row(
            line.requirement.id,
            Text(line.proof, style=_STYLES[line.proof]),
            str(len(line.goals)),
            str(two),
            str(sum(line.cases.values())),
            Text(partly),
        )
    return table


def _last_line(trace: Trace) -> str:
    counts = Counter(line.proof for line in trace.lines)
    parts = [f"{counts[proof]} {proof}" for proof in reversed(Proof) if counts[proof]]
    total = f"{len(trace.lines)} requirements: {', '.join(parts)}"
    match trace.state:
        case State.WHOLE:
            ending = "the trace is whole"
        case State.INCOMPLETE:
            ending = f"the trace is incomplete: not given: {', '.join(trace.not_given)}"
        case State.BROKEN:
            number = len(trace.errors)
            ending = f"the trace is broken: {number} error{'s' * (number > 1)}"
    return f"{total}; {ending}"


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
