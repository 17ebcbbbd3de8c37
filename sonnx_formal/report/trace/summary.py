"""What a trace looks like: a table, what is wrong, the gaps; and as CSV."""

import csv
import io
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.report.trace.document import Proof, RequirementLine, State, Trace

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
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def exit_status(trace: Trace) -> int:
    """Zero only if the trace is whole."""
    return 0 if trace.state is State.WHOLE else 1


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


def as_csv(trace: Trace | None) -> str:
    """A row for each requirement, below a row of titles; several values in a cell have a line each.

    Where there is no trace, there is no row. A text that a spreadsheet would take for a formula
    begins with an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for line in trace.requirements if trace else ():
        errors = [
            f"{error.rule}: {error.message}"
            for error in (trace.errors if trace else ())
            if error.subject == line.id
        ]
        writer.writerow(
            f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in _cells(line, errors)
        )
    return text.getvalue()


def _cells(line: RequirementLine, errors: list[str]) -> tuple[str, ...]:
    return (
        line.id,
        line.document,
        line.section,
        line.kind,
        "\n".join(line.levels),
        line.status,
        line.text,
        line.proof,
        "\n".join(line.ladder),
        "\n".join(dict.fromkeys(goal.symbol for goal in line.goals)),
        f"{line.two_families} of {len(line.goals)}",
        "\n".join(f"{count.name}: {count.cases}" for count in line.vectors),
        "\n".join(map(str, line.confirmed_by)),
        "\n".join(line.tests),
        "\n".join(line.findings),
        "\n".join(line.gaps),
        "\n".join(errors),
    )


def _print_gaps(console: Console, trace: Trace) -> None:
    """Each gap once, with how many requirements have it."""
    _say(console, "Gaps")
    for name in trace.not_given:
        _say(console, f"  no {name} given: nothing is taken for it")
    documents: dict[str, list[str]] = {}
    for line in trace.requirements:
        for gap in line.gaps:
            kind = "some goals proved by one family of provers only" if "one family" in gap else gap
            documents.setdefault(kind, []).append(line.document)
    for gap, names in documents.items():
        _say(console, f"  {len(names)} requirements of {', '.join(dict.fromkeys(names))}: {gap}")
    _say(console, "")


def _table(trace: Trace) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("requirement", "proof"):
        table.add_column(name, no_wrap=True)
    for name in ("goals", "by two", "cases"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("vectors pass on", overflow="fold")
    for line in trace.requirements:
        passes_on = ", ".join(
            each.implementation if each.complete else str(each) for each in line.confirmed_by
        )
        table.add_row(
            line.id,
            Text(line.proof, style=_STYLES[line.proof]),
            str(len(line.goals)),
            str(line.two_families),
            str(line.cases),
            Text(passes_on),
        )
    return table


def _last_line(trace: Trace) -> str:
    counts = Counter(line.proof for line in trace.requirements)
    parts = [f"{counts[proof]} {proof}" for proof in reversed(Proof) if counts[proof]]
    total = f"{len(trace.requirements)} requirements: {', '.join(parts)}"
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
